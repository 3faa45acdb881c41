/* Charts: a plot laid out on a scene, with axes, a legend and a bar of colours. */
#ifndef PLOT_CHART_H
#define PLOT_CHART_H
#include "plot/colours.h"
#include "plot/plot.h"
#include "plot/scale.h"
#include "plot/scene.h"

struct axis {
    struct scale scale;
    struct ticks ticks;
    struct categories words;
    const char *label; /* NULL: none */
    bool log;
    bool turned;  /* words of a horizontal axis are turned by 90 degrees */
    int64_t each; /* every how many words are written */
};

/* How the chart is drawn. */
struct chart_form {
    bool cells;        /* for a terminal: all letters are one cell */
    bool ascii, plain; /* no characters beyond ASCII; no colours */
};

/* The legend: a rectangle inside the area, a column beside it, or rows above it. */
enum legend_side { LEGEND_INSIDE, LEGEND_BESIDE, LEGEND_ABOVE };
struct legend {
    enum legend_side side;
    int n; /* layers with a name, and the heading */
    int shown, columns;
    double width, height, name; /* of the whole; of the longest name, cut */
    bool headed;
    struct place place;
};

enum { TITLE_LINES = 3 };

struct chart {
    struct scene *s;
    const ty_plot *plot;
    const struct theme *theme;
    struct chart_form form;
    struct axis across, up; /* the horizontal and the vertical axis */
    bool flipped;           /* x is vertical: bars with long words */
    bool barless;           /* the bar of colours is left out */
    bool empty;             /* no layer has anything to draw */
    struct place area;      /* the rectangle of the data */
    const char *title[TITLE_LINES];
    int titles; /* lines */
    struct colour_map map;
    struct legend legend;
    struct axis values; /* of the bar of colours */
};
/* Sizes of text in points. */
#define SIZE_TITLE 13.0
#define SIZE_LABEL 10.5
#define SIZE_TICK 9.0

/* Lay out the plot on a page that the scene has begun, in the scene's memory; NULL sets the scene's fault. */
struct chart *chart_laid_out(struct scene *s, const ty_plot *plot, struct chart_form form);
/* Draw the plot on a page that the scene has begun; faults are in the scene. */
void chart_draw(struct scene *s, const ty_plot *plot, struct chart_form form);

/* The axis of the data's x or y. */
static inline const struct axis *chart_x(const struct chart *c) { return c->flipped ? &c->up : &c->across; }
static inline const struct axis *chart_y(const struct chart *c) { return c->flipped ? &c->across : &c->up; }
/* Set *px, *py to the position on the page of (x, y), NaN if it has none. */
void chart_at(const struct chart *c, double x, double y, double *px, double *py);
/* Return the height of a line of text of this size. */
double chart_line(const struct chart *c, double size);
/* Return `points`, or in a chart of cells the number of points of n cells' widths (x) or heights (y). */
static inline double chart_dx(const struct chart *c, double points, int n) {
    return c->form.cells ? n * SCENE_CELL_WIDTH : points;
}
static inline double chart_dy(const struct chart *c, double points, int n) {
    return c->form.cells ? n * SCENE_CELL_HEIGHT : points;
}
/* Return text if its width is at most `width`, else its beginning and "…", in the scene's memory.  Never NULL. */
const char *chart_fit(const struct chart *c, double size, bool bold, const char *text, double width);
/* Keep the whole of the text that was added last, if `shown` is what chart_fit made of it. */
static inline void chart_whole(const struct chart *c, const char *shown, const char *whole) {
    if (shown != whole) scene_whole(c->s, whole);
}
double chart_width(const struct chart *c, double size, bool bold, const char *text);
/* Return text as chart_fit does for the room from `from` to `to`, and move its middle so that it stays there. */
const char *chart_centred(const struct chart *c, double size, bool bold, const char *text, double from,
                          double to, double *middle);
/* Return the height of the title. */
double chart_title_room(const struct chart *c);

/* ---- axes (axes.c) ---- */

/* Choose ticks and labels of an axis of this length; `across`: horizontal. */
void axis_choose(const struct chart *c, struct axis *a, bool across, double length);
/* Return the room that an axis needs beside the area: height below it if `across`, else width on the left. */
double axis_room(const struct chart *c, const struct axis *a, bool across);
void axes_grid(const struct chart *c);
void axes_draw(const struct chart *c);
/* Return the width of the bar of colours with its labels, 0 if there is none; draw it at x. */
double bar_room(struct chart *c);
void bar_draw(struct chart *c, double x);

/* ---- legend (legend.c) ---- */

enum { OCCUPANCY_COLUMNS = 48, OCCUPANCY_ROWS = 36 };
/* Elements in each cell of the area. */
struct occupancy {
    float cells[OCCUPANCY_ROWS][OCCUPANCY_COLUMNS];
};
void occupancy_point(const struct chart *c, struct occupancy *o, double px, double py, double weight);
void occupancy_line(const struct chart *c, struct occupancy *o, double px, double py, double qx, double qy);
void occupancy_box(const struct chart *c, struct occupancy *o, double px, double py, double qx, double qy);

/* Measure the legend for its side. */
void legend_measure(const struct chart *c, struct legend *l);
/* Choose the place inside the area that covers least of the data.  Return false if all of them cover too much. */
bool legend_place(const struct chart *c, struct legend *l);
void legend_draw(struct chart *c, const struct legend *l);
/* Return true if a layer is marked by a letter, since several would look the same: on a terminal without colours. */
bool legend_lettered(const struct layer *l, const struct chart *c);
/* Write the letter of a layer at (x, y). */
void legend_letter(const struct layer *l, struct chart *c, double x, double y);
#endif
