// Kernels with statements that no comparison takes: each is refused by its name.
#include <cstdio>
#include <cassert>
#include <cuda_pipeline.h>
typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ Function table[2] = {twice, thrice};
extern "C" {
__global__ void barrier(int *p) { __shared__ int s[64]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[63 - threadIdx.x]; }
__global__ void warp_barrier(int *p) { p[threadIdx.x] += 1; __syncwarp(); p[threadIdx.x] *= 2; }
__global__ void counted_barrier(int *p) { *p = __syncthreads_count(p[threadIdx.x] > 0); }
__global__ void fence(int *p) { p[0] = 1; __threadfence(); p[1] = 2; }
__global__ void atomic(int *p) { p[1] = atomicAdd(p, 1); }
__global__ void reduction(int *p) { atomicMax(p, 7); }
__global__ void swap(int *p) { p[1] = atomicCAS(p, 0, 1); }
__global__ void shared_atomic(int *p) { __shared__ int s; atomicAdd(&s, 1); *p = s; }
__global__ void shuffle(int *p) { p[threadIdx.x] = __shfl_xor_sync(~0u, p[threadIdx.x], 1); }
__global__ void ballot(unsigned *p) { *p = __ballot_sync(~0u, p[threadIdx.x] > 0); }
__global__ void any(int *p) { *p = __any_sync(~0u, p[threadIdx.x] > 0); }
__global__ void match(unsigned *p) { *p = __match_any_sync(~0u, p[threadIdx.x]); }
__global__ void active(unsigned *p) { *p = __activemask(); }
__global__ void clocked(int *p) { *p = clock(); }
__global__ void lane(int *p) { unsigned x; asm("mov.u32 %0, %%laneid;" : "=r"(x)); *p = x; }
__global__ void polled(volatile int *p) { p[1] = p[0]; }
__global__ void printed(int *p) { printf("%d\n", *p); *p = 0; }
__global__ void asserted(int *p) { assert(*p > 0); *p = 0; }
__global__ void trapped(int *p) { if (*p) __trap(); *p = 1; }
__global__ void indirect(int *p) { *p = table[*p & 1](*p); }
__global__ void allocated(int **p) { *p = (int *)malloc(4); }
__global__ void textured(int *p, cudaTextureObject_t t) { *p = tex1Dfetch<int>(t, 3); }
__global__ void copied(int *p) {
  __shared__ int s[64];
  __pipeline_memcpy_async(s + threadIdx.x, p + threadIdx.x, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  p[threadIdx.x] = s[threadIdx.x] + 1;
}
__global__ void reached(int **p) { **p = 1; }
}
