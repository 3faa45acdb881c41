/* Loss curves as pictures. */
#ifndef TOOLS_TRAIN_CURVES_H
#define TOOLS_TRAIN_CURVES_H
#include <stdbool.h>
#include <stdint.h>

enum { CURVE_POINTS = 512 };

/* Points of a curve, each the mean of `each` steps, a number that doubles as needed. Zero everything but the
   name before use. */
struct curve {
    const char *name;
    int points;
    int64_t each, last; /* steps per point; steps in the last point */
    int64_t at[CURVE_POINTS];
    double values[CURVE_POINTS];
};
/* Add the loss of step number `step`; a loss that is not finite is skipped. */
void curve_add(struct curve *c, int64_t step, double loss);
/* Return a text from which curves_read restores the n curves c[], to be freed with ty_free; NULL without
   memory. */
char *curves_text(int n, const struct curve *c);
/* Restore n curves c[], except their names, from a text of curves_text; false if the text is invalid or
   without memory, and the curves are unchanged. */
bool curves_read(int n, struct curve *c, const char *text);
/* Draw two curves, the second possibly empty, to the file `path`, .svg or .png, unless NULL, and to
   stdout if it is a terminal and --json is not given. False after a message. */
bool curves_draw(const struct curve *a, const struct curve *b, const char *path);
#endif
