/*
 * Stores finished sums from their buffer to the output: by a copy, non-temporal if that pays, or, for an epilogue or a
 * narrower dtype, in runs as long as the output's. Starting an epilogue costs as much as hundreds of elements. So sums
 * in another order (filters innermost, with channels first) are transposed in chunks for long runs.
 */
#include <stdlib.h>
#include <string.h>
#include "engine/cpu/contract/contract_run.h"
#include "engine/cpu/elementwise/store.h"

/* Dimensions of the output inside a box: sizes, and strides in out and among the sums, in elements. */
struct axes {
    int n;
    struct axis {
        int64_t size, out, sums;
    } axis[TY_CONTRACTION_DIMS];
};

static void add_axis(struct axes *a, struct axis x) {
    int i = a->n++;
    for (; i > 0 && llabs(a->axis[i - 1].out) < llabs(x.out); i--) a->axis[i] = a->axis[i - 1];
    a->axis[i] = x;
}

/* List in a the axes of a box of out by descending stride in out. Neighbours that are even both in out and among
   the sums are fused. */
static void list_axes(const struct contract_plan *p, const struct contract_box *box, struct axes *a) {
    a->n = 0;
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].dim >= 0 && p->dims[d].type != TY_DIM_K && box->size[d] != 1)
            add_axis(a, (struct axis){box->size[d], p->dims[d].stride[CONTRACT_OUT],
                                      box->step[d][CONTRACT_OUT] / p->out_bytes});
    int n = 0;
    for (int i = 0; i < a->n; i++) {
        struct axis x = a->axis[i], *last = a->axis + n - 1;
        if (n > 0 && last->out == x.out * x.size && last->sums == x.sums * x.size)
            *last = (struct axis){last->size * x.size, x.out, x.sums};
        else
            a->axis[n++] = x;
    }
    a->n = n;
}

/* Cast n contiguous sums, pass them through the epilogue if there is one, and store them in elements start, start +
   step, ... of out. */
static void store_run(const struct contract_call *call, struct contract_scratch *s, const char *sums,
                      int64_t start, int64_t step, int64_t n) {
    const struct contract_plan *p = call->plan;
    for (int64_t i = 0; i < n; i += cpu_tile) {
        int64_t count = lesser(cpu_tile, n - i);
        const char *values = sums + i * p->out_bytes;
        if (p->narrow) {
            p->narrow(count, s->narrowed, values, NULL, NULL);
            values = s->narrowed;
        }
        if (!p->body) {
            cpu_spread((size_t)p->stored_bytes, count, call->out + (start + i * step) * p->stored_bytes, step,
                       values);
            continue;
        }
        if (!p->narrow && step == 1) count = n - i; /* the body cuts tiles itself */
        int64_t first = call->out_start + start + i * step;
        if (step == 1) cpu_body_run_next(p->body, call->slots, s->body, values, first, count, &s->filled);
        for (int64_t k = 0; step != 1 && k < count; k++)
            cpu_body_run_next(p->body, call->slots, s->body, values + k * p->stored_bytes, first + k * step,
                              1, &s->filled);
        if (count > cpu_tile) return;
    }
}

/* Choose the extents of a chunk of a box along its axes: sums that fill the buffer, or `room` elements. Whole lines
   of sums come first, then the inner axes of out, for long runs. */
static void choose_chunk(const struct axes *a, int64_t room, int64_t line, int64_t *extent) {
    int several = 0;
    for (int i = 0; i < a->n; i++) {
        bool lines = a->axis[i].sums == 1;
        extent[i] = lines ? lesser(a->axis[i].size, line) : 1;
        room /= extent[i];
        several += extent[i] > 1;
    }
    for (int i = a->n - 1; i >= 0 && room > 1 && several < TY_MAX_RANK; i--) {
        int64_t size = a->axis[i].size, most = lesser(size, extent[i] * room);
        int64_t even = ceil_div(size, ceil_div(size, most));
        several += extent[i] == 1 && even > 1;
        room = room * extent[i] / even;
        extent[i] = even;
        if (even < size) return;
    }
}

/* Copy a chunk of `extent` sums along the axes of a box, in row-major order, to the buffer. */
static void gather_chunk(const struct contract_plan *p, struct contract_scratch *s, const struct axes *a,
                         const int64_t *extent, const char *sums) {
    struct move_plan copy;
    struct move_box b;
    int64_t to = 1, step[TY_CONTRACTION_DIMS];
    for (int i = a->n - 1; i >= 0; i--) step[i] = to, to *= extent[i];
    b.rank = 0;
    for (int i = 0; i < a->n; i++)
        if (extent[i] > 1) move_axis(&b, extent[i], a->axis[i].sums, step[i]);
    move_prepare(&copy, &b, p->out_bytes, false);
    move_run(&copy, sums, s->gathered, s->stage);
}

/* Advance index[] of the first n axes by step[] along each, the last one first. Set *start and *sums to the elements of
   out and of the sums there. Return false at the end. */
