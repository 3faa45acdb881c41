/* Data set over the caller's function, whose results are checked against the declared fields. */
#include <string.h>
#include "array/scope.h"
#include "data/dataset.h"
#include "base/options.h"

static bool has_form(const ty_field *f, const ty_tensor *x) {
    bool same = x->dtype == f->dtype && x->layout.rank == f->rank;
    for (int i = 0; i < f->rank && same; i++) same = f->shape[i] < 0 || f->shape[i] == x->layout.shape[i];
    return same;
}

/* Return true if x has the dtype and shape of field i of the set, else set the fault; poison fails. */
static bool check(const ty_dataset *set, int i, const ty_tensor *x, struct fault *fault) {
    const ty_field *f = &set->fields[i];
    struct text want = {0};
    char form[128];
    if (!ty_ok(x)) return fault_tensor(fault, x);
    if (has_form(f, x)) return true;
    text_add(&want, "%s[", ty_dtype_name(f->dtype));
    for (int k = 0; k < f->rank; k++) text_add(&want, "%s%lld", k ? "," : "", (long long)f->shape[k]);
    if (want.failed)
        fault_memory(fault, want.length);
    else
        fault_set(fault, E_ARGUMENT, "field \"%.60s\" is %s, not %s]", f->name,
                  tensor_describe_into(form, sizeof form, x), want.data);
    text_drop(&want);
    return false;
}

/* Have the caller's source set out[] to the fields of example `index`, from 0, and check them. False sets
   the fault; it is the kind's `get`. */
static bool get(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const ty_data_source *own = set->own;
    memset(out, 0, (size_t)set->nfields * sizeof *out);
    struct scope_fence fence = scope_fence();
    bool given = own->get(own->context, index, out);
    if (!scope_fence_join(fence, "the data source's get", fault)) return false;
    for (int i = 0; i < set->nfields; i++)
        if ((given || out[i]) && !check(set, i, out[i] ? out[i] : tensor_of(NULL), fault)) return false;
    return given || fault_set(fault, E_USER, "the data source's get failed");
}

/* Call the source's `done`, if there is one: the kind's `drop`. */
static void drop(ty_dataset *set) {
    const ty_data_source *own = set->own;
    if (!own->done) return;
    struct scope_fence fence = scope_fence();
    own->done(own->context);
    scope_fence_end(fence);
}

static const struct data_kind source_kind = {.get = get, .drop = drop};

/* Set size and fields of the set as its source describes them; false sets the set's fault. */
static bool describe(ty_dataset *set, const ty_data_source *source) {
    if (!source->get)
        return fault_set(&set->fault, E_ARGUMENT, "dataset_source: the source's function get is NULL");
    if (source->size < 0)
        return fault_set(&set->fault, E_ARGUMENT, "dataset_source: the size is %lld; expected 0 or more",
                         (long long)source->size);
    if (!dataset_fields(set, source->nfields)) return false;
    if (!source->fields)
        return fault_set(&set->fault, E_ARGUMENT, "dataset_source: the array of %d fields is NULL",
                         source->nfields);
    for (int i = 0; i < source->nfields; i++) {
        const ty_field *f = &source->fields[i];
        if (!dtype_valid(f->dtype) || f->rank < 0 || f->rank >= TY_MAX_RANK || (f->rank && !f->shape))
            return fault_set(
                &set->fault, E_DTYPE,
                "dataset_source: field %d has an unknown dtype, an invalid rank or a negative size", i);
        if (!dataset_field(set, i, f->name ? f->name : "", f->dtype, f->rank, f->shape)) return false;
    }
    return true;
}

ty_dataset *ty_dataset_source_sized(const ty_data_source *given, size_t given_size) {
    ty_data_source source;
    ty_dataset *set = dataset_new(&source_kind, sizeof source);
    OPTIONS_READ(source, given, given_size, &set->fault);
    if (set->fault.set) {
        if (source.done) source.done(source.context);
        return set;
    }
    *(ty_data_source *)set->own = source;
    set->size = source.size;
    describe(set, &source);
    return set;
}
