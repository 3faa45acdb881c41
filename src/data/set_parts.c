/* Data sets made of others: subsets, random splits, concatenations. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include "array/tensor.h"
#include "base/checked.h"
#include "base/context/stop.h"
#include "base/machine/floating.h"
#include "data/dataset.h"
#include "ops/random/permuted.h"

/* ---- subsets ---- */

/* Data of a subset or a random split. */
struct chosen {
    ty_dataset *base;
    /* Indices in the base. If NULL, example i is number first + i of `order`, or of the base if order.n is
       0. */
    const int64_t *indices;
    int64_t first;
    struct permuted order;
};

static int64_t place(const struct chosen *own, int64_t index) {
    if (own->indices) return own->indices[index];
    index += own->first;
    return own->order.n ? (int64_t)permuted_at(&own->order, (uint64_t)index) : index;
}

static bool get_chosen(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const struct chosen *own = set->own;
    return own->base->kind->get(own->base, place(own, index), out, fault);
}

/* Append the origin of example `index` of `base` to `words`; for kinds that know none, its index. */
static void where_in(const ty_dataset *base, int64_t index, struct text *words) {
    if (base->kind->where)
        base->kind->where(base, index, words);
    else
        text_add(words, "example %" PRId64 " of the whole", index);
}

static void where_chosen(const ty_dataset *set, int64_t index, struct text *words) {
    const struct chosen *own = set->own;
    where_in(own->base, place(own, index), words);
}

static void drop_chosen(ty_dataset *set) { ty_dataset_free(((struct chosen *)set->own)->base); }

static const struct data_kind chosen = {.get = get_chosen, .where = where_chosen, .drop = drop_chosen};

/* Return a new set that chooses examples of `base`, which it retains, with none chosen yet; failures set
   its fault. */
static ty_dataset *choose(const ty_dataset *base) {
    ty_dataset *set = dataset_new(&chosen, sizeof(struct chosen));
    base = dataset_of(base);
    if (set->fault.set) return set;
    struct chosen *own = set->own;
    own->base = dataset_retain(base);
    if (base->fault.set) fault_copy(&set->fault, &base->fault);
    dataset_describe_as(set, base);
    return set;
}

ty_dataset *ty_dataset_subset(ty_dataset *base, int64_t n, const int64_t *indices) {
    ty_dataset *set = choose(base);
    if (set->fault.set) return set;
    struct chosen *own = set->own;
    size_t bytes;
    if (n < 0 || (n && !indices)) {
        fault_set(&set->fault, E_ARGUMENT, "dataset_subset: %lld indices%s", (long long)n,
                  indices ? "" : ", NULL");
        return set;
    }
    for (int64_t i = 0; i < n; i++)
        if (indices[i] < 0 || indices[i] >= own->base->size) {
            fault_set(&set->fault, E_INDEX,
                      "dataset_subset: index %lld is %lld, out of bounds for a set of %lld examples",
                      (long long)i, (long long)indices[i], (long long)own->base->size);
            return set;
        }
    bool fits = checked_mul_size((size_t)n, sizeof *indices, &bytes);
    own->indices = fits ? arena_copy(&set->arena, n ? indices : &n, n ? bytes : sizeof n) : NULL;
    if (own->indices)
        set->size = n;
    else
        fault_memory(&set->fault, bytes);
    return set;
}

/* Read all examples of `base`: write the indices of those that can be read to good[], and those of the others to bad[0 ..
   room); return the number of the former.  -1 sets the fault if the context asked to stop. */
