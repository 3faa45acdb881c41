/*
 * Kernel kind SORT: lines along an axis become keys, are sorted, and become values or positions.
 *
 *   tiles   batches of lines of at most NETWORK_MOST elements: a tile has a line per column;
 *   lines   one after another on each thread; a group of adjacent lines is collected at once;
 *   long    fewer lines than threads: all threads share each line.
 *
 * If few ranks of a long line are wanted, only candidates for them are loaded (sort_narrow.c).
 */
#include "engine/cpu/sort/sort.h"
#include "base/context/stop.h"
#include <string.h>
#include "array/order.h"
#include "base/checked.h"
#include "engine/cpu/elementwise/collect.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/kernel_lower.h"

enum {
    NETWORK_MOST = 256,
    TURN_MOST = 24,
    GROUP_MOST = 16, /* lines collected at once */
    GROUP_BYTES = 256 << 10,
    LONG = 1 << 16,  /* elements of a line that repay all threads */
    GRAIN = 1 << 12, /* elements that repay one thread */
    NARROWED = 4     /* factor by which narrowing must reduce a line to pay */
};

struct sort_plan {
    struct cpu_whole whole;
    const struct sort_loops *elements, *items; /* for the size of an element; of an item */
    struct sort_order order;
    bool places, complex_values, tiles, shared; /* shared: all threads work on one line */
    bool direct;                                /* the output's memory is the first buffer */
    bool narrows; /* lines are first narrowed to `most` items, in `chunks` parts */
    int64_t most;
    int chunks;
    int64_t n, first, count;
    int64_t stride, step;  /* of the axis in x and in the output */
    int64_t nlines, group; /* number of lines; lines per group */
    struct layout lines;   /* layout of x without the axis */
    size_t size, out_size; /* bytes of an element of x, of the core's dtype */
    struct sort_zeros zeros;
    /* offsets in a thread's scratch */
    size_t at_x, at_out, at_keys, at_places, at_a, at_b, at_room, scratch;
};

/* The work of one thread on one line. */
struct sort_line {
    const struct sort_plan *p;
    const char *x;
    int64_t stride, step;
    char *out, *scratch;
    struct sort_job job;
};

/* ---- planning ---- */

/* Set *at to *total, and add n elements of `size` bytes, rounded up to cache lines, to *total. False on overflow. */
static bool bytes_add(size_t *total, size_t *at, size_t n, size_t size) {
    size_t bytes;
    *at = *total;
    return checked_mul_size(n, size, &bytes) && checked_add_size(bytes, 63, &bytes) &&
           checked_add_size(*total, bytes / 64 * 64, total) && *total < PTRDIFF_MAX / 2;
}

/* Compute where each thread's buffers are in its scratch, and the bytes of it, for `width` threads. Return false
   if they overflow. */
static bool plan_scratch(struct sort_plan *p, int width) {
    size_t n = (size_t)p->most, group = (size_t)p->group, total = 0;
    size_t item = p->places || p->complex_values ? sizeof(uint64_t) : p->size;
    bool grouped = group > 1 && !p->tiles, fits;
    size_t keys = p->complex_values ? 2 * n : p->places && (p->size == 8 || p->narrows) ? n : 0;
    size_t room = sort_room(p->most, item, p->shared ? width : 1);
    if (p->narrows && room < sort_narrow_room(p->chunks)) room = sort_narrow_room(p->chunks);
    if (p->tiles)
        fits = bytes_add(&total, &p->at_a, n, SORT_LANES) &&
               bytes_add(&total, &p->at_x, p->places ? n * group : 0, p->size);
    else
        fits = bytes_add(&total, &p->at_x, grouped ? group * n : 0, p->size) &&
               bytes_add(&total, &p->at_out, grouped ? group * (size_t)p->count : 0, p->out_size) &&
               bytes_add(&total, &p->at_keys, keys, sizeof(uint64_t)) &&
               bytes_add(&total, &p->at_places, p->narrows ? keys : 0, sizeof(uint64_t)) &&
               bytes_add(&total, &p->at_a, p->direct ? 0 : n, item) && bytes_add(&total, &p->at_b, n, item) &&
               bytes_add(&total, &p->at_room, 1, room);
    p->scratch = total;
    return fits;
}

