/*
 * Inside the Fourier transforms of the cpu engine.
 *
 * A transform of n = r1 r2 ... is a row of passes (Stockham's, "High-speed convolution and correlation", 1966), each out of
 * place, after which the elements are in order.  Pass i does butterflies of r_i elements, with s = r1 .. r_(i-1) and
 * m = n / (s r_i) as in
 *
 *   y[q + s (r p + k)] = e^(p k / (r m)) * sum over j of x[q + s (p + m j)] e^(j k / r),    q < s, p < m
 *
 * Real and imaginary parts lie apart while they are worked at.  A vector holds neighbours q: those of one line, or of as
 * many lines as it has lanes (a block), which then go through all passes side by side.
 *
 *   passes   of one line (the first ones, where s is less than a vector, turn what they make), or of a block
 *   square   a line longer than the cache: n = a b as a matrix, its columns as blocks, then its rows (Bailey, "FFTs in
 *            external or hierarchical memory", 1990)
 *   chirp    n with a large prime in it: a convolution of a length that has none (Bluestein, 1970)
 *
 * Which of them it is and how lines are put together depends on shapes alone, so bits do not depend on threads.
 */
#ifndef ENGINE_CPU_FFT_FFT_H
#define ENGINE_CPU_FFT_FFT_H
#include "engine/cpu/cpu.h"

/* The radices that have a butterfly of their own; FFT_ODD: any odd number up to FFT_ODD_MOST. */
enum fft_radix { FFT_2, FFT_3, FFT_4, FFT_5, FFT_7, FFT_8, FFT_9, FFT_16, FFT_ODD, FFT_RADICES };
enum { FFT_ODD_MOST = 61, FFT_PASSES_MOST = 48, FFT_LANES_MOST = 16 };

/* One pass over its data.  Elements are addressed as ((u + count * (p + m j)) * pitch + w), u < count, w < width: those of a
   line with width s, pitch s and count 1; those of a block with the width of the block and count s, so that rows of a
   matrix outside can be read and written as they lie.  Pitches count elements; parts that do not lie apart (`in` or `out`
   joined) alternate from re on. */
struct fft_sweep {
    const void *re, *im; /* the input's parts */
    void *out_re, *out_im;
    int64_t count, width, pitch, out_pitch, m;
    int64_t radix;
    const void *
        twiddles; /* m times radix - 1 pairs; where the pass turns: for each k, a vector of parts for each vector */
    const void *roots;      /* ODD: pairs e^j, j < radix */
    const int32_t *places;  /* where the pass turns: of element q + s p, the first place of its results */
    double sign;            /* joined input: imaginary parts are multiplied with it */
    double scale, scale_im; /* joined output: what its parts are multiplied with */
};
typedef void (*fft_sweep_loop)(const struct fft_sweep *s);

/* Lines outside, element j of line w at line[w] + j * step (in parts), its imaginary part `beside` further. */
struct fft_lines {
    void *const *line;
    int64_t lines; /* of a block; the lanes behind them are 0 */
    int64_t step, beside;
    int64_t count; /* elements that there are, of `n` */
    int64_t n;
    bool adjacent;          /* lines are neighbours: a step of `beside` + 1 (beside 1), or of 1 */
    bool real;              /* there are no imaginary parts */
    bool odd;               /* the last element has none */
    double scale, scale_im; /* what parts are multiplied with */
    /* Loads of rows: element j of line w is also multiplied with near[w][j % lanes] * far[w][j / lanes] (pairs; near as
       vectors of real, then of imaginary parts); NULL: it is not. */
    const void *near, *far;
    int64_t far_pitch; /* pairs from line to line */
};

struct fft_loops {
    int lanes;
    fft_sweep_loop wide[FFT_RADICES][2][2]; /* s is a vector or more: [input joined][output joined] */
    fft_sweep_loop narrow[FFT_RADICES][2];  /* it is less */
    /* A block's parts: element j of line w at re[j * lanes + w]. */
    void (*load)(const struct fft_lines *x, void *re, void *im);
    void (*store)(const struct fft_lines *y, const void *re, const void *im);
    /* One line (lines 1) from and to pairs. */
    void (*gather)(const struct fft_lines *x, void *out);
    void (*scatter)(const struct fft_lines *y, const void *in);
    /* One line's n pairs to its parts and back. */
    void (*apart)(int64_t n, const void *x, double sign, void *re, void *im);
    void (*together)(int64_t n, const void *re, const void *im, double scale, double scale_im, void *y);
    /* n pairs: a[i] * b[i], imaginary parts of a times sign, parts of the product times scale and scale_im. */
    void (*times)(int64_t n, void *out, const void *a, double sign, const void *b, double scale,
                  double scale_im);
    /* Blocks: the half of a real transform of 2 h elements from the transform of its pairs; and the way back. */
    void (*split)(int64_t h, const void *twiddles, double inner, const void *re, const void *im, void *out_re,
                  void *out_im);
    void (*join)(int64_t h, const void *twiddles, double inner, const void *re, const void *im, void *out_re,
                 void *out_im);
    /* The same of one line of pairs. */
    void (*split_line)(int64_t h, const void *twiddles, double inner, const void *x, void *out);
    void (*join_line)(int64_t h, const void *twiddles, double inner, const void *x, void *out);
};
struct fft_types {
    const struct fft_loops *f32, *f64;
};
extern const struct fft_types fft_base, fft_avx2, fft_avx512;
const struct fft_loops *fft_loops_of(bool wide);