static int64_t sift(const ty_dataset *base, int64_t *good, int64_t room, int64_t *bad, int64_t *count,
                    struct fault *fault) {
    ty_tensor *out[TY_MOST_FIELDS];
    int64_t n = 0;
    *count = 0;
    for (int64_t i = 0; i < base->size; i++) {
        struct fault own = {0};
        ty_scope *scope = ty_open();
        bool well = base->kind->get(base, i, out, &own);
        for (int k = 0; k < base->nfields && well; k++) {
            ty_tensor *x = ty_eval(out[k]);
            well = ty_ok(x) || fault_tensor(&own, x);
        }
        ty_close(scope);
        if (own.set && stop_said(&own)) {
            fault_copy(fault, &own);
            return -1;
        }
        if (well)
            good[n++] = i;
        else if ((*count)++ < room && bad)
            bad[*count - 1] = i;
    }
    return n;
}

ty_dataset *ty_dataset_readable(ty_dataset *given, int64_t room, int64_t *bad, int64_t *count) {
    FLOATING_DEFAULT;
    ty_dataset *set = choose(given);
    int64_t others = 0, n = 0;
    if (count) *count = 0;
    if (set->fault.set) return set;
    struct chosen *own = set->own;
    int64_t *good = arena_array(&set->arena, (size_t)own->base->size + 1, sizeof *good);
    if (!good)
        fault_memory(&set->fault, (size_t)own->base->size * sizeof *good);
    else if ((n = sift(own->base, good, room, bad, &others, &set->fault)) == 0)
        fault_set(&set->fault, E_FORMAT, "dataset_readable: none of the %lld examples can be read",
                  (long long)own->base->size);
    own->indices = good;
    if (n > 0) set->size = n;
    if (count) *count = others;
    return set;
}

/* Set *order to a random permutation of 0..n-1 by `key`; false sets the fault. */
static bool make_order(struct permuted *order, int64_t n, ty_tensor *key, struct fault *fault) {
    int64_t many = PERMUTED_ROUNDS;
    if (!ty_ok(key)) return fault_tensor(fault, key);
    permuted_begin(order, (uint64_t)n);
    ty_tensor *bits = ty_split_key(key, many); /* u64 [8, 2] */
    uint64_t words[2 * PERMUTED_ROUNDS];
    if (!ty_read(bits, TY_U64, words))
        return fault_set(fault, ty_error_code(ty_ok(bits) ? tensor_out_of_memory() : bits),
                         "dataset_split: %s", ty_error(ty_ok(bits) ? tensor_out_of_memory() : bits));
    for (int i = 0; i < PERMUTED_ROUNDS; i++) order->keys[i] = words[2 * i] ^ words[2 * i + 1] << 32;
    return true;
}

/* Return true if the n fractions lie in 0..1 and add up to at most 1, else set the fault. */
static bool check_fractions(int n, const double *fractions, struct fault *fault) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (!(fractions[i] >= 0 && fractions[i] <= 1))
            return fault_set(fault, E_ARGUMENT, "dataset_split: fraction %d is %g; expected 0 to 1", i,
                             fractions[i]);
        sum += fractions[i];
    }
    return sum <= 1 + 1e-9 ||
           fault_set(fault, E_ARGUMENT, "dataset_split: the fractions add up to %g, more than 1", sum);
}

bool ty_dataset_split(ty_dataset *base, int n, const double *fractions, ty_tensor *key, ty_dataset **out) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct permuted order = {0};
    double sum = 0;
    if (n < 1 || !out) return false;
    int64_t size = ty_dataset_size(base), begin = 0;
    if (!fractions) fault_set(&fault, E_ARGUMENT, "dataset_split: the array of %d fractions is NULL", n);
    ty_scope *scope = ty_open();
    bool ok = fractions && check_fractions(n, fractions, &fault) &&
              (!key || !size || make_order(&order, size, key, &fault));
    ty_close(scope);
    for (int i = 0; i < n; i++) {
        out[i] = choose(base);
        if (!ok) fault_copy(&out[i]->fault, &fault);
        if (out[i]->fault.set) {
            ok = false;
            continue;
        }
        sum += fractions[i];
        int64_t end = sum >= 1 - 1e-9 ? size : (int64_t)floor(sum * (double)size + 0.5);
        struct chosen *own = out[i]->own;
        own->first = begin;
        own->order = order;
        out[i]->size = end - begin;
        begin = end;
    }
    return ok;
}

