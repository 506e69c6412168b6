// kernels as people write them; test_usual.py says which of them are equal
typedef unsigned int u32; typedef unsigned char u8; typedef unsigned short u16; typedef unsigned long long u64;
#define I int i = blockIdx.x * blockDim.x + threadIdx.x
#define K extern "C" __global__ void
// gray
K gray_a(const u8* p, u8* o, int n) { I; if (i < n) o[i] = (p[4*i]*77 + p[4*i+1]*150 + p[4*i+2]*29) >> 8; }
K gray_b(const uchar4* p, u8* o, int n) { I; if (i < n) { uchar4 v = p[i]; o[i] = (v.x*77 + v.y*150 + v.z*29) >> 8; } }
K gray_x(const uchar4* p, u8* o, int n) { I; if (i < n) { uchar4 v = p[i]; o[i] = (v.x*77 + v.y*151 + v.z*29) >> 8; } }
// saturating add of bytes
K sat_a(const u32* a, const u32* b, u32* o, int n) { I; if (i < n) o[i] = __vaddus4(a[i], b[i]); }
K sat_b(const u8* a, const u8* b, u8* o, int n) { I; if (i < n) for (int k = 0; k < 4; k++) o[4*i+k] = min(a[4*i+k] + b[4*i+k], 255); }
K sat_x(const u8* a, const u8* b, u8* o, int n) { I; if (i < n) for (int k = 0; k < 4; k++) o[4*i+k] = min(a[4*i+k] + b[4*i+k], 254); }
// popcount
K pop_a(const u32* a, int* o, int n) { I; if (i < n) o[i] = __popc(a[i]); }
K pop_b(const u32* a, int* o, int n) { I; if (i < n) { u32 x = a[i]; x = x - ((x >> 1) & 0x55555555); x = (x & 0x33333333) + ((x >> 2) & 0x33333333); o[i] = (((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24; } }
K pop_x(const u32* a, int* o, int n) { I; if (i < n) { int c = 0; for (u32 x = a[i]; x; x &= x - 1) c++; o[i] = c; } }
// bit reversal
K rev_a(const u32* a, u32* o, int n) { I; if (i < n) o[i] = __brev(a[i]); }
K rev_b(const u32* a, u32* o, int n) { I; if (i < n) { u32 x = a[i], y = 0;
#pragma unroll 1
 for (int k = 0; k < 32; k++) { y = y << 1 | (x & 1); x >>= 1; } o[i] = y; } }
// 2D index
K tr_a(const int* p, int* o, int w, int h) { I; int x = i % w, y = i / w; if (i < w * h) o[x * h + y] = p[i]; }
K tr_b(const int* p, int* o, int w, int h) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < w * h) { int y = i / w, x = i - y * w; o[x * h + y] = p[y * w + x]; } }
// copy
K cp_a(const int* p, int* o, int n) { I; if (i < n) o[i] = p[i]; }
K cp_b(const int* p, int* o, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) o[i] = p[i]; }
// dp4a
K dp_a(const int* a, const int* b, int* o, int n) { I; if (i < n) o[i] = __dp4a(a[i], b[i], o[i]); }
K dp_b(const signed char* a, const signed char* b, int* o, int n) { I; if (i < n) { int s = o[i]; for (int k = 0; k < 4; k++) s += a[4*i+k] * b[4*i+k]; o[i] = s; } }
K dp_x(const signed char* a, const u8* b, int* o, int n) { I; if (i < n) { int s = o[i]; for (int k = 0; k < 4; k++) s += a[4*i+k] * b[4*i+k]; o[i] = s; } }
// crc8 by table of nibbles
__constant__ u8 T[16] = {0x00,0x07,0x0e,0x09,0x1c,0x1b,0x12,0x15,0x38,0x3f,0x36,0x31,0x24,0x23,0x2a,0x2d};
K crc_a(const u8* p, u8* o, int n) { I; if (i < n) { u8 c = p[i]; for (int k = 0; k < 8; k++) c = c & 0x80 ? c << 1 ^ 7 : c << 1; o[i] = c; } }
K crc_b(const u8* p, u8* o, int n) { I; if (i < n) { u8 c = p[i]; c = c << 4 ^ T[c >> 4]; c = c << 4 ^ T[c >> 4]; o[i] = c; } }
// byte swap
K sw_a(u32* p, int n) { I; if (i < n) p[i] = __byte_perm(p[i], 0, 0x0123); }
K sw_b(u32* p, int n) { I; if (i < n) { u32 x = p[i]; p[i] = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; } }
K sw_x(u32* p, int n) { I; if (i < n) { u32 x = p[i]; p[i] = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff) | x >> 24; } }
// sort of four
K so_a(int4* p, int n) { I; if (i < n) { int4 v = p[i]; int a=min(v.x,v.y),b=max(v.x,v.y),c=min(v.z,v.w),d=max(v.z,v.w); int l=min(a,c),h=max(b,d),m1=max(a,c),m2=min(b,d); p[i]=make_int4(l,min(m1,m2),max(m1,m2),h);} }
K so_b(int* p, int n) { I; if (i < n) { int* q = p + 4*i; for (int x = 0; x < 3; x++) for (int y = 0; y < 3 - x; y++) if (q[y] > q[y+1]) { int t = q[y]; q[y] = q[y+1]; q[y+1] = t; } } }
// binary search of 8
K bs_a(const int* t, const int* p, int* o, int n) { I; if (i < n) { int lo = 0; for (int s = 4; s; s >>= 1) if (t[lo + s - 1] < p[i]) lo += s; o[i] = lo; } }
K bs_b(const int* t, const int* p, int* o, int n) { I; if (i < n) { int x = p[i]; int lo = (t[3] < x) * 4; lo += (t[lo + 1] < x) * 2; lo += t[lo] < x; o[i] = lo; } }
// floats
K fx_a(const float* x, float* y, float a, int n) { I; if (i < n) y[i] = fmaf(a, x[i], y[i]); }
K fx_b(const float* x, float* y, float a, int n) { I; if (i < n) y[i] = __fadd_rn(__fmul_rn(a, x[i]), y[i]); }
K fx_c(const float* x, float* y, float a, int n) { I; if (i >= n) return; float u = x[i]; y[i] = fmaf(u, a, y[i]); }
K ft_a(const float4* x, float* y, int n) { I; if (i < n) { float4 v = x[i]; y[i] = (v.x + v.y) + (v.z + v.w); } }
K ft_b(const float* x, float* y, int n) { I; if (i < n) y[i] = x[4*i] + x[4*i+1] + x[4*i+2] + x[4*i+3]; }
// remainder
K rm_a(const u32* p, u32* o, int n) { I; if (i < n) o[i] = p[i] % 7; }
K rm_b(const u32* p, u32* o, int n) { I; if (i < n) { u32 x = p[i]; u32 q = (u64)x * 0x24924925 >> 32; q = (((x - q) >> 1) + q) >> 2; o[i] = x - q * 7; } }
// morton
K mo_a(const u16* p, u32* o, int n) { I; if (i < n) { u32 x = p[i]; u32 r = 0; for (int k = 0; k < 16; k++) r |= (x >> k & 1) << (2 * k); o[i] = r; } }
K mo_b(const u16* p, u32* o, int n) { I; if (i < n) { u32 x = p[i]; x = (x | x << 8) & 0x00ff00ff; x = (x | x << 4) & 0x0f0f0f0f; x = (x | x << 2) & 0x33333333; o[i] = (x | x << 1) & 0x55555555; } }
// 3-tap stencil in place or not
K st_a(const int* p, int* o, int n) { I; if (i > 0 && i < n - 1) o[i] = (p[i-1] + 2*p[i] + p[i+1]) >> 2; }
K st_b(const int* p, int* o, int n) { I; if (i == 0 || i >= n - 1) return; int a = p[i-1], b = p[i], c = p[i+1]; o[i] = (a + b + b + c) / 4; }
