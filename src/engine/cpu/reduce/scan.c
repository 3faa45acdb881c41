/*
 * Kernel kind SCAN: units of columns, each processed in tiles that are read, scanned and delivered while in L1.
 * scan.h defines the order of operations.
 */
#include "engine/cpu/reduce/scan.h"
#include "base/context/stop.h"
#include <string.h>
#include "engine/cpu/elementwise/collect.h"

struct scan_thread {
    const struct scan_plan *plan;
    const struct kernel *kernel;
    void *const *slots;
    char *scratch;
    int64_t taps; /* FILTER: set of coefficients in the taps; -1: none yet */
};

/* Columns first .. first+width-1 of one outer index, and the state so far. */
struct scan_unit {
    int64_t outer, first, width;
    char *local;
    const char *before; /* NULL: nothing to join */
    int64_t *places;
};

/* ---- reading ---- */

/* Gather `count` sources of input k, from step i on in scan direction, for the unit's columns, into scratch; x is
   element 0 of the unit's outer index. Set s->x[k] and s->strides[k]. */
static void gather_rows(const struct scan_thread *t, int k, const struct scan_unit *u, const char *x,
                        int64_t i, int64_t count, struct scan_steps *s) {
    const struct scan_plan *p = t->plan;
    const struct scan_input *around = &p->inputs[k];
    static int64_t one = 1, zero;
    struct layout point = {1, 0, &one, &zero};
    const struct layout *inner = around->inner.rank ? &around->inner : &point;
    char *raw = t->scratch + p->at_read[k], *to = raw;
    for (int64_t row = 0; row < count; row++, to += u->width * (int64_t)p->reader.size) {
        int64_t at = p->reverse ? p->n - 1 - i - row : i + row;
        cpu_collect(inner, p->reader.size, x + at * around->stride * (int64_t)p->reader.size, to, u->first,
                    u->width);
    }
    s->x[k] = raw;
    s->strides[k] = u->width;
    if (!p->reader.cast) return;
    char *values = raw + cpu_per_thread(CPU_TILE * p->reader.size);
    p->reader.cast(count * u->width, values, raw, NULL, NULL);
    s->x[k] = values;
}

/* Gather `count` sources of input k from step i on, for a unit of one column, into scratch in memory order; x is
   element 0 of the unit's outer index. Set s->x[k] and s->strides[k]. */
static void gather_column(const struct scan_thread *t, int k, const char *x, int64_t i, int64_t count,
                          struct scan_steps *s) {
    const struct scan_plan *p = t->plan;
    int64_t stride = p->inputs[k].stride, low = p->reverse ? p->n - i - count : i;
    const char *values = cpu_read(&p->reader, x + low * stride * (int64_t)p->reader.size, stride, count,
                                  t->scratch + p->at_read[k]);
    s->x[k] = p->reverse ? values + (count - 1) * (int64_t)p->size : values;
    s->strides[k] = p->reverse ? -1 : 1;
}

/* Set s->x[k] and its stride to sources i .. i+count-1 of input k in scan direction, in place if possible, else
   gathered. */
static void read_steps(const struct scan_thread *t, int k, const struct scan_unit *u, int64_t i,
                       int64_t count, struct scan_steps *s) {
    const struct scan_plan *p = t->plan;
    const struct scan_input *around = &p->inputs[k];
    const char *x = operand_base(&t->kernel->inputs[k], t->slots);
    int64_t index[TY_MAX_RANK], at = 0, size = (int64_t)p->reader.size;
    cpu_unrank(around->outer.rank, around->outer.shape, u->outer, index);
    for (int j = 0; j < around->outer.rank; j++) at += index[j] * around->outer.strides[j];
    x += at * size;
    if (around->direct) {
        int64_t row = p->reverse ? p->n - 1 - i : i;
        s->x[k] = x + (row * around->stride + u->first) * size;
        s->strides[k] = p->reverse ? -around->stride : around->stride;
    } else if (p->inner == 1) {
        gather_column(t, k, x, i, count, s);
    } else {
        gather_rows(t, k, u, x, i, count, s);
    }
}

/* ---- scanning ---- */

