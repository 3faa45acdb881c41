/*
 * Plots for people: lines, points, histograms, bars, heat maps, grids of images, spectra and learning curves, as SVG,
 * PNG or text for a terminal.  docs/plots.md has examples; `tyto plot` draws the same from files.
 *
 *   ty_plot *p = ty_plot_new((ty_plot_options){.title = "Decay", .x = "time (s)", .y = "voltage (V)"});
 *   ty_plot_line(p, t, v, (ty_plot_style){.name = "measured"});
 *   ty_plot_points(p, t, model, (ty_plot_style){.name = "model"});
 *   if (!ty_plot_write(p, "decay.png", NULL)) puts(ty_plot_error(p));
 *   ty_plot_free(p);
 *
 * A plot holds layers in the order in which they were added, and copies their elements.  Operands are real, of any
 * dtype and layout; promises are evaluated.  NaN and infinite elements are left out, and interrupt lines.  A layer that
 * fails is not added: its function returns false, and the plot keeps the first failure (ty_plot_error), after which it
 * refuses further layers and is not drawn.  One thread at a time may use a plot.
 *
 * Ticks are chosen by J. Talbot, S. Lin, P. Hanrahan, "An extension of Wilkinson's algorithm for positioning tick
 * labels on axes" (2010).  Classes have the colours of M. Okabe and K. Ito, which colour-blind people can tell apart.
 * Values have colours whose lightness in B. Ottosson's Oklab (2020) rises evenly.
 */
#ifndef TYTO_PLOT_H
#define TYTO_PLOT_H

#include <tyto/core.h>
#include <tyto/io.h> /* ty_sink */

