/* Non-temporal stores of 16 bytes. */
#if defined(__SSE2__)
#define VECTOR __m128i
#define LOAD _mm_loadu_si128
#define STREAM _mm_stream_si128
#define TABLE bypass_base
#include "base/machine/bypass.kernel.c"
#else
#include "base/machine/bypass.h"
const bypass_rows bypass_base = NULL;
#endif
