/*
 * Contraction: out[o] = sum of left[l] * right[r] over every label that is not in o.  Matrix products,
 * einsum, convolutions and all their gradients are this one operator over strided views.
 */
#include "ops/contract.h"

/* ---- dtype and shape ---- */

/* Puts the sizes of one operand's labels into sizes[] (-1: not seen); false after a fault. */
static bool take_sizes(struct infer *in, const struct layout *x, const uint8_t *labels, int64_t *sizes) {
    bool seen[LABELS] = {false};
    for (int i = 0; i < x->rank; i++) {
        int label = labels[i];
        if (label >= LABELS) return infer_fault(in, "label %d is outside 0..%d", label, LABELS - 1);
        if (seen[label]) return infer_fault(in, "label %d stands twice in one operand", label);
        if (sizes[label] >= 0 && sizes[label] != x->shape[i])
            return infer_fault(in, "label %d is %lld in one operand and %lld in the other", label,
                               (long long)sizes[label], (long long)x->shape[i]);
        seen[label] = true;
        sizes[label] = x->shape[i];
    }
    return true;
}

static bool infer(struct infer *in) {
    const struct contract_attr *attr = in->attr;
    const ty_tensor *left = in->inputs[0], *right = in->inputs[1];
    const uint8_t *output = attr->labels + attr->ra + attr->rb;
    int64_t sizes[LABELS];
    memset(sizes, 0xff, sizeof sizes);
    if (left->dtype != right->dtype || dtype_is(left->dtype, CLASS_BOOL))
        return infer_fault(in, "the operands must have one dtype, and not bool");
    if (attr->ra != left->layout.rank || attr->rb != right->layout.rank)
        return infer_fault(in, "labels for %d and %d axes", attr->ra, attr->rb);
    if (!take_sizes(in, &left->layout, attr->labels, sizes)) return false;
    if (!take_sizes(in, &right->layout, attr->labels + attr->ra, sizes)) return false;
    in->dtype = left->dtype;
    in->rank = attr->ro;
    if (!infer_fits(in)) return false;
    for (int i = 0; i < attr->ro; i++) {
        if (output[i] >= LABELS || sizes[output[i]] < 0)
            return infer_fault(in, "label %d of the output is in no operand", output[i]);
        in->shape[i] = sizes[output[i]];
    }
    return true;
}

static void add_labels(struct text *t, int n, const uint8_t *labels) {
    for (int i = 0; i < n; i++) {
        if (labels[i] < 26)
            text_add(t, "%c", 'a' + labels[i]);
        else
            text_add(t, "<%d>", labels[i]);
    }
}

static void describe(const struct infer *in, struct text *t) {
    const struct contract_attr *attr = in->attr;
    add_labels(t, attr->ra, attr->labels);
    text_add(t, ",");
    add_labels(t, attr->rb, attr->labels + attr->ra);
    text_add(t, "->");
    add_labels(t, attr->ro, attr->labels + attr->ra + attr->rb);
}

/* ---- recording ---- */

/* The place of a label among n, or -1. */
static int find_label(int n, const uint8_t *labels, uint8_t label) {
    for (int i = 0; i < n; i++)
        if (labels[i] == label) return i;
    return -1;
}

/* An axis of size 1 where the other operand has more is no axis at all: the sum and the product are the same
   without it. */
static void drop_stretched(struct labelled *a, const struct labelled *b) {
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(a->x), n = 0;
    for (int i = 0; i < rank; i++) {
        int there = find_label(ty_rank(b->x), b->labels, a->labels[i]);
        if (ty_shape(a->x)[i] == 1 && there >= 0 && ty_shape(b->x)[there] != 1) continue;
        shape[n] = ty_shape(a->x)[i];
        a->labels[n++] = a->labels[i];
    }
    if (n < rank) a->x = ty_reshape(a->x, n, shape);
}

/* Renumbers labels by first appearance, so that equal contractions have equal attributes. */
static void number_labels(struct contract_attr *attr) {
    uint8_t number[LABELS];
    int next = 0;
    memset(number, 0xff, sizeof number);
    for (int i = 0; i < attr->ra + attr->rb + attr->ro; i++) {
        uint8_t *label = &attr->labels[i];
        if (number[*label] == 0xff) number[*label] = (uint8_t)next++;
        *label = number[*label];
    }
}

static ty_tensor *record_contract(const struct labelled *a, const struct labelled *b, int rank,
                                  const uint8_t *output) {
    struct contract_attr attr = {.ra = ty_rank(a->x), .rb = ty_rank(b->x), .ro = rank};
    memcpy(attr.labels, a->labels, (size_t)attr.ra);
    memcpy(attr.labels + attr.ra, b->labels, (size_t)attr.rb);
    memcpy(attr.labels + attr.ra + attr.rb, output, (size_t)rank);
    number_labels(&attr);
    return record(&op_contract, &attr, sizeof attr, 2, (ty_tensor *[]){a->x, b->x});
}

ty_tensor *contract(struct labelled a, struct labelled b, int rank, const uint8_t *output) {
    ty_tensor *operands[] = {a.x, b.x};
    ty_tensor *bad = first_poison(2, operands);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    cast_to_common(2, operands, true, operands);
    a.x = operands[0], b.x = operands[1];
    if (ty_ok(a.x) && ty_ok(b.x)) drop_stretched(&a, &b);
    if (ty_ok(a.x) && ty_ok(b.x)) drop_stretched(&b, &a);
    bad = first_poison(2, (ty_tensor *[]){a.x, b.x});
    return leave(scope, bad ? bad : record_contract(&a, &b, rank, output));
}

/* ---- gradient ---- */

/* Puts back the labels of x that the contraction summed away and nothing else has: the same flows to each. */
static ty_tensor *spread(ty_tensor *g, int n, const uint8_t *kept, ty_tensor *x, const uint8_t *labels) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(x); i++) shape[i] = find_label(n, kept, labels[i]) < 0 ? 1 : ty_shape(x)[i];
    return ty_broadcast(reshape_like(g, ty_rank(x), shape), ty_rank(x), ty_shape(x));
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    const struct contract_attr *attr = y->attr;
    const uint8_t *labels[] = {attr->labels, attr->labels + attr->ra};
    ty_tensor *x = y->inputs[i], *other = y->inputs[1 - i];
    struct labelled flow = {.x = g}, factor = {.x = ty_conj(other)};
    uint8_t kept[TY_MAX_RANK];
    int n = 0;
    memcpy(flow.labels, attr->labels + attr->ra + attr->rb, (size_t)attr->ro);
    memcpy(factor.labels, labels[1 - i], (size_t)ty_rank(other));
    for (int k = 0; k < ty_rank(x); k++) {
        uint8_t label = labels[i][k];
        bool elsewhere = find_label(attr->ro, flow.labels, label) >= 0 ||
                         find_label(ty_rank(other), factor.labels, label) >= 0;
        if (elsewhere) kept[n++] = label;
    }
    ty_tensor *gx = i == 0 ? contract(flow, factor, n, kept) : contract(factor, flow, n, kept);
    return spread(gx, n, kept, x, labels[i]);
}

const struct op op_contract = {.name = "contract",
                               .kind = KERNEL_CONTRACT,
                               .arity = 2,
                               .infer = infer,
                               .vjp = vjp,
                               .describe = describe,
                               .row = -1,
                               .onnx = "Einsum",
                               .doc = "products summed over every label that is not in the output"};