/* --- fft_roots.c: roots of unity, rounded once --- */
struct fft_roots {
    int64_t n;
    int shift;
    struct fft_root_pair *coarse, *fine;
};
bool fft_roots_make(struct fft_roots *r, int64_t n, struct arena *arena);
/* exp(-2 pi i e / n), 0 <= e < n, as a pair of numbers of the type. */
void fft_root(const struct fft_roots *r, int64_t e, bool wide, void *pair);

/* --- fft_passes.c --- */
struct fft_pass {
    enum fft_radix kind;
    bool narrow;
    int64_t radix, s, m;
    const void *twiddles, *roots;
    const int32_t *places;
};
struct fft_passes {
    const struct fft_loops *loops;
    bool wide; /* f64 */
    int64_t n;
    int64_t lines; /* 1, or lanes of a block */
    int64_t most;  /* lines that buffers have room for: a multiple of `lines` */
    int npasses;
    struct fft_pass pass[FFT_PASSES_MOST];
    size_t half;    /* parts from the real to the imaginary ones of a buffer */
    size_t scratch; /* bytes of two buffers */
};
/* Whether n has only primes that passes are made of. */
bool fft_has_passes(int64_t n);
/* About how long passes of n take, in units of one number. */
double fft_cost(int64_t n);
/* The least n >= size whose passes are quick. */
int64_t fft_good(int64_t size);
/* groups: of so many times `lines` lines at once. */
bool fft_passes_make(struct fft_passes *p, bool wide, int64_t n, int64_t lines, int64_t groups,
                     struct arena *arena, struct fault *fault);
/* How many blocks of n elements a line should go through the passes side by side: rows of a few cache lines each are read
   quicker than of one, as long as the buffers stay in the second level of cache. */
int64_t fft_groups(bool wide, int64_t n);
/* What comes in and goes out, where that is not the buffers. */
struct fft_ends {
    const void *in; /* joined, rows `pitch` apart; NULL: the first buffer */
    void *out;      /* the same; NULL: what is returned */
    int64_t pitch, out_pitch;
    double sign, scale, scale_im;
    int64_t lines; /* 0: as many as the passes were made for */
};
/* Runs them in scratch; returns the buffer with the result (out NULL). */
void *fft_passes_run(const struct fft_passes *p, const struct fft_ends *ends, void *scratch);
/* The first buffer's imaginary parts are behind its real ones. */
static inline void *fft_imaginary(const struct fft_passes *p, void *buffer) {
    return (char *)buffer + p->half * (p->wide ? sizeof(double) : sizeof(float));
}

/* --- fft_line.c: one line of pairs that lie side by side --- */
enum fft_way { FFT_PASSES, FFT_SQUARE, FFT_CHIRP };
struct fft_line {
    enum fft_way way;
    bool wide;
    int64_t n;
    struct fft_passes passes;        /* PASSES: of the line; SQUARE: of columns */
    struct fft_passes rows;          /* SQUARE */
    const void *near, *far;          /* SQUARE: twiddles between the two */
    struct fft_line *inner;          /* CHIRP */
    const void *chirp, *transformed; /* CHIRP: n pairs, inner->n pairs */
    size_t room;                     /* bytes that are in use while a line is */
    size_t scratch;                  /* and bytes that each thread needs */
};
bool fft_line_make(struct fft_line *l, bool wide, int64_t n, struct arena *arena, struct fault *fault);
/* y = scale times the transform of x, of which imaginary parts count `sign` times; those of y count scale_im.  Threads share
   it where they may: scratch has what each of `width` threads needs.  Inside of a parallel_for width is 1
   and pitch 0. */
struct fft_line_call {
    const void *x;
    void *y;
    double sign, scale, scale_im;
    char *room, *scratch;
    size_t pitch; /* from one thread's scratch to the next */
    int width;
};
void fft_line_run(const struct fft_line *l, const struct fft_line_call *c);
#endif
