/* Set operations by sorting a vector and comparing neighbours.  The size of the result depends on data, so these
   functions evaluate promises and return values; except isin, whose shape is known. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "ops/math/numbers.h"
#include "ops/shape/pieces.h"
#include "ops/sort/sort.h"

static ty_tensor *flat(ty_tensor *x) { return ty_reshape(x, 1, (int64_t[]){-1}); }

/* Return a bool mask, true where elements of a and b differ; two NaNs are equal. */
static ty_tensor *differ(ty_tensor *a, ty_tensor *b) {
    return ty_logical_and(ty_ne(a, b), ty_logical_not(ty_logical_and(ty_is_nan(a), ty_is_nan(b))));
}

/* Return a bool mask that is true for the first of equal elements of a sorted vector; NaNs are equal. */
static ty_tensor *is_first(ty_tensor *sorted) {
    int64_t n = ty_size(sorted), ends = n > 0;
    struct composite c = composite_open_plain(NULL, 0, 1, &sorted);
    ty_tensor *changes = differ(ty_slice(sorted, 0, 1, TY_END, 1), ty_slice(sorted, 0, 0, -1, 1));
    ty_tensor *parts[] = {ty_ones(TY_BOOL, 1, &ends), changes};
    return composite_close(c, ty_ok(changes) ? ty_concat(2, parts, 0) : changes);
}

/* Return a mask of n - 1 bools: true where elements i and i + 1 of a sorted vector are equal. */
static ty_tensor *equal_next(ty_tensor *sorted) {
    return ty_eq(ty_slice(sorted, 0, 1, TY_END, 1), ty_slice(sorted, 0, 0, -1, 1));
}

ty_tensor *ty_unique(ty_tensor *x) {
    ty_scope *scope = ty_open();
    ty_tensor *sorted = ty_sort(flat(value_now("unique", x)), 0, false);
    ty_tensor *starts = ty_flat_nonzero(is_first(sorted));
    bool all = ty_ok(sorted) && ty_ok(starts) && ty_size(starts) == ty_size(sorted);
    return leave(scope, all ? sorted : ty_gather(sorted, starts, 0));
}

/* Move the four tensors of u to the scope below `scope`, close that, and return them. */
static ty_unique_parts keep_all(ty_scope *scope, ty_unique_parts u) {
    u.values = scope ? ty_keep(u.values) : u.values;
    u.index = scope ? ty_keep(u.index) : u.index;
    u.inverse = scope ? ty_keep(u.inverse) : u.inverse;
    u.counts = scope ? ty_keep(u.counts) : u.counts;
    ty_close(scope);
    return u;
}

/* Return the numbers of elements of runs that partition 0 .. n-1, given the indices `starts` of their first
   elements, an ascending i64 vector. */
static ty_tensor *run_lengths(ty_tensor *starts, int64_t n) {
    ty_tensor *end = ty_from(TY_I64, 1, (int64_t[]){1}, &n);
    ty_tensor *ends = ty_concat(2, (ty_tensor *[]){ty_slice(starts, 0, 1, TY_END, 1), end}, 0);
    return ty_size(starts) ? ty_sub(ends, starts) : starts;
}

ty_unique_parts ty_unique_all(ty_tensor *x) {
    ty_scope *scope = ty_open();
    ty_unique_parts u;
    ty_tensor *all = flat(value_now("unique_all", x)), *order = ty_argsort(all, 0, false),
              *sorted = ty_gather(all, order, 0);
    ty_tensor *starts = ty_flat_nonzero(is_first(sorted));
    u.values = ty_gather(sorted, starts, 0);
    u.index = ty_gather(order, starts, 0);
    u.inverse = ty_reshape(ty_searchsorted(u.values, all, false), ty_rank(x), ty_shape(x));
    u.counts = run_lengths(starts, ty_size(all));
    return keep_all(scope, u);
}

/* Return the slices of x along `axis`, each once, sorted. Slices become rows, which are sorted by columns,
   last column first, each time stably. Evaluates x; poison on failure. */
ty_tensor *ty_unique_slices(ty_tensor *x, int axis) {
    if (!ty_ok(x)) return tensor_share(x);
    int along = axis_normal(axis, ty_rank(x)), rank = ty_rank(x), order[TY_MAX_RANK];
    if (along < 0 || along >= rank) return refuse_axis("unique_slices", x, axis);
    for (int i = 0, n = 1; i < rank; i++)
        if (i != along) order[n++] = i;
    order[0] = along;
    ty_scope *scope = ty_open();
    int64_t n = axis_size(x, along), columns = n ? ty_size(x) / n : 0;
    x = value_now("unique_slices", x);
    if (ty_size(x) == 0) return leave(scope, ty_slice(x, along, 0, n > 0, 1));
    ty_tensor *rows = ty_reshape(ty_permute(x, order), TY_SHAPE(n, columns)), *places = NULL;
    for (int64_t k = columns - 1; k >= 0; k--) {
        ty_tensor *column = ty_squeeze(ty_slice(rows, 1, k, k + 1, 1), 1);
        ty_tensor *sorting = ty_argsort(places ? ty_gather(column, places, 0) : column, 0, false);
        places = places ? ty_gather(places, sorting, 0) : sorting;
    }
    ty_tensor *sorted = ty_gather(rows, places, 0);
    ty_tensor *changes =
        ty_any(differ(ty_slice(sorted, 0, 1, TY_END, 1), ty_slice(sorted, 0, 0, -1, 1)), ty_axis(1));
    ty_tensor *first = ty_concat(2, (ty_tensor *[]){ty_ones(TY_BOOL, TY_SHAPE(1)), changes}, 0);
    ty_tensor *kept = ty_gather(places, ty_flat_nonzero(first), 0);
    return leave(scope, ty_gather(x, kept, along));
}

