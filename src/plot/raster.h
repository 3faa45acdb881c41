/*
 * Pixels: polygons as exact area coverage, blended onto an image.  The sums of signed areas are those of FreeType's
 * smooth rasteriser (after Levien's libart) in floats: each edge adds, to the cells of its row, the area to its right;
 * a running sum along the row is the coverage.  Overlaps of one orientation count once (the non-zero rule); in a pixel
 * that contains edges of several overlapping parts, their coverages are added up to 1.
 */
#ifndef PLOT_RASTER_H
#define PLOT_RASTER_H
#include <stdbool.h>
#include <stdint.h>
#include "plot/scene.h"

/* An image, and the coverage of the shape that is drawn. */
struct canvas {
    int columns, rows;
    uint8_t *pixels; /* RGBA, not premultiplied; unused if `put` is set */
    /* NULL, or a function that canvas_blend calls in place of blending. */
    void (*put)(void *context, int x, int y, struct colour colour, float opacity);
    void *context;
    float *cells;                     /* rows x (columns + 2), zero between shapes */
    int left, top, right, bottom;     /* the clip, in whole pixels */
    int first, last, highest, lowest; /* columns first..last and rows that edges have touched */
};

/* Add the edge from (x0, y0) to (x1, y1), in pixels, of a polygon; all its edges make a closed ring. */
void canvas_edge(struct canvas *c, double x0, double y0, double x1, double y1);
/* Add a polygon of n points. */
void canvas_polygon(struct canvas *c, int n, const double (*points)[2]);
/* Blend the polygons added since the last call with a colour, and begin an empty shape.  Colours are blended as sRGB
   numbers, as browsers do. */
void canvas_fill(struct canvas *c, struct colour colour);
/* Blend a pixel inside of the clip with a colour at an opacity, 0..1, times that of the colour. */
void canvas_blend(struct canvas *c, int x, int y, struct colour colour, float opacity);

/* The pen of lines, in pixels. */
struct pen {
    double width, dash, gap; /* dash = 0: solid */
    bool flat;               /* flat ends; else round */
};
/* Add the outline of a line through n points: a rectangle for each segment, a wedge for each corner.  A NaN in x
   interrupts it. */
void canvas_stroke(struct canvas *c, int64_t n, const double *x, const double *y, const struct pen *pen);
/* Draw what canvas_stroke and canvas_fill draw, fast for lines whose segments cover most pixels many times: it adds
   coverages of overlapping segments up to 1.  False if memory is short or the pen has dashes: nothing is drawn. */
bool canvas_stroke_crowded(struct canvas *c, int64_t n, const double *x, const double *y,
                           const struct pen *pen, struct colour colour);
/* Add a disc as a polygon of equal area, within 1/64 pixel of the circle; sense -1: a hole in one that was added. */
void canvas_disc(struct canvas *c, double x, double y, double radius, int sense);
#endif