/* Scan steps i .. i+count-1 of a unit. out: address of the lowest result in memory; NULL: update the state only. */
static void scan_steps(const struct scan_thread *t, const struct scan_unit *u, int64_t i, int64_t count,
                       char *out) {
    const struct scan_plan *p = t->plan;
    struct scan_steps s = {.rows = count,
                           .width = u->width,
                           .before = u->before,
                           .local = u->local,
                           .places = u->places,
                           .taps = t->scratch + p->at_taps,
                           .order = p->order};
    for (int k = 0; k < p->ninputs; k++) read_steps(t, k, u, i, count, &s);
    s.out_stride = p->reverse ? -p->pitch : p->pitch;
    s.out = out && p->reverse ? out + (count - 1) * p->pitch * (int64_t)p->out_size : out;
    s.first = p->reverse ? p->n - 1 - i : i;
    s.step = p->reverse ? -1 : 1;
    bool row = p->inner == 1 && p->fold.row[0];
    (row ? p->fold.row[p->reverse] : p->fold.columns)(&s);
}

/* Write set `set` (0-based) of the filter coefficients of input k (1: b, 2: a, which is negated) as taps to
   `taps`. */
static void take_coefficients(const struct scan_thread *t, int k, int64_t set, char *taps) {
    const struct scan_plan *p = t->plan;
    const struct operand *c = &t->kernel->inputs[k];
    int lead = c->layout.rank - 1;
    int64_t index[TY_MAX_RANK], at = 0, n = c->layout.shape[lead], stride = c->layout.strides[lead];
    cpu_unrank(lead, c->layout.shape, set, index);
    for (int i = 0; i < lead; i++) at += index[i] * c->layout.strides[i];
    const char *from = (const char *)operand_base(c, t->slots) + at * (int64_t)p->reader.size;
    for (int64_t i = 0; i < n; i += CPU_TILE) {
        int64_t count = n - i < CPU_TILE ? n - i : CPU_TILE;
        const void *values = cpu_read(&p->reader, from + i * stride * (int64_t)p->reader.size, stride, count,
                                      t->scratch + p->at_read[0]);
        p->fold.take(count, taps + (size_t)i * p->state, values, k == 2);
    }
}

/* Make the filter's taps from set `set` of coefficients, unless they are there. The shorter side is padded with
   zeros; tap a[0] is unused. */
static void make_taps(struct scan_thread *t, int64_t set) {
    const struct scan_plan *p = t->plan;
    char *b = t->scratch + p->at_taps, *a = b + (size_t)(p->order + 2) * p->state;
    if (t->taps == set) return;
    t->taps = set;
    p->fold.fill(2 * (p->order + 1), b);
    take_coefficients(t, 1, set, b);
    take_coefficients(t, 2, set, a);
}

/* Set the unit's state to that before the first step. */
static void start_unit(struct scan_thread *t, struct scan_unit *u) {
    const struct scan_plan *p = t->plan;
    u->local = t->scratch + p->at_local;
    u->places = (int64_t *)(t->scratch + p->at_places);
    p->fold.fill(u->width * p->states, u->local);
    if (p->order) make_taps(t, u->outer / p->share);
    for (int64_t k = 0; p->place && k < u->width; k++) u->places[k] = -1;
}

/* Return the lowest axis position of the results i .. i+count-1, which count in scan direction. */
static int64_t lowest(const struct scan_plan *p, int64_t i, int64_t count) {
    return p->reverse ? p->n - i - count : i;
}

/* Write n results at position 0 of an exclusive scan to `out`: the result for no elements, such as 0 for a sum. */
static void make_nothing(const struct scan_thread *t, int64_t n, char *out) {
    const struct scan_attr *attr = t->kernel->attr;
    if (attr->kind == SCAN_SUM) /* its identity is -0 */
        memset(out, 0, (size_t)n * t->plan->size);
    else
        t->plan->fold.fill(n, out);
    if (t->kernel->core_dtype == TY_BOOL) /* scanned as u8 */
        for (int64_t k = 0; k < n; k++) out[k] = out[k] != 0;
}

/* Compute and deliver `count` results of a unit, from position i on in scan direction. In an exclusive scan they
   use sources one step back, and position 0 is the result for no elements. */
