/* Internal variants of ty_scan, used by ty_while, gradients and checkpoints. */
#ifndef CONTROL_SCAN_H
#define CONTROL_SCAN_H
#include <tyto/control.h>

/* Run or record a scan as ty_scan does, with error messages that begin with `name`. count, i64[], is the
   number of steps to run; NULL: all. Write carries to last[], stacked results to y[], and the number of steps
   run to *steps, which may be NULL. False if it failed; all results are then poison. */
bool scan_counted(const char *name, ty_step_function step, void *context, const ty_scan_spec *loop,
                  ty_tensor *count, ty_tensor **last, ty_tensor **y, ty_tensor **steps);
/* Run or record a scan as ty_scan does, with a checkpoint every loop->checkpoint steps (scan_segments.c).
   False if it failed; all results are then poison. */
bool scan_in_segments(ty_step_function step, void *context, const ty_scan_spec *loop, ty_tensor **last,
                      ty_tensor **y, ty_tensor **steps);
/* True if no required argument of a loop is NULL. Otherwise fill the result arrays that are given with
   poison, in the name of function `name`, and return false. `functions`: the caller's functions are given. */
bool loop_given(const char *name, bool functions, const ty_scan_spec *l, ty_tensor **last, ty_tensor **y,
                ty_tensor **steps);
#endif
