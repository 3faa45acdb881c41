/*
 * Scenes: lists of shapes on a page, which charts make and renderers draw: as SVG, as pixels, on a terminal.
 * Coordinates are points (1/72 inch), the origin is the upper left corner, y points down.  A later shape covers an
 * earlier one.  The first failure stays in scene->fault; all later calls then do nothing, and renderers return false.
 *
 *     struct scene s;
 *     scene_begin(&s, 480, 320, white);
 *     scene_line(&s, n, x, y, (struct stroke){blue, 1.5, 0, 0});
 *     bool well = scene_svg(&s, "title", &output) && ...;
 *     scene_end(&s);
 */
#ifndef PLOT_SCENE_H
#define PLOT_SCENE_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/text.h"

struct output;

struct colour {
    uint8_t r, g, b, a; /* sRGB, not premultiplied; a = 255: opaque */
};
struct stroke {
    struct colour colour;
    double width;     /* in points; 0: no line */
    double dash, gap; /* lengths in points; 0, 0: solid */
};

enum mark {
    MARK_DISC,
    MARK_RING,
    MARK_SQUARE,
    MARK_DIAMOND,
    MARK_TRIANGLE,
    MARK_DOWN,
    MARK_PLUS,
    MARK_CROSS,
    MARKS
};
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };
/* The line of a text that is at its place; middle and top are those of capital letters. */
enum baseline { BASELINE_LETTERS, BASELINE_MIDDLE, BASELINE_TOP };

/* A rectangle; shapes outside of the scene's clip are not drawn. */
struct place {
    double x, y, w, h;
};

struct shape;

/* A page in the caller's memory; scene_end frees its shapes. */
struct scene {
    double width, height;
    struct colour background;
    int columns, rows; /* of a scene for a terminal; else 0 */
    bool clipped;
    struct place clip; /* the present one; valid if clipped */
    struct shape *first, *last;
    struct arena arena;
    struct fault fault;
};

/* A cell of a scene for a terminal, in points. */
#define SCENE_CELL_WIDTH 6.0
#define SCENE_CELL_HEIGHT 12.0

/* Begin an empty page.  The fault is set unless both sides are 1 to 20,000 points. */
void scene_begin(struct scene *s, double width, double height, struct colour background);
/* Begin an empty page for scene_terminal: columns and rows of cells, in each of which text has one letter of any size.
   The fault is set unless both are 1 to 1,000. */
void scene_begin_cells(struct scene *s, int columns, int rows, struct colour background);
/* Free the shapes. */
void scene_end(struct scene *s);

/* Add a line through n points.  A coordinate that is NaN or infinite interrupts it.  Ends and corners are round; a
   horizontal or vertical line of two points has square ends, and renderers move it to whole pixels. */
void scene_line(struct scene *s, int64_t n, const double *x, const double *y, struct stroke stroke);
/* Thin a line of n points in place, and return how many stay.  Runs of points in a strip of 1/strips point across keep
   their first, lowest, highest and last one, which draws the same pixels (U. Jugel, Z. Jerzak, G. Hackenbroich, V.
   Markl, "M4: a visualization-oriented time series data aggregation", 2014). */
int64_t scene_thin(int64_t n, double *x, double *y, int strips);
/* Add a polygon of n points, filled by the non-zero rule.  Points with NaN or infinite coordinates are left out. */
void scene_area(struct scene *s, int64_t n, const double *x, const double *y, struct colour fill);
/* Add a rectangle with its upper left corner at (x, y); renderers move its sides to whole pixels.  Nothing is added if
   a number is not finite. */
void scene_box(struct scene *s, double x, double y, double w, double h, struct colour fill,
               struct stroke stroke);
/* Add n marks of a diameter in points, in one colour, or each in its own of `colours`, if that is not NULL.  Marks
   with NaN or infinite coordinates are left out. */
void scene_marks(struct scene *s, int64_t n, const double *x, const double *y, enum mark mark, double size,
                 struct colour colour, const struct colour *colours);
/* Add a line of text in UTF-8 of a size (em) in points; (x, y) is on the baseline.  `angle` turns it around (x, y),
   counterclockwise in degrees.  Control characters are dropped, invalid bytes become U+FFFD. */
void scene_text(struct scene *s, double x, double y, double size, enum anchor anchor, enum baseline baseline,
                double angle, struct colour colour, bool bold, const char *utf8);
/* Let the text that was added last stand for a longer one, which pictures show when pointed at. */
void scene_whole(struct scene *s, const char *utf8);
/* Add an image of columns x rows pixels RGBA (4 bytes each, rows from the top), stretched over the rectangle: enlarged
   pixels have sharp edges, many pixels in one are averaged. */
void scene_image(struct scene *s, double x, double y, double w, double h, int columns, int rows,
                 const uint8_t *rgba);
/* Clip later shapes to a rectangle, in place of the present one; scene_unclip: draw them on the whole page. */
void scene_clip(struct scene *s, double x, double y, double w, double h);
void scene_unclip(struct scene *s);

/* Return the width in points that a text needs in all renderers: in a scene for a terminal one cell a letter. */
double scene_text_width(const struct scene *s, double size, bool bold, const char *utf8);

/* ---- renderers: false if the scene has a fault, memory runs out, or the output fails, with the fault set ---- */

/* Write the page as SVG 1.1.  `title` (NULL: none) is the description for readers that speak. */
bool scene_svg(struct scene *s, const char *title, struct output *out);
/* Draw the page at `scale` pixels a point: *columns x *rows pixels RGBA, not premultiplied, which the caller frees
   (mem_free).  NULL sets the fault, also above 2^26 pixels. */
uint8_t *scene_raster(struct scene *s, double scale, int *columns, int *rows);
/* Write the page as PNG at `scale` pixels a point (1: 72 pixels an inch; browsers show 4/3). */
bool scene_png(struct scene *s, double scale, struct output *out);

enum terminal_colours { TERMINAL_PLAIN, TERMINAL_16, TERMINAL_256, TERMINAL_TRUE };
struct terminal {
    int columns; /* width in characters, 1 to 1,000; ignored by a scene that scene_begin_cells began */
    enum terminal_colours colours;
    bool ascii; /* no characters beyond ASCII */
};
/* Append the page as lines of text, in Braille dots, blocks and letters, with escape sequences for colours.  The
   background is that of the terminal. */
bool scene_terminal(struct scene *s, const struct terminal *terminal, struct text *out);
#endif
