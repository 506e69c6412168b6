%% k.cu uses, and what only looks like one
// __vadd4(a, b)
__device__ unsigned __vadd4(unsigned a, unsigned b);
static const char *s = "__vadd4(a,b)";
#define ADD(a,b) __vadd4(a, b)
__device__ unsigned f(unsigned a, unsigned b) {
  unsigned d = __vabsdiffu4 (a, b);
  asm("vadd4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0));
  x__vadd4(a, b); __vadd4x(a, b); __vadd4;
#if 0
  d = __vsub4(a, b);
#endif
  /* __vadd4(a, b) */ return __byte_perm(d, b, 0x5410) * __vcmpgtu4(a, b);
}
%% k.cuh the same in a header
unsigned f(unsigned a, unsigned b) { return __vcmpgtu4(a, b); }
%% k.h a remark on one of unsigned operands
unsigned f(unsigned a, unsigned b) { return __dp4a(a, b, 0u); }
%% k.py other languages have none
d = __vadd4(a, b);
