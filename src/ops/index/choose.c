/* Selection by masks and by indices: composites of where, gather and nonzero. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "ops/index/index.h"
#include "ops/shape/pieces.h"

ty_tensor *ty_compress(ty_tensor *condition, ty_tensor *x, int axis) {
    ty_tensor *operands[] = {condition, x}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if (ty_rank(condition) != 1)
        return refuse("compress", 2, operands, E_SHAPE, "the condition must be a vector, not of rank %d",
                      ty_rank(condition));
    ty_scope *scope = ty_open();
    return leave_as("compress", scope, x, ty_take(x, ty_flat_nonzero(condition), axis));
}

/* Check that the mask has as many elements as x. Return poison, in the name of function `name`, or NULL if it
   has. */
static ty_tensor *refuse_sizes(const char *name, ty_tensor *mask, ty_tensor *x) {
    ty_tensor *operands[] = {mask, x}, *bad = first_poison_in(name, 2, operands);
    if (bad || ty_size(mask) == ty_size(x)) return bad;
    return refuse(name, 2, operands, E_SHAPE, "the mask must have as many elements as the tensor");
}

ty_tensor *ty_extract(ty_tensor *condition, ty_tensor *x) {
    ty_tensor *bad = refuse_sizes("extract", condition, x);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    return leave_as("extract", scope, x, ty_gather(index_flat(x), ty_flat_nonzero(condition), 0));
}

ty_tensor *ty_place_mask(ty_tensor *x, ty_tensor *mask, ty_tensor *v) {
    ty_tensor *bad = ty_ok(v) ? refuse_sizes("place_mask", mask, x) : tensor_share(v);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *places = ty_flat_nonzero(mask);
    if (ty_ok(places) && ty_size(places) && ty_size(v) == 0)
        return leave(
            scope, refuse("place_mask", 2, (ty_tensor *[]){x, v}, E_SHAPE, "there are no values to insert"));
    return leave_as("place_mask", scope, x, ty_put(x, places, v));
}

/* Return the first poison of n tensors, or poison if n < 1, in the name of function `name`; else NULL. */
static ty_tensor *refuse_list(const char *name, int n, ty_tensor *const *x) {
    return n < 1 ? refuse(name, 0, NULL, E_SHAPE, "there is nothing to choose from")
                 : first_poison_in(name, n, x);
}

ty_tensor *ty_select(int n, ty_tensor *const *conditions, ty_tensor *const *choices, ty_tensor *otherwise) {
    ty_tensor *bad = refuse_list("select", n, conditions);
    if (!bad) bad = refuse_list("select", n, choices);
    if (!bad && !ty_ok(otherwise)) bad = tensor_share(otherwise);
    if (bad) return bad;
    ty_tensor **values = mem_array((size_t)n + 1, sizeof *values);
    if (!values) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    memcpy(values, choices, sizeof *values * (size_t)n);
    values[n] = otherwise;
    cast_to_common("select", n + 1, values, COMPUTED, values);
    ty_tensor *y = values[n];
    for (int i = n - 1; i >= 0; i--) y = ty_where(conditions[i], values[i], y);
    mem_free(values);
    return leave(scope, y);
}

/* Compute the shape that an index and n choices broadcast to into shape[TY_MAX_RANK] and *rank. False, with
   no fault set, if they do not broadcast. */
static bool common_shape(ty_tensor *index, int n, ty_tensor *const *choices, int *rank, int64_t *shape) {
    int axis;
    *rank = 0;
    bool fits = shape_broadcast(rank, shape, ty_rank(index), ty_shape(index), &axis);
    for (int i = 0; i < n && fits; i++)
        fits = shape_broadcast(rank, shape, ty_rank(choices[i]), ty_shape(choices[i]), &axis);
    return fits;
}

ty_tensor *ty_choose(ty_tensor *index, int n, ty_tensor *const *choices) {
    ty_tensor *bad = refuse_list("choose", n, choices);
    int64_t shape[TY_MAX_RANK];
    int rank;
    if (!bad) bad = refuse_index("choose", index);
    if (bad) return bad;
    if (!common_shape(index, n, choices, &rank, shape))
        return refuse("choose", n, choices, E_SHAPE, "index and choices do not broadcast");
    ty_tensor **values = mem_array((size_t)n, sizeof *values);
    if (!values) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    cast_to_common(NULL, n, choices, COMPUTED, values);
    for (int i = 0; i < n; i++) values[i] = ty_broadcast(values[i], rank, shape);
    ty_tensor *all = ty_stack(n, values, 0);
    ty_tensor *which = ty_expand(ty_broadcast(index, rank, shape), 0);
    mem_free(values);
    return leave_as("choose", scope, index, ty_squeeze(ty_take_along_axis(all, which, 0), 0));
}

/* ---- flat and multi-dimensional indices ---- */

/* Check a shape and compute the product of its sizes into *size. Return poison, in the name of function
   `name`, or NULL if it is valid. */
static ty_tensor *refuse_sizes_of(const char *name, int rank, const int64_t *shape, int64_t *size) {
    char words[WORDS];
    if (rank < 0 || rank > TY_MAX_RANK)
        return refuse(name, 0, NULL, E_ARGUMENT, "a shape of %d axes is out of range; expected 0..%d", rank,
                      TY_MAX_RANK);
    ty_tensor *missing = refuse_missing(name, rank, shape, "sizes");
    if (missing) return missing;
    if (shape_check(rank, shape, 1, size)) return NULL;
    return refuse(name, 0, NULL, E_SHAPE,
                  "%s is not a valid shape; expected sizes of 0 or more whose product fits in 64 bits",
                  shape_words(words, rank, shape));
}

