/*
 * Output windows: products are added at position = outer * s + inner * d - low of an axis (the gradient of a
 * convolution's input, a transposed convolution).
 *
 * Read literally that is a scatter: several products per position.  Inverted it is a gather, and so a contraction.
 * The equation, with position = phase + q * s and 0 <= phase < s, is
 *
 *    outer * s + inner * d = q * s + phase + low.
 *
 * It has solutions only if s divides phase + low - inner * d.  Let g = gcd(s, |d|).  Then they are
 *
 *    inner = first + t * (s / g),    outer = q + (phase + low - first * d) / s - t * (d / g).
 *
 * So for one phase the dimensions outer and inner are replaced by q, which is kept, and t, which is summed; phases
 * write disjoint positions.  (The idea of sub-pixel convolution: Shi et al., "Is the deconvolution layer the same as
 * a convolutional layer?", 2016; here with any dilation, padding and size.)
 *
 * Neighbouring phases with equal counts and shifts, whose first inner indices rise evenly, are merged by one more
 * dimension p.  A transposed convolution without overlap (patch embeddings, U-Net's up-convolutions) becomes a single
 * matrix product; in general there are two or three phases per axis, not s.
 *
 * With few channels (an image's gradient, a decoder's last layer) vectors are mostly empty.  Computing two phases of
 * an axis together fills twice as much.  With d = 1 all phases are
 *
 *    outer = q - t,    inner = p + low + t * s
 *
 * for every t that any of them needs; an operand whose inner index is out of range counts as 0.  This adds products
 * with zeros, but saves vectors.  Zeros are a seventh with 7 taps and a stride of 2, half with 4 taps and a padding
 * of 1.
 */
#include "base/number.h"
#include "base/wide.h"
#include "contract/loops.h"
#include "contract/phases.h"

static int64_t ceiling(int64_t a, int64_t b) { return ceil_div(greater(a, 0), b); }

/* Return x modulo m > 0, in 0 .. m - 1. */
static int64_t remainder_of(wide x, int64_t m) {
    return (int64_t)wide_low(wide_subtract(x, wide_times(wide_floor_divide(x, wide_of(m)), m)));
}

/* Return x with a x = 1 modulo m, 0 <= x < m; a and m have no common divisor (Euclid's algorithm). */
static int64_t inverse(int64_t a, int64_t m) {
    int64_t r = m, next = remainder_of(wide_of(a), m), x = 0, y = 1;
    while (next) {
        int64_t quotient = r / next, rest = r % next, z = x - quotient * y;
        r = next, next = rest;
        x = y, y = z;
    }
    return x < 0 ? x + m : x;
}

/* Return the phase of positions base, base + s, ..., where s is the stride of window w. Computed in 128 bits,
   as strides and dilations are arbitrary. */
static struct contract_phase phase_at(const struct contract_window *w, int64_t base) {
    int64_t s = w->stride, d = w->dilation, g = contraction_greatest_divisor(s, d < 0 ? -d : d);
    struct contract_phase phase = {.base = base, .count = 1, .step = s / g, .back = d / g};
    phase.outer = ceiling(w->length - base, s);
    wide at = wide_add(wide_of(base), wide_of(w->low));
    int64_t rest = remainder_of(at, s);
    if (rest % g) return phase;
    int64_t first = remainder_of(wide_product(rest / g, inverse(phase.back, phase.step)), phase.step);
    if (first >= w->inner_size) return phase;
    phase.first = first;
    phase.inner = ceiling(w->inner_size - first, phase.step);
    wide outer = wide_floor_divide(wide_subtract(at, wide_product(first, d)), wide_of(s));
    phase.shift = (int64_t)wide_low(outer);
    return phase;
}

/* Return the number of residues from `base` on, at most `most`, before the next one to which a product is added.
   Strides may be 2^47, but at most inner_size residues have products. */
static int64_t empty_from(const struct contract_window *w, int64_t base, int64_t most) {
    int64_t s = w->stride, d = w->dilation, g = contraction_greatest_divisor(s, d < 0 ? -d : d);
    int64_t inner = lesser(w->inner_size, s / g);
    for (int64_t r = 0; r < inner && most > 0; r++) {
        wide from = wide_subtract(wide_subtract(wide_product(r, d), wide_of(w->low)), wide_of(base));
        most = lesser(most, remainder_of(from, s));
    }
    return most;
}

/* True if `next`, the phase of one residue, continues `run`, a phase of the residues before it, so that they
   can be merged. */
static bool continues(const struct contract_phase *run, const struct contract_phase *next) {
    if (run->inner != next->inner || run->outer != next->outer || run->shift != next->shift) return false;
    if (run->inner == 0) return true;
    return run->count == 1 || next->first == run->first + run->count * run->rise;
}

static int64_t floored(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Return all residues of window w merged into one phase; the dilation must be 1. */
static struct contract_phase all_phases(const struct contract_window *w) {
    int64_t s = w->stride, least = -floored(s - 1 + w->low, s), most = floored(w->inner_size - 1 - w->low, s);
    return (struct contract_phase){.count = s,
                                   .outer = w->length / s,
                                   .first = w->low + least * s,
                                   .rise = 1,
                                   .step = s,
                                   .inner = most - least + 1,
                                   .shift = -least,
                                   .back = 1};
}

/* Return the relative time of a step of K for `bytes` bytes of a row of out: vectors of 32 bytes on all
   machines, plus half a vector for loading the other operand. Predicted gains of 0.7 to 1.8 were 0.6 to
   2.1. Measured: gradients of 3x3 and 7x7 windows with a stride of 2, 3 to 32 channels, Zen 3. */
static double vectors(int64_t bytes) {
    enum { VECTOR = 32 };
    return (double)ceiling(bytes, VECTOR) + 0.5;
}

/* True if merging all phases in `list` of window w is predicted to be faster; `beside` and `size` are those
   of contract_phases. Rows of out longer than MOST bytes did not gain as predicted; single elements per
   position are not computed in such vectors. */
static bool is_merged(const struct contract_window *w, const struct contract_phase *list, int64_t beside,
                      int64_t size) {
    enum { MOST = 96 };
    if (!list || !list->next || w->dilation != 1 || w->length % w->stride) return false;
    if (beside < 2 || beside > MOST / size || w->stride > MOST / size / beside) return false;
    struct contract_phase all = all_phases(w);
    double apart = 0, together = vectors(all.count * beside * size) * (double)all.inner;
    for (const struct contract_phase *p = list; p; p = p->next)
        apart += vectors(p->count * beside * size) * (double)p->inner;
    return together < apart;
}

struct contract_phase *contract_phases(const struct contract_window *window, bool alone, int64_t beside,
                                       int64_t size, struct arena *arena, bool *ok) {
    struct contract_phase *first = NULL, **last = &first, *run = NULL;
    int64_t period = window->stride < window->length ? window->stride : window->length;
    *ok = true;
    int64_t end = window->length % window->stride; /* residues after it have one position less */
    for (int64_t base = 0, count; base < period; base += count) {
        struct contract_phase one = phase_at(window, base);
        if (one.inner == 0) one.count = empty_from(window, base, (base < end ? end : period) - base);
        count = one.count;
        if (run && !alone && continues(run, &one)) {
            if (run->count == 1) run->rise = one.first - run->first;
            run->count += count;
            continue;
        }
        run = arena_copy(arena, &one, sizeof one);
        if (!run) {
            *ok = false;
            return NULL;
        }
        *last = run;
        last = &run->next;
    }
    if (!alone && is_merged(window, first, beside, size)) *first = all_phases(window);
    return first;
}