/* Choose the method for lines (tiles, groups, shared, narrowed) from shapes, the instruction set and `width`
   threads. inner: number of elements of the axes after the sorted one. */
static void plan_ways(struct sort_plan *p, int width, int64_t inner) {
    int64_t item = p->places ? 8 : (int64_t)p->size, bytes = p->n * (int64_t)p->size;
    bool packs = !p->complex_values && (!p->places || p->size < 8);
    bool vectors = isa_current() == ISA_AVX512 && item >= 4 &&
                   p->stride == 1; /* then long lines need no transposition */
    p->tiles = packs && p->n <= (vectors ? TURN_MOST : NETWORK_MOST) && p->nlines * 4 >= SORT_LANES / item;
    p->shared = !p->tiles && p->n >= cpu_parted(LONG) && p->nlines < width;
    p->group = 1;
    if (p->tiles) p->group = SORT_LANES / item;
    if (!p->tiles && !p->shared && !p->complex_values && (inner > 1 || p->stride != 1)) {
        p->group = bytes > 0 && bytes < GROUP_BYTES ? GROUP_BYTES / bytes : 4;
        if (p->group > GROUP_MOST) p->group = GROUP_MOST;
        if (p->group > p->nlines) p->group = p->nlines;
    }
    p->narrows = !p->tiles && !p->complex_values && p->group == 1 && p->count > 0 &&
                 sort_narrow_most(p->count) <= p->n / NARROWED;
    p->most = p->narrows ? sort_narrow_most(p->count) : p->n;
    p->chunks = p->shared ? SORT_CHUNKS : 1;
    p->direct = p->whole.direct && packs && inner == 1 && p->count == p->n && !p->tiles &&
                p->out_size == (size_t)item;
}

/* Set *out to the axes of x but `axis`, collapsed, in the arena. Return false if out of memory. */
static bool without_axis(struct layout *out, const struct layout *x, int axis, struct arena *arena) {
    struct layout_room room;
    struct layout *rest = layout_room_init(&room, x->rank - 1);
    for (int i = 0, k = 0; i < x->rank; i++) {
        if (i == axis) continue;
        rest->shape[k] = x->shape[i];
        rest->strides[k++] = x->strides[i];
    }
    layout_collapse(1, &rest);
    return layout_copy(out, rest, arena);
}

/* Prepare a sort along one axis: method, loops and scratch. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct sort_attr *attr = kernel->attr;
    const struct operand *x = &kernel->inputs[0];
    struct sort_plan *p = arena_alloc(arena, sizeof *p);
    if (!p || !without_axis(&p->lines, &x->layout, attr->axis, arena)) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (!cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault)) return false;
    int64_t inner = 1;
    for (int i = attr->axis + 1; i < x->layout.rank; i++) inner *= x->layout.shape[i];
    p->places = attr->kind == SORT_PLACES;
    p->complex_values = dtype_is(x->dtype, CLASS_COMPLEX);
    p->order = sort_order_of(x->dtype, attr->descending, p->places);
    p->n = x->layout.shape[attr->axis];
    p->first = attr->first;
    p->count = attr->count;
    p->stride = x->layout.strides[attr->axis];
    p->step = inner;
    p->nlines = shape_size(p->lines.rank, p->lines.shape);
    p->size = dtype_table[x->dtype].size;
    p->out_size = dtype_table[kernel->core_dtype].size;
    p->elements = sort_loops_of(p->size == 16 ? 8 : p->size);
    p->items = sort_loops_of(p->places || p->complex_values ? 8 : p->size);
    if ((p->places || p->complex_values) && p->n > UINT32_MAX)
        return fault_set(fault, E_LIMIT,
                         "%s: a line of %lld elements is too long to sort; expected at most %lld",
                         kernel->op->name, (long long)p->n, (long long)UINT32_MAX);
    if (dtype_is(x->dtype, CLASS_FLOAT) && !p->places)
        p->zeros = (struct sort_zeros){
            p->size, (uint64_t)1 << (8 * p->size - 1), p->order.infinity, attr->descending, p->n, p->first,
            p->count};
    plan_ways(p, kernel->width, inner);
    size_t all = 0, at;
    if (!plan_scratch(p, kernel->width) ||
        !bytes_add(&all, &at, p->shared ? 1 : (size_t)kernel->width, p->scratch) ||
        !checked_add_size(kernel->workspace, all, &kernel->workspace))
        return fault_memory(fault, SIZE_MAX);
    return true;
}

/* ---- one line ---- */

