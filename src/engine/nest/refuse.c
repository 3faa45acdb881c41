/* Messages of refused launches, as `cpu` and `ref` write them.  An engine says which check failed where; elements
   are read through its function `peek`. */
#include "engine/nest/lower.h"
#include "ops/core/attributes.h"
#include "ops/core/op.h"
#include "ops/index/index.h"
#include "ops/linalg/matrix.h"
#include "ops/random/sampler.h"
#include "ops/sparse/sparse.h"

struct refusal {
    const struct kernel *k;
    int input;        /* slot that was checked: an operand, or a temporary of an algorithm */
    int64_t first;    /* its element at position 0 */
    int64_t position; /* row-major in it */
    nest_peek peek;
    void *context;
    struct fault *fault;
};

/* Return the element of input i at index[]. */
static int64_t element_of(const struct refusal *r, int i, const int64_t *index) {
    const struct operand *x = &r->k->inputs[i];
    int64_t at = x->layout.offset;
    for (int a = 0; a < x->layout.rank; a++) at += index[a] * x->layout.strides[a];
    return r->peek(r->context, i, x->dtype, at);
}

/* Set index[] to the refused position; return the element there, 0 if there are no elements. */
static int64_t refused(const struct refusal *r, int64_t *index) {
    const struct layout *x = &r->k->inputs[r->input].layout;
    int64_t left = r->position;
    bool empty = false; /* then the engine is wrong */
    for (int a = 0; a < x->rank; a++) index[a] = 0, empty = empty || x->shape[a] == 0;
    if (empty) return 0;
    for (int a = x->rank - 1; a >= 0; left /= x->shape[a--]) index[a] = left % x->shape[a];
    return element_of(r, r->input, index);
}

/* Return the i64 of a temporary that was refused. */
static int64_t status_of(const struct refusal *r) {
    return r->peek(r->context, r->input, TY_I64, r->first + r->position);
}

static bool is_temporary(const struct refusal *r) { return r->input >= r->k->ninputs + r->k->noutputs; }

static bool say_axis(const struct refusal *r, int64_t value, int axis, int64_t size) {
    return fault_set(r->fault, E_INDEX, "%s: index %lld is out of bounds for axis %d of size %lld",
                     r->k->op->name, (long long)value, axis, (long long)size);
}

/* GATHER and SCATTER: `first` is the first index tensor. */
static bool say_index(const struct refusal *r, int first) {
    const struct gather_attr *attr = r->k->attr;
    const struct layout *x = &r->k->inputs[0].layout;
    int64_t index[TY_MAX_RANK], value = refused(r, index);
    int axis = 0;
    while (axis < x->rank && attr->axis[axis] != GATHER_INDEXED + r->input - first) axis++;
    return index_refused(r->k, r->input, index, value, axis, x->shape[axis], r->fault);
}

static bool say_plane(const struct refusal *r) {
    const struct pool_attr *attr = r->k->attr;
    const struct operand *x = r->k->kind == KERNEL_UNPOOL ? &r->k->outputs[0] : &r->k->inputs[0];
    int64_t index[TY_MAX_RANK], value = refused(r, index);
    return fault_set(r->fault, E_INDEX, "%s: index %lld is out of bounds for a plane of %lld elements",
                     r->k->op->name, (long long)value,
                     (long long)shape_size(attr->axes, x->layout.shape + attr->axis));
}

static bool say_tap(const struct refusal *r) {
    const struct resample_attr *attr = r->k->attr;
    int64_t index[TY_MAX_RANK], value = refused(r, index);
    int table = attr->kind == RESAMPLE_DOT ? 0 : (r->input - 1) / 2;
    const struct layout *x = &r->k->inputs[attr->kind == RESAMPLE_DOT].layout;
    return say_axis(r, value, attr->axis + table,
                    attr->kind == RESAMPLE_ADD ? attr->size : x->shape[attr->axis + table]);
}

