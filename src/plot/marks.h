/* Marks: their outlines, for all renderers, and their pixels. */
#ifndef PLOT_MARKS_H
#define PLOT_MARKS_H
#include "plot/raster.h"

enum { MARK_POINTS = 12 };
#define RING_LINE 0.22 /* width of a ring's line, in diameters */

/* A polygon around (0, 0) in diameters; n = 0 for discs and rings, which are round. */
struct mark_outline {
    int n;
    double points[MARK_POINTS][2];
};
extern const struct mark_outline mark_outlines[MARKS];

struct shape;
/* Draw the marks of a shape at a scale in pixels a point; of more than 255 small ones each within 1/16 pixel of its
   place. */
void marks_paint(struct canvas *c, const struct shape *shape, double scale);
#endif
