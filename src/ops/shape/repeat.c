/* Tile and repeat.  Each axis of the result is [tile][element][repeat], a view with two axes of stride 0 around the
   axis.  Making this view row-major is one copy for any number of axes, and needs no memory besides the result. */
#include <tyto/create.h>
#include <tyto/shape.h>
#include <tyto/index.h>
#include "base/checked.h"
#include "ops/shape/pieces.h"
#include "ops/shape/arrange.h"

/* Axes of the view before and after broadcasting, and those of the result. */
struct spread {
    int rank, axes;
    int64_t before[TY_MAX_RANK], after[TY_MAX_RANK], shape[TY_MAX_RANK];
};

/* Append an axis to s->before[] and s->after[], of size `before`, to be broadcast to `after`. False, with no
   fault set, if there are too many. */
static bool add_axis(struct spread *s, int64_t before, int64_t after) {
    if (s->axes == TY_MAX_RANK) return false;
    s->before[s->axes] = before;
    s->after[s->axes++] = after;
    return true;
}

/* Append an axis of x, of `size` elements, that is repeated `tiles` times as a whole and each element
   `repeats` times. False, with no fault set, if there are too many axes or elements. */
static bool add_spread(struct spread *s, int64_t size, int64_t tiles, int64_t repeats) {
    int64_t *whole = &s->shape[s->rank++];
    return (tiles == 1 || add_axis(s, 1, tiles)) && add_axis(s, size, size) &&
           (repeats == 1 || add_axis(s, 1, repeats)) && checked_mul(size, tiles, whole) &&
           checked_mul(*whole, repeats, whole);
}

/* Return x with its last n axes repeated: axis i of these is repeated tiles[i] times as a whole and each
   element repeats[i] times; NULL: 1. If x has fewer axes, it gets leading ones. Poison, in the name of
   function `name`, on failure. */
static ty_tensor *spread(const char *name, ty_tensor *x, int n, const int64_t *tiles,
                         const int64_t *repeats) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    struct spread s = {0};
    int rank = ty_rank(x), out = n > rank ? n : rank;
    bool fits = n >= 0 && n <= TY_MAX_RANK;
    for (int i = 0; i < out && fits; i++) {
        int given = i - (out - n), axis = i - (out - rank);
        int64_t tile = tiles && given >= 0 ? tiles[given] : 1,
                repeat = repeats && given >= 0 ? repeats[given] : 1;
        if (tile < 0 || repeat < 0)
            return refuse(name, 1, &x, E_ARGUMENT, "%lld copies along axis %d; expected 0 or more",
                          (long long)(tile < 0 ? tile : repeat), i);
        fits = add_spread(&s, axis >= 0 ? ty_shape(x)[axis] : 1, tile, repeat);
    }
    if (!fits) return refuse(name, 1, &x, E_LIMIT, "the result has too many axes or elements");
    if (shape_equal(s.axes, s.after, rank, ty_shape(x))) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    ty_tensor *view = ty_broadcast(ty_reshape(x, s.axes, s.before), s.axes, s.after);
    return leave_as(name, scope, x, ty_reshape(view, s.rank, s.shape));
}

ty_tensor *ty_spread(ty_tensor *x, int n, const int64_t *tiles, const int64_t *repeats) {
    return spread("spread", x, n, tiles, repeats);
}
ty_tensor *ty_tile(ty_tensor *x, int n, const int64_t *tiles) { return spread("tile", x, n, tiles, NULL); }

ty_tensor *ty_repeat(ty_tensor *x, int64_t count, int axis) {
    ty_tensor *bad = ty_ok(x) ? NULL : tensor_share(x);
    int64_t repeats[TY_MAX_RANK];
    int rank = ty_rank(x), along = bad ? 0 : take_axis("repeat", x, rank, axis, &bad);
    if (bad) return bad;
    for (int i = 0; i < rank; i++) repeats[i] = i == along ? count : 1;
    return spread("repeat", x, rank, NULL, repeats);
}

/* State of repeating each element by its own count; counts are read in blocks. */
enum { COUNTS_READ = 512 };
struct counts {
    ty_tensor *x, *counts; /* counts: a vector */
    int axis;
    int64_t element, left; /* current element, and how many copies of it are left */
    int64_t begin, end;    /* range of elements whose counts are in known[] */
    int64_t known[COUNTS_READ];
};

/* Return the count of this element, from 0, which may be negative. If memory runs out, return -1 with
   c->begin == c->end. Counts are read in blocks, which *c keeps. */
static int64_t count_of(struct counts *c, int64_t element) {
    if (element < c->begin || element >= c->end) {
        int64_t n = ty_size(c->counts), end = n - element < COUNTS_READ ? n : element + COUNTS_READ;
        ty_scope *scope = ty_open();
        bool read = ty_read(range_of(c->counts, 0, element, end), TY_I64, c->known);
        ty_close(scope);
        c->begin = c->end = 0;
        if (!read) return -1;
        c->begin = element;
        c->end = end;
    }
    return c->known[element - c->begin];
}