/* Run a task on the tiles of a line's first n items. */
static void each_tile(const struct sort_line *line, int64_t n, void (*task)(void *, int64_t, int64_t),
                      void *context) {
    parallel_for(line->job.width, (n + cpu_tile - 1) / cpu_tile, 16, task, context);
}

/* Copy elements start .. start+n-1 of the line to contiguous memory at `out`. */
static void line_read(const struct sort_line *line, int64_t start, int64_t n, void *out) {
    int64_t size = (int64_t)line->p->size;
    struct layout run = {1, 0, &n, (int64_t *)&line->stride};
    cpu_collect(&run, (size_t)size, line->x + start * line->stride * size, out, 0, n);
}

struct line_part {
    const struct sort_line *line;
    char *a;
};

/* Load tiles begin .. end-1 of a line as keys, or as items of keys and positions. Task of parallel_for; context
   is a struct line_part. */
static void load_tiles(void *context, int64_t begin, int64_t end) {
    const struct line_part *part = context;
    const struct sort_line *line = part->line;
    const struct sort_plan *p = line->p;
    bool packs = p->places && p->size < 8;
    uint64_t tile[CPU_TILE];
    for (int64_t i = begin * cpu_tile; i < p->n && i < end * cpu_tile; i += cpu_tile) {
        int64_t n = p->n - i < cpu_tile ? p->n - i : cpu_tile;
        char *to = packs ? (char *)tile : part->a + i * (int64_t)p->size;
        line_read(line, i, n, to);
        p->elements->keys(n, to, to, &p->order);
        if (packs) p->elements->pack(n, (uint64_t *)part->a + i, to, i, 1);
    }
}

static void line_keys(const void *context, int64_t start, int64_t n, void *keys) {
    const struct sort_line *line = context;
    line_read(line, start, n, keys);
    line->p->elements->keys(n, keys, keys, &line->p->order);
}

/* Collect candidates for the wanted ranks in keys[] and their positions in places[] (NULL: keys only), in the
   line's order; return their number. Set *first to the first wanted rank among them. */
static int64_t line_narrow(const struct sort_line *line, void *keys, uint64_t *places, int64_t *first) {
    const struct sort_plan *p = line->p;
    struct sort_stream s = {line_keys, line, p->elements, p->n, p->size, p->chunks, line->job.width};
    return sort_narrow(&s, first, p->count, line->scratch + p->at_room, keys, places);
}

static void line_load(const struct sort_line *line, void *a) {
    struct line_part part = {line, a};
    each_tile(line, line->p->n, load_tiles, &part);
}

/* Convert tiles begin .. end-1 of the line's wanted keys, contiguous at part->a, to its results. Task of parallel_for;
   context is a struct line_part. */
static void end_values(void *context, int64_t begin, int64_t end) {
    const struct line_part *part = context;
    const struct sort_line *line = part->line;
    const struct sort_plan *p = line->p;
    int64_t size = (int64_t)p->size, first = begin * cpu_tile, last = end * cpu_tile;
    if (last > p->count) last = p->count;
    char *keys = part->a + first * size, *to = line->step == 1 ? line->out + first * size : keys;
    p->elements->elements(last - first, to, keys, &p->order);
    if (line->step != 1)
        cpu_spread(p->out_size, last - first, line->out + first * line->step * size, line->step, keys);
}

/* Sort one line by its values as keys, and write the wanted ranks. */
static void sort_values(struct sort_line *line) {
    const struct sort_plan *p = line->p;
    char *a = p->direct ? line->out : line->scratch + p->at_a;
    int64_t n = p->n, first = p->first;
    if (p->narrows)
        n = line_narrow(line, a, NULL, &first);
    else
        line_load(line, a);
    if (stop_cut()) return;
    if (p->count < n) n = p->items->select(n, a, 0, &first, p->count);
    if (stop_cut()) return;
    char *sorted = p->items->sort(n, a, line->scratch + p->at_b, &line->job);
    if (!stop_cut())
        each_tile(line, p->count, end_values, &(struct line_part){line, sorted + first * (int64_t)p->size});
}

