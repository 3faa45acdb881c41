/* Scales of axes, their ticks and labels. */
#ifndef PLOT_SCALE_H
#define PLOT_SCALE_H
#include <stdbool.h>
#include "plot/plot.h"

enum { TICKS_MOST = 64, TICK_LABEL = 32 };

/* Maps values low..high to positions from..to in points. */
struct scale {
    bool log, whole; /* whole: ticks are integers */
    double low, high, from, to;
};
/* Return the position of v, or NaN if it has none: NaN, infinite, or not positive on a logarithmic scale. */
double scale_at(const struct scale *s, double v);
/* Set the range of a scale to the data's, with a share `room` of it at each end; an empty or single-valued range is
   widened, and one beyond the numbers narrowed.  s->log must be set. */
void scale_fit(struct scale *s, struct bounds data, double room);

/* Ticks of an axis in ascending order. */
struct ticks {
    int n, nminor;
    double at[TICKS_MOST], minor[TICKS_MOST * 8];
    char labels[TICKS_MOST][TICK_LABEL];
    char factor[2 * TICK_LABEL]; /* once at the axis, such as "×10³"; "" if none */
};
/* Choose about `wanted` ticks, at least 2, on the scale, with labels; `ascii`: without other characters. */
void ticks_choose(struct ticks *t, const struct scale *s, int wanted, bool ascii);
/* Write a number to out[TICK_LABEL] in at most `digits` significant digits, as labels are: 1,500 or 2.5e−9. */
void ticks_number(char *out, double v, int digits, bool ascii);
#endif
