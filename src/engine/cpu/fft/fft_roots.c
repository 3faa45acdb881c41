/*
 * Correctly rounded roots of unity. Angles are counted in quarters of 1/n, so symmetry reduces them exactly to an
 * eighth of a turn. There a root is the product of two from tables of about sqrt(n) entries, in pairs of doubles.
 */
#include <math.h>
#include "engine/cpu/fft/fft.h"
#define REAL double
#include "engine/special/pair.kernel.h"

struct fft_root_pair {
    two cosine, sine;
};

static void root_of(struct fft_root_pair *out, int64_t quarters, int64_t n) {
    static const two half_pi = {1.5707963267948965580, 6.1232339957367660359e-17};
    two angle = two_divide(two_multiply(half_pi, two_of((double)quarters)), two_of((double)n));
    two_sine_cosine(angle, &out->sine, &out->cosine);
}

/* Roots of angles i << shift quarters of 1/n. */
struct root_table {
    struct fft_root_pair *out;
    int shift;
    int64_t n;
};
static void fill_table(void *context, int64_t begin, int64_t end) {
    const struct root_table *t = context;
    for (int64_t i = begin; i < end; i++) root_of(&t->out[i], i << t->shift, t->n);
}

bool fft_roots_make(struct fft_roots *r, int64_t n, struct arena *arena) {
    int64_t most = n / 2;
    r->n = n;
    while (((int64_t)1 << 2 * r->shift) < most) r->shift++;
    int64_t fine = (int64_t)1 << r->shift, coarse = (most >> r->shift) + 1;
    r->fine = arena_array(arena, (size_t)fine, sizeof *r->fine);
    r->coarse = arena_array(arena, (size_t)coarse, sizeof *r->coarse);
    if (!r->fine || !r->coarse) return false;
    struct root_table tables[2] = {{r->fine, 0, n}, {r->coarse, r->shift, n}};
    fft_elements(parallel_width(), fine, fill_table, &tables[0]);
    fft_elements(parallel_width(), coarse, fill_table, &tables[1]);
    return true;
}

/* Set *cosine and *sine to those of an angle of `quarters` quarters of 1/n of a turn, at most an eighth turn. */
static void root_below(const struct fft_roots *r, int64_t quarters, double *cosine, double *sine) {
    const struct fft_root_pair *a = &r->coarse[quarters >> r->shift];
    const struct fft_root_pair *b = &r->fine[quarters & (((int64_t)1 << r->shift) - 1)];
    two c = two_subtract(two_multiply(a->cosine, b->cosine), two_multiply(a->sine, b->sine));
    two s = two_add(two_multiply(a->cosine, b->sine), two_multiply(a->sine, b->cosine));
    *cosine = c.high;
    *sine = s.high;
}

void fft_root(const struct fft_roots *r, int64_t e, bool wide, void *pair) {
    int64_t n = r->n, quarters = 4 * e;
    double c, s;
    bool below = quarters > 2 * n, left, steep;
    if (below) quarters = 4 * n - quarters;
    if ((left = quarters > n)) quarters = 2 * n - quarters;
    if ((steep = 2 * quarters > n)) quarters = n - quarters;
    root_below(r, quarters, &c, &s);
    double re = steep ? s : c, im = steep ? c : s;
    if (left) re = -re;
    if (!below) im = -im;
    if (wide) {
        ((double *)pair)[0] = re;
        ((double *)pair)[1] = im;
    } else {
        ((float *)pair)[0] = (float)re;
        ((float *)pair)[1] = (float)im;
    }
}

struct roots_fill {
    const struct fft_roots *roots;
    bool wide;
    char *out;
};
static void fill_roots(void *context, int64_t begin, int64_t end) {
    const struct roots_fill *f = context;
    size_t pair = 2 * (f->wide ? sizeof(double) : sizeof(float));
    for (int64_t k = begin; k < end; k++) fft_root(f->roots, k, f->wide, f->out + (size_t)k * pair);
}

void fft_roots_fill(const struct fft_roots *r, int64_t count, bool wide, void *out) {
    fft_elements(parallel_width(), count, fill_roots, &(struct roots_fill){r, wide, out});
}
