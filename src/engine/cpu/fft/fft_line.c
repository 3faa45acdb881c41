/* Transforms one line of pairs by passes, a square, or a convolution (fft.h). */
#include "base/checked.h"
#include "engine/cpu/fft/fft.h"

/* bytes; longer lines leave L2 during the passes */
enum { SQUARE_BYTES = 1 << 19 };

static size_t part_size(const struct fft_line *l) { return l->wide ? sizeof(double) : sizeof(float); }
static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* ---- elements of one line ---- */

enum { ALONG = 1 << 12 }; /* elements of an item of parallel_for: some 10 us */

struct along {
    int64_t n;
    void (*body)(void *, int64_t, int64_t);
    void *context;
};
static void along_items(void *context, int64_t begin, int64_t end) {
    const struct along *a = context;
    a->body(a->context, begin * ALONG, end * ALONG < a->n ? end * ALONG : a->n);
}

void fft_elements(int width, int64_t n, void (*body)(void *, int64_t, int64_t), void *context) {
    struct along a = {n, body, context};
    if (n <= ALONG) {
        body(context, 0, n);
        return;
    }
    parallel_for(width, (n + ALONG - 1) / ALONG, 4, along_items, &a);
}

/* ---- square ---- */

/* Return a divisor of n, at most its square root and preferably near it, with both factors whole blocks of `block`
   lines. 1 if n is prime. */
static int64_t square_side(int64_t n, int64_t block) {
    int64_t root = 1, nearest = 1;
    while (root < n / root) root *= 2;
    while (root > n / root) root--;
    for (int64_t a = root; a > root / 4 && a > 1; a--) {
        if (n % a) continue;
        if (nearest == 1) nearest = a;
        if (a % block == 0 && n / a % block == 0) return a;
    }
    for (int64_t a = root / 4; nearest == 1 && a > 1; a--)
        if (n % a == 0) nearest = a;
    return nearest;
}

struct square_fill {
    const struct fft_roots *roots;
    bool wide;
    int64_t block, groups;
    char *near, *far;
};
/* Write the twiddles of columns begin .. end-1: near[k][i] and far[k][g]. Task of parallel_for. */
static void fill_square(void *context, int64_t begin, int64_t end) {
    const struct square_fill *f = context;
    size_t size = f->wide ? sizeof(double) : sizeof(float);
    int64_t n = f->roots->n, block = f->block;
    for (int64_t k = begin; k < end; k++) {
        for (int64_t i = 0; i < block; i++) {
            double pair[2];
            char *to = f->near + (size_t)(k * 2 * block + i) * size;
            fft_root(f->roots, k * i % n, f->wide, pair);
            memcpy(to, pair, size);
            memcpy(to + (size_t)block * size, (char *)pair + size, size);
        }
        for (int64_t g = 0; g < f->groups; g++)
            fft_root(f->roots, k * (g * block) % n, f->wide, f->far + (size_t)(k * f->groups + g) * 2 * size);
    }
}

/* Make the twiddles between columns and rows, e^(k1 k2) for k1 < a and k2 < b, e = exp(-2 pi i / n), as products of
   two tables. They are near[k1][i] = e^(k1 i) for i < block, and far[k1][g] = e^(k1 g block), with the block of
   fft_block: the products' rounding must not depend on lanes. Return false if out of memory. */
static bool square_tables(struct fft_line *l, int64_t a, int64_t b, struct arena *arena) {
    struct arena temporary = {0};
    struct fft_roots roots = {0};
    size_t size = part_size(l);
    int64_t block = fft_block(l->wide), groups = (b + block - 1) / block;
    char *near = arena_data(arena, (size_t)(a * block) * 2 * size),
         *far = arena_data(arena, (size_t)(a * groups) * 2 * size);
    bool made = near && far && fft_roots_make(&roots, l->n, &temporary);
    struct square_fill fill = {&roots, l->wide, block, groups, near, far};
    if (made) parallel_for(parallel_width(), a, 16, fill_square, &fill);
    l->near = near;
    l->far = far;
    arena_drop(&temporary);
    return made;
}

