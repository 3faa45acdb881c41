/* Delete, insert, trim: removal and insertion of slices along an axis, in pieces. */
#include <stdlib.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "base/order.h"
#include "ops/shape/arrange.h"
#include "ops/shape/pieces.h"

/* Return the index `at` of an axis of n elements, normalised if it is negative. If it is outside of -n ..
   last (inclusive), return -1 and set *bad to poison in the name of function `name`; else *bad stays. */
static int64_t place_of(const char *name, ty_tensor *x, int64_t at, int64_t n, int64_t last,
                        ty_tensor **bad) {
    if (at >= -n && at <= last) return at < 0 ? at + n : at;
    *bad = refuse(name, 1, &x, E_INDEX, "index %lld is out of bounds; expected %lld..%lld", (long long)at,
                  (long long)-n, (long long)last);
    return -1;
}

/* ---- delete ---- */

struct deletion {
    ty_tensor *x;
    int axis;
    int64_t n, *gone; /* deleted indices, ascending and distinct */
};

/* Return the number of deleted elements before kept element number `kept`, from 0, by bisection. */
static int64_t gone_before(const struct deletion *d, int64_t kept) {
    int64_t low = 0, high = d->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (d->gone[middle] - middle <= kept)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return a box of the result of a deletion; context is a struct deletion. It is a slice of x if no element is
   deleted in between, else a gather. Poison on failure. */
static ty_tensor *kept_box(void *context, const struct box *box) {
    const struct deletion *d = context;
    int64_t first = box->start[d->axis], n = box->size[d->axis], *data, before = gone_before(d, first);
    int64_t begin = first + before, end = n ? first + n + gone_before(d, first + n - 1) : begin;
    ty_tensor *x = range_of(box_of(d->x, box, ~(UINT64_C(1) << d->axis)), d->axis, begin, end);
    if (end - begin == n) return x;
    ty_tensor *index = index_vector(n, &data);
    for (int64_t i = begin; data && i < end; i++) {
        if (before < d->n && d->gone[before] == i)
            before++;
        else
            *data++ = i - begin;
    }
    return ty_gather(x, index, d->axis);
}

/* Store the d->n indices in d->gone[], for an axis of `size` elements: normalised, sorted and without
   duplicates; d->n becomes the number that remains. Return poison if one is out of range, else NULL. */
static ty_tensor *sort_gone(struct deletion *d, const int64_t *indices, int64_t size) {
    ty_tensor *bad = NULL;
    int64_t n = d->n;
    for (int64_t i = 0; i < n && !bad; i++)
        d->gone[i] = place_of("delete", d->x, indices[i], size, size - 1, &bad);
    if (bad) return bad;
    if (n) qsort(d->gone, (size_t)n, sizeof *d->gone, order_i64);
    d->n = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || d->gone[i] != d->gone[i - 1]) d->gone[d->n++] = d->gone[i];
    return NULL;
}

ty_tensor *ty_delete(ty_tensor *x, int64_t n, const int64_t *indices, int axis) {
    ty_tensor *bad = ty_ok(x) ? refuse_missing("delete", n, indices, "indices") : tensor_share(x);
    int rank = bad ? 0 : ty_rank(x), along = bad ? 0 : take_axis("delete", x, rank, axis, &bad);
    if (bad) return bad;
    int64_t shape[TY_MAX_RANK];
    struct deletion d = {tensor_resolve(x), along, n > 0 ? n : 0, NULL};
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)rank);
    d.gone = mem_array((size_t)d.n, sizeof *d.gone);
    if (!d.gone) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    bad = sort_gone(&d, indices, shape[along]);
    shape[along] -= d.n;
    ty_tensor *y = bad;
    struct box all = {.rank = rank};
    memcpy(all.size, shape, sizeof *shape * (size_t)rank);
    if (!bad)
        y = shape[along] <= piece_elements() /* then the index is short, too */
                ? kept_box(&d, &all)
                : in_pieces(ty_dtype_of(x), rank, shape, 1, 1, &d.x, kept_box, &d);
    mem_free(d.gone);
    return bad ? leave(scope, bad) : leave_as("delete", scope, x, y);
}

/* ---- insert ---- */

/* Return the values broadcast to the shape of x with `count` slices along `axis`. Only a 0-d value is cast to
   x's dtype; it must fit. Poison on failure. */
static ty_tensor *slices_like(ty_tensor *x, ty_tensor *values, int axis, int64_t count) {
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(x);
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)rank);
    shape[axis] = count;
    if (ty_rank(values) == 0) values = stored_as("insert", values, ty_dtype_of(x));
    return ty_broadcast(values, rank, shape);
}

/* An inserted slice: index in x before which it goes, and index among the values. */
struct edit_entry {
    int64_t at, value;
};
struct insertion {
    ty_tensor *x, *values;
    int axis;
    int64_t count;              /* number of inserted slices */
    int64_t n;                  /* number of entries: `count`, or 1 if all slices go to one index */
    struct edit_entry *entries; /* in the order of the result */
};

static int rising_entries(const void *a, const void *b) {
    const struct edit_entry *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->value > y->value) - (x->value < y->value);
}

static struct edit_entry entry_of(const struct insertion *in, int64_t k) {
    return in->n == in->count ? in->entries[k] : (struct edit_entry){in->entries[0].at, k};
}