/* Compute the size of the result's axis into *total, for n elements and ncounts counts: n, or 1 for all.
   Return poison if a count is negative, the sum too large or memory runs out, else NULL. */
static ty_tensor *count_all(struct counts *c, int64_t n, int64_t ncounts, int64_t *total) {
    int64_t looks = ncounts < n ? ncounts : n;
    *total = 0;
    for (int64_t i = 0; i < looks; i++) {
        int64_t count = count_of(c, i);
        if (c->begin == c->end) return tensor_out_of_memory();
        if (count < 0)
            return refuse("repeat_each", 1, &c->x, E_DOMAIN, "count %lld of element %lld is negative",
                          (long long)count, (long long)i);
        if (!checked_add(*total, count, total))
            return refuse("repeat_each", 1, &c->x, E_DOMAIN, "the counts are too large");
    }
    if (looks < n && !checked_mul(n, *total, total))
        return refuse("repeat_each", 1, &c->x, E_DOMAIN, "the counts are too large");
    return NULL;
}

/* Return, i64 [n], which elements of x stand at indices first .. first+n-1 of the result. Calls must come in
   order of `first`, or restart at 0. Poison on failure. */
static ty_tensor *elements_at(struct counts *c, int64_t first, int64_t n) {
    int64_t *data;
    ty_tensor *index = index_vector(n, &data);
    if (first == 0) c->element = -1, c->left = 0;
    while (data && n > 0) {
        while (c->left == 0)
            if ((c->left = count_of(c, ++c->element)) < 0) return tensor_out_of_memory();
        c->left--;
        *data++ = c->element;
        n--;
    }
    return index;
}

static ty_tensor *repeat_box(void *context, const struct box *box) {
    struct counts *c = context;
    ty_tensor *x = box_of(c->x, box, ~(UINT64_C(1) << c->axis));
    return ty_gather(x, elements_at(c, box->start[c->axis], box->size[c->axis]), c->axis);
}

static ty_tensor *refuse_counts(ty_tensor *counts) {
    if (dtype_is(ty_dtype_of(counts), CLASS_INTEGER | CLASS_BOOL)) return NULL;
    return refuse("repeat_each", 1, &counts, E_DTYPE, "the numbers must be integers, not %s",
                  ty_dtype_name(ty_dtype_of(counts)));
}

ty_tensor *ty_repeat_each(ty_tensor *x, ty_tensor *counts, int axis) {
    ty_tensor *operands[] = {x, counts}, *bad = first_poison(2, operands);
    int along = bad ? 0 : take_axis("repeat_each", x, ty_rank(x), axis, &bad);
    if (bad) return bad;
    int64_t n = ty_shape(x)[along], ncounts = ty_size(counts), shape[TY_MAX_RANK];
    if (ty_rank(counts) > 1 || (ncounts != n && ncounts != 1))
        return refuse("repeat_each", 2, operands, E_SHAPE,
                      "there must be one count, or one for each of the %lld elements of axis %d",
                      (long long)n, along);
    ty_scope *scope = ty_open();
    counts = value_now("repeat_each", counts);
    if (!ty_ok(counts) || (bad = refuse_fixed("repeat_each", counts, 1, &x)) || (bad = refuse_counts(counts)))
        return leave(scope, bad ? bad : counts);
    x = tensor_resolve(x);
    struct counts c = {.x = x, .axis = along, .counts = ty_broadcast(ty_ravel(counts), 1, &n)};
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)ty_rank(x));
    if (!ty_ok(c.counts) || (bad = count_all(&c, n, ncounts, &shape[along])))
        return leave(scope, bad ? bad : c.counts);
    int64_t size;
    if (!shape_check(ty_rank(x), shape, dtype_table[ty_dtype_of(x)].size, &size))
        return leave(scope, refuse("repeat_each", 1, &x, E_DOMAIN, "the counts are too large"));
    return leave(scope, in_pieces(ty_dtype_of(x), ty_rank(x), shape, 1, 1, &x, repeat_box, &c));
}

ty_tensor *ty_resize(ty_tensor *x, int rank, const int64_t *shape) {
    if (!ty_ok(x)) return tensor_share(x);
    int64_t size, n = ty_size(x);
    ty_tensor *bad = refuse_missing("resize", rank, shape, "sizes");
    if (bad) return bad;
    if (rank < 0 || rank > TY_MAX_RANK || !shape_check(rank, shape, dtype_table[ty_dtype_of(x)].size, &size))
        return refuse("resize", 1, &x, E_LIMIT,
                      "invalid shape: %d axes, a negative size, or too many elements", rank);
    if (n == 0) return ty_zeros(ty_dtype_of(x), rank, shape);
    int64_t times = size / n + (size % n > 0);
    ty_scope *scope = ty_open();
    ty_tensor *all = ty_tile(ty_ravel(x), 1, &times);
    return leave_as("resize", scope, x, ty_reshape(range_of(all, 0, 0, size), rank, shape));
}