struct unraveled {
    ty_tensor *places;
    int rank;
    const int64_t *shape;
    int64_t size, strides[TY_MAX_RANK];
};

/* Return a box of the multi-dimensional indices [axes.., ..] of the flat indices; context is a struct
   unraveled, and slice k along the first axis has the indices along axis k of the shape. Poison on failure. */
static ty_tensor *unravel_box(void *context, const struct box *box) {
    const struct unraveled *u = context;
    ty_tensor *axes[TY_MAX_RANK], *places;
    struct box part = {.rank = box->rank - 1};
    memcpy(part.start, box->start + 1, sizeof *part.start * (size_t)part.rank);
    memcpy(part.size, box->size + 1, sizeof *part.size * (size_t)part.rank);
    places = box_of(u->places, &part, UINT64_MAX);
    int64_t bytes = shape_size(box->rank, box->size) * (int64_t)sizeof(int64_t);
    struct composite c = composite_open_plain(NULL, bytes, 1, &places);
    ty_tensor *at = index_checked(places, u->size);
    for (int64_t k = 0; k < box->size[0]; k++) {
        int axis = (int)(box->start[0] + k);
        int64_t stride = u->strides[axis];
        ty_tensor *here = stride > 1 ? ty_floor_div(at, ty_int(stride)) : at;
        axes[k] = axis ? ty_mod(here, ty_int(u->shape[axis])) : here;
    }
    return composite_close(c, ty_stack((int)box->size[0], axes, 0));
}

ty_tensor *ty_unravel_index(ty_tensor *places, int rank, const int64_t *shape) {
    int64_t stride = 1, result[TY_MAX_RANK];
    struct unraveled u = {.rank = rank, .shape = shape};
    ty_tensor *bad = refuse_index("unravel_index", places);
    if (!bad) bad = refuse_sizes_of("unravel_index", rank, shape, &u.size);
    if (bad) return bad;
    int of = ty_rank(places);
    if (of == TY_MAX_RANK)
        return refuse("unravel_index", 1, &places, E_LIMIT, "the result would have too many axes");
    for (int i = rank - 1; i >= 0; i--) {
        u.strides[i] = stride;
        stride *= shape[i] > 0 ? shape[i] : 1;
    }
    result[0] = rank;
    if (of) memcpy(result + 1, ty_shape(places), sizeof *result * (size_t)of);
    ty_scope *scope = ty_open();
    u.places = tensor_resolve(places);
    if (rank) {
        ty_tensor *y = in_pieces(TY_I64, of + 1, result, 1, 1, &u.places, unravel_box, &u);
        return leave_as("unravel_index", scope, places, y);
    }
    ty_tensor *at = index_checked(places, u.size);
    return leave(scope, ty_ok(at) ? ty_zeros(TY_I64, of + 1, result) : at);
}

ty_tensor *ty_ravel_multi_index(int rank, ty_tensor *const *indices, const int64_t *shape) {
    int64_t size, stride = 1;
    ty_tensor *bad = refuse_sizes_of("ravel_multi_index", rank, shape, &size), *sum = NULL;
    if (!bad) bad = refuse_list("ravel_multi_index", rank, indices);
    for (int i = 0; i < rank && !bad; i++) bad = refuse_index("ravel_multi_index", indices[i]);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    for (int i = rank - 1; i >= 0; i--) {
        ty_tensor *at = index_checked(indices[i], shape[i]);
        ty_tensor *part = stride > 1 ? ty_mul(at, ty_int(stride)) : at;
        sum = sum ? ty_add(sum, part) : part;
        stride *= shape[i] > 0 ? shape[i] : 1;
    }
    return leave_as("ravel_multi_index", scope, indices[0], sum);
}

ty_tensor *ty_indices(int rank, const int64_t *shape) {
    ty_tensor *axes[TY_MAX_RANK], *bad;
    int64_t size, none = 0;
    bad = refuse_sizes_of("indices", rank, shape, &size);
    if (bad) return bad;
    if (rank == 0) return ty_zeros(TY_I64, 1, &none);
    struct composite c = composite_open_plain(NULL, composite_bytes(TY_I64, rank, shape), 0, NULL);
    for (int i = 0; i < rank; i++) axes[i] = ty_iota(TY_I64, rank, shape, i);
    return composite_close(c, ty_stack(rank, axes, 0));
}

/* Return x, a vector, as vector `axis` of an open mesh of n: n axes, all of size 1 but that one. A bool x
   stands for the indices where it is true. Poison unless x is a vector. */
static ty_tensor *mesh(ty_tensor *x, int n, int axis) {
    int64_t shape[TY_MAX_RANK];
    if (!ty_ok(x)) return tensor_share(x);
    if (ty_rank(x) != 1) return refuse("ix", 1, &x, E_SHAPE, "expected vectors, not rank %d", ty_rank(x));
    ty_scope *scope = ty_open();
    if (ty_dtype_of(x) == TY_BOOL) x = ty_flat_nonzero(x);
    for (int i = 0; i < n; i++) shape[i] = i == axis ? ty_size(x) : 1;
    return leave(scope, ty_reshape(x, n, shape));
}

bool ty_ix(int n, ty_tensor *const *x, ty_tensor **out) {
    if (!results_given(n, x, out)) return false;
    for (int i = 0; i < n; i++)
        out[i] = n > TY_MAX_RANK ? refuse("ix", 1, &x[i], E_LIMIT,
                                          "a mesh of %d vectors; expected at most %d", n, TY_MAX_RANK)
                                 : mesh(x[i], n, i);
    return results_settled(n, out);
}
