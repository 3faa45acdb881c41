/* Losses over steps, as pictures. */
#ifndef TOOLS_CURVES_H
#define TOOLS_CURVES_H
#include <stdbool.h>
#include <stdint.h>

enum { CURVE_POINTS = 512 };

/* Points, each the mean of as many steps as it takes that all steps fit.  Zero all but the name first. */
struct curve {
    const char *name;
    int points;
    int64_t each, last; /* steps of a point; of the last one */
    int64_t at[CURVE_POINTS];
    double values[CURVE_POINTS];
};
void curve_add(struct curve *c, int64_t step, double loss);
/* A text that curve_read makes the same n curves of, in memory that ty_free ends; NULL: no memory. */
char *curves_text(int n, const struct curve *c);
/* False: the text is none; the curves are as they were. */
bool curves_read(int n, struct curve *c, const char *text);
/* Draws both (the second may have no points) to an SVG file, unless path is NULL, and on a terminal into it; false after a
   message. */
bool curves_draw(const struct curve *a, const struct curve *b, const char *path);
#endif
