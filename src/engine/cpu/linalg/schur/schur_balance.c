#include "engine/cpu/linalg/schur/schur_balance.h"
#include <math.h>
#include <stdbool.h>

static bool is_zero(const struct balance *b, const double *x) {
    return x[0] == 0 && (b->wide == 1 || x[1] == 0);
}

/* Swap `count` numbers of x and y. */
static void swap_numbers(int64_t count, double *x, double *y) {
    for (int64_t i = 0; i < count; i++) {
        double other = x[i];
        x[i] = y[i];
        y[i] = other;
    }
}

/* Swap rows i and k, and columns i and k, of a [n, n]. */
static void swap_both(const struct balance *b, double *a, int64_t i, int64_t k) {
    int64_t line = b->n * b->wide;
    if (i == k) return;
    swap_numbers(line, a + i * line, a + k * line);
    for (int64_t j = 0; j < b->n; j++)
        swap_numbers(b->wide, a + j * line + i * b->wide, a + j * line + k * b->wide);
}

/* Return true if row i of a (or column i, if `row` is false) is 0 in low .. high, both included, except its
   diagonal element. */
static bool is_isolated(const struct balance *b, const double *a, int64_t i, bool row) {
    for (int64_t j = b->low; j <= b->high; j++)
        if (j != i && !is_zero(b, a + (row ? i * b->n + j : j * b->n + i) * b->wide)) return false;
    return true;
}

/* Move rows and columns of a [n, n] with isolated eigenvalues out of low .. high, both included, by swaps that
   are recorded in b->swap. */
static void isolate(struct balance *b, double *a) {
    for (int64_t i = b->high; i >= b->low; i--)
        if (is_isolated(b, a, i, true)) {
            b->swap[b->high] = i;
            swap_both(b, a, i, b->high--);
            i = b->high + 1;
        }
    for (int64_t i = b->low; i <= b->high; i++)
        if (is_isolated(b, a, i, false)) {
            b->swap[b->low] = i;
            swap_both(b, a, i, b->low++);
            i = b->low - 1;
        }
}

/* Return the 2-norm of row i of a (or column i, if `row` is false) in low .. high, both included. */
static double length_of(const struct balance *b, const double *a, int64_t i, bool row) {
    double sum = 0;
    for (int64_t j = b->low; j <= b->high; j++)
        for (int p = 0; p < b->wide; p++) {
            double x = a[(row ? i * b->n + j : j * b->n + i) * b->wide + p];
            sum += x * x;
        }
    return sqrt(sum);
}

/* Divide row i of a [n, n] by `by` and multiply column i by it, a similarity transform, in place. */
static void scale_both(const struct balance *b, double *a, int64_t i, double by) {
    int64_t line = b->n * b->wide;
    for (int64_t j = 0; j < line; j++) a[i * line + j] /= by;
    for (int64_t j = 0; j < b->n; j++)
        for (int p = 0; p < b->wide; p++) a[j * line + i * b->wide + p] *= by;
}

/* Scale rows and columns low .. high (both included) of a [n, n] by powers of two in one round, to bring their
   norms closer. Return true if anything changed. */
static bool even_out(struct balance *b, double *a) {
    /* most: limit of a scale; gain: greatest ratio that counts */
    static const double most = 0x1p300, gain = 0.95;
    bool changed = false;
    for (int64_t i = b->low; i <= b->high; i++) {
        double column = length_of(b, a, i, false), row = length_of(b, a, i, true), by = 1, c = column,
               r = row;
        if (!(c > 0) || !(r > 0)) continue;
        for (; c < r / 2 && by < most; by *= 2) c *= 2, r /= 2;
        for (; c / 2 >= r && by > 1 / most; by /= 2) c /= 2, r *= 2;
        if (by == 1 || c + r >= gain * (column + row)) continue;
        if (!(b->scale[i] * by < most) || !(b->scale[i] * by > 1 / most)) continue;
        b->scale[i] *= by;
        scale_both(b, a, i, by);
        changed = true;
    }
    return changed;
}

void balance(struct balance *b, double *a) {
    enum { ROUNDS = 40 };
    b->low = 0;
    b->high = b->n - 1;
    for (int64_t i = 0; i < b->n; i++) b->scale[i] = 1;
    isolate(b, a);
    for (int round = 0; round < ROUNDS && even_out(b, a); round++) {
    }
}

void balance_back(const struct balance *b, double *vectors) {
    int64_t line = b->n * b->wide;
    for (int64_t i = 0; i < b->n; i++)
        for (int64_t j = 0; j < line && b->scale[i] != 1; j++) vectors[i * line + j] *= b->scale[i];
    for (int64_t i = b->low - 1; i >= 0; i--)
        if (b->swap[i] != i) swap_numbers(line, vectors + i * line, vectors + b->swap[i] * line);
    for (int64_t i = b->high + 1; i < b->n; i++)
        if (b->swap[i] != i) swap_numbers(line, vectors + i * line, vectors + b->swap[i] * line);
}
