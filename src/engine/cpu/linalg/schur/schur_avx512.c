/* Schur and QZ forms for AVX-512. */
#define SCHUR_TABLE schur_avx512
#include "engine/cpu/linalg/schur/schur.kernel.c"
