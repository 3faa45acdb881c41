/*
 * Internals of the cpu engine's Fourier transforms.
 *
 * A transform of n = r1 r2 ... is a sequence of passes (Stockham, "High-speed convolution and correlation", 1966), each
 * out of place; after the last one the elements are in order.  Pass i computes butterflies of r_i elements, with
 * s = r1 .. r_(i-1) and m = n / (s r_i), as in
 *
 *   y[q + s (r p + k)] = e^(p k / (r m)) * sum over j of x[q + s (p + m j)] e^(j k / r),    q < s, p < m
 *
 * Real and imaginary parts are separate during passes.  A vector holds neighbours q: those of one line, or of as many
 * lines as it has lanes (a block), which pass together.
 *
 *   passes   of one line (the first ones, with s below a vector, transpose their results), or of a block;
 *   square   a line longer than the cache: n = a b as a matrix, its columns as blocks, then its rows (Bailey, "FFTs in
 *            external or hierarchical memory", 1990);
 *   chirp    n with a large prime factor: a convolution of a length without one (Bluestein, 1970).
 *
 * The method depends on shapes alone, so bits do not depend on threads.
 */
#ifndef ENGINE_CPU_FFT_FFT_H
#define ENGINE_CPU_FFT_FFT_H
#include "engine/cpu/cpu.h"

/* Radices with a butterfly of their own; FFT_ODD: any odd number up to FFT_ODD_MOST. */
enum fft_radix { FFT_2, FFT_3, FFT_4, FFT_5, FFT_7, FFT_8, FFT_9, FFT_16, FFT_ODD, FFT_RADICES };
enum { FFT_ODD_MOST = 61, FFT_PASSES_MOST = 48, FFT_LANES_MOST = 16 };

/* Operands of one pass. Element (u, w) of index p + m j is at ((u + count * (p + m j)) * pitch + w), u < count, w
   < width. A line has width s, pitch s and count 1. A block has the block's width and count s, so that rows of an
   outside matrix are used in place. Pitches count elements. Joined operands (`in` or `out`) are interleaved pairs
   from re on. */
struct fft_sweep {
    const void *re, *im; /* parts of the input */
    void *out_re, *out_im;
    int64_t count, width, pitch, out_pitch, m;
    int64_t radix;
    /* m times radix - 1 pairs; narrow passes: for each vector and k a vector of real and one of imaginary parts */
    const void *twiddles;
    const void *roots;      /* ODD: pairs e^j, j < radix */
    const int32_t *places;  /* narrow passes: first result position of element q + s p */
    double sign;            /* joined input: factor of imaginary parts */
    double scale, scale_im; /* joined output: factors of real and imaginary parts */
};
/* Run one pass on the operands of s. */
typedef void (*fft_sweep_loop)(const struct fft_sweep *s);

/* Lines outside the buffers: element j of line w is at line[w] + j * step (in parts); its imaginary part is
   `beside` parts further. */
struct fft_lines {
    void *const *line;
    int64_t lines; /* lines of a block; the other lanes are 0 */
    int64_t step, beside;
    int64_t count; /* elements present, of `n`; the others are 0 */
    int64_t n;
    bool adjacent;          /* lines are neighbours: `beside` + 1 apart (beside 1), or 1 apart */
    bool real;              /* no imaginary parts */
    bool odd;               /* the last element has no imaginary part */
    double scale, scale_im; /* factors of real and imaginary parts */
    /* Loads: element j of line w is also multiplied by near[w][j % lanes] * far[w][j / lanes]; NULL: it is not.
       far holds pairs, near a vector of real, then one of imaginary parts. */
    const void *near, *far;
    int64_t far_pitch; /* pairs between lines */
};

/* Loops of one type and instruction set. */
struct fft_loops {
    int lanes;
    fft_sweep_loop wide[FFT_RADICES][2][2]; /* s is at least a vector: [input joined][output joined] */
    fft_sweep_loop narrow[FFT_RADICES][2];  /* s is less than a vector: [input joined] */
    /* Load lines into a block: element j of line w goes to re[j * lanes + w], im[j * lanes + w]; missing ones are 0. */
    void (*load)(const struct fft_lines *x, void *re, void *im);
    /* Store a block's lines: element j of line w comes from re[j * lanes + w] and im[j * lanes + w]. */
    void (*store)(const struct fft_lines *y, const void *re, const void *im);
    /* Load one line (x->lines 1) as contiguous pairs. */
    void (*gather)(const struct fft_lines *x, void *out);
    /* Store one line (y->lines 1) of contiguous pairs. */
    void (*scatter)(const struct fft_lines *y, const void *in);
    /* Separate n pairs x into real and imaginary parts; the latter are multiplied by sign. */
    void (*apart)(int64_t n, const void *x, double sign, void *re, void *im);
    /* Interleave n real and imaginary parts into pairs y, times scale and scale_im. */
    void (*together)(int64_t n, const void *re, const void *im, double scale, double scale_im, void *y);
    /* Set out[i] = a[i] * b[i] for n pairs; a's imaginary parts are multiplied by sign, the product's parts by scale
   and scale_im. */
    void (*times)(int64_t n, void *out, const void *a, double sign, const void *b, double scale,
                  double scale_im);
    /* Block of lines: compute the non-redundant half, h + 1 elements, of a real transform of 2 h elements from the
   transform re, im of its h pairs. inner: factor of all but the first and last element. */
    void (*split)(int64_t h, const void *twiddles, double inner, const void *re, const void *im, void *out_re,
                  void *out_im);
    /* Block of lines, the inverse of split: compute h pairs from re, im, the half spectrum (h + 1 elements) of a real
   line of 2 h. The forward transform of the pairs, conjugated, holds the line. inner: factor of all but first and
   last element. */
    void (*join)(int64_t h, const void *twiddles, double inner, const void *re, const void *im, void *out_re,
                 void *out_im);
    /* One line of pairs: compute the non-redundant half, h + 1 elements, of a real transform of 2 h elements from the
   transform x of its h pairs. inner: factor of all but the first and last element. */
    void (*split_line)(int64_t h, const void *twiddles, double inner, const void *x, void *out);
    /* One line of pairs, the inverse of split_line: compute h pairs from x, the half spectrum (h + 1 elements) of a
   real line of 2 h. The forward transform of the pairs, conjugated, holds the line. inner: factor of all but first
   and last element. */
    void (*join_line)(int64_t h, const void *twiddles, double inner, const void *x, void *out);
};
/* The loops of one instruction set. */
struct fft_types {
    const struct fft_loops *f32, *f64;
};
extern const struct fft_types fft_base, fft_avx2, fft_avx512;
/* Return the loops of f64 (wide) or f32 for the current instruction set. Static. */
const struct fft_loops *fft_loops_of(bool wide);