static bool advance(const struct axes *a, int n, const int64_t *step, int64_t *index, int64_t *start,
                    int64_t *sums) {
    for (int i = n - 1; i >= 0; i--) {
        int64_t next = index[i] + step[i], moves = (next < a->axis[i].size ? next : 0) - index[i];
        index[i] += moves;
        *start += moves * a->axis[i].out;
        *sums += moves * a->axis[i].sums;
        if (index[i]) return true;
    }
    return false;
}

/* Store the runs of a chunk of `extent` sums along the axes of a box, which lie in the buffer in row-major order;
   `start` is its first element in out. */
static void store_chunk(const struct contract_call *call, struct contract_scratch *s, const struct axes *a,
                        const int64_t *extent, int64_t start) {
    struct axes outer = *a;
    int64_t run = 1, at = 0, unused = 0, index[TY_CONTRACTION_DIMS] = {0}, one[TY_CONTRACTION_DIMS];
    int n = a->n;
    while (n > 0 && (n == a->n || a->axis[n - 1].out == run * a->axis[a->n - 1].out)) {
        bool whole = extent[n - 1] == a->axis[n - 1].size;
        run *= extent[--n];
        if (!whole) break;
    }
    for (int i = 0; i < n; i++) outer.axis[i].size = extent[i], one[i] = 1;
    int64_t step = a->n ? a->axis[a->n - 1].out : 1;
    do {
        store_run(call, s, s->gathered + at, start, step, run);
        at += run * call->plan->out_bytes;
    } while (advance(&outer, n, one, index, &start, &unused));
}

/* True if sums along the innermost axis of out are strided, or so few that a copy is worth its longer runs. */
static bool is_turned(const struct axes *a) {
    if (a->n == 0) return false;
    const struct axis *inner = &a->axis[a->n - 1], *next = inner - (a->n > 1);
    return inner->sums != 1 || (inner->size < CONTRACT_LONG_RUN && next->out == inner->out * inner->size);
}

/* Store the sums of a box, whose axes are listed, in out from element `start` on. Sums in another order than out's
   are copied to a buffer first, chunk by chunk. */
static void store_box(const struct contract_call *call, struct contract_scratch *s, const struct axes *a,
                      const char *sums, int64_t start) {
    const struct contract_plan *p = call->plan;
    int64_t extent[TY_CONTRACTION_DIMS], chunk[TY_CONTRACTION_DIMS], index[TY_CONTRACTION_DIMS] = {0}, at = 0;
    bool turned = is_turned(a);
    for (int i = 0; i < a->n; i++) extent[i] = i < a->n - 1 ? 1 : a->axis[i].size;
    if (turned)
        choose_chunk(a, contract_chunk_bytes(p) / p->out_bytes,
                     greater((int64_t)CACHE_LINE / p->out_bytes, 1), extent);
    do {
        if (!turned) {
            struct axis run = a->n ? a->axis[a->n - 1] : (struct axis){1, 1, 1};
            store_run(call, s, sums + at * p->out_bytes, start, run.out, run.size);
            continue;
        }
        for (int i = 0; i < a->n; i++) chunk[i] = lesser(extent[i], a->axis[i].size - index[i]);
        gather_chunk(p, s, a, chunk, sums + at * p->out_bytes);
        store_chunk(call, s, a, chunk, start);
    } while (advance(a, a->n, extent, index, &start, &at));
}

/* Return true if the walk's box is the last one inside the outermost K loop. */
static bool is_last(const struct contract_plan *p, const struct box_walk *w) {
    for (int l = p->first_summed; l < p->nloops; l++)
        if (w->place[l].position + p->loops[l].step < w->place[l].extent) return false;
    return true;
}

/* Store the sums of all boxes inside the outermost K loop in one copy; the walk w is at the last of them. Its axes
   are those of one box, which may continue from box to box, and those along which boxes are separate. */
static void store_together(const struct contract_call *call, struct contract_scratch *s,
                           const struct box_walk *w, const struct contract_box *box) {
    const struct contract_plan *p = call->plan;
    int64_t first = w->at[AT_OUT];
    struct move_plan copy;
    struct move_box b;
    b.rank = 0;
    for (int l = p->first_summed; l < p->nloops; l++) {
        const struct walk_loop *loop = &p->loops[l];
        if (loop->summed || w->place[l].index == 0) continue;
        first -= w->place[l].index * loop->moves[AT_OUT];
        if (contract_waits_along(p, loop->dim)) continue;
        move_axis(&b, w->place[l].index + 1, loop->moves[AT_WAITING] / p->out_bytes,
                  loop->moves[AT_OUT] / p->out_bytes);
    }
    contract_box_places(p, box, w, &b);
    move_prepare(&copy, &b, p->out_bytes, p->bypass);
    move_run(&copy, s->waiting, call->out + first, s->stage);
}

void contract_store(const struct contract_call *call, struct contract_scratch *s, const struct box_walk *w,
                    const struct contract_box *box, const char *sums) {
    const struct contract_plan *p = call->plan;
    if (p->together) {
        if (is_last(p, w)) store_together(call, s, w, box);
        return;
    }
    if (!p->body && !p->narrow) {
        move_run(box->place, sums, call->out + w->at[AT_OUT], s->stage);
        return;
    }
    struct axes a;
    list_axes(p, box, &a);
    store_box(call, s, &a, sums, w->at[AT_OUT] / p->out_bytes);
}
