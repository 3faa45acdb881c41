/* Contraction: out[o] = sum of left[l] * right[r] over every label that is not in o.  Matrix products, einsum,
   convolutions and all their gradients are this operator; attributes.h defines labels and windows. */
#include "ops/core/reach.h"
#include "ops/contract/contract.h"
#include "base/checked.h"

/* ---- dtype ---- */

/* Set in->dtype to the dtype of a contraction: the operands' common dtype, or attr->sums - 1 if sums are not
   0. False, with the fault set, if the operands' dtypes do not allow it. */
static bool infer_dtype(struct infer *in, const struct contract_attr *attr) {
    ty_dtype left = in->inputs[0]->dtype, right = in->inputs[1]->dtype;
    if (!attr->sums) {
        in->dtype = left;
        return (left == right && !dtype_is(left, CLASS_BOOL)) ||
               infer_fault(in, E_DTYPE, "the operands must have the same dtype, not bool");
    }
    in->dtype = (ty_dtype)(attr->sums - 1);
    if (in->dtype == TY_I32)
        return (dtype_is(left, CLASS_INTEGER) && dtype_is(right, CLASS_INTEGER) &&
                dtype_table[left].size == 1 && dtype_table[right].size == 1) ||
               infer_fault(in, E_DTYPE, "sums in i32 need 8-bit integers; use ty_cast");
    if (in->dtype == TY_F32)
        return (left == right && dtype_is_half(left)) ||
               infer_fault(in, E_DTYPE, "sums in f32 need two operands of f16 or of bf16; use ty_cast");
    return infer_fault(in, E_ARGUMENT, "unknown dtype %d of sums; expected i32, f32 or the operands' dtype",
                       attr->sums - 1);
}

/* ---- shape ---- */

/* State of checking labels: sizes (-1: unknown) and windows found so far. */
struct contract_reading {
    const struct contract_attr *attr;
    int64_t sizes[LABELS];
    uint64_t seen[LABELS / 64]; /* labels of the current tensor */
    unsigned windows;
    bool output; /* the output is being checked */
};

/* Mark `label`, of an axis of `size` elements, as seen in the present operand or the output. Record its size
   in r->sizes if it is new. False, with the fault set, if it is out of range, repeated, or of another size
   than recorded, or if the output has it and no operand. */
static bool take_label(struct infer *in, struct contract_reading *r, int label, int64_t size) {
    if (label >= LABELS)
        return infer_fault(in, E_ARGUMENT, "label %d is out of range; expected 0..%d", label, LABELS - 1);
    int64_t *known = &r->sizes[label];
    if (r->seen[label / 64] >> label % 64 & 1)
        return infer_fault(in, E_ARGUMENT, "label %d is repeated in %s", label,
                           r->output ? "the output" : "one operand");
    if (r->output && *known < 0)
        return infer_fault(in, E_ARGUMENT, "label %d of the output is not in any operand", label);
    if (*known >= 0 && *known != size)
        return infer_fault(in, E_SHAPE, "label %d is %lld in one operand and %lld in %s", label,
                           (long long)*known, (long long)size,
                           r->output ? "a window of the output" : "the other");
    r->seen[label / 64] |= (uint64_t)1 << label % 64;
    *known = size;
    return true;
}

/* Check one axis by its label. *size is the size of the axis: an input for operands, but set here if
   r->output. False, with the fault set, if a window does not fit or is on two axes, or a label's size
   disagrees. */
static bool take_axis(struct infer *in, struct contract_reading *r, int label, int64_t *size) {
    int number = label - CONTRACT_WINDOW;
    if (number < 0) {
        if (r->output) *size = r->sizes[label];
        return take_label(in, r, label, *size);
    }
    if (number >= r->attr->nwindows)
        return infer_fault(in, E_SHAPE, "an axis belongs to window %d, but there are %d", number,
                           r->attr->nwindows);
    const struct contract_window *w = &r->attr->windows[number];
    if (r->windows >> number & 1) return infer_fault(in, E_SHAPE, "window %d is on two axes", number);
    r->windows |= 1u << number;
    if (r->output) *size = w->length;
    if (*size != w->length)
        return infer_fault(in, E_SHAPE, "window %d is for an axis of size %lld, but its axis has %lld",
                           number, (long long)w->length, (long long)*size);
    return take_label(in, r, w->outer, w->outer_size) && take_label(in, r, w->inner, w->inner_size);
}

