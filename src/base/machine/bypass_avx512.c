/* Non-temporal stores of 64 bytes, a whole cache line. */
#define VECTOR __m512i
#define LOAD _mm512_loadu_si512
#define STREAM _mm512_stream_si512
#define TABLE bypass_avx512
#include "base/machine/bypass.kernel.c"
