/* Scans: the value at an index folds everything from the start of the axis to it, anew each time. */
#include <string.h>
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

/* What has been folded so far. */
struct running {
    struct element value;
    int64_t place; /* of the extreme, or of the last term of a sum; -1: nothing was folded */
};

static struct element scan_start(enum scan_kind kind, ty_dtype core) {
    switch (kind) {
    case SCAN_PROD:
        return ref_integer(1);
    case SCAN_MAX:
        return ref_least(core);
    case SCAN_MIN:
        return ref_greatest(core);
    default:
        return ref_integer(0);
    }
}

static void scan_one(const struct ref_call *call, struct running *r, const int64_t *index, int64_t place) {
    const struct kernel *k = call->kernel;
    const struct scan_attr *attr = k->attr;
    ty_dtype core = k->core_dtype, dtype = k->inputs[0].dtype;
    struct element e = ref_at(call, 0, index);
    bool least = attr->kind == SCAN_MIN || attr->kind == SCAN_ARGMIN;
    switch (attr->kind) {
    case SCAN_SUM:
        e = ref_convert(core, dtype, e);
        r->value = r->place < 0 ? e : ref_add(core, r->value, e);
        r->place = place;
        break;
    case SCAN_PROD:
        r->value = ref_mul(core, r->value, ref_convert(core, dtype, e));
        break;
    case SCAN_LINEAR:
        r->value = ref_add(core, ref_mul(core, e, r->value), ref_at(call, 1, index));
        break;
    default:
        if (r->place >= 0 && !ref_beats(dtype, least ? -1 : 1, e, r->value)) return;
        r->value = e;
        r->place = place;
    }
}

static struct element scan_value(const struct ref_call *call, const int64_t *index) {
    const struct scan_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t at[TY_MAX_RANK], n = x->shape[attr->axis], last = index[attr->axis];
    struct running r = {scan_start(attr->kind, call->kernel->core_dtype), -1};
    memcpy(at, index, (size_t)x->rank * sizeof *at);
    int64_t count = (attr->reverse ? n - last : last + 1) - attr->exclusive;
    for (int64_t i = 0; i < count; i++) {
        at[attr->axis] = attr->reverse ? n - 1 - i : i;
        scan_one(call, &r, at, at[attr->axis]);
    }
    bool place = attr->kind == SCAN_ARGMAX || attr->kind == SCAN_ARGMIN;
    return ref_round(call->kernel->core_dtype, place ? ref_integer(r.place) : r.value);
}

const struct ref_kind ref_scan = {.value = scan_value};
