/* LAPACK through LAPACKE, opened at run time: for larger matrices, if TY_LAPACK=1. */
#ifndef ENGINE_CPU_LINALG_LAPACK_H
#define ENGINE_CPU_LINALG_LAPACK_H
#include "base/machine/environment.h"
#include "base/machine/isa.h"
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

/* The environment variable TY_LAPACK. */
extern const struct environment_row environment_lapack;
/* Return true if TY_LAPACK was 1 when it was first read. */
bool lapack_wanted(void);
/* Open LAPACK unless it is open. Return false with a fault that says why it cannot; `name` is the operator to name
   in it. */
bool lapack_open(const char *name, struct fault *fault);
/* Return LAPACK's routine for f32, f64, c64 or c128, to be cast to its type; LAPACK must be open. */
void (*lapack_find(enum lapack_routine routine, ty_dtype dtype))(void);
/* Enter LAPACK; until lapack_leave OpenBLAS computes with one thread, so that bits do not depend on threads. If
   other callers hold all buffers, wait for one. Return false if there is no memory for a buffer. */
bool lapack_enter(void);
/* Leave LAPACK after a successful lapack_enter. */
void lapack_leave(void);

/* ---- lapack_rows.c ---- */

/* Copy the square operand i, column-major, to memory from c, and return it. */
char *lapack_operand(struct cut *c, int i);
/* Copy a square column-major matrix x to the result, row-major, from element `at` on. */
void lapack_give(struct matrix_job *job, const char *x, int64_t at);
/* Convert LAPACK's status info to a fault; set job->at, the index that the fault reports. */
enum matrix_fault lapack_ended(struct matrix_job *job, int info);
/* Each computes one matrix; LAPACK must have been entered. */
matrix_run lapack_eigh, lapack_svd, lapack_eig, lapack_schur, lapack_hessenberg, lapack_qz;
#endif