/* Prepare a line as a square of columns and rows, each short enough for passes. Return false with a fault
   on error. */
static bool square_make(struct fft_line *l, struct arena *arena, struct fault *fault) {
    int64_t lanes = fft_loops_of(l->wide)->lanes, a = square_side(l->n, fft_block(l->wide)), b = l->n / a;
    l->way = FFT_SQUARE;
    if (!fft_passes_make(&l->passes, l->wide, a, lanes, fft_groups(l->wide, a), arena, fault) ||
        !fft_passes_make(&l->rows, l->wide, b, lanes, 1, arena, fault))
        return false;
    l->room = aligned((size_t)l->n * 2 * part_size(l));
    l->scratch = aligned(l->passes.scratch > l->rows.scratch ? l->passes.scratch : l->rows.scratch);
    return square_tables(l, a, b, arena) || fault_memory(fault, l->room);
}

struct square_run {
    const struct fft_line *l;
    const struct fft_line_call *c;
};

static char *thread_scratch(const struct fft_line_call *c) {
    return c->scratch + (size_t)parallel_index() * c->pitch;
}

/* Load, or with `store` store, at most a vector of adjacent lines between the buffer and memory. `first` is the
   first line's element 0; elements are `pitch` pairs apart. Parts are multiplied by scale and scale_im. */
static void few_neighbours(const struct fft_passes *p, char *first, int64_t lines, int64_t pitch,
                           double scale, double scale_im, bool store, void *buffer) {
    void *line[FFT_LANES_MOST];
    size_t pair = 2 * (p->wide ? sizeof(double) : sizeof(float));
    for (int64_t w = 0; w < lines; w++) line[w] = first + (size_t)w * pair;
    struct fft_lines x = {.line = line,
                          .lines = lines,
                          .step = 2 * pitch,
                          .beside = 1,
                          .count = p->n,
                          .n = p->n,
                          .scale = scale,
                          .scale_im = scale_im};
    if (store)
        p->loops->store(&x, buffer, fft_imaginary(p, buffer));
    else
        p->loops->load(&x, buffer, fft_imaginary(p, buffer));
}

/* Transform groups begin .. end-1 of the square's columns, as many as vector lanes each, from x into the room,
   without the twiddles between columns and rows. Task of parallel_for; context is a struct square_run. */
static void square_columns(void *context, int64_t begin, int64_t end) {
    const struct square_run *run = context;
    const struct fft_line_call *c = run->c;
    const struct fft_passes *p = &run->l->passes;
    size_t pair = 2 * part_size(run->l);
    int64_t lanes = p->lines, b = run->l->rows.n;
    char *scratch = thread_scratch(c);
    for (int64_t first = begin * lanes, lines; first < end * lanes && first < b; first += lines) {
        int64_t left = (end * lanes < b ? end * lanes : b) - first;
        lines = left >= p->most ? p->most : left >= lanes ? left / lanes * lanes : lanes;
        char *x = (char *)c->x + (size_t)first * pair, *y = c->room + (size_t)first * pair;
        struct fft_ends ends = {x, y, b, b, c->sign, 1, 1, lines};
        if (left < lanes) {
            few_neighbours(p, x, left, b, 1, c->sign, false, scratch);
            ends.in = ends.out = NULL;
        }
        void *made = fft_passes_run(p, &ends, scratch);
        if (left < lanes) few_neighbours(p, y, left, b, 1, 1, true, made);
    }
}

/* Multiply groups begin .. end-1 of the square's rows, in the room, by the twiddles, and transform them into the
   result. Task of parallel_for; context is a struct square_run. */
