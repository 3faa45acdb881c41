/*
 * Singular values of an upper bidiagonal matrix by the QR algorithm, without a shift if a shift would cost digits of
 * small values. (J. Demmel and W. Kahan, "Accurate singular values of bidiagonal matrices", 1990.) Reversed, such a
 * matrix is the transpose of one. So an upward sweep is a downward one with left and right exchanged.
 */
#include <float.h>
#include "base/context/stop.h"
#include <math.h>
#include "engine/cpu/linalg/spectral.h"

enum { MOST_SWEEPS = 60 }; /* per singular value; about two are usual */

/* An unreduced block, in a direction. */
struct bidiagonal_block {
    double *d, *e; /* d[k step], e[k step], k = 0 .. count - 1 */
    int64_t count, step, first;
    struct turns *left, *right;
};

static struct bidiagonal_block block_of(double *d, double *e, int64_t low, int64_t high, bool up,
                                        struct turns *left, struct turns *right) {
    struct bidiagonal_block b = {d + low, e + low, high - low + 1, 1, low, left, right};
    if (up) b = (struct bidiagonal_block){d + high, e + high - 1, high - low + 1, -1, high, right, left};
    return b;
}

static void put(double *pairs, int64_t k, const struct turn *t) {
    if (pairs) pairs[2 * k] = t->c, pairs[2 * k + 1] = t->s;
}

/* Make a QR sweep with shift 0 over a block of a bidiagonal matrix, which loses no relative accuracy.
   Rotations are recorded. */
static void sweep_without_shift(const struct bidiagonal_block *b) {
    double *d = b->d, *e = b->e, *left = turns_sweep(b->left, b->first, b->count - 1, b->step),
           *right = turns_sweep(b->right, b->first, b->count - 1, b->step);
    struct turn inner = {1, 0, 0}, outer = {1, 0, 0};
    for (int64_t k = 0, i = 0; k + 1 < b->count; k++, i += b->step) {
        inner = turn_of(d[i] * inner.c, e[i]);
        if (k > 0) e[i - b->step] = outer.s * inner.r;
        outer = turn_of(outer.c * inner.r, d[i + b->step] * inner.s);
        d[i] = outer.r;
        put(right, k, &inner);
        put(left, k, &outer);
    }
    int64_t last = (b->count - 1) * b->step;
    double end = d[last] * inner.c;
    e[last - b->step] = end * outer.s;
    d[last] = end * outer.c;
}

/* Make a QR sweep with this shift over a block of a bidiagonal matrix. Rotations are recorded. */
static void sweep_with_shift(const struct bidiagonal_block *b, double shift) {
    double *d = b->d, *e = b->e, *left = turns_sweep(b->left, b->first, b->count - 1, b->step),
           *right = turns_sweep(b->right, b->first, b->count - 1, b->step);
    double f = (fabs(d[0]) - shift) * (copysign(1, d[0]) + shift / d[0]), g = e[0];
    for (int64_t k = 0, i = 0; k + 1 < b->count; k++, i += b->step) {
        int64_t j = i + b->step;
        struct turn t = turn_of(f, g);
        if (k > 0) e[i - b->step] = t.r;
        put(right, k, &t);
        f = t.c * d[i] + t.s * e[i];
        e[i] = t.c * e[i] - t.s * d[i];
        g = t.s * d[j];
        d[j] *= t.c;
        t = turn_of(f, g);
        put(left, k, &t);
        d[i] = t.r;
        f = t.c * e[i] + t.s * d[j];
        d[j] = t.c * d[j] - t.s * e[i];
        e[i] = f;
        if (k + 2 < b->count) {
            g = t.s * e[j];
            e[j] *= t.c;
        }
    }
}

/* Return the lesser singular value of [[f, g], [0, h]], to nearly full accuracy. */
static double lesser(double f, double g, double h) {
    f = fabs(f), g = fabs(g), h = fabs(h);
    double low = f < h ? f : h, high = f < h ? h : f;
    if (low == 0) return 0;
    double sum = 1 + low / high, gap = (high - low) / high;
    if (g < high) {
        double ratio = (g / high) * (g / high);
        return low * (2 / (sqrt(sum * sum + ratio) + sqrt(gap * gap + ratio)));
    }
    double ratio = high / g;
    if (ratio == 0) return low * high / g;
    return 2 * low * ratio /
           (sqrt(1 + (sum * ratio) * (sum * ratio)) + sqrt(1 + (gap * ratio) * (gap * ratio)));
}

