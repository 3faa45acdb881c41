/* Padding with the tensor's own elements: each padded axis has a vector of source indices, and one gather reads
   all.  Its gradient adds up elements that were read several times.  If a vector is long, the result is gathered in
   pieces. */
#include <tyto/shape.h>
#include "array/form.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "ops/shape/pieces.h"
#include "ops/index/index.h"

/* Return i modulo n, in 0 .. n-1; n > 0. */
static int64_t modulo(int64_t i, int64_t n) { return i % n < 0 ? i % n + n : i % n; }

/* Return the element, 0 .. n-1, at index i of an axis of n > 0 elements that is padded by repeating its
   edges; i counts from the first element and may be outside of 0 .. n-1. */
static int64_t at_edge(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }
static int64_t at_reflect(int64_t i, int64_t n) {
    if (n == 1) return 0;
    int64_t k = modulo(i, 2 * (n - 1));
    return k < n ? k : 2 * (n - 1) - k;
}
static int64_t at_symmetric(int64_t i, int64_t n) {
    int64_t k = modulo(i, 2 * n);
    return k < n ? k : 2 * n - 1 - k;
}

static const struct {
    const char *name;
    int64_t (*at)(int64_t i, int64_t n);
} kinds[TY_PAD_KINDS] = {[TY_PAD_EDGE] = {"edge", at_edge},
                         [TY_PAD_REFLECT] = {"reflect", at_reflect},
                         [TY_PAD_SYMMETRIC] = {"symmetric", at_symmetric},
                         [TY_PAD_WRAP] = {"wrap", modulo}};

ty_pad_kind ty_pad_kind_named(const char *name) {
    if (!name) name = "";
    int kind = 0;
    while (kind < TY_PAD_KINDS && strcmp(kinds[kind].name, name)) kind++;
    return (ty_pad_kind)kind;
}

/* Check the padding of x, with an entry for each axis, and its kind. Return poison, or NULL if they are
   valid. */
static ty_tensor *refuse_padding(ty_tensor *x, const ty_padding *padding, ty_pad_kind kind) {
    if ((unsigned)kind >= TY_PAD_KINDS)
        return refuse("pad_mode", 1, &x, E_ARGUMENT, "unknown kind of padding %d", (int)kind);
    ty_tensor *missing = refuse_missing("pad_mode", ty_rank(x), padding, "amounts");
    if (missing) return missing;
    for (int i = 0; i < ty_rank(x); i++) {
        int64_t n = ty_shape(x)[i], size;
        if (padding[i].inner)
            return refuse("pad_mode", 1, &x, E_SHAPE,
                          "inner padding of axis %d must be 0; only ty_pad supports it", i);
        if (!checked_add(n, padding[i].low, &size) || !checked_add(size, padding[i].high, &size) ||
            size > INT64_MAX / 8)
            return refuse("pad_mode", 1, &x, E_LIMIT, "padding axis %d by %lld and %lld makes it too long", i,
                          (long long)padding[i].low, (long long)padding[i].high);
        if (size < 0)
            return refuse("pad_mode", 1, &x, E_SHAPE,
                          "padding axis %d by %lld and %lld cuts more elements than it has", i,
                          (long long)padding[i].low, (long long)padding[i].high);
        if (n == 0 && size > 0)
            return refuse("pad_mode", 1, &x, E_SHAPE, "axis %d is empty: it has nothing to pad with", i);
    }
    return NULL;
}

/* Return the indices, i64 [size, 1, ..] with `behind` axes of size 1, in an axis of n elements, of which
   elements first .. first+size-1 of the axis padded by *p are copies. Poison if memory runs out. */
static ty_tensor *vector(int64_t n, const ty_padding *p, ty_pad_kind kind, int64_t first, int64_t size,
                         int behind) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i <= behind; i++) shape[i] = i ? 1 : size;
    ty_tensor *index = tensor_new_value(TY_I64, behind + 1, shape);
    int64_t *places = index ? tensor_data(index) : NULL;
    for (int64_t i = 0; i < size && places; i++) places[i] = kinds[kind].at(first + i - p->low, n);
    return form_return(index, TY_I64, behind + 1, shape);
}

struct padded {
    ty_tensor *x;
    const ty_padding *padding;
    ty_pad_kind kind;
    uint64_t axes; /* bit set of the padded axes */
};

/* Return a box of the padded result, by a gather along the padded axes; context is a struct padded. Poison on
   failure. */
static ty_tensor *pad_box(void *context, const struct box *box) {
    const struct padded *p = context;
    ty_tensor *index[TY_MAX_RANK];
    struct gather_attr attr = {.rank = box->rank, .end = 64 - __builtin_clzll(p->axes)};
    int n = 0;
    for (int i = 0; i < box->rank; i++) {
        bool padded = p->axes >> i & 1;
        attr.axis[i] = (uint8_t)(padded ? GATHER_INDEXED + n : i);
        if (padded)
            index[n++] = vector(ty_shape(p->x)[i], &p->padding[i], p->kind, box->start[i], box->size[i],
                                attr.end - 1 - i);
    }
    return gather_at(box_of(p->x, box, ~p->axes), &attr, n, index);
}

ty_tensor *ty_pad_mode(ty_tensor *x, const ty_padding *padding, ty_pad_kind kind) {
    ty_tensor *bad = ty_ok(x) ? refuse_padding(x, padding, kind) : tensor_share(x);
    if (bad) return bad;
    int rank = ty_rank(x);
    int64_t shape[TY_MAX_RANK], longest = 0;
    x = tensor_resolve(x);
    struct padded p = {x, padding, kind, 0};
    for (int i = 0; i < rank; i++) {
        bool padded = padding[i].low || padding[i].high;
        shape[i] = ty_shape(x)[i] + padding[i].low + padding[i].high;
        p.axes |= (uint64_t)padded << i;
        if (padded && shape[i] > longest) longest = shape[i];
    }
    if (!p.axes) return tensor_share(x);
    ty_scope *scope = ty_open();
    struct box whole = {.rank = rank};
    memcpy(whole.size, shape, sizeof *shape * (size_t)rank);
    ty_tensor *y = longest <= piece_elements() /* then the vectors are short, too */
                       ? pad_box(&p, &whole)
                       : in_pieces(ty_dtype_of(x), rank, shape, 1, 1, &x, pad_box, &p);
    return leave_as("pad_mode", scope, x, y);
}

ty_tensor *ty_pad_around(ty_tensor *x, int n, const int64_t *amounts, ty_pad_kind kind) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x);
    if (n != 1 && n != 2 && n != 2 * rank)
        return refuse("pad_around", 1, &x, E_ARGUMENT, "%d amounts; expected 1, 2 or two for each axis", n);
    ty_tensor *missing = refuse_missing("pad_around", n, amounts, "amounts");
    if (missing) return missing;
    for (int i = 0; i < rank; i++) {
        int low = n > 2 ? 2 * i : 0, high = n > 2 ? 2 * i + 1 : n - 1;
        padding[i] = (ty_padding){amounts[low], amounts[high], 0};
    }
    return ty_pad_mode(x, padding, kind);
}