static void make_results(const struct scan_thread *t, const struct scan_unit *u, int64_t i, int64_t count) {
    const struct scan_plan *p = t->plan;
    int64_t start = (u->outer * p->n + lowest(p, i, count)) * p->inner + u->first;
    char *out = cpu_store_begin(&p->store, t->slots, t->scratch, start);
    char *made = p->finish ? t->scratch + p->at_out : out;
    if (i < p->exclusive)
        make_nothing(t, u->width, made);
    else
        scan_steps(t, u, i - p->exclusive, count, made);
    if (p->finish) p->finish(count * u->width, out, made, NULL, NULL);
    cpu_store_end(&p->store, t->slots, t->scratch, start, count * u->width);
}

/* Scan part k of a unit; with `store` deliver results. The part's total stays in u->local. */
static void scan_part(const struct scan_thread *t, const struct scan_unit *u, int64_t k, bool store) {
    const struct scan_plan *p = t->plan;
    int64_t begin = k * p->part, end = begin + p->part < p->sources ? begin + p->part : p->sources;
    if (store && p->exclusive && k == 0) make_results(t, u, 0, 1);
    for (int64_t i = begin; i < end && !stop_cut(); i += p->tile) {
        int64_t count = end - i < p->tile ? end - i : p->tile;
        if (store)
            make_results(t, u, i + p->exclusive, count);
        else
            scan_steps(t, u, i, count, NULL);
    }
}

/* ---- units ---- */

struct scan_run {
    const struct scan_plan *plan;
    const struct kernel *kernel;
    void *const *slots;
    char *totals, *scratch;
    int64_t first_part; /* first part of the wave */
};

static struct scan_thread thread_of(const struct scan_run *run) {
    char *scratch = run->scratch + (size_t)parallel_index() * run->plan->scratch;
    return (struct scan_thread){run->plan, run->kernel, run->slots, scratch, -1};
}

/* Return unit i (0-based): a block of columns at an outer index, with its state set. */
static struct scan_unit unit_of(struct scan_thread *t, int64_t i) {
    const struct scan_plan *p = t->plan;
    struct scan_unit u = {.outer = i / p->blocks, .first = i % p->blocks * p->width};
    u.width = p->inner - u.first < p->width ? p->inner - u.first : p->width;
    start_unit(t, &u);
    return u;
}

/* Scan the whole units begin .. end-1, part after part. Task of parallel_for; context is a struct scan_run. */
static void whole_units(void *context, int64_t begin, int64_t end) {
    struct scan_thread t = thread_of(context);
    const struct scan_plan *p = t.plan;
    for (int64_t i = begin; i < end; i++) {
        struct scan_unit u = unit_of(&t, i);
        char *before = t.scratch + p->at_before;
        if (p->parts > 1) p->fold.fill(u.width, before);
        if (p->parts > 1) u.before = before;
        for (int64_t k = 0; k < p->parts; k++) {
            scan_part(&t, &u, k, true);
            if (p->parts == 1) break;
            p->fold.join(u.width, before, u.local);
            p->fold.fill(u.width, u.local);
        }
    }
}

/* Scan groups begin .. end-1 of outer indices that share a tile. Task of parallel_for; context is a struct
   scan_run. */
static void small_units(void *context, int64_t begin, int64_t end) {
    struct scan_thread t = thread_of(context);
    const struct scan_plan *p = t.plan;
    int64_t plane = p->n * p->inner, bytes = plane * (int64_t)p->out_size;
    for (int64_t group = begin; group < end; group++) {
        int64_t first = group * p->group, count = p->outer - first < p->group ? p->outer - first : p->group;
        char *out = cpu_store_begin(&p->store, t.slots, t.scratch, first * plane);
        char *made = p->finish ? t.scratch + p->at_out : out;
        for (int64_t i = 0; i < count; i++) {
            struct scan_unit u = {.outer = first + i, .width = p->width};
            char *here = made + i * bytes;
            start_unit(&t, &u);
            if (p->exclusive)
                make_nothing(&t, u.width, here + lowest(p, 0, 1) * p->pitch * (int64_t)p->out_size);
            here += lowest(p, p->exclusive, p->sources) * p->pitch * (int64_t)p->out_size;
            if (p->sources > 0) scan_steps(&t, &u, 0, p->sources, here);
        }
        if (p->finish) p->finish(count * plane, out, made, NULL, NULL);
        cpu_store_end(&p->store, t.slots, t.scratch, first * plane, count * plane);
    }
}

