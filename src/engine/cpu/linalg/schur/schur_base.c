/* Schur and QZ forms for the base instruction set. */
#define SCHUR_TABLE schur_base
#include "engine/cpu/linalg/schur/schur.kernel.c"