static void square_rows(void *context, int64_t begin, int64_t end) {
    const struct square_run *run = context;
    const struct fft_line *l = run->l;
    const struct fft_line_call *c = run->c;
    const struct fft_passes *p = &l->rows;
    size_t pair = 2 * part_size(l);
    int64_t lanes = p->lines, a = l->passes.n, b = p->n;
    int64_t near = fft_block(l->wide), groups = (b + near - 1) / near;
    char *scratch = thread_scratch(c);
    for (int64_t block = begin; block < end; block++) {
        void *line[FFT_LANES_MOST];
        int64_t first = block * lanes, lines = a - first < lanes ? a - first : lanes;
        for (int64_t w = 0; w < lines; w++) line[w] = c->room + (size_t)((first + w) * b) * pair;
        struct fft_lines x = {.line = line,
                              .lines = lines,
                              .step = 2,
                              .beside = 1,
                              .count = b,
                              .n = b,
                              .scale = 1,
                              .scale_im = 1,
                              .near = (const char *)l->near + (size_t)(first * near) * pair,
                              .far = (const char *)l->far + (size_t)(first * groups) * pair,
                              .far_pitch = groups};
        p->loops->load(&x, scratch, fft_imaginary(p, scratch));
        char *y = (char *)c->y + (size_t)first * pair;
        struct fft_ends ends = {NULL, lines == lanes ? y : NULL, 0, a, 1, c->scale, c->scale_im, 0};
        void *made = fft_passes_run(p, &ends, scratch);
        if (lines < lanes) few_neighbours(p, y, lines, a, c->scale, c->scale_im, true, made);
    }
}

/* Transform a line as a square: all columns, then all rows. */
static void square_run(const struct fft_line *l, const struct fft_line_call *c) {
    struct square_run run = {l, c};
    int64_t lanes = l->rows.lines;
    parallel_for(c->width, (l->rows.n + lanes - 1) / lanes, 1, square_columns, &run);
    parallel_for(c->width, (l->passes.n + lanes - 1) / lanes, 1, square_rows, &run);
}

/* ---- chirp ---- */

/* Return j^2 modulo `period`, for 0 <= j < period < 2^61: bit by bit, since j^2 may overflow. */
static int64_t square_modulo(int64_t j, int64_t period) {
    int64_t square = 0;
    for (int bit = 60; bit >= 0; bit--) square = (2 * square + (j >> bit & 1) * j) % period;
    return square;
}

struct chirp {
    const struct fft_roots *roots; /* of order 2 n */
    int64_t n;
    bool wide;
    char *out;
};
/* Write the chirp exp(-pi i j^2 / n), begin <= j < end, to out[j]. Task of fft_elements. */
static void fill_chirp(void *context, int64_t begin, int64_t end) {
    const struct chirp *c = context;
    size_t pair = 2 * (c->wide ? sizeof(double) : sizeof(float));
    int64_t square = square_modulo(begin, 2 * c->n);
    for (int64_t j = begin; j < end; j++) {
        fft_root(c->roots, square, c->wide, c->out + (size_t)j * pair);
        square = (square + 2 * j + 1) % (2 * c->n); /* j < n: no overflow */
    }
}
/* Write the chirp exp(-pi i j^2 / n), j < n, to `out` as pairs of doubles (wide) or floats. */
static void chirp_fill(const struct fft_roots *roots, int64_t n, bool wide, char *out) {
    fft_elements(parallel_width(), n, fill_chirp, &(struct chirp){roots, n, wide, out});
}

/* Conjugate the chirp x[0 .. n) and repeat it at the end of x[m] in reverse. */
struct chirp_ends {
    int64_t m;
    double *x;
};
static void mirror_chirp(void *context, int64_t begin, int64_t end) {
    const struct chirp_ends *c = context;
    double *x = c->x;
    for (int64_t j = begin; j < end; j++) {
        x[2 * j + 1] = -x[2 * j + 1];
        if (j) memcpy(x + 2 * (c->m - j), x + 2 * j, 2 * sizeof *x);
    }
}

