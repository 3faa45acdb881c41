/* Implements pieces.h.  A piece is an index range on one axis, all of the axes behind it, and one index of each
   axis before it. */
#include "array/remote.h"
#include "ops/shape/pieces.h"
#include <stdatomic.h>
#include <tyto/shape.h>
#include "base/machine/cache.h"

/* 1 MiB of i64 indices: fits in L2 and is enough work for all threads. */
enum { USUAL_ELEMENTS = 1 << 17 };

static _Atomic int64_t forced;

void piece_force(int64_t elements) { atomic_store(&forced, elements); }

int64_t piece_elements(void) {
    int64_t elements = atomic_load_explicit(&forced, memory_order_relaxed);
    return elements > 0 ? elements : USUAL_ELEMENTS;
}

ty_tensor *box_of(ty_tensor *x, const struct box *box, uint64_t axes) {
    for (int i = 0; i < box->rank; i++)
        if (axes >> i & 1) x = ty_slice(x, i, box->start[i], box->start[i] + box->size[i], 1);
    return x;
}

/* Return the axis along which a shape[rank] is cut into pieces of at most `most` elements. *count is set to
   the number of indices along it in a piece, at least 1; axes before it have one index each. */
static int cut(int rank, const int64_t *shape, int64_t most, int64_t *count) {
    int64_t inner = 1;
    int axis = rank - 1;
    while (axis > 0 && inner * shape[axis] <= most) inner *= shape[axis--];
    *count = most / inner > 1 ? most / inner : 1;
    return axis;
}

/* Copy the elements of `piece` to address `to` in row-major order; they must have `bytes` bytes. Return
   poison on failure, else NULL. */
static ty_tensor *fill(void *to, size_t bytes, ty_tensor *piece) {
    ty_tensor *dense = at_home(ty_contiguous(piece));
    if (!ty_ok(dense)) return dense;
    cache_copy(to, tensor_data(dense), bytes);
    return NULL;
}

/* Advance *box to the next one in row-major order, of at most `count` indices along `axis` and one along the
   axes before it. False if there is none; *box is then the first one again. */
static bool next(struct box *box, int axis, int64_t count, const int64_t *shape) {
    int64_t done = box->start[axis] + box->size[axis];
    box->start[axis] = done < shape[axis] ? done : 0;
    box->size[axis] = shape[axis] - box->start[axis] < count ? shape[axis] - box->start[axis] : count;
    if (done < shape[axis]) return true;
    for (int i = axis - 1; i >= 0; i--) {
        if (++box->start[i] < shape[i]) return true;
        box->start[i] = 0;
    }
    return false;
}

ty_tensor *each_piece(int rank, const int64_t *shape, int64_t most,
                      ty_tensor *(*visit)(void *context, const struct box *box), void *context) {
    struct box box = {.rank = rank};
    ty_tensor *bad = NULL;
    if (rank) memcpy(box.size, shape, sizeof *shape * (size_t)rank);
    int64_t count = 0, size = shape_size(rank, shape);
    bool whole = size <= (most > 1 ? most : 1);
    int axis = whole ? 0 : cut(rank, shape, most, &count);
    for (int i = 0; i < axis; i++) box.size[i] = 1;
    if (!whole && count < shape[axis]) box.size[axis] = count;
    do {
        ty_scope *scope = ty_open();
        bad = visit(context, &box);
        if (bad)
            bad = leave(scope, bad);
        else
            ty_close(scope);
    } while (!bad && !whole && next(&box, axis, count, shape));
    return bad;
}

struct filling {
    char *to;
    size_t element;
    ty_tensor *(*make)(void *context, const struct box *box);
    void *context;
};

/* Write a box of the result to the next address f->to and advance that; context is a struct filling. Return
   poison on failure, else NULL. */
static ty_tensor *fill_box(void *context, const struct box *box) {
    struct filling *f = context;
    size_t bytes = (size_t)shape_size(box->rank, box->size) * f->element;
    ty_tensor *bad = fill(f->to, bytes, f->make(f->context, box));
    f->to += bytes;
    return bad;
}

ty_tensor *in_pieces(ty_dtype dtype, int rank, const int64_t *shape, int64_t work, int n,
                     ty_tensor *const *operands, ty_tensor *(*make)(void *context, const struct box *box),
                     void *context) {
    struct box all = {.rank = rank};
    int64_t most = piece_elements() / (work > 0 ? work : 1), size;
    if (rank) memcpy(all.size, shape, sizeof *shape * (size_t)rank);
    /* otherwise make(), on the whole shape, reports the error */
    bool fits = shape_check(rank, shape, dtype_table[dtype].size, &size);
    if (!fits || size <= (most > 1 ? most : 1) || !all_plain(n, operands)) return make(context, &all);
    ty_tensor *whole = tensor_new_value(dtype, rank, shape);
    if (!whole) return tensor_out_of_memory();
    struct filling f = {tensor_data(whole), dtype_table[dtype].size, make, context};
    ty_tensor *bad = each_piece(rank, shape, most, fill_box, &f);
    if (!bad) return tensor_return(whole);
    ty_release(whole);
    return bad;
}
