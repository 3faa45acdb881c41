/* LAPACK through LAPACKE, opened at run time: for larger matrices, if TY_LAPACK=1. */
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

/* The environment variable TY_LAPACK. */
extern const struct environment_row environment_lapack;
/* Returns true if TY_LAPACK was 1 at its first read. */
bool lapack_wanted(void);
/* Opens LAPACK unless it is open. Returns false with a fault that says why it cannot. */
bool lapack_open(const char *name, struct fault *fault);
/* Returns a routine for f32, f64, c64 or c128; LAPACK must be open. */
void (*lapack_find(enum lapack_routine routine, ty_dtype dtype))(void);
/* Enters LAPACK; until lapack_leave OpenBLAS computes with one thread, so that bits do not depend on threads. If
   other callers hold all buffers, waits for one. Returns false if there is no memory for a buffer. */
bool lapack_enter(void);
/* Leaves LAPACK after a successful lapack_enter. */
void lapack_leave(void);

/* ---- lapack_rows.c ---- */

/* Copies square operand i, column-major, into the job's room and returns it. */
char *lapack_operand(struct cut *c, int i);
/* Copies a square column-major matrix to the result, from element `at` on. */
void lapack_give(struct matrix_job *job, const char *x, int64_t at);
/* Converts LAPACK's info to a fault; sets job->at. */
enum matrix_fault lapack_ended(struct matrix_job *job, int info);
/* Each computes one matrix; LAPACK must have been entered. */
matrix_run lapack_eigh, lapack_svd, lapack_eig, lapack_schur, lapack_hessenberg, lapack_qz;
#endif