static void clear_pairs(void *context, int64_t begin, int64_t end) {
    memset((double *)context + 2 * begin, 0, (size_t)(end - begin) * 2 * sizeof(double));
}

/* Compute in f64 the transform of conjugate chirps at -n+1 .. n-1, padded to length m and divided by m, to out[m]
   pairs. The arena serves temporaries. Return false with a fault on error. */
static bool chirp_transform(const struct fft_roots *roots, int64_t n, int64_t m, double *out,
                            struct arena *arena, struct fault *fault) {
    struct fft_line wide;
    if (!fft_line_make(&wide, true, m, arena, fault)) return false;
    double *x = arena_data(arena, (size_t)m * 2 * sizeof *x);
    char *room = arena_data(arena, wide.room + 64), *scratch = arena_data(arena, wide.scratch + 64);
    if (!x || !room || !scratch) return fault_memory(fault, (size_t)m * 2 * sizeof *x);
    fft_elements(parallel_width(), m, clear_pairs, x);
    chirp_fill(roots, n, true, (char *)x);
    fft_elements(parallel_width(), n, mirror_chirp, &(struct chirp_ends){m, x});
    double scale = 1 / (double)m;
    struct fft_line_call c = {x, out, 1, scale, scale, room, scratch, 0, 1};
    fft_line_run(&wide, &c);
    return true;
}

struct rounding {
    const double *exact;
    bool wide;
    void *out;
};
/* Round pairs begin .. end-1. Task of fft_elements. */
static void round_pairs(void *context, int64_t begin, int64_t end) {
    const struct rounding *r = context;
    for (int64_t i = 2 * begin; i < 2 * end; i++) {
        if (r->wide)
            ((double *)r->out)[i] = r->exact[i];
        else
            ((float *)r->out)[i] = (float)r->exact[i];
    }
}

/* Make the chirp of a line and the transform of its conjugate, in the line's precision. Return false with
   a fault on error. */
static bool chirp_tables(struct fft_line *l, struct arena *arena, struct fault *fault) {
    struct arena temporary = {0};
    struct fft_roots roots = {0};
    int64_t n = l->n, m = l->inner->n;
    size_t size = part_size(l);
    char *chirp = arena_data(arena, (size_t)n * 2 * size),
         *transformed = arena_data(arena, (size_t)m * 2 * size);
    double *exact = arena_data(&temporary, (size_t)m * 2 * sizeof *exact);
    bool made = chirp && transformed && exact && fft_roots_make(&roots, 2 * n, &temporary);
    if (!made) fault_memory(fault, (size_t)m * 2 * size);
    made = made && chirp_transform(&roots, n, m, exact, &temporary, fault);
    if (made) chirp_fill(&roots, n, l->wide, chirp);
    if (made) fft_elements(parallel_width(), m, round_pairs, &(struct rounding){exact, l->wide, transformed});
    l->chirp = chirp;
    l->transformed = transformed;
    arena_drop(&temporary);
    return made;
}

/* Prepare a line of any length by Bluestein's convolution with a chirp, of a good length. Return false
   with a fault on error. */
static bool chirp_make(struct fft_line *l, struct arena *arena, struct fault *fault) {
    l->way = FFT_CHIRP;
    l->inner = arena_alloc(arena, sizeof *l->inner);
    if (!l->inner) return fault_memory(fault, sizeof *l->inner);
    int64_t m = fft_good(2 * l->n - 1);
    if (!fft_line_make(l->inner, l->wide, m, arena, fault)) return false;
    l->room = 2 * aligned((size_t)m * 2 * part_size(l)) + l->inner->room;
    l->scratch = l->inner->scratch;
    return chirp_tables(l, arena, fault);
}

