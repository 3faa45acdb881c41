/* Vectors and matrices of GSL from tensors, and the values that a call returns or changes. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_fft_complex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_poly.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf.h>
#include <gsl/gsl_sort_vector.h>
#include <gsl/gsl_spline.h>
#include <gsl/gsl_statistics.h>
#include "tests/tree/cells/c.h"

/* Calls of GSL return a status, which is no value of a cell. */
#define SHOW_GSL(x)                                                                                          \
    _Generic((x), double                                                                                     \
             : show_number, gsl_vector_view                                                                  \
             : show_vector_view, size_t                                                                      \
             : show_number, default                                                                          \
             : show_status)(x)

static inline gsl_vector *vector_of(ty_tensor *x) {
    gsl_vector *v = gsl_vector_alloc((size_t)ty_size(x));
    if (!ty_read(x, TY_F64, v->data)) exit(1);
    return v;
}
static inline gsl_matrix *matrix_of(ty_tensor *x) {
    gsl_matrix *m = gsl_matrix_alloc((size_t)ty_shape(x)[0], (size_t)ty_shape(x)[1]);
    if (!ty_read(x, TY_F64, m->data)) exit(1);
    return m;
}
static inline ty_tensor *tensor_of_vector(const gsl_vector *v) {
    const int64_t step = (int64_t)(v->stride * sizeof(double));
    return (ty_from_strided)(TY_F64, 1, (int64_t[]){(int64_t)v->size}, &step, v->data);
}
static inline ty_tensor *tensor_of_matrix(const gsl_matrix *m) {
    return (ty_from_strided)(TY_F64, 2, (int64_t[]){(int64_t)m->size1, (int64_t)m->size2},
                             (int64_t[]){(int64_t)(m->tda * sizeof(double)), sizeof(double)}, m->data);
}
static inline void show_vector(const gsl_vector *v) { show_tensor(tensor_of_vector(v)); }
static inline void show_matrix(const gsl_matrix *m) { show_tensor(tensor_of_matrix(m)); }
static inline void show_status(int status) {
    if (status) fprintf(stderr, "line and column %s: status %d\n", now_showing, status);
}
static inline void show_vector_view(gsl_vector_view v) { show_vector(&v.vector); }
static inline bool is_changed(ty_tensor *now, ty_tensor *before) {
    return ty_item(ty_array_equal(now, before, true)) == 0;
}
/* Show vectors and matrices that differ from the tensors they were made of, and r if it is not 0. */
static inline void show_changes(const gsl_vector *const *vectors, const gsl_matrix *const *matrices,
                                ty_tensor *const *before, double r) {
    for (int i = 0; i < 2; i++)
        if (is_changed(tensor_of_vector(vectors[i]), before[i])) show_vector(vectors[i]);
    for (int i = 0; i < 2; i++)
        if (is_changed(tensor_of_matrix(matrices[i]), before[2 + i])) show_matrix(matrices[i]);
    if (r != 0) show_number(r);
}

static double bell_of(double x, void *unused) {
    (void)unused;
    return exp(-x * x);
}
static double balance_of(double x, void *unused) {
    (void)unused;
    return cos(x) - x;
}

/* Begin a cell: the names of the page's tensors stand for objects of GSL with the same elements. */
#define OPEN_GSL                                                                                             \
    ty_tensor *const before[] = {v, w, a, b};                                                                \
    gsl_vector *vectors[] = {vector_of(v), vector_of(w)};                                                    \
    gsl_matrix *matrices[] = {matrix_of(a), matrix_of(b)};                                                   \
    {                                                                                                        \
        gsl_vector *v = vectors[0], *w = vectors[1];                                                         \
        gsl_matrix *a = matrices[0], *b = matrices[1];                                                       \
        gsl_permutation *p = gsl_permutation_calloc(b->size1);                                               \
        double r = 0;                                                                                        \
        int sign = 0;                                                                                        \
        double error = 0;                                                                                    \
        gsl_function F = {bell_of, NULL}, G = {balance_of, NULL};                                            \
        gsl_integration_workspace *quad = gsl_integration_workspace_alloc(1000);                             \
        gsl_root_fsolver *brent = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);                            \
        gsl_spline *spline = gsl_spline_alloc(gsl_interp_cspline, 3);                                        \
        (void)v, (void)w, (void)a, (void)b, (void)p, (void)sign, (void)F, (void)G, (void)error;
/* End a cell: show what has changed, which most calls of GSL do instead of returning it. */
#define CLOSE_GSL                                                                                            \
    gsl_permutation_free(p);                                                                                 \
    gsl_integration_workspace_free(quad);                                                                    \
    gsl_root_fsolver_free(brent);                                                                            \
    gsl_spline_free(spline);                                                                                 \
    show_changes((const gsl_vector *const *)vectors, (const gsl_matrix *const *)matrices, before, r);        \
    }
