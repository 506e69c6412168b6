%% an included file may declare it
#include "own.cuh"
__global__ void k(unsigned *o, unsigned a, unsigned b, unsigned long long l, float f, double g) {
  const int N = 3;
  unsigned d;
  asm volatile("vadd.u32.u32.u32 %0, foo, %1;" : "=r"(d) : "r"(a), "r"(b));
}
%% and a macro
#define DECLARE(x) asm(".reg .u32 " #x ";")
__global__ void k(unsigned *o, unsigned a, unsigned b, unsigned long long l, float f, double g) {
  const int N = 3;
  unsigned d;
  asm volatile("vadd.u32.u32.u32 %0, foo, %1;" : "=r"(d) : "r"(a), "r"(b));
}
%% a header of the system declares none
#include <cstdint>
__global__ void k(unsigned *o, unsigned a, unsigned b, unsigned long long l, float f, double g) {
  const int N = 3;
  unsigned d;
  asm volatile("vadd.u32.u32.u32 %0, foo, %1;" : "=r"(d) : "r"(a), "r"(b));
}