/* Products of n pairs (struct fft_loops, times); pairs behind them become 0. */
struct products {
    const struct fft_loops *loops;
    size_t pair;
    int64_t n;
    char *out;
    const char *a;
    double sign;
    const char *b;
    double scale, scale_im;
};
/* Compute products begin .. end-1. Task of fft_elements. */
static void multiply_part(void *context, int64_t begin, int64_t end) {
    const struct products *p = context;
    int64_t last = end < p->n ? end : p->n;
    size_t at = (size_t)begin * p->pair;
    if (begin < last)
        p->loops->times(last - begin, p->out + at, p->a + at, p->sign, p->b + at, p->scale, p->scale_im);
    else
        last = begin;
    memset(p->out + (size_t)last * p->pair, 0, (size_t)(end - last) * p->pair);
}

/* Transform a line by Bluestein's convolution with a chirp. */
static void chirp_run(const struct fft_line *l, const struct fft_line_call *c) {
    const struct fft_line *inner = l->inner;
    const struct fft_loops *loops = fft_loops_of(l->wide);
    size_t bytes = aligned((size_t)inner->n * 2 * part_size(l)), pair = 2 * part_size(l);
    char *a = c->room, *b = a + bytes;
    struct fft_line_call there = *c, back;
    there.x = a;
    there.y = b;
    there.room = b + bytes;
    there.sign = there.scale = there.scale_im = 1;
    back = there;
    back.x = b;
    back.y = a;
    back.sign = back.scale_im = -1;
    struct products first = {loops, pair, l->n, a, c->x, c->sign, l->chirp, 1, 1};
    struct products middle = {loops, pair, inner->n, b, b, 1, l->transformed, 1, 1};
    struct products last = {loops, pair, l->n, c->y, a, 1, l->chirp, c->scale, c->scale_im};
    fft_elements(c->width, inner->n, multiply_part, &first);
    fft_line_run(inner, &there);
    fft_elements(c->width, inner->n, multiply_part, &middle);
    fft_line_run(inner, &back);
    fft_elements(c->width, l->n, multiply_part, &last);
}

/* ---- any line ---- */

bool fft_line_make(struct fft_line *l, bool wide, int64_t n, struct arena *arena, struct fault *fault) {
    *l = (struct fft_line){.wide = wide, .n = n};
    if (n > (int64_t)1 << 40) return fault_memory(fault, SIZE_MAX);
    if (!fft_has_passes(n)) return chirp_make(l, arena, fault);
    int64_t long_one = SQUARE_BYTES / (int64_t)(2 * part_size(l));
    if (n >= cpu_parted(long_one) && n > 3 && square_side(n, 1) > 1) return square_make(l, arena, fault);
    if (!fft_passes_make(&l->passes, wide, n, 1, 1, arena, fault)) return false;
    l->way = FFT_PASSES;
    l->scratch = aligned(l->passes.scratch);
    return true;
}

/* Transform a line by passes, of which the first and last read x and write the result themselves if they
   can. */
static void passes_run(const struct fft_line *l, const struct fft_line_call *c) {
    const struct fft_passes *p = &l->passes;
    const struct fft_pass *first = &p->pass[0], *last = p->npasses ? &p->pass[p->npasses - 1] : first;
    char *scratch = thread_scratch(c);
    struct fft_ends ends = {c->x, c->y, 0, 0, c->sign, c->scale, c->scale_im, 0};
    if (p->npasses == 0 || first->m < p->loops->lanes) {
        p->loops->apart(p->n, c->x, c->sign, scratch, fft_imaginary(p, scratch));
        ends.in = NULL;
    }
    if (p->npasses == 0 || last->narrow) ends.out = NULL;
    void *made = fft_passes_run(p, &ends, scratch);
    if (!ends.out) p->loops->together(p->n, made, fft_imaginary(p, made), c->scale, c->scale_im, c->y);
}

void fft_line_run(const struct fft_line *l, const struct fft_line_call *c) {
    if (l->way == FFT_PASSES)
        passes_run(l, c);
    else if (l->way == FFT_SQUARE)
        square_run(l, c);
    else
        chirp_run(l, c);
}
