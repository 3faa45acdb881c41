/* Non-temporal stores of 32 bytes. */
#define VECTOR __m256i
#define LOAD _mm256_loadu_si256
#define STREAM _mm256_stream_si256
#define TABLE bypass_avx2
#include "base/machine/bypass.kernel.c"