/* Apply Demmel and Kahan's criterion of convergence. Zero an element of e that affects no singular value by more
   than `tolerance` and return true; *least is then undefined. Else return false, with *least a lower bound of
   the block's singular values. */
static bool has_converged(const struct bidiagonal_block *b, double tolerance, double *least) {
    int64_t last = (b->count - 1) * b->step;
    *least = 0;
    if (fabs(b->e[last - b->step]) <= tolerance * fabs(b->d[last])) {
        b->e[last - b->step] = 0;
        return true;
    }
    double bound = *least = fabs(b->d[0]);
    for (int64_t k = 0, i = 0; k + 1 < b->count; k++, i += b->step) {
        double size = fabs(b->e[i]);
        if (size <= tolerance * bound) {
            b->e[i] = 0;
            return true;
        }
        bound = fabs(b->d[i + b->step]) * (bound / (bound + size));
        if (bound < *least) *least = bound;
    }
    return false;
}

/* Make a QR sweep over the block of a matrix [n, n], with the shift of its last 2 x 2 block unless that would
   cost accuracy. eps: the rounding unit; tolerance: the accuracy wanted; least: a lower bound of the singular
   values. */
static void step_of(const struct bidiagonal_block *b, int64_t n, double eps, double tolerance, double least) {
    int64_t last = (b->count - 1) * b->step;
    double most = 0;
    for (int64_t k = 0, i = 0; k < b->count; k++, i += b->step) {
        most = fabs(b->d[i]) > most ? fabs(b->d[i]) : most;
        if (k + 1 < b->count) most = fabs(b->e[i]) > most ? fabs(b->e[i]) : most;
    }
    double shift = 0;
    if ((double)n * tolerance * (least / most) > (eps > 0.01 * tolerance ? eps : 0.01 * tolerance)) {
        shift = lesser(b->d[last - b->step], b->e[last - b->step], b->d[last]);
        double beside = shift / fabs(b->d[0]);
        if (!(beside * beside > eps)) shift = 0;
    }
    if (shift == 0)
        sweep_without_shift(b);
    else
        sweep_with_shift(b, shift);
}

/* Return the size below which elements of a bidiagonal matrix count as 0: a share of a lower bound of its singular
   values, and at least n^2 times the smallest normal number. */
static double threshold_of(int64_t n, const double *d, const double *e, double tolerance) {
    double bound = fabs(d[0]), least = bound;
    for (int64_t i = 1; i < n && least > 0; i++) {
        bound = fabs(d[i]) * (bound / (bound + fabs(e[i - 1])));
        if (bound < least) least = bound;
    }
    double share = tolerance * least / sqrt((double)n), floor = (double)n * (double)n * DBL_MIN;
    return share > floor ? share : floor;
}

bool bidiagonal_values(int64_t n, double *d, double *e, double eps, struct turns *left, struct turns *right,
                       bool *negative) {
    int64_t rest = MOST_SWEEPS * n, was_low = -1, was_high = -1;
    double tolerance = 10 * eps, nothing = n ? threshold_of(n, d, e, tolerance) : 0;
    bool up = false;
    for (int64_t high = n - 1; high > 0;) {
        int64_t low = high;
        if (fabs(d[high]) <= nothing) d[high] = 0;
        for (; low > 0 && fabs(e[low - 1]) > nothing; low--)
            if (fabs(d[low - 1]) <= nothing) d[low - 1] = 0;
        if (low > 0) e[low - 1] = 0;
        if (low == high) {
            high--;
            continue;
        }
        if (low > was_high || high < was_low || was_low < 0) up = fabs(d[low]) < fabs(d[high]);
        was_low = low, was_high = high;
        struct bidiagonal_block b = block_of(d, e, low, high, up, left, right);
        double least;
        if (has_converged(&b, tolerance, &least)) continue;
        if (rest-- == 0 || stop_cut()) return false;
        step_of(&b, n, eps, tolerance, least);
    }
    for (int64_t i = 0; i < n; i++) {
        negative[i] = d[i] < 0;
        d[i] = fabs(d[i]);
    }
    if (left && left->rows) turns_flush(left);
    if (right && right->rows) turns_flush(right);
    return true;
}
