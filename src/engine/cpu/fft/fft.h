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
 * Methods, radices and tables depend on shapes and dtypes alone: they are chosen for lines of 64 bytes (fft_block), as
 * AVX-512 has them. Ends of lines use the same multiply-adds as whole vectors. So bits depend neither on the lanes of a
 * vector nor on threads.
 */
#ifndef ENGINE_CPU_FFT_FFT_H
#define ENGINE_CPU_FFT_FFT_H
#include "engine/cpu/cpu.h"
#include "engine/cpu/fft/fft_loops.h"

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
/* Write the roots exp(-2 pi i k / n), k < count <= n, to out[k], as fft_root does, on all threads. */
void fft_roots_fill(const struct fft_roots *r, int64_t count, bool wide, void *out);
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
/* Run body(context, begin, end) on parts of the elements 0 .. n-1 of one line, on up to `width` threads. Parts begin at
   multiples of FFT_LANES_MOST. */
void fft_elements(int width, int64_t n, void (*body)(void *context, int64_t begin, int64_t end),
                  void *context);
/* Transform one line, as the call c says. */
void fft_line_run(const struct fft_line *l, const struct fft_line_call *c);
#endif
