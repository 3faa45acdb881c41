/* LAPACK through LAPACKE, found when it is first needed: nothing is linked, and a program that needs none loads none. */
#ifndef ENGINE_CPU_LINALG_LAPACK_H
#define ENGINE_CPU_LINALG_LAPACK_H
#include "engine/cpu/linalg/spectral.h"

enum lapack_routine {
    LAPACK_HEEVD,
    LAPACK_GESDD,
    LAPACK_GEEV,
    LAPACK_GEES,
    LAPACK_GGES,
    LAPACK_GEHRD,
    LAPACK_UNGHR,
    LAPACK_ROUTINES
};
enum { LAPACK_COLUMNS = 102 }; /* matrices are column-major */

/* A routine for f32, f64, c64 or c128; NULL: LAPACK is not there. */
void (*lapack_find(enum lapack_routine routine, ty_dtype dtype))(void);
/* Between the two OpenBLAS computes with one thread, so that bits do not depend on how many there are. */
void lapack_enter(void);
void lapack_leave(void);

/* ---- lapack_rows.c ---- */

/* Square operand i, columns first. */
char *lapack_operand(struct cut *c, int i);
/* A square matrix, columns first, to the result from element `at` on. */
void lapack_give(struct matrix_job *job, const char *x, int64_t at);
enum matrix_fault lapack_ended(struct matrix_job *job, int info);
/* a (c128, columns first) becomes its Schur form, z its vectors. */
enum matrix_fault lapack_schur_of(struct matrix_job *job, int64_t n, void *a, void *z, struct cut *c);
#endif
