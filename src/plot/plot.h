/* Plots: layers of elements in f64, and options.  A layer's kind is a table of functions (struct layer_kind). */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H
#include <tyto/plot.h>
#include "base/arena.h"
#include "base/text.h"

struct chart;
struct layer;
struct occupancy;

/* A range of finite numbers; empty if low > high. */
struct bounds {
    double low, high;
};
#define BOUNDS_EMPTY ((struct bounds){1, 0})
/* Widen the range to hold v, unless v is not finite, or not positive and `log` is set. */
void bounds_add(struct bounds *b, double v, bool log);

/* Maps of values to colours. */
enum map { MAP_VALUES, MAP_DIVERGING, MAP_SHARES, MAPS };

/* Behaviour of the layers of one kind. */
struct layer_kind {
    /* widen the ranges of x and y to those that the layer needs */
    void (*extend)(const struct layer *layer, const ty_plot *plot, struct bounds *x, struct bounds *y);
    void (*draw)(const struct layer *layer, struct chart *c);
    /* draw a sample of the layer around (x, y), of w by h points, for the legend */
    void (*sample)(const struct layer *layer, struct chart *c, double x, double y, double w, double h);
    /* mark the parts of the area that the layer covers, for the place of the legend */
    void (*occupy)(const struct layer *layer, const struct chart *c, struct occupancy *o);
};
extern const struct layer_kind layer_lines, layer_points, layer_boxes, layer_grid, layer_images;

struct layer {
    const struct layer_kind *kind;
    struct layer *next;
    const char *name; /* in the legend; NULL: none */
    int colour;       /* number of its colour and mark */
    double size;      /* 0: chosen */
    int64_t n;
    const double *x, *y; /* [n]; boxes: left sides and heights; x NULL: 0, 1, ... */
    const double *value; /* [n] of points, [rows, columns] of a grid; NULL: one colour */
    double wide;         /* width of boxes */
    bool joined;         /* boxes touch each other: a histogram */
    bool connected;      /* lines pass over missing elements; the least is marked */
    int64_t classes;     /* of a histogram: several overlap */
    bool numbers;        /* cells show their elements */
    const double *shown; /* the elements that cells show; NULL: value */
    /* a grid, and images with their n captions */
    int64_t rows, columns;
    struct bounds across, down; /* extent of a grid; down.low is that of row 0 */
    const uint8_t *pixels;      /* [n, rows, columns, 4] */
    int64_t shape;              /* columns of the grid of images */
    const char *const *names;
    const char *remark; /* below images; NULL: none */
};
static inline double layer_x(const struct layer *l, int64_t i) { return l->x ? l->x[i] : (double)i; }

/* Categories of an axis, at 0, 1, ...; n = 0: the axis has numbers. */
struct categories {
    int64_t n;
    const char *const *words;
};

struct ty_plot {
    struct fault fault;
    struct arena arena;
    ty_plot_options o; /* its texts are in the arena */
    struct layer *first, *last;
    struct categories x, y;
    int colours;           /* that layers have taken */
    bool falls;            /* y grows downwards: rows of a matrix */
    bool square;           /* cells of a grid are squares */
    bool tight;            /* no room between data and axes */
    bool whole_x, whole_y; /* the ticks of an axis are integers: rows, columns, counts */
    const char *heading;   /* of the legend; NULL: none */
    bool valued;           /* a layer has values as colours: */
    enum map map;          /* their map, range and name */
    struct bounds values;  /* that of the data or of the style */
    bool values_given;
    const char *value_name; /* NULL: none */
};

/* ---- adding layers: each function of a layer begins one, fills layers and returns plot_end ---- */

/* A layer that is added: the style, and memory of the plot.  Failures set plot->fault. */
struct adding {
    ty_plot *plot;
    const char *function; /* such as "ty_plot_line_sized" */
    ty_plot_style style;
    struct layer *first, *last; /* new layers */
    int colours;
    ty_scope *scope;
};
/* Begin to add layers.  False if the plot has failed or the style is invalid; plot_end must be called in any case. */
bool plot_begin(struct adding *a, ty_plot *plot, const char *function, const ty_plot_style *style,
                size_t size);
/* Add the new layers to the plot unless it has failed since; return true if they were added. */
bool plot_end(struct adding *a);
/* Set the plot's fault, which begins with the function's name; always return false. */
bool plot_refuse(struct adding *a, ty_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Return zeroed memory of the plot for n elements of `size` bytes; NULL sets the fault. */
void *plot_room(struct adding *a, int64_t n, size_t size);
/* Return a copy of a text in the plot's memory, valid UTF-8 without control characters; NULL for NULL, or if it sets
   the fault. */
const char *plot_copy(struct adding *a, const char *text);
/* Return copies of n texts; NULL sets the fault.  Texts that are NULL become their numbers. */
const char *const *plot_copies(struct adding *a, int64_t n, const char *const *texts);
/* Return the name of item i of the style's names; NULL if it has none. */
const char *plot_name(const struct adding *a, int64_t i);
/* Return the elements of x, of at least `least` and at most `most` axes, in f64 in the plot's memory; NULL sets the
   fault.  `what` is the operand in words. */
const double *plot_read(struct adding *a, const char *what, ty_tensor *x, int least, int most);
/* Return plot_read of a vector of n elements, as many as `other` has; NULL sets the fault. */
const double *plot_read_beside(struct adding *a, const char *what, ty_tensor *x, const char *other,
                               int64_t n);
/* Add an empty layer of the kind; NULL sets the fault, also beside a grid of images. */
struct layer *plot_layer(struct adding *a, const struct layer_kind *kind, const char *name);
/* Add an empty layer of cells (grid.c); NULL sets the fault, also on logarithmic axes. */
struct layer *plot_layer_cells(struct adding *a);
/* Classes of style.by: numbers 0 .. count-1 of n elements, -1: none. */
struct classes {
    int64_t count;
    const int32_t *of;
};
/* Read the classes of n elements; count is 0 if style.by is NULL or has values.  False sets the fault. */
bool plot_classes(struct adding *a, int64_t n, struct classes *out);
/* Return the name of class k: of the style, else its number, which is written to `number`. */
enum { CLASS_NAME = 24 };
const char *plot_class_name(const struct adding *a, int64_t k, char number[CLASS_NAME]);
/* Add a layer of y [n] at x [n] (NULL: 0, 1, ...) for each class, under the style's heading; false sets the fault. */
bool plot_class_layers(struct adding *a, const struct layer_kind *kind, int64_t n, const double *x,
                       const double *y, const struct classes *classes);
/* Let the plot show values v[n] as colours of the map, named `name`, in the style's range or that of the values. */
void plot_values(struct adding *a, enum map map, int64_t n, const double *v, const char *name);
/* Let the style's name head the legend unless it has a heading. */
void plot_heading(struct adding *a);
/* Set the plot's label of an axis unless it has one. */
void plot_label(const char **label, const char *text);
/* Set the categories of an axis; false sets the fault if the axis has others already. */
bool plot_categories(struct adding *a, struct categories *axis, int64_t n, const char *const *words);

/* Return the plot; for NULL a static failed one. */
ty_plot *plot_of(const ty_plot *plot);
#endif
