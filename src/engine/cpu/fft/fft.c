/*
 * Kernel kind FFT: transforms lines along an axis. Adjacent or short lines are transformed in blocks of a line per
 * lane, others one after the other. Real lines of 2 h elements become complex ones of h pairs of neighbours; real
 * lines of odd length get imaginary parts of 0.
 */
#include <string.h>
#include "base/checked.h"
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/fft/fft.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/attributes.h"

enum {
    BLOCK_BYTES = 4 << 20, /* most bytes of a block's buffers */
    SHORT_BYTES = 1 << 18, /* most bytes of blocks whose lines are transposed */
    GRAIN = 1 << 13        /* elements that repay a thread */
};

struct fft_plan {
    struct cpu_whole whole;
    enum fft_kind kind;
    /* halved: a real transform of even length; shared: threads share each line */
    bool wide, halved, block, shared;
    int64_t n, length; /* of the transform; of the complex transform that computes it */
    int64_t count;     /* elements of a line of x that are read */
    int64_t nlines, items, lanes;
    int64_t stride, step;     /* of the axis in x and in the output, in elements */
    struct layout x, y;       /* the other axes */
    struct fft_passes passes; /* blocks only */
    struct fft_line line;
    const void *twiddles; /* halved only */
    double scale, inner;
    bool backward;
    size_t part, pairs;   /* bytes of a part; bytes of a temporary line */
    size_t room, scratch; /* bytes per line; bytes per thread */
};

/* ---- planning ---- */

/* Set p->x and p->y to the layouts, in x and the output, of all axes but `axis`, the transformed one. Axes are
   merged where both step evenly. Return false if out of memory. */
static bool other_axes(struct fft_plan *p, const struct kernel *kernel, int axis, struct arena *arena) {
    struct layout_room room[2];
    const struct layout *x = &kernel->inputs[0].layout, *out = &kernel->outputs[0].layout;
    struct layout *rest[2] = {layout_room_init(&room[0], x->rank - 1),
                              layout_room_init(&room[1], x->rank - 1)};
    int64_t strides[TY_MAX_RANK];
    shape_row_major(out->rank, out->shape, strides);
    p->stride = x->strides[axis];
    p->step = strides[axis];
    for (int i = 0, k = 0; i < x->rank; i++) {
        if (i == axis) continue;
        rest[0]->shape[k] = rest[1]->shape[k] = x->shape[i];
        rest[0]->strides[k] = x->strides[i];
        rest[1]->strides[k++] = strides[i];
    }
    layout_collapse(2, rest);
    return layout_copy(&p->x, rest[0], arena) && layout_copy(&p->y, rest[1], arena);
}

/* Make the twiddles exp(-2 pi i k / n), k < length, of real transforms by complex ones of half the length.
   Return false if out of memory. */
static bool make_twiddles(struct fft_plan *p, struct arena *arena) {
    struct arena temporary = {0};
    struct fft_roots roots = {0};
    char *table = arena_data(arena, (size_t)p->length * 2 * p->part);
    bool made = table && fft_roots_make(&roots, p->n, &temporary);
    if (made) fft_roots_fill(&roots, p->length, p->wide, table);
    p->twiddles = table;
    arena_drop(&temporary);
    return made;
}

/* Return true if lines are transformed in blocks, a line per vector lane. Depends on shapes alone, as if lanes were
   those of fft_block: radices of blocks and of single lines differ. */
static bool in_blocks(const struct fft_plan *p) {
    int64_t block = fft_block(p->wide), bytes = 4 * (int64_t)p->part * block;
    int64_t most = p->step == 1 ? SHORT_BYTES : BLOCK_BYTES;
    return fft_has_passes(p->length) && p->nlines * 2 >= block && p->length <= most / bytes;
}

/* Choose between blocks of lines and single lines, and prepare passes, twiddles and scratch. Return false
   with a fault on error. */