/* Check labels[n] of the axes of one operand or, if r->output, of the output. shape[n] has their sizes: an
   input for operands, filled in for the output. False, with the fault set, if one is invalid. */
static bool take_axes(struct infer *in, struct contract_reading *r, int n, const uint8_t *labels,
                      int64_t *shape) {
    memset(r->seen, 0, sizeof r->seen);
    for (int i = 0; i < n; i++)
        if (!take_axis(in, r, labels[i], &shape[i])) return false;
    return true;
}

/* Bound of indices that windows may reach.  Far more than memory has, but offsets in bytes fit in 64 bits and can
   be added to an address. */
static const int64_t most_places = INT64_C(1) << 42;

/* True if the window's sizes are not negative and all its indices are at most most_places, so that no index
   overflows. */
static bool window_fits(const struct contract_window *w) {
    int64_t outer, inner, far;
    return w->outer_size >= 0 && w->inner_size >= 0 && w->length >= 0 && w->dilation != INT64_MIN &&
           w->low != INT64_MIN && checked_mul(w->outer_size, w->stride, &outer) &&
           checked_mul(w->inner_size, w->dilation < 0 ? -w->dilation : w->dilation, &inner) &&
           checked_add(outer, inner, &far) && checked_add(far, w->low < 0 ? -w->low : w->low, &far) &&
           far <= most_places;
}

/* Check the number of windows of *attr, and stride, dilation and sizes of each. False, with the fault set, if
   one is invalid. */
static bool check_windows(struct infer *in, const struct contract_attr *attr) {
    if (attr->nwindows < 0 || attr->nwindows > CONTRACT_WINDOWS)
        return infer_fault(in, E_ARGUMENT, "%d windows; expected 0 to %d", attr->nwindows, CONTRACT_WINDOWS);
    for (int i = 0; i < attr->nwindows; i++) {
        const struct contract_window *w = &attr->windows[i];
        if (w->stride < 1 || w->dilation == 0)
            return infer_fault(in, E_ARGUMENT,
                               "window %d has stride %lld and dilation %lld; expected 1 or more, and not 0",
                               i, (long long)w->stride, (long long)w->dilation);
        if (!window_fits(w))
            return infer_fault(in, E_LIMIT,
                               "window %d has sizes %lld and %lld on an axis of %lld, beyond 2^42 elements",
                               i, (long long)w->outer_size, (long long)w->inner_size, (long long)w->length);
    }
    return true;
}

/* Set dtype, rank and shape of a contraction in *in, from its labels. False, with the fault set, if the
   labels do not fit the operands. */
static bool infer(struct infer *in) {
    const struct contract_attr *attr = in->attr;
    const struct layout *left = &in->inputs[0]->layout, *right = &in->inputs[1]->layout;
    struct contract_reading r = {.attr = attr};
    memset(r.sizes, 0xff, sizeof r.sizes);
    if (!infer_dtype(in, attr) || !check_windows(in, attr)) return false;
    if (attr->ra != left->rank || attr->rb != right->rank)
        return infer_fault(in, E_SHAPE, "labels for %d and %d axes", attr->ra, attr->rb);
    if (!take_axes(in, &r, attr->ra, attr->labels, left->shape)) return false;
    if (!take_axes(in, &r, attr->rb, attr->labels + attr->ra, right->shape)) return false;
    in->rank = attr->ro;
    r.output = true;
    if (!infer_fits(in)) return false;
    if (!take_axes(in, &r, attr->ro, attr->labels + attr->ra + attr->rb, in->shape)) return false;
    return r.windows == (1u << attr->nwindows) - 1 ||
           infer_fault(in, E_SHAPE, "a window of %d is not on any axis", attr->nwindows);
}

