// Compiled by `nvcc -ptx -lineinfo` to digits.ptx and by `nvcc -ptx -G` to digits_debug.ptx, without
// its debugging sections; nvcc 13.0.88.
__global__ void digits(const unsigned* values, unsigned* characters) {
  unsigned value = values[threadIdx.x], character;
  if (value < 10)
    character = value + '0';
  else if (value <= 36)  // a mistake: 36 is '-'
    character = value - 10 + 'a';
  else
    character = value == 36 ? '-' : '?';
  characters[threadIdx.x] = character;
}
