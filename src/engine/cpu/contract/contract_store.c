/*
 * Stores finished sums from their buffer to the output: by a copy, non-temporal if that pays, or, for an epilogue or
 * a narrower dtype, in runs as long as the output's.
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
        if (step == 1) cpu_body_run(p->body, call->slots, s->body, values, first, count);
        for (int64_t k = 0; step != 1 && k < count; k++)
            cpu_body_run(p->body, call->slots, s->body, values + k * p->stored_bytes, first + k * step, 1);
        if (count > cpu_tile) return;
    }
}

/* Store the sums along one axis, `run`, in out from element `start` on; they may be strided among the sums. */
static void store_apart(const struct contract_call *call, struct contract_scratch *s, const char *sums,
                        const struct axis *run, int64_t start) {
    int64_t bytes = call->plan->out_bytes;
    if (run->sums == 1) {
        store_run(call, s, sums, start, run->out, run->size);
        return;
    }
    for (int64_t i = 0; i < run->size; i += cpu_tile) {
        int64_t n = lesser(cpu_tile, run->size - i);
        for (int64_t k = 0; k < n; k++)
            memcpy(s->gathered + k * bytes, sums + (i + k) * run->sums * bytes, (size_t)bytes);
        store_run(call, s, s->gathered, start + i * run->out, run->out, n);
    }
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
    int64_t start = w->at[AT_OUT] / p->out_bytes, index[TY_CONTRACTION_DIMS] = {0};
    if (!p->body && !p->narrow) {
        move_run(box->place, sums, call->out + w->at[AT_OUT], s->stage);
        return;
    }
    struct axes a;
    list_axes(p, box, &a);
    struct axis run = a.n ? a.axis[a.n - 1] : (struct axis){1, 1, 1};
    for (int i = 0;;) {
        store_apart(call, s, sums, &run, start);
        for (i = a.n - 2; i >= 0; i--) {
            start += a.axis[i].out;
            sums += a.axis[i].sums * p->out_bytes;
            if (++index[i] < a.axis[i].size) break;
            start -= a.axis[i].size * a.axis[i].out;
            sums -= a.axis[i].size * a.axis[i].sums * p->out_bytes;
            index[i] = 0;
        }
        if (i < 0) return;
    }
}