/* Convert tiles begin .. end-1 of the wanted items at part->a, whose low halves are positions, to the line's results:
   positions or values. Task of parallel_for; context is a struct line_part. */
static void end_places(void *context, int64_t begin, int64_t end) {
    const struct line_part *part = context;
    const struct sort_line *line = part->line;
    const struct sort_plan *p = line->p;
    int64_t size = (int64_t)(p->places ? p->out_size : p->size), first = begin * cpu_tile,
            last = end * cpu_tile;
    if (last > p->count) last = p->count;
    uint64_t *items = (uint64_t *)part->a + first;
    char *out = line->out + first * line->step * size;
    for (int64_t i = 0; i < last - first; i++) items[i] = (uint32_t)items[i];
    if (p->places && (char *)items != out) cpu_spread(p->out_size, last - first, out, line->step, items);
    for (int64_t i = 0; i < last - first && !p->places; i++)
        memcpy(out + i * line->step * size, line->x + (int64_t)items[i] * line->stride * size, (size_t)size);
}
static void places_end(const struct sort_line *line, uint64_t *items) {
    each_tile(line, line->p->count, end_places, &(struct line_part){line, (char *)items});
}

/* Make items (key << 32 | position) of the candidates of a narrowed line; return their number. Set *first to the
   first wanted rank among them. */
static int64_t narrowed_items(const struct sort_line *line, uint64_t *items, int64_t *first) {
    const struct sort_plan *p = line->p;
    char *keys = line->scratch + p->at_keys;
    uint64_t *places = (uint64_t *)(line->scratch + p->at_places);
    int64_t n = line_narrow(line, keys, places, first);
    if (stop_cut()) return 0;
    p->elements->pack(n, items, keys, 0, 0);
    for (int64_t i = 0; i < n; i++) items[i] |= places[i];
    return n;
}

/* Sort one line by items of a key of up to 32 bits and a position, and write the wanted ranks. */
static void sort_places(struct sort_line *line) {
    const struct sort_plan *p = line->p;
    uint64_t *a = (uint64_t *)(p->direct ? line->out : line->scratch + p->at_a);
    int64_t n = p->n, first = p->first;
    if (p->narrows)
        n = narrowed_items(line, a, &first);
    else
        line_load(line, a);
    if (stop_cut()) return;
    if (p->count < n) n = p->items->select(n, a, 32, &first, p->count);
    if (stop_cut()) return;
    line->job.low = 32;
    uint64_t *sorted = p->items->sort(n, a, line->scratch + p->at_b, &line->job);
    if (!stop_cut()) places_end(line, sorted + first);
}

/* ---- keys of 64 bits, and of two times 64 ---- */

/* Write the keys of the line's complex elements in tiles begin .. end-1: first keys (magnitudes) in a[0 .. n), second
   keys (phases) behind them. Task of parallel_for; context is a struct line_part. */
static void complex_tiles(void *context, int64_t begin, int64_t end) {
    const struct line_part *part = context;
    const struct sort_line *line = part->line;
    const struct sort_plan *p = line->p;
    uint64_t *keys = (uint64_t *)part->a;
    for (int64_t i = begin * cpu_tile; i < p->n && i < end * cpu_tile; i++) {
        double parts[2];
        float narrow[2];
        const char *at = line->x + i * line->stride * (int64_t)p->size;
        memcpy(p->size == 8 ? (void *)narrow : (void *)parts, at, p->size);
        for (int k = 0; k < 2 && p->size == 8; k++) parts[k] = narrow[k];
        struct order_key key = order_key_complex(parts[0], parts[1]);
        keys[i] = key.first ^ p->order.flip;
        keys[p->n + i] = key.second ^ p->order.flip;
    }
}

/* Make items[n] of n keys by their 32 highest bits that differ, and drop those whose rank is surely not wanted.
   Return the number left; set *first, the first wanted rank on entry, to that among them. */
