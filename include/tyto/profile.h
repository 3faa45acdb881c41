/*
 * Profiles of kernels, and a trap for NaN and infinities.  Part of <tyto/tyto.h>, which states the rules that hold for
 * all functions.
 *
 * Both watch every kernel launch, of eager operators and of programs, on all threads.  The environment switches them
 * on, too:
 *
 *   TY_PROFILE=FILE  times all kernels until the process ends, and then writes FILE: a trace for Chrome, Perfetto and
 *                    `tyto profile FILE`
 *   TY_TRAP_NAN=1    ty_trap_nan from the start
 */
#ifndef TYTO_PROFILE_H
#define TYTO_PROFILE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- profiles ---- */

/* All launches of equal kernels: the same operators on operands of the same dtypes and layouts. */
typedef struct ty_profile_row {
    const char *name; /* such as "contract + 2 f32[64,128], f32[128,32], f32[32] -> f32[64,32]" */
    int64_t calls;
    double ms;    /* of all calls together, without kernels that they launched (steps of a loop) */
    double bytes; /* read and written by one call: each element of its operands once */
    /* operations of one call: two for each product of a contraction, one for each elementwise operator and each
       element reduced; factorisations, transforms and sorts by the formulas of docs/seeing.md */
    double flops;
} ty_profile_row;

/* Start timing: discard earlier timings and time all kernels of this process until ty_profile_stop.  A kernel
   then costs some 0.1 us more. */
TY_API void ty_profile_start(void);
/* Stop timing and return the profile since the start, an empty one if timing was not started.  The caller frees
   it with ty_profile_free.  NULL: out of memory. */
TY_API ty_profile *ty_profile_stop(void);
/* Free a profile.  NULL is allowed. */
TY_API void ty_profile_free(ty_profile *profile);

/* Return the number of entries of a profile; 0 for NULL. */
TY_API int ty_profile_count(const ty_profile *profile);
TY_API void ty_profile_at_sized(const ty_profile *profile, int i, ty_profile_row *row, size_t size);
/* Write entry i to *row, counted from 0 in descending order of time.  Its name lives as long as the profile; ms is the
   sum of all calls.  If i is outside: no calls, and the name "". */
TY_INLINE void ty_profile_at(const ty_profile *profile, int i, ty_profile_row *row) {
    ty_profile_at_sized(profile, i, row, sizeof *row);
}
/*
 * Format the first `most` entries (0 means all) as a table: calls, ms, share of all time, GB/s, GFLOP/s.
 *
 * If the machine's peaks `flops` and `bytes` are given, in operations and bytes a second (else 0), a column adds each
 * entry's share of the roofline.  That is the time that its operations or its bytes take at the peak, whichever is
 * longer, divided by the time taken (Williams et al., Roofline, 2009); "cache" for an entry that is faster than memory,
 * since its operands lie in caches.  The caller frees the text with ty_free; NULL: out of memory.
 */
TY_API char *ty_profile_table(const ty_profile *profile, int most, double flops, double bytes);

/* Write a profile to the file `path` as a trace for chrome://tracing and Perfetto: each launch with its thread
   and time (the first million), and the entries.  False if it could not be written, with the reason in *error
   unless NULL: a poisoned tensor that the scope owns. */
TY_API bool ty_profile_save(const ty_profile *profile, const char *path, ty_tensor **error);
/* Read the entries of a file that ty_profile_save wrote, without its launches.  The caller frees the profile
   with ty_profile_free.  NULL on failure, with the reason in *error unless NULL: a poisoned tensor that the
   scope owns. */
TY_API ty_profile *ty_profile_load(const char *path, ty_tensor **error);

/* ---- trap for NaN and infinities ---- */

/*
 * Switch the trap of the process: a kernel that makes NaN or an infinity from finite operands fails.
 *
 * The message names the operator, the first such element, and dtypes, shapes, names and ranges of the operands.  An
 * eager result is then poison; a run of a program fails.  Programs compiled while it is on have one kernel for each
 * operator, so that the message is about one.  Every operand is read once more; kernels without floating operands are
 * not checked.  Returns the previous setting.
 */
TY_API bool ty_trap_nan(bool on);

#ifdef __cplusplus
}
#endif
#endif
