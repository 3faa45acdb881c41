/*
 * Declarations for tests/tree/excerpts.sh, which compiles the excerpts of the pages.  For each page, as PAGE_<name>:
 * the names that its excerpts use and only its text introduces.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/contraction.h>
#include <tyto/data.h>
#include <tyto/decode.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/plot.h>
#include <tyto/zoo.h>
#include <tyto/table_groups.h>
#include <tyto/tokens.h>
#include <tyto/tyto.h>

/* Type of the function that contains the statements; some excerpts return a value. */
#define EXCERPT double

/* Tensors with the usual names of operands, results and parameters. */
extern ty_tensor *x, *y, *w, *a, *b, *v, *s, *at, *key, *loss, *inputs, *value, *labels, *scores,
    *parameters[2], *best, *start;
extern int n;
extern bool well;
extern const char *path;

#ifdef PAGE_CONTRIBUTING
#include "nn/layers/options.h"
#define LAYER(name)
#endif
#ifdef PAGE_devices
extern float data[1000];
#endif
#ifdef PAGE_autodiff
extern ty_tensor *dy, *jacobian, *hv, *c[3];
extern ty_check_report report;
extern ty_tensor *g, *gradient;
ty_tensor *weighed_squares(void *context, ty_tensor *const *x);
ty_tensor *rounded(void *context, ty_tensor *const *x);
void as_it_comes(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                 ty_tensor **gradients);
#endif
#ifdef PAGE_batching
extern ty_tensor *points, *centre, *targets, *g[2];
extern struct layer layer;
ty_tensor *residual(ty_tensor *x);
#endif
#ifdef PAGE_data
enum { STEPS = 4 };
extern const char *directory;
extern ty_dataset *digits, *parts[2];
extern int64_t i;
extern const ty_table *ship;
bool show(const char *title, const ty_table *t);
static const double strength;
static ty_tensor *grain(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
#endif
#ifdef PAGE_design
#define OP1(name, ...)
#endif
#ifdef PAGE_distributions
#undef EXCERPT
#define EXCERPT ty_tensor *
extern ty_tensor *shape, *scale;
#endif
#ifdef PAGE_fft
extern ty_tensor *target, *g;
#endif
#ifdef PAGE_graph
extern ty_update updates[4];
extern ty_tensor *more, *g, *batch, *result, *weights;
#endif
#ifdef PAGE_layers
#define x operands /* of a layer */
#define y results
extern ty_tensor *operands[4], *results[4], *h, *q, *k;
extern ty_layer *self;
extern ty_parameter count, one;
bool show(const char *name, ty_tensor *x);
#endif
#ifdef PAGE_memory
extern ty_function *step;
extern ty_tensor *weights;
#endif
#ifdef PAGE_neighbours
extern ty_tensor *queries, *inside, *g;
extern int64_t first, last;
#endif
#ifdef PAGE_networks
extern ty_tensor *rows, *error;
extern ty_model *model;
extern ty_model_options options;
#endif
#ifdef PAGE_numeric
struct observed {
    ty_tensor *start, *times, *counts;
};
extern struct observed seen;
extern ty_tensor *gradient;
extern ty_tensor *e, *t, *guess, *found;
ty_tensor *item(ty_tensor *x, int i);
#endif
#ifdef PAGE_seeing
extern ty_tensor *outputs[2];
#endif
#ifdef PAGE_sparse
#define a matrix
extern ty_sparse matrix;
ty_tensor *ring(void *context, ty_tensor *x);
#endif
#ifdef PAGE_statistics
extern const double first[10], second[10];
extern ty_tensor *from[2], *draws[2];
extern void *d;
ty_tensor *posterior(void *context, ty_tensor *q);
ty_tensor *mean_given(void *context, ty_tensor *const *x, ty_tensor *key);
ty_tensor *precision_given(void *context, ty_tensor *const *x, ty_tensor *key);
#endif
#ifdef PAGE_training
extern ty_tensor *batch[2], *gradient;
ty_tensor *distance(ty_tensor *w, ty_tensor *x, ty_tensor *y);
#endif