static int64_t select_places(const struct sort_plan *p, int64_t n, const uint64_t *keys, uint64_t *items,
                             int64_t *first) {
    uint64_t differing = 0;
    for (int64_t i = 0, end; i < n && !stop_cut(); i = end) {
        end = n - i < SORT_PIECE ? n : i + SORT_PIECE;
        for (int64_t k = i; k < end; k++) differing |= keys[k] ^ keys[0];
    }
    int top = differing ? 63 - __builtin_clzll(differing) : 0, shift = top > 31 ? top - 31 : 0;
    for (int64_t i = 0, end; i < n && !stop_cut(); i = end) {
        end = n - i < SORT_PIECE ? n : i + SORT_PIECE;
        for (int64_t k = i; k < end; k++) items[k] = keys[k] >> shift << 32 | (uint64_t)k;
    }
    return p->count < n ? p->items->select(n, items, 32, first, p->count) : n;
}

/* Sort one line whose keys do not fit an item (64 bits, or complex): by their upper bits, then ties by the
   rest. */
static void sort_wide(struct sort_line *line) {
    const struct sort_plan *p = line->p;
    uint64_t *keys = (uint64_t *)(line->scratch + p->at_keys), *other = (uint64_t *)(line->scratch + p->at_b);
    uint64_t *items = (uint64_t *)(p->direct ? line->out : line->scratch + p->at_a);
    /* positions of keys, if the line is narrowed */
    uint64_t *places = (uint64_t *)(line->scratch + p->at_places);
    int64_t first = p->first, n = p->n;
    if (p->complex_values)
        each_tile(line, p->n, complex_tiles, &(struct line_part){line, (char *)keys});
    else if (p->narrows)
        n = line_narrow(line, keys, places, &first);
    else
        line_load(line, keys);
    if (stop_cut()) return;
    n = select_places(p, n, keys, items, &first);
    if (stop_cut()) return; /* items are not valid */
    sort_by_keys(keys, n, items, other, &line->job);
    if (stop_cut()) return;
    for (int64_t i = 0, end; i < n && p->complex_values; i = end) {
        uint64_t key = keys[(uint32_t)items[i]];
        for (end = i + 1; end < n && keys[(uint32_t)items[end]] == key;) end++;
        if (i % 64 == 0 && stop_cut()) return;
        if (end > i + 1) sort_by_keys(keys + p->n, end - i, items + i, other, &line->job);
    }
    if (stop_cut()) return;
    for (int64_t i = first; p->narrows && i < first + p->count; i++) items[i] = places[(uint32_t)items[i]];
    places_end(line, items + first);
}

/* Sort one line by the method that its dtype and results need. */
static void sort_one(struct sort_line *line) {
    const struct sort_plan *p = line->p;
    if (p->complex_values || (p->places && p->size == 8))
        sort_wide(line);
    else if (p->places)
        sort_places(line);
    else
        sort_values(line);
}

/* ---- all lines ---- */

struct sort_run {
    const struct sort_plan *p;
    const char *x;
    char *out, *scratch;
    int width;
};

enum { LINES_MOST = 64 }; /* lines of a group at most: a tile of bytes */

/* Set in[l] and out[l] to the offsets, in elements, of line `line` + l in x and in the output, for l < n. */
static void locate(const struct sort_plan *p, int64_t line, int64_t n, int64_t *in, int64_t *out) {
    struct odometer at = {.rank = p->lines.rank, .shape = p->lines.shape};
    const int64_t *strides[1] = {p->lines.strides};
    cpu_unrank(at.rank, at.shape, line, at.index);
    in[0] = 0;
    for (int i = 0; i < at.rank; i++) in[0] += at.index[i] * p->lines.strides[i];
    for (int64_t l = 0; l < n; l++) {
        out[l] = (line + l) / p->step * p->count * p->step + (line + l) % p->step;
        if (l + 1 == n) break;
        in[l + 1] = in[l];
        odometer_next(&at, 1, strides, &in[l + 1]);
    }
}

/* Sort n short lines together, a line per vector lane. in[] and out[] are their offsets, in elements, in x and
   in the output. */
