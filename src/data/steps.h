/* What steps share. */
#ifndef DATA_STEPS_H
#define DATA_STEPS_H
#include <stdarg.h>
#include <tyto/data.h>

/* NULL when step, x (H,W,C) of real numbers and draws are there, else poison of step `name`. */
ty_tensor *step_refuse(const char *name, const ty_image_step *step, ty_tensor *x, const ty_draws *draws);
/* The image as floating numbers, integers from 0 to 1. */
ty_tensor *step_float(ty_tensor *x);
/* Whether a thing of this chance is to be done. */
bool step_lot(const ty_image_step *step, ty_draws *draws);
#endif