static bool plan_ways(struct fft_plan *p, struct kernel *kernel, struct arena *arena, struct fault *fault) {
    int64_t groups = p->kind == FFT_COMPLEX ? fft_groups(p->wide, p->length) : 1;
    p->block = in_blocks(p);
    if (p->block) {
        if (!fft_passes_make(&p->passes, p->wide, p->length, p->lanes, groups, arena, fault)) return false;
        /* the half of a real transform has one more element */
        p->passes.half += p->halved ? (size_t)p->lanes : 0;
        p->scratch = cpu_per_thread(p->passes.scratch + (p->halved ? 4 * (size_t)p->lanes * p->part : 0));
    } else {
        if (!fft_line_make(&p->line, p->wide, p->length, arena, fault)) return false;
        p->pairs = cpu_per_thread((size_t)(p->length + 1) * 2 * p->part);
        p->room = cpu_per_thread(p->line.room) + 3 * p->pairs;
        p->scratch = cpu_per_thread(p->line.scratch);
    }
    p->items = p->block ? (p->nlines + p->lanes - 1) / p->lanes : p->nlines;
    p->shared = !p->block && p->nlines < kernel->width && p->line.way != FFT_PASSES;
    size_t rooms = p->room * (size_t)(p->shared ? 1 : kernel->width), scratch;
    if (!checked_mul_size(p->scratch, (size_t)kernel->width, &scratch) ||
        !checked_add_size(kernel->workspace, rooms + 64, &kernel->workspace) ||
        !checked_add_size(kernel->workspace, scratch, &kernel->workspace))
        return fault_memory(fault, SIZE_MAX);
    return !p->halved || make_twiddles(p, arena) || fault_memory(fault, (size_t)p->length * 2 * p->part);
}

/* Prepare a Fourier transform along one axis. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct fft_attr *attr = kernel->attr;
    struct fft_plan *p = arena_alloc(arena, sizeof *p);
    if (!p || !other_axes(p, kernel, attr->axis, arena)) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (!cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault)) return false;
    if (p->whole.count == 0) return true;
    p->kind = (enum fft_kind)attr->kind;
    p->wide = kernel->core_dtype == TY_F64 || kernel->core_dtype == TY_C128;
    p->part = p->wide ? sizeof(double) : sizeof(float);
    p->lanes = fft_loops_of(p->wide)->lanes;
    p->n = attr->n;
    p->count = kernel->inputs[0].layout.shape[attr->axis];
    p->halved = p->kind != FFT_COMPLEX && p->n % 2 == 0;
    p->length = p->halved ? p->n / 2 : p->n;
    p->nlines = shape_size(p->x.rank, p->x.shape);
    p->scale = attr->scale;
    p->inner = attr->inner;
    p->backward = attr->backward;
    return plan_ways(p, kernel, arena, fault);
}

/* ---- lines in memory ---- */

struct fft_run {
    const struct fft_plan *p;
    const struct kernel *kernel;
    char *x, *y, *rooms, *scratch;
};

/* Return how lines of x are read: as complex values, pairs of reals, reals, or the known half of a line. The caller
   sets the addresses. */
static struct fft_lines reads(const struct fft_plan *p) {
    struct fft_lines x = {.step = 2 * p->stride, .beside = 1, .count = p->count, .n = p->length, .scale = 1};
    x.scale_im = p->kind != FFT_REAL && p->backward ? -1 : 1;
    if (p->kind == FFT_HERMITIAN) {
        x.n = p->n / 2 + 1;
        if (p->halved) x.scale_im = -x.scale_im; /* joining conjugates */
    } else if (p->kind == FFT_REAL && p->halved) {
        x.beside = p->stride;
        x.odd = p->count % 2;
        x.count = (p->count + 1) / 2;
    } else if (p->kind == FFT_REAL) {
        x.step = p->stride;
        x.real = true;
    }
    return x;
}

/* Return how lines of the result are written: as complex values, pairs of reals, or reals. The caller sets
   the addresses. */
static struct fft_lines writes(const struct fft_plan *p) {
    struct fft_lines y = {.step = 2 * p->step, .beside = 1, .count = p->n, .n = p->n, .scale = p->scale};
    y.scale_im = p->backward ? -p->scale : p->scale;
    if (p->kind == FFT_REAL) y.count = y.n = p->n / 2 + 1;
    if (p->kind == FFT_HERMITIAN) {
        y.scale_im = -p->scale;
        y.count = y.n = p->length;
        y.step = p->step * (p->halved ? 2 : 1);
        y.beside = p->step;
        y.real = !p->halved;
    }
    return y;
}

/* Set the addresses of lines first, first + 1, ... of l, in memory of `layout` at `base`, and l->adjacent.
   `paired`: elements of the memory are complex. */