/* Cast a and b to their common dtype and flatten them, into out[2]. False if one is poisoned. */
static bool common_vectors(const char *name, ty_tensor *a, ty_tensor *b, ty_tensor **out) {
    cast_to_common(name, 2, (ty_tensor *[]){a, b}, MATCHED, out);
    out[0] = flat(out[0]);
    out[1] = flat(out[1]);
    return ty_ok(out[0]) && ty_ok(out[1]);
}

struct membership {
    ty_tensor *x, *sorted;
};

/* Return for a box of x a bool mask: true where the element is in the sorted vector, which is not empty.
   context is a struct membership. */
static ty_tensor *isin_box(void *context, const struct box *box) {
    const struct membership *m = context;
    ty_tensor *x = ty_cast(box_of(m->x, box, UINT64_MAX), ty_dtype_of(m->sorted));
    ty_tensor *place = ty_min(ty_searchsorted(m->sorted, x, false), ty_int(ty_size(m->sorted) - 1));
    return ty_eq(ty_gather(m->sorted, place, 0), x);
}

/* Return a bool mask of x: true where the element is in `among`; large x in pieces. Poison, in the name of
   function `name`, on failure. */
static ty_tensor *is_in(const char *name, ty_tensor *x, ty_tensor *among) {
    ty_tensor *operands[] = {tensor_resolve(x), tensor_resolve(among)},
              *bad = first_poison_in(name, 2, operands);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    if (ty_size(among) == 0) return leave(scope, ty_zeros(TY_BOOL, ty_rank(x), ty_shape(x)));
    ty_dtype common = matched_dtype(2, operands);
    for (int i = 0; i < 2; i++) /* only plain numbers; arrays are cast in pieces */
        if (plain_number(operands[i])) operands[i] = stored_as(name, operands[i], common);
    struct membership m = {operands[0], ty_sort(flat(ty_cast(operands[1], common)), 0, false)};
    if ((bad = first_poison_in(name, 2, (ty_tensor *[]){m.x, m.sorted}))) return leave(scope, bad);
    return leave(scope, in_pieces(TY_BOOL, ty_rank(x), ty_shape(x), 1, 2, operands, isin_box, &m));
}

ty_tensor *ty_isin(ty_tensor *x, ty_tensor *among) { return is_in("isin", x, among); }

ty_tensor *ty_union1d(ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){a, b}), *common[2];
    if (bad) return bad;
    ty_scope *scope = ty_open();
    if (!common_vectors("union1d", a, b, common)) return leave(scope, first_poison(2, common));
    return leave(scope, ty_unique(ty_concat(2, common, 0)));
}

/* Return the distinct elements of a and the distinct elements of b in one sorted vector; an element of both
   is in it twice. Poison, in the name of function `name`, on failure. */
static ty_tensor *both_sets(const char *name, ty_tensor *a, ty_tensor *b) {
    ty_tensor *common[2];
    if (!common_vectors(name, a, b, common)) return first_poison(2, common);
    ty_tensor *sets[] = {ty_unique(common[0]), ty_unique(common[1])};
    ty_tensor *bad = first_poison(2, sets);
    return bad ? bad : ty_sort(ty_concat(2, sets, 0), 0, false);
}

ty_tensor *ty_intersect1d(ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){a, b});
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *all = both_sets("intersect1d", a, b);
    return leave(scope, ty_gather(all, ty_flat_nonzero(equal_next(all)), 0));
}

/* Return the sorted elements that are in a or b but not in both: those of the sorted concatenation of the
   sets without an equal neighbour. Poison on failure. */
ty_tensor *ty_setxor1d(ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){a, b});
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *all = both_sets("setxor1d", a, b), *same = equal_next(all),
              *no = ty_zeros(TY_BOOL, TY_SHAPE(ty_size(all) > 0));
    bad = first_poison(2, (ty_tensor *[]){all, same});
    if (bad) return leave(scope, bad);
    ty_tensor *before = ty_concat(2, (ty_tensor *[]){no, same}, 0),
              *behind = ty_concat(2, (ty_tensor *[]){same, no}, 0);
    return leave(scope, ty_gather(all, ty_flat_nonzero(ty_logical_not(ty_logical_or(before, behind))), 0));
}

ty_tensor *ty_setdiff1d(ty_tensor *a, ty_tensor *b) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){a, b});
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *set = ty_unique(a), *gone = is_in("setdiff1d", set, value_now("setdiff1d", b));
    return leave(scope, ty_gather(set, ty_flat_nonzero(ty_logical_not(gone)), 0));
}
