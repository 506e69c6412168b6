// Kernels with shared and local memory, calls (with -G) and guards: _b is equal to _a, _x is not.
// 1 shared per-thread scratch, static
extern "C" __global__ void scale_a(const int *in, int *out, int n) {
  __shared__ int s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x & 255] = in[i] * 3;
  out[i] = s[threadIdx.x & 255] + 1;
}
extern "C" __global__ void scale_b(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i] + in[i] + 1;
}
extern "C" __global__ void scale_x(const int *in, int *out, int n) {
  __shared__ int s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x & 255] = in[i] * 3;
  out[i] = s[threadIdx.x & 127] + 1;
}
// 2 dynamic shared
extern __shared__ unsigned dyn[];
extern "C" __global__ void pair_a(const unsigned *in, unsigned *out) {
  unsigned t = threadIdx.x;
  dyn[2*t] = in[2*t]; dyn[2*t+1] = in[2*t+1];
  out[t] = dyn[2*t] ^ dyn[2*t+1];
}
extern "C" __global__ void pair_b(const uint2 *in, unsigned *out) {
  unsigned t = threadIdx.x;
  uint2 v = in[t];
  out[t] = v.x ^ v.y;
}
extern "C" __global__ void pair_x(const uint2 *in, unsigned *out) {
  unsigned t = threadIdx.x;
  uint2 v = in[t];
  out[t] = v.x | v.y;
}
// 3 local array, dynamic index
extern "C" __global__ void pick_a(const unsigned *in, unsigned *out, int k) {
  unsigned t = threadIdx.x, a[8];
  for (int i = 0; i < 8; i++) a[i] = in[8*t+i];
  out[t] = a[k & 7];
}
extern "C" __global__ void pick_b(const unsigned *in, unsigned *out, int k) {
  unsigned t = threadIdx.x;
  out[t] = in[8*t + (k & 7)];
}
extern "C" __global__ void pick_x(const unsigned *in, unsigned *out, int k) {
  unsigned t = threadIdx.x;
  out[t] = in[8*t + k % 8];
}
// 4 vector loads
extern "C" __global__ void grey_a(const uchar4 *in, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 v = in[i];
  out[i] = (77 * v.x + 150 * v.y + 29 * v.z) >> 8;
}
extern "C" __global__ void grey_b(const unsigned *in, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __dp4a(in[i], 0x001d964du, 0u) >> 8;
}
extern "C" __global__ void grey_x(const unsigned *in, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = (__dp4a(in[i], 0x001d964du, 0u) + 128) >> 8;
}
// 5 early return / half-warp guard
extern "C" __global__ void half_a(const int *in, int *out) {
  int lane = threadIdx.x & 31;
  if (lane >= 16) return;
  out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 16];
}
extern "C" __global__ void half_b(const int *in, int *out) {
  if (!(threadIdx.x & 16)) out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x ^ 16];
}
extern "C" __global__ void half_x(const int *in, int *out) {
  int lane = threadIdx.x & 31;
  if (lane > 16) return;
  out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 16];
}
// 6 grid stride
extern "C" __global__ void saxpy_a(const int *x, int *y, int n, int a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}
extern "C" __global__ void saxpy_b(const int *x, int *y, int n, int a) {
  int stride = blockDim.x * gridDim.x;
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  while (i < n) { y[i] += x[i] * a; i += stride; }
}
extern "C" __global__ void saxpy_x(const int *x, int *y, int n, int a) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) y[i] += x[i] * a;
}
// 7 signed saturate in shared (short)
extern "C" __global__ void gain_a(const short *in, short *out, int g) {
  __shared__ short s[64];
  int t = threadIdx.x & 63;
  s[t] = in[threadIdx.x];
  int v = (s[t] * g) >> 8;
  out[threadIdx.x] = v > 32767 ? 32767 : v < -32768 ? -32768 : v;
}
extern "C" __global__ void gain_b(const short *in, short *out, int g) {
  int v = (in[threadIdx.x] * g) >> 8;
  out[threadIdx.x] = max(min(v, 32767), -32768);
}
extern "C" __global__ void gain_x(const short *in, short *out, int g) {
  int v = (in[threadIdx.x] * g) / 256;
  out[threadIdx.x] = max(min(v, 32767), -32768);
}
// 8 64/32 bit index
extern "C" __global__ void grid_a(const int *in, int *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = in[y * w + x] - 5;
}
extern "C" __global__ void grid_b(const int *in, int *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  size_t i = (size_t)y * w + x;
  out[i] = in[i] - 5;
}
extern "C" __global__ void grid_x(const int *in, int *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y > h) return;
  size_t i = (size_t)y * w + x;
  out[i] = in[i] - 5;
}
// 9 bubble sort in local / shared of 4
extern "C" __global__ void sort_a(const int *in, int *out) {
  __shared__ int s[32][4];
  int t = threadIdx.x & 31;
  for (int i = 0; i < 4; i++) s[t][i] = in[4*threadIdx.x+i];
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3 - i; j++)
    if (s[t][j] > s[t][j+1]) { int x = s[t][j]; s[t][j] = s[t][j+1]; s[t][j+1] = x; }
  for (int i = 0; i < 4; i++) out[4*threadIdx.x+i] = s[t][i];
}
extern "C" __global__ void sort_b(const int4 *in, int4 *out) {
  int4 v = in[threadIdx.x]; int a, b;
  a = min(v.x, v.y); b = max(v.x, v.y); v.x = a; v.y = b;
  a = min(v.z, v.w); b = max(v.z, v.w); v.z = a; v.w = b;
  a = min(v.x, v.z); b = max(v.x, v.z); v.x = a; v.z = b;
  a = min(v.y, v.w); b = max(v.y, v.w); v.y = a; v.w = b;
  a = min(v.y, v.z); b = max(v.y, v.z); v.y = a; v.z = b;
  out[threadIdx.x] = v;
}
extern "C" __global__ void sort_x(const int4 *in, int4 *out) {
  int4 v = in[threadIdx.x]; int a, b;
  a = min(v.x, v.y); b = max(v.x, v.y); v.x = a; v.y = b;
  a = min(v.z, v.w); b = max(v.z, v.w); v.z = a; v.w = b;
  a = min(v.x, v.z); b = max(v.x, v.z); v.x = a; v.z = b;
  a = min(v.y, v.w); b = max(v.y, v.w); v.y = a; v.w = b;
  out[threadIdx.x] = v;
}
// 10 local histogram (counters in local), bytes
extern "C" __global__ void count_a(const unsigned char *in, unsigned *out) {
  unsigned c[4] = {0, 0, 0, 0};
  for (int i = 0; i < 6; i++) c[in[threadIdx.x * 6 + i] >> 6]++;
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = c[i];
}
extern "C" __global__ void count_b(const unsigned char *in, unsigned *out) {
  unsigned c = 0;
  for (int i = 0; i < 6; i++) c += 1u << (in[threadIdx.x * 6 + i] >> 6) * 8;
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = c >> 8 * i & 255;
}
extern "C" __global__ void count_x(const unsigned char *in, unsigned *out) {
  unsigned c = 0;
  for (int i = 0; i < 6; i++) c += 1u << (in[threadIdx.x * 6 + i] >> 6) * 8;
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = c >> 8 * i & 3;
}
// 11 pointer walk in shared, generic pointer function
__device__ int sum4(const int *p) { int s = 0; for (int i = 0; i < 4; i++) s += *p++; return s; }
extern "C" __global__ void walk_a(const int *in, int *out, int k) {
  __shared__ int s[128];
  int t = 4 * (threadIdx.x & 31);
  for (int i = 0; i < 4; i++) s[t + i] = in[4 * threadIdx.x + i];
  int *p = k ? s + t : s + (t ^ 4) ;
  if (!k) for (int i = 0; i < 4; i++) p[i] = i;
  out[threadIdx.x] = sum4(p);
}
extern "C" __global__ void walk_b(const int4 *in, int *out, int k) {
  int4 v = in[threadIdx.x];
  out[threadIdx.x] = k ? v.x + v.y + v.z + v.w : 6;
}