/* --- fft_roots.c: correctly rounded roots of unity --- */
struct fft_roots {
    int64_t n;
    int shift;
    struct fft_root_pair *coarse, *fine;
};
/* Make the tables with which fft_root computes roots of 1 of order n, in the arena. Return false if out of memory. */
bool fft_roots_make(struct fft_roots *r, int64_t n, struct arena *arena);
/* Write exp(-2 pi i e / n), 0 <= e < n, as a pair of doubles (wide) or floats, correctly rounded. */
void fft_root(const struct fft_roots *r, int64_t e, bool wide, void *pair);

/* --- fft_passes.c --- */
struct fft_pass {
    enum fft_radix kind;
    bool narrow;
    int64_t radix, s, m;
    const void *twiddles, *roots;
    const int32_t *places;
};
/* Plan of a transform of length n by passes over `lines` lines at once. */
struct fft_passes {
    const struct fft_loops *loops;
    bool wide; /* f64, else f32 */
    int64_t n;
    int64_t lines; /* 1, or the lanes of a block */
    int64_t most;  /* lines that buffers can hold, a multiple of `lines` */
    int npasses;
    struct fft_pass pass[FFT_PASSES_MOST];
    size_t half;    /* parts from the real to the imaginary ones in a buffer */
    size_t scratch; /* bytes of two buffers */
};
/* Return true if n has only prime factors that passes handle, so that it needs no convolution. */
bool fft_has_passes(int64_t n);
/* Return a length >= size with fast passes, for a convolution. */
int64_t fft_good(int64_t size);
/* Plan passes of length n for lines * groups lines at once, in doubles (wide) or floats. Return false with a fault
   if out of memory or if n has other prime factors. */
bool fft_passes_make(struct fft_passes *p, bool wide, int64_t n, int64_t lines, int64_t groups,
                     struct arena *arena, struct fault *fault);
/* Return how many blocks of lines of n elements pass together. Rows of a few cache lines are read faster than rows
   of one, while the buffers stay in L2. */
int64_t fft_groups(bool wide, int64_t n);
/* Input and output of the passes, other than the buffers. */
struct fft_ends {
    const void *in; /* joined, rows `pitch` apart; NULL: the first buffer */
    void *out;      /* joined, rows `out_pitch` apart; NULL: a buffer, which is returned */
    int64_t pitch, out_pitch;
    double sign, scale, scale_im;
    int64_t lines; /* 0: as many as planned */
};
/* Run the passes on ends->in, or on the first buffer of scratch (p->scratch bytes). If ends->out is NULL, the
   returned buffer holds the result. */
void *fft_passes_run(const struct fft_passes *p, const struct fft_ends *ends, void *scratch);
/* Return the address of the imaginary parts in a buffer. */
static inline void *fft_imaginary(const struct fft_passes *p, void *buffer) {
    return (char *)buffer + p->half * (p->wide ? sizeof(double) : sizeof(float));
}

/* --- fft_line.c: one line of contiguous pairs --- */
enum fft_way { FFT_PASSES, FFT_SQUARE, FFT_CHIRP };
/* Plan of the transform of one line of length n. */
struct fft_line {
    enum fft_way way;
    bool wide;
    int64_t n;
    struct fft_passes passes;        /* PASSES: of the line; SQUARE: of the columns */
    struct fft_passes rows;          /* SQUARE: of the rows */
    const void *near, *far;          /* SQUARE: twiddles between columns and rows */
    struct fft_line *inner;          /* CHIRP: the convolution's transform */
    const void *chirp, *transformed; /* CHIRP: n pairs, inner->n pairs */
    size_t room;                     /* bytes per line in progress */
    size_t scratch;                  /* bytes per thread */
};
/* Plan transforms of one line of n pairs, in doubles (wide) or floats. Return false with a fault on error. */
bool fft_line_make(struct fft_line *l, bool wide, int64_t n, struct arena *arena, struct fault *fault);
/* Arguments of fft_line_run: y = scale * transform of x. Imaginary parts of x are multiplied by sign, those of y
   by scale_im instead of scale. scratch has l->scratch bytes for each of `width` threads; inside a parallel_for
   width is 1 and pitch 0. */
struct fft_line_call {
    const void *x;
    void *y;
    double sign, scale, scale_im;
    char *room, *scratch;
    size_t pitch; /* bytes between the threads' scratch */
    int width;
};
/* Transform one line, as the call c says. */
void fft_line_run(const struct fft_line *l, const struct fft_line_call *c);
#endif
