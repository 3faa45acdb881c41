/*
 * Where the time goes, and where numbers stop being numbers.  Part of <tyto/tyto.h>, which says what holds everywhere.
 *
 * Both watch every kernel that starts, eager operators and those of programs, in all threads.  Without a line of code:
 *
 *   TY_PROFILE=FILE  times all kernels until the process ends, and then writes FILE: a trace that Chrome, Perfetto and
 *                    `tyto profile FILE` read
 *   TY_TRAP_NAN=1    what ty_trap_nan does, from the start
 */
#ifndef TYTO_PROFILE_H
#define TYTO_PROFILE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- profiles ---- */

/* All launches of kernels that are alike: the same operators on operands of the same dtypes and layouts. */
typedef struct ty_profile_row {
    const char *name; /* "contract + 2 f32[64,128], f32[128,32], f32[32] -> f32[64,32]" */
    int64_t calls;
    double ms;    /* of all calls together, what they started in turn (steps of a loop) left out */
    double bytes; /* that one call reads and writes: each element of its operands once */
    double
        flops; /* operations of one call: two for each product of a contraction, one for each elementwise operator and
                     each element that is folded */
} ty_profile_row;

/* Forgets what was timed and times all kernels from now on, of this process, until ty_profile_stop.  A kernel costs some
   0.1 us more then. */
TY_API void ty_profile_start(void);
/* What was timed since the start; nothing more is from now on.  The caller frees it with ty_profile_free.  NULL: no
   memory. */
TY_API ty_profile *ty_profile_stop(void);
TY_API void ty_profile_free(ty_profile *profile);

/* How many rows a profile has; row i, that with the most time first (its name is the profile's; i outside: a row without
   calls, of the name ""). */
TY_API int ty_profile_count(const ty_profile *profile);
TY_API ty_profile_row ty_profile_at(const ty_profile *profile, int i);
/*
 * A table of the first `most` rows (0: all): calls, ms, share of all time, GB/s, GFLOP/s and, where the peaks of the
 * machine are given (operations and bytes a second, else 0), what part of the roof that is: the time that the slower
 * of both takes at its peak, by the time it took (Williams et al., Roofline, 2009).  Freed with ty_free; NULL: no memory.
 */
TY_API char *ty_profile_table(const ty_profile *profile, int most, double flops, double bytes);

/* Writes a trace for chrome://tracing and Perfetto: each launch with its thread and time (the first million), and the
   rows.  False: no such file, and *error (when given; registered with the scope) tells why. */
TY_API bool ty_profile_save(const ty_profile *profile, const char *path, ty_tensor **error);
/* The rows of such a file, without its launches.  NULL, and *error.  The caller frees it with ty_profile_free. */
TY_API ty_profile *ty_profile_load(const char *path, ty_tensor **error);

/* ---- numbers that are none ---- */

/*
 * While it is on, in the whole process: a kernel that makes NaN or an infinity of operands that are all finite fails with
 * a sentence that names the operator, the first such element, and dtypes, shapes, names and ranges of the operands.  An
 * eager result is poison then, a run of a program fails.  Programs that are compiled meanwhile have one kernel for each
 * operator, so that the sentence is about one.  Every operand is read once more; without floating operands nothing is
 * looked at.  Returns the previous setting.
 */
TY_API bool ty_trap_nan(bool on);

#ifdef __cplusplus
}
#endif
#endif
