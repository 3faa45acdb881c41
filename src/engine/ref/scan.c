/* Scans: each line is folded from its start, and the workspace has all results. */
#include <string.h>
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

/* State of a fold. */
struct running_scan {
    struct element value;
    int64_t place; /* of the extreme, or of a sum's last term; -1: empty */
};

/* Return the value of a scan before its first element; for MAX and MIN one that every element beats. */
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

/* Add the element at index[], at position `place` of the axis, to the scan *r. */
static void scan_one(const struct ref_call *call, struct running_scan *r, const int64_t *index,
                     int64_t place) {
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

/* ---- results in the workspace ---- */

static size_t scan_workspace(const struct kernel *kernel) {
    const struct layout *x = &kernel->inputs[0].layout;
    return (size_t)shape_size(x->rank, x->shape) * sizeof(struct element);
}

static int64_t place_of(const struct layout *x, const int64_t *index) {
    int64_t place = 0;
    for (int i = 0; i < x->rank; i++) place = place * x->shape[i] + index[i];
    return place;
}

/* Return result i of the filter, in scan direction, by definition (direct form I). index[]: of any element of the
   line. Earlier results of the line are in the workspace. */
static struct element filtered(const struct ref_call *call, const int64_t *index, int64_t i) {
    const struct kernel *k = call->kernel;
    const struct scan_attr *attr = k->attr;
    const struct layout *x = &k->inputs[0].layout, *b = &k->inputs[1].layout, *a = &k->inputs[2].layout;
    struct element *made = call->workspace, sum = ref_integer(0);
    int64_t at[TY_MAX_RANK], of[TY_MAX_RANK], n = x->shape[attr->axis];
    int lead = b->rank - 1;
    memcpy(at, index, (size_t)x->rank * sizeof *at);
    memcpy(of, index, (size_t)lead * sizeof *of);
    for (int64_t j = 0; j < b->shape[lead] && j <= i; j++) {
        at[attr->axis] = attr->reverse ? n - 1 - i + j : i - j;
        of[lead] = j;
        sum.z += ref_mul(k->core_dtype, ref_at(call, 1, of), ref_at(call, 0, at)).z;
    }
    for (int64_t j = 0; j < a->shape[lead] && j < i; j++) {
        at[attr->axis] = attr->reverse ? n - i + j : i - 1 - j;
        of[lead] = j;
        sum.z -= ref_mul(k->core_dtype, ref_at(call, 2, of), made[place_of(x, at)]).z;
    }
    return sum;
}

/* Compute the results of the line that contains index[] into the workspace. */
static void run_line(const struct ref_call *call, int64_t *index) {
    const struct scan_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    struct element *made = call->workspace;
    bool places = attr->kind == SCAN_ARGMAX || attr->kind == SCAN_ARGMIN;
    struct running_scan r = {scan_start(attr->kind, call->kernel->core_dtype), -1};
    int64_t n = x->shape[attr->axis];
    for (int64_t i = 0; i < n; i++) {
        struct element before = r.value;
        int64_t place = attr->reverse ? n - 1 - i : i;
        index[attr->axis] = place;
        if (attr->kind == SCAN_FILTER)
            r.value = filtered(call, index, i);
        else
            scan_one(call, &r, index, place);
        made[place_of(x, index)] = places ? ref_integer(r.place) : attr->exclusive ? before : r.value;
    }
}

/* Compute all results into the workspace. Always true. */
static bool scan_check(const struct ref_call *call) {
    const struct scan_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t shape[TY_MAX_RANK], index[TY_MAX_RANK];
    for (int i = 0; i < x->rank; i++) shape[i] = i == attr->axis ? 1 : x->shape[i];
    struct odometer o = {.rank = x->rank, .shape = shape};
    int64_t lines = x->shape[attr->axis] > 0 ? shape_size(x->rank, shape) : 0;
    for (; lines > 0; lines--) {
        for (int i = 0; i < x->rank; i++) index[i] = o.index[i];
        run_line(call, index);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

/* Return the scan's result at index[]. */
static struct element scan_value(const struct ref_call *call, const int64_t *index) {
    const struct element *made = call->workspace;
    return ref_round(call->kernel->core_dtype, made[place_of(&call->kernel->inputs[0].layout, index)]);
}

const struct ref_kind ref_scan = {scan_workspace, scan_check, scan_value};
