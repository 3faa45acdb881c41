/* The box's extents along K under an order of sums (sums.h). */
#include "contract/split.h"

/* Return the number of digits, from the innermost on, that boxes may contain. The primitive steps through all of a
   dimension, so no dimension may have two of them; spans are outside. */
static int inner_digits(const ty_contraction *c, const struct sum_order *order) {
    bool met[TY_CONTRACTION_DIMS] = {false};
    int n = 0, most = order->n - (c->spans > 1);
    for (; n < most; n++) {
        const struct sum_digit *digit = &order->digit[order->n - 1 - n];
        if (digit->unit > 1 || met[digit->dim]) break;
        met[digit->dim] = true;
    }
    return n;
}

void split_sums_of(const ty_contraction *c, struct split_sums *sums) {
    bool fixed = contraction_boxes_show(c);
    contraction_order_of(c, &sums->order);
    for (int d = 0; d < c->ndims; d++)
        sums->least[d] = sums->most[d] = 1, sums->given[d] = contraction_box(c, d);
    for (int i = 0, n = inner_digits(c, &sums->order); i < n; i++) {
        const struct sum_digit *digit = &sums->order.digit[sums->order.n - 1 - i];
        sums->most[digit->dim] = fixed ? contraction_box(c, digit->dim) : digit->extent;
        if (fixed) sums->least[digit->dim] = sums->most[digit->dim];
    }
}

int64_t split_least(const struct splitting *s, int dim) {
    return s->sums && s->c->dims[dim].type == TY_DIM_K ? s->sums->least[dim] : 1;
}

int64_t split_most(const struct splitting *s, int dim) {
    const ty_dim *d = &s->c->dims[dim];
    return s->sums && d->type == TY_DIM_K ? s->sums->most[dim] : d->size;
}

int64_t split_deepest(const struct splitting *s) {
    double n = 1;
    for (int d = 0; d < s->c->ndims; d++)
        if (s->c->dims[d].type == TY_DIM_K) n *= (double)split_most(s, d);
    return n < 1e15 ? (int64_t)n : (int64_t)1e15;
}

int split_digits(const struct splitting *s, int *list) {
    const struct sum_order *order = s->sums ? &s->sums->order : NULL;
    int n = 0;
    if (!order) return -1;
    for (int i = order->n - 1; i >= 0; i--) {
        const struct sum_digit *digit = &order->digit[i];
        if (digit->unit == 1 && s->sums->most[digit->dim] > 1) list[n++] = digit->dim;
    }
    return n;
}

bool split_keeps(const struct splitting *s) {
    int list[TY_CONTRACTION_DIMS], n = split_digits(s, list);
    bool whole = true, keeps = true;
    for (int i = 0; i < n; i++) {
        int64_t step = s->step[list[i]];
        keeps = keeps && step >= s->sums->least[list[i]] && step <= s->sums->most[list[i]] &&
                (whole || step == 1);
        whole = whole && step == s->sums->most[list[i]];
    }
    return keeps;
}

bool split_add_digits(const struct splitting *s, ty_exec exec, struct fault *fault) {
    const struct sum_order *order = &s->sums->order;
    ty_contraction *c = s->c;
    bool primitive = exec == TY_EXEC_PRIMITIVE, met[TY_CONTRACTION_DIMS] = {false};
    for (int i = 0; i < order->n; i++) met[order->digit[i].dim] = true;
    for (int d = 0; d < c->ndims && primitive; d++) /* dimensions of one element at most have no digit */
        if (c->dims[d].type == TY_DIM_K && !met[d] && !contraction_insert(c, c->nloops, d, exec, 1, fault))
            return false;
    for (int i = 0; i < order->n; i++) {
        const struct sum_digit *digit = &order->digit[i];
        int64_t step = digit->unit > 1 ? digit->unit : s->step[digit->dim];
        if (primitive ? digit->unit > 1 : step >= digit->extent) continue;
        if (!contraction_insert(c, c->nloops, digit->dim, exec, step, fault)) return false;
    }
    return true;
}
