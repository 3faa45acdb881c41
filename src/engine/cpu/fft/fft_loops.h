/* Loops of Fourier transforms (fft.kernel.c), a table for each instruction set. fft.h explains passes. */
#ifndef ENGINE_CPU_FFT_FFT_LOOPS_H
#define ENGINE_CPU_FFT_FFT_LOOPS_H
#include <stdbool.h>
#include <stdint.h>

/* Radices with a butterfly of their own; FFT_ODD: any odd number up to FFT_ODD_MOST. */
enum fft_radix { FFT_2, FFT_3, FFT_4, FFT_5, FFT_7, FFT_8, FFT_9, FFT_16, FFT_ODD, FFT_RADICES };
enum { FFT_ODD_MOST = 61, FFT_PASSES_MOST = 48, FFT_LANES_MOST = 16 };

/* Return the lines of a block for which methods, radices and twiddles are chosen: those of a vector of 64 bytes. */
static inline int64_t fft_block(bool wide) { return wide ? 8 : 16; }

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
    /* Loads of contiguous pairs (step 2): element j of line w is also multiplied by near[w][j % block] *
       far[w][j / block], with the block of fft_block; NULL: it is not. far holds pairs, near the real parts of a block,
       then the imaginary ones. */
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
    /* One line of pairs: compute elements 1 + begin .. end (below h, the half of a real transform of 2 h elements) from
   the transform x of its h pairs; from begin = 0 also elements 0 and h. inner: factor of all but the first and last
   element. begin is a multiple of the lanes. */
    void (*split_line)(int64_t h, int64_t begin, int64_t end, const void *twiddles, double inner,
                       const void *x, void *out);
    /* One line of pairs, the inverse of split_line: compute pairs 1 + begin .. end (below h) from x, the half spectrum
   (h + 1 elements) of a real line of 2 h; from begin = 0 also pair 0. The forward transform of the pairs, conjugated,
   holds the line. inner: factor of all but first and last element. */
    void (*join_line)(int64_t h, int64_t begin, int64_t end, const void *twiddles, double inner,
                      const void *x, void *out);
};
/* The loops of one instruction set. */
struct fft_types {
    const struct fft_loops *f32, *f64;
};
extern const struct fft_types fft_base, fft_avx2, fft_avx512;
#endif
