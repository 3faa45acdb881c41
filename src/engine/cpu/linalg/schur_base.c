/* Schur and QZ forms: base. */
#define SCHUR_TABLE schur_base
#include "engine/cpu/linalg/schur.kernel.c"