/* ---- concatenations ---- */

/* Data of a concatenation: n bases, with one reference each. */
struct joined {
    int n;
    ty_dataset **bases;
};

/* Return the base set that has example *index of the joined set; *index becomes its index in that base. */
static const ty_dataset *find(const ty_dataset *set, int64_t *index) {
    const struct joined *own = set->own;
    int i = 0;
    for (; *index >= own->bases[i]->size; i++) *index -= own->bases[i]->size;
    return own->bases[i];
}

static bool get_joined(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const ty_dataset *base = find(set, &index);
    return base->kind->get(base, index, out, fault);
}

static void where_joined(const ty_dataset *set, int64_t index, struct text *words) {
    const ty_dataset *base = find(set, &index);
    where_in(base, index, words);
}

static void drop_joined(ty_dataset *set) {
    struct joined *own = set->own;
    for (int i = 0; i < own->n; i++) ty_dataset_free(own->bases[i]);
}

static const struct data_kind joined = {.get = get_joined, .where = where_joined, .drop = drop_joined};

/* Describe field i of the joined set by the common properties of all bases; the size of an axis that
   differs becomes -1. False sets the set's fault if dtype or rank differ. */
static bool merge_field(ty_dataset *set, int i) {
    const struct joined *own = set->own;
    int64_t shape[TY_MAX_RANK];
    const ty_field *first = &own->bases[0]->fields[i];
    if (first->rank) memcpy(shape, first->shape, (size_t)first->rank * sizeof *shape);
    for (int k = 1; k < own->n; k++) {
        const ty_field *f = &own->bases[k]->fields[i];
        if (f->dtype != first->dtype || f->rank != first->rank)
            return fault_set(
                &set->fault, E_SHAPE,
                "dataset_concat: field %d of set %d is %s of %d axes, but %s of %d in the first set", i, k,
                ty_dtype_name(f->dtype), f->rank, ty_dtype_name(first->dtype), first->rank);
        for (int axis = 0; axis < f->rank; axis++)
            if (f->shape[axis] != shape[axis]) shape[axis] = -1;
    }
    return dataset_field(set, i, first->name, first->dtype, first->rank, shape);
}

ty_dataset *ty_dataset_concat(int n, ty_dataset *const *sets) {
    ty_dataset *set = dataset_new(&joined, sizeof(struct joined));
    struct joined *own = set->own;
    if (!set->fault.set && (n < 1 || !sets))
        fault_set(&set->fault, E_ARGUMENT, "dataset_concat: %d sets%s", n, sets ? "" : ", NULL");
    if (set->fault.set) return set;
    own->bases = arena_array(&set->arena, (size_t)n, sizeof(ty_dataset *));
    if (!own->bases) fault_memory(&set->fault, (size_t)n * sizeof(ty_dataset *));
    for (int i = 0; i < n && !set->fault.set; i++) {
        const ty_dataset *base = dataset_of(sets[i]);
        if (base->fault.set)
            fault_copy(&set->fault, &base->fault);
        else if (base->nfields != dataset_of(sets[0])->nfields)
            fault_set(&set->fault, E_SHAPE, "dataset_concat: set %d has %d fields; the first set has %d", i,
                      base->nfields, sets[0]->nfields);
        else if (!checked_add(set->size, base->size, &set->size))
            fault_set(&set->fault, E_LIMIT, "dataset_concat: too many examples");
        if (!set->fault.set) own->bases[own->n++] = dataset_retain(base);
    }
    if (!set->fault.set && dataset_fields(set, own->bases[0]->nfields))
        for (int i = 0; i < set->nfields && !set->fault.set; i++) merge_field(set, i);
    if (!set->fault.set) set->nclasses = own->bases[0]->nclasses, set->classes = own->bases[0]->classes;
    return set;
}