static void sort_tile(const struct sort_run *run, char *scratch, int64_t n, const int64_t *in,
                      const int64_t *out) {
    const struct sort_plan *p = run->p;
    int64_t lanes = p->group;
    char *tile = scratch + p->at_a, *x = p->places ? scratch + p->at_x : tile;
    uint64_t *items = (uint64_t *)tile;
    p->elements->collect(p->n, n, x, lanes, 1, run->x, p->stride, in);
    p->elements->keys(p->n * lanes, x, x, &p->order);
    for (int64_t i = 0; i < p->n && p->places; i++)
        p->elements->pack(lanes, items + i * lanes, x + i * lanes * (int64_t)p->size, i, 0);
    p->items->network(p->n, tile);
    tile += p->first * SORT_LANES;
    for (int64_t i = p->first * lanes; i < (p->first + p->count) * lanes && p->places; i++)
        items[i] = (uint32_t)items[i];
    if (!p->places) p->elements->elements(p->count * lanes, tile, tile, &p->order);
    p->items->spread(p->count, n, run->out, p->step, out, tile, lanes, 1);
}

/* Sort n lines one after the other; neighbouring lines are read and written together. in[] and out[] are their
   offsets, in elements, in x and in the output. */
static void sort_group(const struct sort_run *run, char *scratch, int64_t n, const int64_t *in,
                       const int64_t *out) {
    const struct sort_plan *p = run->p;
    char *x = scratch + p->at_x, *results = scratch + p->at_out;
    int64_t size = (int64_t)p->size, out_size = (int64_t)p->out_size;
    struct sort_line line = {p, .scratch = scratch, .job = {0, run->width, scratch + p->at_room}};
    bool grouped = p->group > 1;
    if (grouped) p->elements->collect(p->n, n, x, 1, p->n, run->x, p->stride, in);
    for (int64_t l = 0; l < n; l++) {
        line.x = grouped ? x + l * p->n * size : run->x + in[l] * size;
        line.stride = grouped ? 1 : p->stride;
        line.out = grouped ? results + l * p->count * out_size : run->out + out[l] * out_size;
        line.step = grouped ? 1 : p->step;
        line.job.low = 0;
        sort_one(&line);
    }
    if (grouped) p->items->spread(p->count, n, run->out, p->step, out, results, 1, p->count);
}

/* Sort groups begin .. end-1 of lines, and restore the order of -0 and 0. Task of parallel_for; context is a
   struct sort_run. */
static void sort_groups(void *context, int64_t begin, int64_t end) {
    const struct sort_run *run = context;
    const struct sort_plan *p = run->p;
    char *scratch = run->scratch + (p->shared ? 0 : (size_t)parallel_index() * p->scratch);
    int64_t in[LINES_MOST], out[LINES_MOST];
    for (int64_t group = begin; group < end; group++) {
        int64_t line = group * p->group, left = p->nlines - line, n = left < p->group ? left : p->group;
        locate(p, line, n, in, out);
        if (stop_cut()) return;
        (p->tiles ? sort_tile : sort_group)(run, scratch, n, in, out);
        if (stop_cut()) return;
        int64_t size = (int64_t)p->size;
        for (int64_t l = 0; l < n && p->zeros.size; l++)
            sort_zeros_mend(&p->zeros, run->x + in[l] * size, p->stride * size, run->out + out[l] * size,
                            p->step * size);
    }
}

/* Compute a sort on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct sort_plan *p = kernel->prepared;
    char *base = workspace;
    size_t whole = p->whole.bytes + (size_t)kernel->width * p->whole.store.scratch;
    struct sort_run run = {p, operand_base(&kernel->inputs[0], slots),
                           cpu_whole_begin(&p->whole, slots, base), base + whole, 1};
    int64_t groups = (p->nlines + p->group - 1) / p->group, work = p->group * p->n;
    if (p->n == 0 || p->count == 0 || groups == 0) return true;
    if (p->shared) {
        run.width = kernel->width;
        sort_groups(&run, 0, groups);
    } else {
        parallel_for(kernel->width, groups, work < cpu_parted(GRAIN) ? cpu_parted(GRAIN) / work + 1 : 1,
                     sort_groups, &run);
    }
    cpu_whole_end(&p->whole, kernel, slots, base);
    return true;
}

const struct cpu_kind cpu_sort = {.prepare = prepare, .launch = launch};
