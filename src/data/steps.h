/* Common parts of image steps. */
#ifndef DATA_STEPS_H
#define DATA_STEPS_H
#include <stdarg.h>
#include <tyto/data.h>

/* Check the arguments of a step: return NULL if x is a nonempty real image [H, W, C] and step and draws are
   given. Else return poison that begins with `name`; x itself if it is poison. */
ty_tensor *step_refuse(const char *name, const ty_image_step *step, ty_tensor *x, const ty_draws *draws);
/* Return an image in floating point; integers are scaled to 0..1. */
ty_tensor *step_float(ty_tensor *x);
#endif