/* ---- few long units: threads share parts ---- */

static char *total_of(const struct scan_run *run, int64_t unit, int64_t part) {
    const struct scan_plan *p = run->plan;
    return run->totals + (size_t)((part + 1) * p->units + unit) * (size_t)p->width * p->size;
}

/* Compute the totals of parts of units, number begin .. end-1 in this wave. Task of parallel_for; context is a
   struct scan_run. */
static void part_totals(void *context, int64_t begin, int64_t end) {
    const struct scan_run *run = context;
    struct scan_thread t = thread_of(run);
    for (int64_t i = begin; i < end; i++) {
        int64_t part = run->first_part + i / t.plan->units, unit = i % t.plan->units;
        struct scan_unit u = unit_of(&t, unit);
        scan_part(&t, &u, part, false);
        memcpy(total_of(run, unit, part), u.local, (size_t)u.width * t.plan->size);
    }
}

/* Compute the results of parts of units, number begin .. end-1 in this wave, from the totals before them. Task
   of parallel_for; context is a struct scan_run. */
static void part_results(void *context, int64_t begin, int64_t end) {
    const struct scan_run *run = context;
    struct scan_thread t = thread_of(run);
    for (int64_t i = begin; i < end; i++) {
        int64_t part = run->first_part + i / t.plan->units, unit = i % t.plan->units;
        struct scan_unit u = unit_of(&t, unit);
        u.before = total_of(run, unit, part);
        scan_part(&t, &u, part, true);
    }
}

/* Replace, for each unit, the total of each of `count` parts from run->first_part on by that of all earlier parts.
   Part -1 holds the total of the parts before them. */
static void join_totals(const struct scan_run *run, int64_t count) {
    const struct scan_plan *p = run->plan;
    char *room = run->scratch + p->at_before;
    size_t bytes = (size_t)p->width * p->size;
    for (int64_t unit = 0; unit < p->units; unit++) {
        char *sum = total_of(run, unit, -1);
        for (int64_t k = run->first_part; k < run->first_part + count; k++) {
            char *total = total_of(run, unit, k);
            memcpy(room, total, bytes);
            memcpy(total, sum, bytes);
            p->fold.join(p->width, sum, room);
        }
    }
}

/* Scan the parts of all units on `width` threads, some parts at a time: first their totals, then their results, so
   that a part stays in cache between both. */
static void share_parts(struct scan_run *run, int width) {
    const struct scan_plan *p = run->plan;
    int64_t wave = (2 * width + p->units - 1) / p->units;
    memset(run->totals, 0, p->totals);
    for (int64_t unit = 0; unit < p->units; unit++) p->fold.fill(p->width, total_of(run, unit, -1));
    for (; run->first_part < p->parts && !stop_cut(); run->first_part += wave) {
        int64_t count = p->parts - run->first_part < wave ? p->parts - run->first_part : wave;
        parallel_for(width, count * p->units, 1, part_totals, run);
        join_totals(run, count);
        parallel_for(width, count * p->units, 1, part_results, run);
    }
}

/* Prepare a scan: loops, axes, units of work and scratch. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct scan_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    if (!cpu_store_prepare(&p->store, kernel, arena, fault) || !scan_plan(p, kernel, arena, fault))
        return false;
    kernel->width = parallel_width();
    kernel->workspace = p->totals + (size_t)kernel->width * p->scratch;
    return true;
}

/* Compute a scan on the addresses slots[]. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct scan_plan *p = kernel->prepared;
    struct scan_run run = {p, kernel, slots, workspace, (char *)workspace + p->totals, 0};
    if (p->outer * p->n * p->inner == 0) return true;
    int64_t work = p->group ? p->group * p->n * p->inner : p->n * p->width;
    int64_t grain = work < SCAN_PART / 2 ? SCAN_PART / 2 / work : 1;
    if (p->group)
        parallel_for(kernel->width, (p->outer + p->group - 1) / p->group, grain, small_units, &run);
    else if (p->parts == 1 || kernel->width == 1 || p->units >= kernel->width)
        parallel_for(kernel->width, p->units, grain, whole_units, &run);
    else
        share_parts(&run, kernel->width);
    return true;
}

const struct cpu_kind cpu_scan = {.prepare = prepare, .launch = launch};
