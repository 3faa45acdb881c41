/* Schur and QZ forms for AVX2. */
#define SCHUR_TABLE schur_avx2
#include "engine/cpu/linalg/schur/schur.kernel.c"