static void find_lines(const struct fft_plan *p, const struct layout *layout, char *base, int64_t first,
                       bool paired, struct fft_lines *l) {
    size_t size = p->part * (paired ? 2 : 1);
    bool joined = !l->real && l->beside == 1;
    l->adjacent = joined == paired;
    struct odometer o = {.rank = layout->rank, .shape = layout->shape};
    const int64_t *strides = layout->strides;
    int64_t at = 0;
    cpu_unrank(layout->rank, layout->shape, first, o.index);
    for (int i = 0; i < layout->rank; i++) at += o.index[i] * strides[i];
    for (int64_t w = 0; w < l->lines; w++) {
        ((void **)l->line)[w] = base + at * (int64_t)size;
        if ((char *)l->line[w] != (char *)l->line[0] + (size_t)w * size) l->adjacent = false;
        if (layout->rank == 1)
            at += strides[0];
        else
            odometer_next(&o, 1, &strides, &at);
    }
}

/* ---- real transforms of odd length ---- */

/* Lines whose elements fft_elements extends or weighs. */
struct odd_lines {
    int64_t n, row;
    double inner;
    void *re, *im;
    int64_t stride;
};
/* Extends lines of n/2 + 1 known elements to n by symmetry, with elements k and n - k weighted inner / 2, in place.
   Computes elements k = begin + 1 .. end and their opposites, and from begin = 0 element 0. Strides and `row` are in
   parts. */
#define EXTEND(type)                                                                                         \
    static void extend_##type(void *context, int64_t begin, int64_t end) {                                   \
        const struct odd_lines *l = context;                                                                 \
        type *re = l->re, *im = l->im;                                                                       \
        int64_t n = l->n, row = l->row, stride = l->stride;                                                  \
        double inner = l->inner;                                                                             \
        for (int64_t k = begin + 1; k <= end; k++)                                                           \
            for (int64_t w = 0; w < row; w++) {                                                              \
                type a = re[k * stride + w] * (type)(inner / 2), b = im[k * stride + w] * (type)(inner / 2); \
                re[k * stride + w] = re[(n - k) * stride + w] = a;                                           \
                im[k * stride + w] = b;                                                                      \
                im[(n - k) * stride + w] = -b;                                                               \
            }                                                                                                \
        for (int64_t w = 0; w < row && begin == 0; w++) im[w] = 0;                                           \
    }                                                                                                        \
    /* Multiplies elements begin + 1 .. end of transforms by `inner`. */                                     \
    static void weigh_##type(void *context, int64_t begin, int64_t end) {                                    \
        const struct odd_lines *l = context;                                                                 \
        type *re = l->re, *im = l->im, inner = (type)l->inner;                                               \
        for (int64_t k = begin + 1; k <= end; k++)                                                           \
            for (int64_t w = 0; w < l->row; w++) {                                                           \
                re[k * l->stride + w] *= inner;                                                              \
                im[k * l->stride + w] *= inner;                                                              \
            }                                                                                                \
    }
EXTEND(float)
EXTEND(double)

/* Extend `row` half-complex lines, side by side, with elements `stride` apart, in place to all n elements re + i
   im. All but the first are halved and multiplied by p->inner. */
static void extend(const struct fft_plan *p, int width, int64_t row, void *re, void *im, int64_t stride) {
    struct odd_lines lines = {p->n, row, p->inner, re, im, stride};
    fft_elements(width, p->n / 2, p->wide ? extend_double : extend_float, &lines);
}
/* Multiply elements 1 .. n/2 of `row` half-complex lines re + i im, side by side, with elements `stride` apart,
   by p->inner, in place. */
static void weigh(const struct fft_plan *p, int width, int64_t row, void *re, void *im, int64_t stride) {
    struct odd_lines lines = {p->n, row, p->inner, re, im, stride};
    if (p->inner != 1) fft_elements(width, p->n / 2, p->wide ? weigh_double : weigh_float, &lines);
}

/* ---- blocks ---- */

/* Transform a block of lines from line `first` on, a line per vector lane; scratch holds two buffers. */
static void one_block(const struct fft_run *run, int64_t first, char *scratch) {
    const struct fft_plan *p = run->p;
    const struct fft_passes *passes = &p->passes;
    void *from[FFT_LANES_MOST], *to[FFT_LANES_MOST];
    struct fft_lines x = reads(p), y = writes(p);
    x.lines = y.lines = p->nlines - first < p->lanes ? p->nlines - first : p->lanes;
    x.line = from;
    y.line = to;
    find_lines(p, &p->x, run->x, first, p->kind != FFT_REAL, &x);
    find_lines(p, &p->y, run->y, first, p->kind != FFT_HERMITIAN, &y);
    struct fft_ends ends = {.sign = x.scale_im, .scale = y.scale, .scale_im = y.scale_im};
    char *other = scratch + 2 * passes->half * p->part;
    bool joins = p->kind == FFT_HERMITIAN && p->halved;
    char *loaded = joins ? other : scratch;
    passes->loops->load(&x, loaded, fft_imaginary(passes, loaded));
    if (joins)
        passes->loops->join(p->length, p->twiddles, p->inner, other, fft_imaginary(passes, other), scratch,
                            fft_imaginary(passes, scratch));
    else if (p->kind == FFT_HERMITIAN)
        extend(p, 1, p->lanes, scratch, fft_imaginary(passes, scratch), p->lanes);
    char *made = fft_passes_run(passes, &ends, scratch);
    if (p->kind == FFT_REAL && p->halved) {
        other = made == scratch ? other : scratch;
        passes->loops->split(p->length, p->twiddles, p->inner, made, fft_imaginary(passes, made), other,
                             fft_imaginary(passes, other));
        made = other;
    } else if (p->kind == FFT_REAL) {
        weigh(p, 1, p->lanes, made, fft_imaginary(passes, made), p->lanes);
    }
    passes->loops->store(&y, made, fft_imaginary(passes, made));
}

