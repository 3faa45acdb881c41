/* Makes a contraction from labels: promotes dtypes, drops broadcast axes, and numbers labels and windows in order
   of appearance, so that equal contractions have equal attributes. */
#include <tyto/shape.h>
#include "ops/core/batch.h"
#include "ops/contract/contract.h"
#include "ops/core/operators.h"

bool labels_step(int n, const uint8_t *labels, const struct contract_window *windows, uint8_t label) {
    for (int i = 0; i < n; i++) {
        const struct contract_window *w =
            labels[i] < CONTRACT_WINDOW ? NULL : &windows[labels[i] - CONTRACT_WINDOW];
        if (w ? w->outer == label || w->inner == label : labels[i] == label) return true;
    }
    return false;
}

/* Return the number of elements of `label` in x: of an axis, or of a window (of `rules`) on one of x's axes.
   -1 if x does not have the label. */
static int64_t size_of(const struct labelled *x, const struct contract_rules *rules, uint8_t label) {
    for (int i = 0; i < ty_rank(x->x); i++) {
        if (x->labels[i] == label) return ty_shape(x->x)[i];
        if (x->labels[i] < CONTRACT_WINDOW) continue;
        const struct contract_window *w = &rules->windows[x->labels[i] - CONTRACT_WINDOW];
        if (w->outer == label) return w->outer_size;
        if (w->inner == label) return w->inner_size;
    }
    return -1;
}

/* Drop from *a, in place, the axes of size 1 whose label b has with another size: b stretches them, so
   neither product nor sum needs them. a->x becomes poison on failure. */
static void drop_stretched(struct labelled *a, const struct labelled *b, const struct contract_rules *rules) {
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(a->x), n = 0;
    for (int i = 0; i < rank; i++) {
        int64_t size = ty_shape(a->x)[i], there = size_of(b, rules, a->labels[i]);
        if (size == 1 && there >= 0 && there != 1 && a->labels[i] < CONTRACT_WINDOW) continue;
        shape[n] = size;
        a->labels[n++] = a->labels[i];
    }
    if (n < rank) a->x = ty_reshape(a->x, n, shape);
}

struct numbering {
    uint8_t labels[LABELS]; /* new label, or 0xff */
    int next, nwindows;
};

static uint8_t number_label(struct numbering *to, uint8_t label) {
    if (label >= LABELS) return label; /* infer reports it */
    if (to->labels[label] == 0xff) to->labels[label] = (uint8_t)to->next++;
    return to->labels[label];
}

/* Renumber labels and windows of *attr, in place, in the order of their first use, so that equal contractions
   have equal attributes. The windows are copied from `rules`. A window on two axes keeps an invalid number,
   which infer refuses. */
static void number_labels(struct contract_attr *attr, const struct contract_rules *rules) {
    struct numbering to = {.next = 0};
    memset(to.labels, 0xff, sizeof to.labels);
    for (int i = 0; i < attr->ra + attr->rb + attr->ro; i++) {
        int window = attr->labels[i] - CONTRACT_WINDOW;
        if (window >= 0 && window < rules->nwindows && to.nwindows < rules->nwindows) {
            struct contract_window *w = &attr->windows[to.nwindows];
            *w = rules->windows[window];
            w->outer = number_label(&to, w->outer);
            w->inner = number_label(&to, w->inner);
            attr->labels[i] = (uint8_t)(CONTRACT_WINDOW + to.nwindows++);
        } else {
            attr->labels[i] = number_label(&to, attr->labels[i]);
        }
    }
}

/* Record the contraction of a and b; axis i of the result has label output[i], i < rank. *rules has the
   windows and the dtype of sums. Poison on failure. */
static ty_tensor *record_contract(const struct labelled *a, const struct labelled *b, int rank,
                                  const uint8_t *output, const struct contract_rules *rules) {
    struct contract_attr attr = {.ra = ty_rank(a->x), .rb = ty_rank(b->x), .ro = rank};
    attr.nwindows = rules->nwindows;
    attr.sums = rules->sums;
    memcpy(attr.labels, a->labels, (size_t)attr.ra);
    memcpy(attr.labels + attr.ra, b->labels, (size_t)attr.rb);
    memcpy(attr.labels + attr.ra + attr.rb, output, (size_t)rank);
    number_labels(&attr, rules);
    return record(&op_contract, &attr, sizeof attr, 2, (ty_tensor *[]){a->x, b->x});
}

ty_tensor *contract_by(struct labelled a, struct labelled b, int rank, const uint8_t *output,
                       const struct contract_rules *rules) {
    ty_tensor *operands[] = {a.x, b.x};
    ty_tensor *bad = first_poison(2, operands);
    if (bad) return bad;
    bool truths =
        !rules->sums && !rules->nwindows && ty_dtype_of(a.x) == TY_BOOL && ty_dtype_of(b.x) == TY_BOOL;
    ty_scope *scope = ty_open();
    if (!rules->sums) cast_to_common("contract", 2, operands, COUNTED, operands);
    a.x = operands[0], b.x = operands[1];
    if (ty_ok(a.x) && ty_ok(b.x)) drop_stretched(&a, &b, rules);
    if (ty_ok(a.x) && ty_ok(b.x)) drop_stretched(&b, &a, rules);
    bad = first_poison(2, (ty_tensor *[]){a.x, b.x});
    ty_tensor *y = bad ? bad : record_contract(&a, &b, rank, output, rules);
    return leave(scope, truths ? ty_cast(y, TY_BOOL) : y); /* the count becomes "or" of "and" */
}

ty_tensor *contract(struct labelled a, struct labelled b, int rank, const uint8_t *output) {
    return contract_by(a, b, rank, output, &(struct contract_rules){0});
}

/* Return the lowest label that no axis and no window of the operands has; LABELS, which infer refuses, if all
   are used. */
static uint8_t free_label(const struct contract_attr *attr) {
    uint8_t label = 0;
    while (label < LABELS && labels_step(attr->ra + attr->rb, attr->labels, attr->windows, label)) label++;
    return label;
}

ty_tensor *contract_batch(const struct batch *b) {
    const struct contract_attr *attr = b->y->attr;
    const uint8_t *labels = attr->labels;
    uint8_t out[TY_MAX_RANK + 1], label = free_label(attr);
    struct labelled side[2];
    struct contract_rules rules = {.nwindows = attr->nwindows, .sums = attr->sums};
    memcpy(rules.windows, attr->windows, sizeof rules.windows);
    for (int i = 0; i < 2; i++) {
        int rank = i ? attr->rb : attr->ra;
        side[i].x = b->x[i];
        side[i].labels[0] = label;
        memcpy(side[i].labels + b->batched[i], labels, (size_t)rank);
        labels += rank;
    }
    out[0] = label;
    memcpy(out + 1, labels, (size_t)attr->ro);
    return contract_by(side[0], side[1], attr->ro + 1, out, &rules);
}