/* A wrong index comes before wrong starts of a later row, so the pattern is read again. */
static bool say_pattern(const struct refusal *r) {
    enum { X = 1, INDICES, STARTS };
    const struct sparse_attr *attr = r->k->attr;
    const struct layout *starts = &r->k->inputs[STARTS].layout;
    if (is_temporary(r)) return sparse_refuse_diagonal(r->fault, r->k->op->name, status_of(r) - 1);
    int64_t rows = starts->shape[0] - 1, entries = r->k->inputs[INDICES].layout.shape[0];
    int64_t columns = attr->kind == SPARSE_ADD ? attr->size : r->k->inputs[X].layout.shape[0];
    int64_t first = element_of(r, STARTS, &(int64_t){0}), last = element_of(r, STARTS, &rows);
    const char *name = r->k->op->name;
    if (first != 0 || last != entries) return sparse_refuse_ends(r->fault, name, first, last, entries);
    for (int64_t row = 0; row < rows; row++) {
        int64_t from = element_of(r, STARTS, &row), to = element_of(r, STARTS, &(int64_t){row + 1});
        if (from < 0 || to < from || to > entries)
            return sparse_refuse_starts(r->fault, name, row, from, to, entries);
        for (int64_t e = from; e < to; e++) {
            int64_t index = element_of(r, INDICES, &e);
            if (index < 0 || index >= columns)
                return sparse_refuse_index(r->fault, name, index, row, columns);
        }
    }
    return fault_set(r->fault, E_INTERNAL, "%s: a pattern was refused and has changed since", name);
}

static bool say_gathered(const struct refusal *r) { return say_index(r, 1); }
static bool say_scattered(const struct refusal *r) { return say_index(r, 2); }

static bool say_number(const struct refusal *r) {
    int64_t want = r->k->outputs[0].layout.shape[1];
    return fault_set(r->fault, E_DOMAIN, "%s: %lld elements are not 0; expected %lld", r->k->op->name,
                     (long long)status_of(r), (long long)want);
}

static bool say_box(const struct refusal *r) {
    return fault_set(r->fault, E_INDEX, "suppress: the order names a box out of bounds for %lld boxes",
                     (long long)r->k->inputs[1].layout.shape[2]);
}

/* The parameters of the draw are read again, since the message states them. */
static bool say_parameters(const struct refusal *r) {
    const struct kernel *k = r->k;
    const struct sample_attr *attr = k->attr;
    const struct layout *y = &k->outputs[0].layout;
    union sample_number p[SAMPLE_PARAMETERS] = {{0}};
    for (int i = 1; i < k->ncore; i++) {
        const struct layout *x = &k->inputs[i].layout;
        int64_t at = x->offset, left = r->position;
        for (int a = y->rank - 1; a >= 0; left /= y->shape[a--]) at += left % y->shape[a] * x->strides[a];
        p[i - 1].whole = r->peek(r->context, i, TY_I64, at); /* the bits of a double */
    }
    return sample_check(&sampler_table[attr->kind], k->core_dtype, p, r->fault) &&
           fault_set(r->fault, E_INTERNAL, "%s: parameters were refused and have changed since", k->op->name);
}

/* A status is a reason and an index (matrix.kernel.c). */
static bool say_matrix(const struct refusal *r) {
    enum { REASONS = 16 };
    const struct layout *a = &r->k->inputs[0].layout;
    int64_t status = status_of(r);
    return matrix_refused(r->fault, r->k->op, (enum matrix_fault)(status % REASONS), status / REASONS,
                          r->position, shape_size(a->rank - 2, a->shape));
}

static bool (*const says[KERNEL_KINDS])(const struct refusal *) = {
    [KERNEL_GATHER] = say_gathered, [KERNEL_SCATTER] = say_scattered, [KERNEL_UNPOOL] = say_plane,
    [KERNEL_POOL_TAKE] = say_plane, [KERNEL_RESAMPLE] = say_tap,      [KERNEL_SPARSE] = say_pattern,
    [KERNEL_NONZERO] = say_number,  [KERNEL_SUPPRESS] = say_box,      [KERNEL_SAMPLE] = say_parameters,
    [KERNEL_MATRIX] = say_matrix};

bool nests_refuse(const struct kernel *k, const ty_nests *nests, int step, int64_t position, nest_peek peek,
                  void *context, struct fault *fault) {
    const ty_nest_access *read = &nests->steps[step].nest->reads[0];
    struct refusal r = {k, read->slot, read->offset, position, peek, context, fault};
    if (!says[k->kind])
        return fault_set(fault, E_INTERNAL, "nests: a kernel of kind %s refused", kernel_kind_name(k->kind));
    return says[k->kind](&r);
}

bool nests_refuse_value(const struct kernel *k) { return says[k->kind] != say_pattern; }
