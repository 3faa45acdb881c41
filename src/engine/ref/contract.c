/*
 * Contractions as attributes.h defines them: each output element is the sum of left times right over all labels that
 * its index does not fix. For a window of the output, position and inner label fix the outer one.
 */
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

#include <string.h>

enum { LABELS = CONTRACT_WINDOW };

struct ref_labels {
    const struct contract_attr *attr;
    int64_t size[LABELS];  /* of each label; 1 if it does not occur */
    int64_t index[LABELS]; /* current index of each label */
};

static const struct contract_window *window_of(const struct ref_labels *l, uint8_t label) {
    return label < LABELS ? NULL : &l->attr->windows[label - CONTRACT_WINDOW];
}

/* Record the sizes of the labels of an operand of `rank` axes, shape[]; a size of 1 broadcasts to a known
   one. */
static void labels_sizes(struct ref_labels *l, int rank, const uint8_t *labels, const int64_t *shape) {
    for (int i = 0; i < rank; i++) {
        const struct contract_window *w = window_of(l, labels[i]);
        if (w) {
            l->size[w->outer] = w->outer_size;
            l->size[w->inner] = w->inner_size;
        } else if (l->size[labels[i]] == 1) {
            l->size[labels[i]] = shape[i];
        }
    }
}

/* Return the element of operand `input`, whose axes have labels[], at the labels' present indices: 0 outside a
   window's operand. Axes of size 1 broadcast. Converted to the core's dtype. */
static struct element labels_at(const struct ref_call *call, int input, const struct ref_labels *l,
                                const uint8_t *labels) {
    const struct layout *x = &call->kernel->inputs[input].layout;
    int64_t index[TY_MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        const struct contract_window *w = window_of(l, labels[i]);
        if (w) {
            index[i] = l->index[w->outer] * w->stride + l->index[w->inner] * w->dilation - w->low;
            if (index[i] < 0 || index[i] >= w->length) return ref_integer(0);
        } else {
            index[i] = x->shape[i] == 1 ? 0 : l->index[labels[i]];
        }
    }
    struct element e = ref_at(call, input, index);
    return ref_convert(call->kernel->core_dtype, call->kernel->inputs[input].dtype, e);
}

/* List in summed[] the labels to sum over, each once; return their number. */
static int labels_summed(const struct ref_labels *l, uint8_t *summed) {
    const struct contract_attr *attr = l->attr;
    const uint8_t *out = attr->labels + attr->ra + attr->rb;
    bool seen[LABELS] = {false};
    int n = 0;
    for (int i = 0; i < attr->ro; i++) {
        const struct contract_window *w = window_of(l, out[i]);
        seen[w ? w->outer : out[i]] = true;
    }
    for (int i = 0; i < attr->ra + attr->rb; i++) {
        const struct contract_window *w = window_of(l, attr->labels[i]);
        uint8_t both[] = {w ? w->outer : attr->labels[i], w ? w->inner : attr->labels[i]};
        for (int k = 0; k < 2; k++) {
            if (!seen[both[k]]) summed[n++] = both[k];
            seen[both[k]] = true;
        }
    }
    return n;
}

/* Set the indices of the labels that the output's index[] fixes, given those of inner labels. Return false if no
   window of the output has that position. */
static bool labels_settle(struct ref_labels *l, const int64_t *index) {
    const uint8_t *out = l->attr->labels + l->attr->ra + l->attr->rb;
    for (int i = 0; i < l->attr->ro; i++) {
        const struct contract_window *w = window_of(l, out[i]);
        if (!w) {
            l->index[out[i]] = index[i];
            continue;
        }
        int64_t way = index[i] + w->low - l->index[w->inner] * w->dilation;
        if (way % w->stride || way < 0 || way / w->stride >= w->outer_size) return false;
        l->index[w->outer] = way / w->stride;
    }
    return true;
}

/* Advance the n labels summed[] like an odometer, the last one fastest. Return false at the end, with all their
   indices at 0 again. */
static bool labels_next(struct ref_labels *l, int n, const uint8_t *summed) {
    for (int i = n - 1; i >= 0; i--) {
        if (++l->index[summed[i]] < l->size[summed[i]]) return true;
        l->index[summed[i]] = 0;
    }
    return false;
}

/* Return the output element at index[]: the sum of all products, in the core's dtype. */
static struct element contract_value(const struct ref_call *call, const int64_t *index) {
    const struct kernel *k = call->kernel;
    struct ref_labels l = {.attr = k->attr};
    const uint8_t *left = l.attr->labels, *right = left + l.attr->ra;
    for (int i = 0; i < LABELS; i++) l.size[i] = 1;
    labels_sizes(&l, l.attr->ra, left, k->inputs[0].layout.shape);
    labels_sizes(&l, l.attr->rb, right, k->inputs[1].layout.shape);
    uint8_t summed[LABELS];
    int n = labels_summed(&l, summed);
    struct element sum = ref_integer(0);
    for (int i = 0; i < n; i++)
        if (l.size[summed[i]] == 0) return sum;
    do {
        if (!labels_settle(&l, index)) continue;
        struct element a = labels_at(call, 0, &l, left), b = labels_at(call, 1, &l, right);
        sum = ref_add(k->core_dtype, sum, ref_mul(k->core_dtype, a, b));
    } while (labels_next(&l, n, summed));
    return ref_round(k->core_dtype, sum);
}

const struct ref_kind ref_contract = {.value = contract_value};