/* ---- text ---- */

static void add_label(struct text *t, int label) {
    text_add(t, label < 26 ? "%c" : "<%d>", label < 26 ? 'a' + label : label);
}

/* Append, such as "(b*2+e-1)", the index along the axis that window w describes to t: outer * stride + inner
   * dilation - low. */
static void add_window(struct text *t, const struct contract_window *w) {
    text_add(t, "(");
    add_label(t, w->outer);
    if (w->stride != 1) text_add(t, "*%lld", (long long)w->stride);
    text_add(t, w->dilation == -1 ? "-" : "+");
    add_label(t, w->inner);
    if (w->dilation != 1 && w->dilation != -1) text_add(t, "*%lld", (long long)w->dilation);
    if (w->low) text_add(t, "%+lld", -(long long)w->low);
    text_add(t, ")");
}

/* Append the n labels from attr->labels[first] on to t; a label that denotes a window is written as its
   index, in parentheses. */
static void add_labels(struct text *t, const struct contract_attr *attr, int first, int n) {
    for (const uint8_t *label = attr->labels + first; n > 0; n--, label++) {
        if (*label < CONTRACT_WINDOW)
            add_label(t, *label);
        else
            add_window(t, &attr->windows[*label - CONTRACT_WINDOW]);
    }
}

/* Append the contraction as an equation such as "ab,bc->ac" to t. */
static void describe(const struct infer *in, struct text *t) {
    const struct contract_attr *attr = in->attr;
    add_labels(t, attr, 0, attr->ra);
    text_add(t, ",");
    add_labels(t, attr, attr->ra, attr->rb);
    text_add(t, "->");
    add_labels(t, attr, attr->ra + attr->rb, attr->ro);
    if (attr->sums) text_add(t, " in %s", ty_dtype_name((ty_dtype)(attr->sums - 1)));
}

ATTRIBUTES(window_parts, sizeof(struct contract_window), FIELD(struct contract_window, outer, BYTE),
           FIELD(struct contract_window, outer_size, LONG), FIELD(struct contract_window, inner, BYTE),
           FIELD(struct contract_window, inner_size, LONG), FIELD(struct contract_window, stride, LONG),
           FIELD(struct contract_window, dilation, LONG), FIELD(struct contract_window, low, LONG),
           FIELD(struct contract_window, length, LONG));

/* Field for the labels of `which`; `number`: their counter; `after`: begins where the previous list ends. */
#define LABELS_OF(which, number, after)                                                                      \
    {                                                                                                        \
        .name = which, .type = FIELD_BYTE, .offset = offsetof(struct contract_attr, labels), .size = 1,      \
        .many = FIELD_COUNTED, .most = TY_MAX_RANK, .counter = offsetof(struct contract_attr, number),       \
        .follows = after                                                                                     \
    }
ATTRIBUTES(attributes, sizeof(struct contract_attr), LABELS_OF("left", ra, false),
           LABELS_OF("right", rb, true), LABELS_OF("out", ro, true), FIELD(struct contract_attr, sums, WIDER),
           FIELD_MANY(struct contract_attr, windows, "windows", RECORD, .many = FIELD_COUNTED,
                      .counter = offsetof(struct contract_attr, nwindows), .parts = &window_parts));

const struct op op_contract = {.name = "contract",
                               .kind = KERNEL_CONTRACT,
                               .arity = 2,
                               .infer = infer,
                               .vjp = contract_vjp,
                               .jvp = jvp_multilinear,
                               .batch = contract_batch,
                               .reach = contract_reach,
                               .attributes = &attributes,
                               .describe = describe,
                               .row = -1,
                               .onnx = "Einsum",
                               .doc = "products summed over every label that is not in the output"};