#ifdef __cplusplus
extern "C" {
#endif

/* A plot. */
typedef struct ty_plot ty_plot;

/* Options of a plot; zeros are the defaults. */
typedef struct ty_plot_options {
    const char *title;    /* above the plot; NULL: none */
    const char *x, *y;    /* labels of the axes, with units: "time (s)"; NULL: those of the layers, if any */
    double width, height; /* in points of 1/72 inch, 96 to 7200; 0 means 460.8 and 345.6: 6.4 by 4.8 inches */
    double x_low, x_high; /* limits of the axis; equal: those of the data */
    double y_low, y_high;
    bool x_log, y_log; /* logarithmic axes; elements that are not positive are left out */
    bool dark;         /* light colours on a dark background */
    bool legendless;   /* no legend */
    bool unused[4];
} ty_plot_options;

/* Style of a layer; zeros are the defaults.  Functions ignore members that their comments do not name. */
typedef struct ty_plot_style {
    const char *name;         /* in the legend; NULL: none */
    const char *const *names; /* of lines, classes, columns of a matrix or images; NULL: numbers */
    int64_t nnames;
    const char *const *rows; /* nrows names of rows of a matrix; NULL: numbers */
    int64_t nrows;
    ty_tensor *by; /* classes (bool, integers from 0; negative: none) or values (floating) of elements [n] */
    double low, high; /* values at the ends of the colours; equal: those of the data */
    int64_t bins;     /* of a histogram; 0: by the rule of Freedman and Diaconis, with round edges */
    int64_t columns;  /* of a grid of images; 0: chosen */
    double size;      /* width of lines or size of points in points of 1/72 inch; 0: chosen */
    bool numbers;     /* write the elements of a matrix in its cells */
    bool diverging;   /* colours of a matrix diverge from 0 */
    bool share;       /* shares in the place of counts: of a class's elements, of a confusion matrix's row */
    bool unused[5];
} ty_plot_style;

TY_API ty_plot *ty_plot_new_sized(const ty_plot_options *options, size_t size);
/* Make a plot without layers; texts are copied.  Never NULL: ty_plot_error returns the reason of a failure.  The caller
   frees it with ty_plot_free. */
TY_INLINE ty_plot *ty_plot_new(ty_plot_options options) {
    return ty_plot_new_sized(&options, sizeof options);
}
/* Free a plot.  NULL is allowed. */
TY_API void ty_plot_free(ty_plot *plot);
/* Return the error message of a plot, "" if it is valid.  The text lives as long as the plot. */
TY_API const char *ty_plot_error(const ty_plot *plot);
/* Return the error of a plot as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_plot_failure(const ty_plot *plot);

/* ---- layers ---- */

TY_API bool ty_plot_line_sized(ty_plot *plot, ty_tensor *x, ty_tensor *y, const ty_plot_style *style,
                               size_t size);
/* Add lines through the points of x [n] (NULL: 0, 1, ...) and y [n], or y [n, k] for k lines, called style.names or
   style.name; style.size is their width.  With classes style.by, y [n] is a line for each class, called style.names
   below style.name.  False on failure. */
TY_INLINE bool ty_plot_line(ty_plot *plot, ty_tensor *x, ty_tensor *y, ty_plot_style style) {
    return ty_plot_line_sized(plot, x, y, &style, sizeof style);
}
TY_API bool ty_plot_points_sized(ty_plot *plot, ty_tensor *x, ty_tensor *y, const ty_plot_style *style,
                                 size_t size);
/* Add points at x [n] (NULL: 0, 1, ...) and y [n], coloured by style.by: classes called style.names, or values, which
   style.name names.  style.low and style.high bound the values.  False on failure. */
TY_INLINE bool ty_plot_points(ty_plot *plot, ty_tensor *x, ty_tensor *y, ty_plot_style style) {
    return ty_plot_points_sized(plot, x, y, &style, sizeof style);
}
TY_API bool ty_plot_histogram_sized(ty_plot *plot, ty_tensor *x, const ty_plot_style *style, size_t size);
/* Add the histogram of x [n], or one for each class of style.by, called style.names, of style.bins intervals of equal
   width (equal ratios on a logarithmic axis).  Elements beyond the limits of the axis do not count.  style.share
   divides the counts by the elements of a class.  False on failure. */
TY_INLINE bool ty_plot_histogram(ty_plot *plot, ty_tensor *x, ty_plot_style style) {
    return ty_plot_histogram_sized(plot, x, &style, sizeof style);
}
TY_API bool ty_plot_bars_sized(ty_plot *plot, int64_t n, const char *const *words, ty_tensor *heights,
                               const ty_plot_style *style, size_t size);
/* Add a bar of heights[i] for each of words[0 .. n), or k bars side by side for heights [n, k], called style.names.
   Bars are horizontal if the words do not fit below them.  False on failure. */
TY_INLINE bool ty_plot_bars(ty_plot *plot, int64_t n, const char *const *words, ty_tensor *heights,
                            ty_plot_style style) {
    return ty_plot_bars_sized(plot, n, words, heights, &style, sizeof style);
}
TY_API bool ty_plot_heat_sized(ty_plot *plot, ty_tensor *x, const ty_plot_style *style, size_t size);
/* Add a matrix [rows, columns] as coloured cells, row 0 at the top, with a bar of the colours that style.name names.
   style.names are those of columns, style.rows those of rows; style.numbers writes the elements.  style.low and
   style.high bound the colours.  False on failure. */
TY_INLINE bool ty_plot_heat(ty_plot *plot, ty_tensor *x, ty_plot_style style) {
    return ty_plot_heat_sized(plot, x, &style, sizeof style);
}
TY_API bool ty_plot_confusion_sized(ty_plot *plot, ty_tensor *counts, const ty_plot_style *style,
                                    size_t size);
/* Add a confusion matrix [classes, classes] of counts: rows are true classes, columns predicted ones, called
   style.names.  Colours are shares of the row; cells show counts, or shares if style.share.  False on failure. */
TY_INLINE bool ty_plot_confusion(ty_plot *plot, ty_tensor *counts, ty_plot_style style) {
    return ty_plot_confusion_sized(plot, counts, &style, sizeof style);
}
TY_API bool ty_plot_images_sized(ty_plot *plot, ty_tensor *images, const ty_plot_style *style, size_t size);
/* Add a grid of images [height, width], [n, height, width] or [n, height, width, channels], with 1 channel (grey), 3
   (RGB) or 4 (RGBA), below which style.names are written.  u8 is 0 to 255; other elements are 0 to 1 if all are, else
   the least is black and the greatest white, unless style.low and style.high say otherwise.  Rank 3 with a last axis
   of 3 or 4 is one image.  At most 400 images are drawn, and the plot says of how many.  It takes no other layer.
   False on failure. */
TY_INLINE bool ty_plot_images(ty_plot *plot, ty_tensor *images, ty_plot_style style) {
    return ty_plot_images_sized(plot, images, &style, sizeof style);
}
TY_API bool ty_plot_spectrum_sized(ty_plot *plot, ty_tensor *x, double rate, const ty_plot_style *style,
                                   size_t size);
/* Add the power spectral density of the signal x [n], `rate` samples a second (0: frequencies are in cycles a sample),
   in decibels: the mean over overlapping segments (P. Welch 1967).  x is finite.  False on failure. */
TY_INLINE bool ty_plot_spectrum(ty_plot *plot, ty_tensor *x, double rate, ty_plot_style style) {
    return ty_plot_spectrum_sized(plot, x, rate, &style, sizeof style);
}
TY_API bool ty_plot_spectrogram_sized(ty_plot *plot, ty_tensor *x, double rate, const ty_plot_style *style,
                                      size_t size);
/* Add the power spectral density over time of the signal x [n] (ty_spectrogram), in decibels, as coloured cells;
   `rate` as in ty_plot_spectrum.  Colours end 80 dB below the greatest unless style.low and style.high say otherwise.
   False on failure. */
TY_INLINE bool ty_plot_spectrogram(ty_plot *plot, ty_tensor *x, double rate, ty_plot_style style) {
    return ty_plot_spectrogram_sized(plot, x, rate, &style, sizeof style);
}
TY_API bool ty_plot_curves_sized(ty_plot *plot, ty_tensor *steps, ty_tensor *values,
                                 const ty_plot_style *style, size_t size);
/* Add learning curves: values [n] or [n, k] at steps [n] (NULL: 0, 1, ...), called style.names or style.name.  NaN is
   skipped without a gap, and the least value of each curve is marked and told in the legend.  The axis of values
   becomes logarithmic if all are positive and the greatest is more than 100 times the least.  False on failure. */
TY_INLINE bool ty_plot_curves(ty_plot *plot, ty_tensor *steps, ty_tensor *values, ty_plot_style style) {
    return ty_plot_curves_sized(plot, steps, values, &style, sizeof style);
}

/* ---- pictures ---- */

/* Write a plot to the file `path`, atomically, as SVG (.svg) or PNG (.png, of 2 pixels a point).  False on failure:
   nothing changed on disk, and *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_API bool ty_plot_write(ty_plot *plot, const char *path, ty_tensor **error);
/* Write a plot to the caller's function sink.write; `format` is "svg" or "png".  False on failure: *error, unless NULL,
   receives a poisoned tensor that the scope owns.  Some bytes may have been written then. */
TY_API bool ty_plot_send(ty_plot *plot, ty_sink sink, const char *format, ty_tensor **error);
/* Return a plot as an image [height, width, 4] of u8, RGBA, of `scale` pixels a point, above 0 (0 means 2).  Poison on
   failure. */
TY_API ty_tensor *ty_plot_image(ty_plot *plot, double scale);

/* Colours of text: escape sequences of terminals. */
typedef enum ty_plot_colours {
    TY_PLOT_COLOURS_NONE, /* no escape sequences */
    TY_PLOT_COLOURS_16,
    TY_PLOT_COLOURS_256,
    TY_PLOT_COLOURS_TRUE, /* 24 bits */
    TY_PLOT_COLOURS
} ty_plot_colours;

/* Options of a plot as text; zeros are the defaults. */
typedef struct ty_plot_text_options {
    int columns, rows;       /* size in characters; 0 means 80, and as the plot's shape is, 10 to 30 */
    ty_plot_colours colours; /* of the text */
    bool ascii;              /* no characters beyond ASCII */
    bool unused[3];
} ty_plot_text_options;

TY_API char *ty_plot_to_string_sized(ty_plot *plot, const ty_plot_text_options *options, size_t size);
/* Draw a plot as lines of text in UTF-8: dots of braille, blocks and words.  The caller frees it with ty_free.  NULL:
   the plot or an option is invalid (ty_plot_error), or there is no memory. */
TY_INLINE char *ty_plot_to_string(ty_plot *plot, ty_plot_text_options options) {
    return ty_plot_to_string_sized(plot, &options, sizeof options);
}
/* Print a plot to `file`: as wide as the terminal and in its colours (COLORTERM, TERM, NO_COLOR) if it is one, else 80
   characters wide, without colours.  ASCII alone if the locale has no UTF-8.  False, with errno set, if the plot is
   invalid, could not be written, or `file` is NULL. */
TY_API bool ty_plot_print(FILE *file, ty_plot *plot);

#ifdef __cplusplus
}
#endif
#endif
