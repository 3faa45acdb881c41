/* Colours of plots: themes, classes, and maps of values. */
#ifndef PLOT_COLOURS_H
#define PLOT_COLOURS_H
#include "plot/plot.h"
#include "plot/scene.h"

/* Colours of everything but data.  soft: labels of ticks; missing: cells without a value. */
struct theme {
    struct colour page, text, soft, grid, axis, missing;
};
const struct theme *theme_of(const ty_plot *plot);
/* Return the colour of class or line i, from 0; they repeat after COLOURS, then with other dashes.  Neighbours have other
   marks, too, which tell them apart on paper without colours. */
enum { COLOURS = 7 };
struct colour colour_of(const ty_plot *plot, int i);
enum mark mark_of(int i);
/* Return the stroke of line i, or in the colour of line i the dashes of a pattern. */
struct stroke stroke_of(const ty_plot *plot, int i, double width);
struct stroke stroke_dashed(const ty_plot *plot, int i, int pattern, double width);
/* Return the colour with another opacity, 0 to 1. */
struct colour colour_fade(struct colour c, double opacity);

/* A map of values to 256 colours. */
struct colour_map {
    struct colour colours[256], missing;
    struct bounds range;
};
/* Make the map of the plot's values. */
void colour_map_make(struct colour_map *m, const ty_plot *plot);
/* Return the colour of v: of the ends beyond the range, m->missing for NaN. */
struct colour colour_map_at(const struct colour_map *m, double v);
/* Return black or white, whichever is readable on c. */
struct colour colour_ink(struct colour c);
#endif
