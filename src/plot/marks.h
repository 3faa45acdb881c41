/* Outlines of marks, for all renderers. */
#ifndef PLOT_MARKS_H
#define PLOT_MARKS_H
#include "plot/scene.h"

enum { MARK_POINTS = 12 };
#define RING_LINE 0.22 /* width of a ring's line, in diameters */

/* A polygon around (0, 0) in diameters; n = 0 for discs and rings, which are round. */
struct mark_outline {
    int n;
    double points[MARK_POINTS][2];
};
extern const struct mark_outline mark_outlines[MARKS];
#endif
