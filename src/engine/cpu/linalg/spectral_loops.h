/* Loops of reductions and rotations (spectral_*.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_LINALG_SPECTRAL_LOOPS_H
#define ENGINE_CPU_LINALG_SPECTRAL_LOOPS_H
#include <stdbool.h>
#include <stdint.h>

/* A sweep of rotations of rows first and first + step, then of the next two rows, and so on: x becomes c x + s y,
   y becomes c y - s x. Their pairs (c, s) begin at index `at`. */
struct turn_sweep {
    int64_t first, count, step, at;
};

/* Loops of reductions by panels. Vectors of reflections are rows of `ld` elements. */
struct spectral_loops {
    /* Reduce columns first .. first + width - 1 of a Hermitian a [n, n] to tridiagonal form: diagonal in d, elements
   beside it in e. Row j of v becomes the vector of reflection j. `pairs` gets the rows V, W, V of the panel, PANEL
   rows each; the rest of a is to become a - V^T W* - W^T V*. line: 2 n elements. */
    void (*tridiagonal)(int64_t n, int64_t first, int64_t width, const void *a, void *v, void *pairs,
                        double *d, double *e, void *tau, void *line);
    /* Reduce columns and rows first .. first + width - 1 of a [m, n], m >= n, to bidiagonal form: diagonal in d,
   elements above it in e. Rows of v (length m) and u (length n) become vectors. `y` (length n) and `x` (length m)
   have PANEL rows; the rest of a is to become a - V^T Y* - X^T U*. line: 2 m elements. */
    void (*bidiagonal)(int64_t m, int64_t n, int64_t first, int64_t width, const void *a, void *v, void *u,
                       void *y, void *x, double *d, double *e, void *tau_v, void *tau_u, void *line);
    /* Reduce columns first .. first + width - 1 of a [n, n] to Hessenberg form, in place; row j of v becomes the vector
   of reflection j. Row p of y [PANEL, n] becomes A V T; t [PANEL, PANEL] is the triangle. line: n elements. */
    void (*hessenberg)(int64_t n, int64_t first, int64_t width, void *a, void *v, void *y, void *t, void *tau,
                       void *line);
    /* Return the greatest modulus of a real or imaginary part of x [rows, columns], with strides row and column; NaN if
   one is not finite. */
    double (*greatest)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column);
    /* Multiply n elements by 2^power. */
    void (*scale_power)(int64_t n, int power, void *x);
    /* Convert x [rows, columns], with strides row and column in elements, to row-major doubles. */
    void (*widen)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, void *out);
    /* Convert doubles x [rows, columns], with strides row and column in elements, to row-major reals or complex numbers
   of this type. */
    void (*narrow)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, void *out);
};
/* Loop that applies sweeps to rows of reals. */
struct turn_loops {
    /* Apply `sweeps` sweeps of rotations in order to rows of `columns` reals, `ld` reals apart. `pairs` holds their (c,
   s). */
    void (*turn)(int64_t sweeps, const struct turn_sweep *sweep, const double *pairs, int64_t columns,
                 void *rows, int64_t ld);
};
/* All loops of one instruction set. */
struct spectral_table {
    struct spectral_loops loops[4]; /* f32, f64, c64, c128 */
    struct turn_loops turns[2];     /* f32, f64 */
};
extern const struct spectral_table spectral_base, spectral_avx2, spectral_avx512;
#endif