/* Return how many lines from `first` on, at most `most`, are neighbours both in x and in the output with all
   elements present. It is a multiple of the lanes, 0 if there are too few. */
static int64_t neighbours(const struct fft_plan *p, int64_t first, int64_t most) {
    int last = p->x.rank - 1;
    if (p->kind != FFT_COMPLEX || p->count != p->n || p->n == 1 || last < 0) return 0;
    if (p->x.strides[last] != 1 || p->y.strides[last] != 1) return 0;
    int64_t left = p->x.shape[last] - first % p->x.shape[last];
    if (left > most) left = most;
    if (left > p->passes.most) left = p->passes.most;
    return left / p->lanes * p->lanes;
}

/* Transform `lines` lines from line `first` on, which must be neighbours in x and in the output. The passes read x
   and write the output themselves. */
static void joined_blocks(const struct fft_run *run, int64_t first, int64_t lines, char *scratch) {
    const struct fft_plan *p = run->p;
    size_t pair = 2 * p->part;
    double sign = p->backward ? -1 : 1;
    struct fft_ends ends = {.pitch = p->stride,
                            .out_pitch = p->step,
                            .sign = sign,
                            .scale = p->scale,
                            .scale_im = sign * p->scale,
                            .lines = lines};
    ends.in = run->x + cpu_locate(&p->x, first) * (int64_t)pair;
    ends.out = run->y + cpu_locate(&p->y, first) * (int64_t)pair;
    fft_passes_run(&p->passes, &ends, scratch);
}

/* Transform blocks begin .. end-1 of lines. Task of parallel_for; context is a struct fft_run. */
static void run_blocks(void *context, int64_t begin, int64_t end) {
    const struct fft_run *run = context;
    const struct fft_plan *p = run->p;
    char *scratch = run->scratch + (size_t)parallel_index() * p->scratch;
    for (int64_t first = begin * p->lanes, lines; first < end * p->lanes && first < p->nlines;
         first += lines) {
        int64_t last = end * p->lanes < p->nlines ? end * p->lanes : p->nlines;
        lines = neighbours(p, first, last - first);
        if (lines > 0) {
            joined_blocks(run, first, lines, scratch);
        } else {
            lines = p->lanes;
            one_block(run, first, scratch);
        }
    }
}

/* ---- line after line ---- */

/* One line in memory, and its contiguous pairs. */
struct line_move {
    const struct fft_lines *line;
    bool wide, store;
    char *pairs;
};
/* Move elements begin .. end-1 of a line; those that it lacks are 0. Task of fft_elements. */
static void move_part(void *context, int64_t begin, int64_t end) {
    const struct line_move *m = context;
    const struct fft_loops *loops = fft_loops_of(m->wide);
    struct fft_lines part = *m->line;
    size_t size = m->wide ? sizeof(double) : sizeof(float);
    int64_t last = end < part.count ? end : part.count;
    void *at[1] = {(char *)part.line[0] + (begin < part.count ? begin : 0) * part.step * (int64_t)size};
    char *pairs = m->pairs + (size_t)begin * 2 * size;
    part.line = at;
    part.odd = part.odd && end >= part.count;
    part.count = last > begin ? last - begin : 0;
    part.n = end - begin;
    if (m->store)
        loops->scatter(&part, pairs);
    else
        loops->gather(&part, pairs);
}

/* Load a line as contiguous pairs, or store it from them, on up to `width` threads. */
static void move_line(const struct fft_plan *p, int width, const struct fft_lines *line, bool store,
                      char *pairs) {
    struct line_move move = {line, p->wide, store, pairs};
    fft_elements(width, store ? line->count : line->n, move_part, &move);
}

