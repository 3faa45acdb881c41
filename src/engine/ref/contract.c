/* Contractions: at each output index, the sum over all summed labels of left times right. */
#include "engine/ref/ref.h"

#include <string.h>

struct labels {
    int64_t size[256];  /* of each label; 1 when it does not occur */
    int64_t index[256]; /* where we are on each */
};

static void labels_sizes(struct labels *l, int rank, const uint8_t *labels, const int64_t *shape) {
    for (int i = 0; i < rank; i++)
        if (l->size[labels[i]] == 1) l->size[labels[i]] = shape[i];
}

/* The element of an operand where the labels are; an axis of size 1 is broadcast. */
static struct element labels_at(const struct ref_call *call, int input, const struct labels *l,
                                const uint8_t *labels) {
    const struct layout *x = &call->kernel->inputs[input].layout;
    int64_t index[TY_MAX_RANK];
    for (int i = 0; i < x->rank; i++) index[i] = x->shape[i] == 1 ? 0 : l->index[labels[i]];
    struct element e = ref_at(call, input, index);
    return ref_convert(call->kernel->core_dtype, call->kernel->inputs[input].dtype, e);
}

/* The summed labels: those not in the output; returns how many. */
static int labels_summed(const struct contract_attr *attr, uint8_t *summed) {
    bool seen[256] = {false};
    int n = 0;
    for (int i = 0; i < attr->ro; i++) seen[attr->labels[attr->ra + attr->rb + i]] = true;
    for (int i = 0; i < attr->ra + attr->rb; i++)
        if (!seen[attr->labels[i]]) {
            seen[attr->labels[i]] = true;
            summed[n++] = attr->labels[i];
        }
    return n;
}

/* Steps through the summed labels as an odometer; false at the end. */
static bool labels_next(struct labels *l, int n, const uint8_t *summed) {
    for (int i = n - 1; i >= 0; i--) {
        if (++l->index[summed[i]] < l->size[summed[i]]) return true;
        l->index[summed[i]] = 0;
    }
    return false;
}

static struct element contract_value(const struct ref_call *call, const int64_t *index) {
    const struct kernel *k = call->kernel;
    const struct contract_attr *attr = k->attr;
    const uint8_t *left = attr->labels, *right = left + attr->ra, *out = right + attr->rb;
    struct labels l;
    memset(l.index, 0, sizeof l.index);
    for (int i = 0; i < 256; i++) l.size[i] = 1;
    labels_sizes(&l, attr->ra, left, k->inputs[0].layout.shape);
    labels_sizes(&l, attr->rb, right, k->inputs[1].layout.shape);
    for (int i = 0; i < attr->ro; i++) l.index[out[i]] = index[i];
    uint8_t summed[2 * TY_MAX_RANK];
    int n = labels_summed(attr, summed);
    struct element sum = ref_integer(0);
    for (int i = 0; i < n; i++)
        if (l.size[summed[i]] == 0) return sum;
    do {
        struct element a = labels_at(call, 0, &l, left), b = labels_at(call, 1, &l, right);
        sum = ref_add(k->core_dtype, sum, ref_mul(k->core_dtype, a, b));
    } while (labels_next(&l, n, summed));
    return ref_round(k->core_dtype, sum);
}

const struct ref_kind ref_contract = {.value = contract_value};
