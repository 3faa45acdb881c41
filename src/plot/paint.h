/* Pixels of a part of a scene, for PNG files and for images within SVG. */
#ifndef PLOT_PAINT_H
#define PLOT_PAINT_H
#include "plot/raster.h"

/* A page: its size in points, pixels a point, the colour under all shapes. */
struct page {
    double width, height, scale;
    struct colour background;
};
/* Draw the shapes from `first` to before `end` (NULL: all).  Return ceil(width x scale) x ceil(height x scale) pixels
   RGBA, which the caller frees (mem_free); NULL sets the fault. */
uint8_t *paint_shapes(const struct shape *first, const struct shape *end, const struct page *page,
                      struct fault *fault);
/* A drawing at a scale in pixels a point. */
struct paint {
    struct canvas canvas;
    double scale;
    double *x, *y; /* room for the points of a line */
};
/* Allocate the canvas but its pixels, and room for the longest line from `first` to before `end`.  False sets the
   fault; call paint_end in any case. */
bool paint_begin(struct paint *p, int columns, int rows, const struct shape *first, const struct shape *end,
                 struct fault *fault);
void paint_end(struct paint *p);
/* Set the clip of the canvas to that of the shape. */
void paint_clip(struct paint *p, const struct shape *shape);
/* Draw a shape, and set the clip. */
void paint_shape(struct paint *p, const struct shape *shape);
/* Return the mean of the image's pixels in a rectangle whose corner and sides are shares of the image; of a smaller
   rectangle than a pixel the pixel in its centre.  Transparent pixels weigh less. */
struct colour image_mean(const struct shape *image, double x, double y, double w, double h);
/* Write columns x rows pixels RGBA as PNG; false sets the output's fault. */
bool pixels_png(const uint8_t *pixels, int columns, int rows, struct output *out);
#endif
