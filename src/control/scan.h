/* Scans whose number of steps is known only when they run: what ty_while and gradients are made of. */
#ifndef CONTROL_SCAN_H
#define CONTROL_SCAN_H
#include <tyto/control.h>

/* ty_scan under another name in sentences; count: i64[], how many of the steps to run (NULL: all). */
bool scan_counted(const char *name, ty_step_function step, void *context, const ty_scan_spec *loop,
                  ty_tensor *count, ty_tensor **last, ty_tensor **y, ty_tensor **steps);
/* ty_scan with a checkpoint every loop->checkpoint steps (scan_segments.c). */
bool scan_in_segments(ty_step_function step, void *context, const ty_scan_spec *loop, ty_tensor **last,
                      ty_tensor **y, ty_tensor **steps);
/* Whether nothing that a loop needs is NULL; else its results, where they have a place, are poison. */
bool loop_given(const char *name, bool functions, const ty_scan_spec *l, ty_tensor **last, ty_tensor **y,
                ty_tensor **steps);
#endif
