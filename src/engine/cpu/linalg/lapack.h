/* LAPACK through LAPACKE, for larger matrices where TY_LAPACK=1 asks for it; it is opened at run time. */
#ifndef ENGINE_CPU_LINALG_LAPACK_H
#define ENGINE_CPU_LINALG_LAPACK_H
#include "base/environment.h"
#include "base/isa.h"
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

/* TY_LAPACK; lapack_wanted: what it said when it was first read. */
extern const struct environment_row environment_lapack;
bool lapack_wanted(void);
/* Opens LAPACK unless it is open; a fault that says why it cannot be. */
bool lapack_open(const char *name, struct fault *fault);
/* A routine for f32, f64, c64 or c128, once it is open. */
void (*lapack_find(enum lapack_routine routine, ty_dtype dtype))(void);
/* Between the two OpenBLAS computes with one thread, so that bits do not depend on how many there are.  False: there is no
   memory for its buffer; a caller beside others waits for one of theirs. */
bool lapack_enter(void);
void lapack_leave(void);

/* ---- lapack_rows.c ---- */

/* Square operand i, columns first. */
char *lapack_operand(struct cut *c, int i);
/* A square matrix, columns first, to the result from element `at` on. */
void lapack_give(struct matrix_job *job, const char *x, int64_t at);
enum matrix_fault lapack_ended(struct matrix_job *job, int info);
matrix_run lapack_eigh, lapack_svd, lapack_eig, lapack_schur, lapack_hessenberg, lapack_qz;
#endif