struct line_fold {
    const struct fft_plan *p;
    void (*loop)(int64_t, int64_t, int64_t, const void *, double, const void *, void *);
    const char *x;
    char *out;
};
static void fold_part(void *context, int64_t begin, int64_t end) {
    const struct line_fold *f = context;
    f->loop(f->p->length, begin, end, f->p->twiddles, f->p->inner, f->x, f->out);
}

/* Compute a real transform from a complex one of half the length (split_line), or the reverse (join_line). */
static void fold_line(const struct fft_plan *p, int width,
                      void (*loop)(int64_t, int64_t, int64_t, const void *, double, const void *, void *),
                      const char *x, char *out) {
    struct line_fold fold = {p, loop, x, out};
    fft_elements(width, p->length, fold_part, &fold);
}

/* Transform line i; room holds its buffers, scratch is that of this thread or, for a line that threads
   share, of all. */
static void one_line(const struct fft_run *run, int64_t i, char *room, char *scratch) {
    const struct fft_plan *p = run->p;
    const struct fft_loops *loops = fft_loops_of(p->wide);
    void *from[1], *to[1];
    struct fft_lines x = reads(p), y = writes(p);
    char *a = room + cpu_per_thread(p->line.room), *b = a + p->pairs, *c = b + p->pairs;
    x.lines = y.lines = 1;
    x.line = from;
    y.line = to;
    find_lines(p, &p->x, run->x, i, p->kind != FFT_REAL, &x);
    find_lines(p, &p->y, run->y, i, p->kind != FFT_HERMITIAN, &y);
    bool hermitian = p->kind == FFT_HERMITIAN;
    bool lies = x.step == 2 && x.beside == 1 && x.count == x.n && !x.real && !x.odd && !hermitian;
    bool stays = y.step == 2 && y.beside == 1 && !y.real && !y.odd && p->kind != FFT_REAL;
    struct fft_line_call call = {.x = lies ? from[0] : a,
                                 .y = stays ? to[0] : b,
                                 .sign = lies ? x.scale_im : 1,
                                 .scale = stays ? y.scale : 1,
                                 .scale_im = stays ? y.scale_im : 1,
                                 .room = room,
                                 .scratch = scratch,
                                 .pitch = p->shared ? p->scratch : 0,
                                 .width = p->shared ? run->kernel->width : 1};
    if (!lies) move_line(p, call.width, &x, false, hermitian && p->halved ? c : a);
    if (hermitian && p->halved)
        fold_line(p, call.width, loops->join_line, c, a);
    else if (hermitian)
        extend(p, call.width, 1, a, a + p->part, 2);
    fft_line_run(&p->line, &call);
    if (p->kind == FFT_REAL && p->halved)
        fold_line(p, call.width, loops->split_line, b, c);
    else if (p->kind == FFT_REAL)
        weigh(p, call.width, 1, b, b + p->part, 2);
    if (!stays) move_line(p, call.width, &y, true, p->kind == FFT_REAL && p->halved ? c : b);
}

/* Transform lines begin .. end-1, each with this thread's buffers. Task of parallel_for; context is a struct
   fft_run. */
static void run_lines(void *context, int64_t begin, int64_t end) {
    const struct fft_run *run = context;
    size_t thread = run->p->shared ? 0 : (size_t)parallel_index();
    for (int64_t i = begin; i < end; i++)
        one_line(run, i, run->rooms + thread * run->p->room, run->scratch + thread * run->p->scratch);
}

/* Compute Fourier transforms of all lines on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct fft_plan *p = kernel->prepared;
    (void)fault;
    if (p->whole.count == 0) return true;
    struct fft_run run = {.p = p, .kernel = kernel, .x = operand_base(&kernel->inputs[0], slots)};
    run.y = cpu_whole_begin(&p->whole, slots, workspace);
    run.rooms = (char *)workspace + p->whole.bytes + (size_t)kernel->width * p->whole.store.scratch;
    run.scratch = run.rooms + p->room * (size_t)(p->shared ? 1 : kernel->width);
    int64_t item = p->length * (p->block ? p->lanes : 1), grain = GRAIN / item + 1;
    if (p->shared)
        run_lines(&run, 0, p->items);
    else
        parallel_for(kernel->width, p->items, grain, p->block ? run_blocks : run_lines, &run);
    cpu_whole_end(&p->whole, kernel, slots, workspace);
    return true;
}

const struct cpu_kind cpu_fft = {.prepare = prepare, .launch = launch};