/* Return the number of slices that are inserted before index p, exclusive, of the result, by bisection. */
static int64_t put_before(const struct insertion *in, int64_t p) {
    int64_t low = 0, high = in->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (entry_of(in, middle).at + middle < p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the box of the result of an insertion: x, the slices of the original that are in the box, merged
   with inserted slices first .. last-1 (indices into in->entries). Poison on failure. */
static ty_tensor *merged(ty_tensor *x, const struct insertion *in, const struct box *box, int64_t first,
                         int64_t last) {
    int64_t start = box->start[in->axis], n = box->size[in->axis], here = n - (last - first), *from, *to;
    ty_tensor *order = index_vector(n, &to), *chosen = index_vector(last - first, &from);
    if (!to || !from) return to ? chosen : order;
    for (int64_t p = start, k = first, i = 0; p < start + n; p++) {
        bool put = k < last && entry_of(in, k).at + k == p;
        *to++ = put ? here + k - first : i;
        i += !put;
        if (put) *from++ = entry_of(in, k++).value;
    }
    ty_tensor *values = box_of(in->values, box, ~(UINT64_C(1) << in->axis));
    values = ty_cast(ty_gather(values, chosen, in->axis), ty_dtype_of(x));
    return ty_gather(ty_concat(2, (ty_tensor *[]){x, values}, in->axis), order, in->axis);
}

/* Return a box of the result of an insertion; context is a struct insertion. Poison on failure. */
static ty_tensor *insert_box(void *context, const struct box *box) {
    const struct insertion *in = context;
    int64_t start = box->start[in->axis], end = start + box->size[in->axis];
    int64_t first = put_before(in, start), last = put_before(in, end);
    ty_tensor *x = box_of(in->x, box, ~(UINT64_C(1) << in->axis));
    x = range_of(x, in->axis, start - first, end - last);
    return first == last ? x : merged(x, in, box, first, last);
}

/* Store the in->n indices to insert before, for an axis of `size` elements, in in->entries[], normalised and
   sorted. Return poison if one is out of range (`size` is allowed), else NULL. */
static ty_tensor *sort_entries(struct insertion *in, const int64_t *indices, int64_t size) {
    ty_tensor *bad = NULL;
    for (int64_t i = 0; i < in->n && !bad; i++)
        in->entries[i] = (struct edit_entry){place_of("insert", in->x, indices[i], size, size, &bad), i};
    if (!bad) qsort(in->entries, (size_t)in->n, sizeof *in->entries, rising_entries);
    return bad;
}

ty_tensor *ty_insert(ty_tensor *x, int64_t n, const int64_t *indices, ty_tensor *values, int axis) {
    ty_tensor *operands[] = {x, values}, *bad = first_poison(2, operands);
    if (!bad) bad = refuse_missing("insert", n, indices, "indices");
    int rank = bad ? 0 : ty_rank(x), along = bad ? 0 : take_axis("insert", x, rank, axis, &bad);
    if (bad) return bad;
    if (n < 1) return refuse("insert", 2, operands, E_SHAPE, "there are no indices");
    int64_t count = n, shape[TY_MAX_RANK];
    if (n == 1 && ty_rank(values) == rank) count = ty_shape(values)[along];
    struct insertion in = {tensor_resolve(x), tensor_resolve(values), along, count, n, NULL};
    in.entries = mem_array((size_t)n, sizeof *in.entries);
    if (!in.entries) return tensor_out_of_memory();
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)rank);
    ty_scope *scope = ty_open();
    bad = sort_entries(&in, indices, shape[along]);
    if (!bad && !checked_add(shape[along], count, &shape[along]))
        bad = refuse("insert", 2, operands, E_LIMIT, "axis %d would be too long", along);
    ty_tensor *both[] = {in.x, in.values}, *y = bad;
    if (!bad && ty_ok(y = in.values = slices_like(in.x, in.values, along, count)))
        y = in_pieces(ty_dtype_of(x), rank, shape, 1, 2, both, insert_box, &in);
    mem_free(in.entries);
    return bad ? leave(scope, bad) : leave_as("insert", scope, x, y);
}

/* ---- trim ---- */

/* Count the leading zeros of the vector x, which is not empty, into *count, which must be 0 before. Evaluates
   promises. Return poison on failure, else NULL. */
static ty_tensor *zeros_before(ty_tensor *x, int64_t *count) {
    ty_tensor *operand = x;
    struct composite c = composite_open_plain(NULL, 0, 1, &operand);
    ty_tensor *first = composite_close(c, ty_argmax(ty_ne(operand, ty_scalar(ty_dtype_of(x), 0)), TY_ALL));
    if (!ty_read(first, TY_I64, count)) return ty_ok(first) ? tensor_out_of_memory() : first;
    if (*count > 0) return NULL; /* 0: the first element is not zero, or all are */
    ty_tensor *head = ty_any(range_of(x, 0, 0, 1), TY_ALL);
    double none = ty_item(head);
    if (!ty_ok(head)) return head;
    if (none == 0) *count = ty_size(x);
    return NULL;
}

ty_tensor *ty_trim_zeros(ty_tensor *x, bool front, bool back) {
    if (!ty_ok(x)) return tensor_share(x);
    if (ty_rank(x) != 1)
        return refuse("trim_zeros", 1, &x, E_SHAPE, "expected a vector, not %d axes", ty_rank(x));
    ty_tensor *stored = refuse_stored("trim_zeros", 1, &x);
    if (stored) return stored;
    int64_t n = ty_size(x), low = 0, high = 0;
    ty_scope *scope = ty_open();
    ty_tensor *known = value_now("trim_zeros", x),
              *bad = ty_ok(known) ? refuse_fixed("trim_zeros", known, 1, &x) : known;
    if (n && front && !bad) bad = zeros_before(known, &low);
    if (n && back && !bad && low < n) bad = zeros_before(ty_flip(known, 0), &high);
    return leave(scope, bad ? bad : range_of(x, 0, low, n - high));
}
