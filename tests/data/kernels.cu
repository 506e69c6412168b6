// Kernels whose PTX the tests run; compiled by `nvcc -ptx -arch=sm_80 kernels.cu`.
#include <cstdint>

extern "C" __global__ void saxpy_words(const uint32_t* a, const uint32_t* b, uint32_t* out, uint32_t k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * k + b[i];
}

extern "C" __global__ void block_sums(const int* in, int* out, int n) {
  __shared__ int part[128];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width >>= 1) {
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void warp_sums(const int* in, int* out) {
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = value;
}

extern "C" __global__ void histogram(const uint8_t* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void transpose(const uint16_t* in, uint16_t* out, int width, int height) {
  __shared__ uint16_t tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void collatz(const uint64_t* in, uint32_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t x = in[i];
  uint32_t steps = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    ++steps;
  }
  out[i] = steps;
}

extern "C" __global__ void gcds(const uint32_t* a, const uint32_t* b, uint32_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t x = a[i], y = b[i];
  while (y) {
    uint32_t rest = x % y;
    x = y;
    y = rest;
  }
  out[i] = x;
}

extern "C" __global__ void saturate(const int16_t* a, const int16_t* b, int16_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = a[i] + b[i];
  out[i] = (int16_t)max(-32768, min(32767, sum));
}

extern "C" __global__ void sad4(const uint32_t* a, const uint32_t* b, uint32_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t d;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(a[i]), "r"(b[i]), "r"(0));
  out[i] = d;
}

__device__ __noinline__ uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

extern "C" __global__ void hashes(const uint64_t* in, uint64_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mix(in[i]) + mix(in[i] + 1);
}

extern "C" __global__ void crc32(const uint8_t* in, uint32_t* out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t crc = ~0u;
  for (int k = 0; k < length; ++k) {
    crc ^= in[i * length + k];
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  out[i] = ~crc;
}

__constant__ int8_t weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

extern "C" __global__ void blur(const uint8_t* in, uint8_t* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      int u = min(max(x + i, 0), width - 1), v = min(max(y + j, 0), height - 1);
      sum += weights[(j + 1) * 3 + i + 1] * in[v * width + u];
    }
  out[y * width + x] = sum / 16;
}

extern "C" __global__ void matmul(const int* a, const int* b, int* c, int n) {
  __shared__ int s[8][8], t[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x, sum = 0;
  for (int k = 0; k < n; k += 8) {
    s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void sort_block(uint32_t* data) {
  extern __shared__ uint32_t keys[];
  keys[threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned size = 2; size <= blockDim.x; size *= 2)
    for (unsigned step = size / 2; step > 0; step /= 2) {
      unsigned other = threadIdx.x ^ step;
      if (other > threadIdx.x) {
        bool up = !(threadIdx.x & size);
        uint32_t x = keys[threadIdx.x], y = keys[other];
        if ((x > y) == up) { keys[threadIdx.x] = y; keys[other] = x; }
      }
      __syncthreads();
    }
  data[blockIdx.x * blockDim.x + threadIdx.x] = keys[threadIdx.x];
}

extern "C" __global__ void average_f32(const float* in, float* out, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum = fmaf(in[i * 8 + k], scale, sum);
  out[i] = fminf(fmaxf(sum, -1.0f), 1.0f);
}

extern "C" __global__ void quantize(const float* in, int8_t* out, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int q = __float2int_rn(in[i] * scale);
  out[i] = (int8_t)max(-128, min(127, q));
}

extern "C" __global__ void scan_block(const uint32_t* in, uint32_t* out) {
  __shared__ uint32_t warps[32];
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 1; step < 32; step *= 2) {
    uint32_t other = __shfl_up_sync(~0u, value, step);
    if (lane >= step) value += other;
  }
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  uint32_t before = 0;
  for (unsigned k = 0; k < warp; ++k) before += warps[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = value + before;
}

extern "C" __global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && in[i] > 0;
  unsigned votes = __ballot_sync(~0u, keep);
  int base = 0;
  if (threadIdx.x % 32 == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(votes & ((1u << threadIdx.x % 32) - 1))] = in[i];
}

struct Point { int x, y; unsigned char tag; };

extern "C" __global__ void points(const Point* in, Point offset, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long dx = in[i].x + offset.x, dy = in[i].y + offset.y;
  out[i] = in[i].tag == offset.tag ? dx * dx + dy * dy : -1;
}

extern "C" __global__ void digits(const uint32_t* in, uint8_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char text[10];
  uint32_t x = in[i];
  for (int k = 9; k >= 0; --k) { text[k] = '0' + x % 10; x /= 10; }
  int first = 0;
  while (first < 9 && text[first] == '0') ++first;
  for (int k = 0; k < 10; ++k) out[i * 10 + k] = k + first < 10 ? text[k + first] : ' ';
}

extern "C" __global__ void ackermann_like(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i];
  switch (x & 7) {
    case 0: x = x * 3; break;
    case 1: x = x / 3; break;
    case 2: x = x % 7; break;
    case 3: x = -x; break;
    case 4: x = abs(x) >> 2; break;
    case 5: x = __brev(x); break;
    case 6: x = __clz(x); break;
    default: x = ~x;
  }
  out[i] = x;
}

extern "C" __global__ void words_of_bytes(const uint4* in, uint4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 v = in[i];
  out[i] = make_uint4(__byte_perm(v.x, v.y, 0x0246), __funnelshift_l(v.x, v.y, v.z & 31),
                      __umulhi(v.x, v.y), __popc(v.z) + __ffs(v.w));
}

extern "C" __global__ void longest_run(const uint8_t* in, int* out, int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = 0, length = 0;
  for (int k = 0; k < width; ++k) {
    if (in[i * width + k] == 0) {
      length = 0;
      continue;
    }
    if (++length > best) best = length;
    if (best == 5) break;
  }
  out[i] = best;
}

__device__ int counters[4];
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }

extern "C" __global__ void by_pointer(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int (*function)(int) = in[i] & 1 ? twice : square;
  out[i] = function(in[i]);
  atomicAdd(&counters[in[i] & 3], 1);
}

__device__ __noinline__ int binomial(int n, int k) {
  return k == 0 || k == n ? 1 : binomial(n - 1, k - 1) + binomial(n - 1, k);
}

extern "C" __global__ void binomials(int* out) { out[threadIdx.x] = binomial(8, threadIdx.x); }

extern "C" __global__ void extremes(const long long* in, long long* out, int n) {
  __shared__ long long low, high;
  if (threadIdx.x == 0) low = 0x7fffffffffffffffll, high = -low - 1;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicMin(&low, in[i]);
    atomicMax(&high, in[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = low, out[1] = high;
}

extern "C" __global__ void floats_added(const float* in, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* place = (int*)sum;
  int old = *place, seen;
  do {
    seen = old;
    old = atomicCAS(place, seen, __float_as_int(in[i] + __int_as_float(seen)));
  } while (old != seen);
}

extern "C" __global__ void counts(const int* in, int* out) {
  int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  int positive = __syncthreads_count(x > 0), all = __syncthreads_and(x > -999);
  int any = __any_sync(~0u, x > 990), uniform = __all_sync(~0u, x < 995);
  if (threadIdx.x % 32 == 0) {
    int4 result = make_int4(positive, all, any, uniform);
    ((int4*)out)[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = result;
  }
}

extern "C" __global__ void fixed_point(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long product = (long long)a[i] * b[i] + 0x8000;
  out[i] = (int)(product >> 16) + __mul24(a[i], b[i]) + (a[i] / (b[i] | 1));
}

extern "C" __global__ void prefix_codes(const uint64_t* in, uint64_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t x = in[i], y = 0;
  for (int bit = 0; bit < 21; ++bit) y |= (x >> bit & 1) << 3 * bit;
  out[i] = y + x / 1000000007ull + (uint64_t)((int64_t)x % 97);
}

extern "C" __global__ void relu_rows(const float* in, float* out, int width, int height) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int column = threadIdx.x; column < width && row < height; column += blockDim.x) {
    float x = in[row * width + column];
    out[row * width + column] = x > 0 ? x * 0.5f + (float)column : -fabsf(x);
  }
}

extern "C" __global__ void waves(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i < n / 2 ? in[i] + 1.0f : __sinf(in[i]);
}
