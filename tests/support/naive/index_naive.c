#include "tests/support/naive/index_naive.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

/* ---- random items ---- */

static void say(struct naive_index *x, const char *format, ...) {
    size_t used = strlen(x->text);
    va_list args;
    va_start(args, format);
    vsnprintf(x->text + used, sizeof x->text - used, format, args);
    va_end(args);
}

static int64_t bound(int64_t n) { return test_between(-n - 2, n + 2); }

static ty_index random_range(struct naive_index *x, int64_t n) {
    ty_index item = TY_WHOLE;
    if (test_between(0, 1)) item.start = bound(n), say(x, "%lld", (long long)item.start);
    say(x, " :");
    if (test_between(0, 1)) item.stop = bound(n), say(x, "%lld", (long long)item.stop);
    if (test_between(0, 1)) {
        item.step = test_between(1, 3) * (test_between(0, 1) ? 1 : -1);
        say(x, ":%lld", (long long)item.step);
    }
    return item;
}

/* Return random indices of an axis of size n, sometimes one out of range. */
static ty_tensor *random_tensor(int64_t n, int64_t length) {
    static const ty_dtype dtypes[] = {TY_I64, TY_I32, TY_I8, TY_I16, TY_U8, TY_U64};
    ty_dtype dtype = dtypes[test_between(0, 5)];
    int rank = (int)test_between(0, 2);
    int64_t shape[2], values[16], low = dtype == TY_U8 || dtype == TY_U64 ? 0 : -n;
    for (int i = 0; i < rank; i++)
        shape[i] = i < rank - 1 ? test_between(1, 2) : test_between(0, 4) ? length : 1;
    for (int i = 0; i < 16; i++) values[i] = n ? test_between(low, n - 1) : 0;
    if (test_between(0, 60) == 0) values[0] = n + 1;
    return ty_cast(ty_from(TY_I64, rank, shape, values), dtype);
}

static ty_tensor *random_mask(int rank, const int64_t *shape) {
    unsigned char values[256];
    int64_t own[4];
    for (int i = 0; i < rank; i++) own[i] = shape[i];
    if (rank && test_between(0, 40) == 0) own[rank - 1] += 1;
    for (int i = 0; i < 256; i++) values[i] = test_between(0, 2) == 0;
    return ty_from(TY_BOOL, rank, own, values);
}

static ty_index tensor_item(struct naive_index *x, ty_tensor *tensor) {
    say(x, "@%d", x->ntensors);
    x->tensors[x->ntensors++] = tensor;
    return TY_OF(tensor);
}

static ty_index random_item(struct naive_index *x, int rank, const int64_t *shape, int *axis,
                            int64_t length) {
    int64_t n = *axis < rank ? shape[*axis] : 0;
    int kind = (int)test_between(0, 11), left = rank - *axis;
    if (kind == 0) return say(x, "none"), TY_NEW;
    if (kind == 1 && test_between(0, 2) == 0) return tensor_item(x, random_mask(0, NULL));
    if (kind == 2 && left > 0) {
        int masked = (int)test_between(1, left < 3 ? left : 3);
        *axis += masked;
        return tensor_item(x, random_mask(masked, shape + *axis - masked));
    }
    *axis += 1;
    if (kind <= 5) {
        int64_t at = n && test_between(0, 40) ? test_between(-n, n - 1) : n;
        return say(x, "%lld", (long long)at), TY_AT(at);
    }
    return kind <= 8 ? random_range(x, n) : tensor_item(x, random_tensor(n, length));
}

void naive_random(struct naive_index *x, int rank, const int64_t *shape) {
    int axis = 0, skip = (int)test_between(0, rank);
    int stop = test_between(0, 3) ? rank + (test_between(0, 60) == 0) : (int)test_between(0, rank);
    int64_t length = test_between(0, 9) ? test_between(1, 4) : 0;
    bool dots = test_between(0, 2) == 0;
    *x = (struct naive_index){0};
    while (x->n < NAIVE_ITEMS - 1) {
        if (dots && axis >= stop - skip && test_between(0, 1)) {
            int rest = rank - axis;
            say(x, "%s...", x->n ? "," : "");
            x->items[x->n++] = TY_DOTS;
            dots = false;
            axis += rest > 0 ? (int)test_between(0, rest) : 0;
            continue;
        }
        if (axis >= stop) break;
        if (x->n) say(x, ", ");
        ty_index item = random_item(x, rank, shape, &axis, length);
        x->items[x->n++] = item;
    }
}

/* ---- NumPy's rules ---- */

/* Source of the index on one axis of x: one axis of the result, or an index tensor over the broadcast
   block. */
struct finder {
    int axis; /* axis of the result; -1: fixed; -2: a tensor */
    int64_t start, step;
    int rank; /* rank of the tensor */
    int64_t shape[3], values[256];
};

struct reading {
    int rank, axis, nfinders, kept, block, first_kept; /* first_kept: number of kept axes before the block */
    const int64_t *shape;
    struct finder finders[NAIVE_RANK + 4];
    int64_t kept_shape[NAIVE_RANK], block_shape[4];
    bool valid, advanced, apart;
    int last_advanced, items; /* numbers of items, to tell whether advanced indices are adjacent */
};

static struct finder *finder_new(struct reading *r) { return &r->finders[r->nfinders++]; }

static void is_advanced(struct reading *r) {
    if (r->last_advanced < 0)
        r->first_kept = r->kept;
    else if (r->last_advanced != r->items - 1)
        r->apart = true;
    r->last_advanced = r->items;
}

static void keep(struct reading *r, int64_t size) {
    if (r->kept < NAIVE_RANK) r->kept_shape[r->kept] = size;
    r->kept++;
}

static void broadcast_block(struct reading *r, int rank, const int64_t *shape) {
    r->advanced = true;
    while (r->block < rank) {
        memmove(r->block_shape + 1, r->block_shape, sizeof *shape * (size_t)r->block);
        r->block_shape[0] = 1;
        r->block++;
    }
    for (int i = 0; i < rank; i++) {
        int64_t *size = &r->block_shape[r->block - rank + i];
        if (*size == 1)
            *size = shape[i];
        else if (shape[i] != 1 && shape[i] != *size)
            r->valid = false;
    }
}

static void read_range(struct reading *r, const ty_index *item) {
    int64_t n = r->shape[r->axis], step = item->step ? item->step : 1, size = 0;
    int64_t start = item->start == TY_END ? (step > 0 ? 0 : n - 1)
                    : item->start < 0     ? item->start + n
                                          : item->start;
    int64_t stop = item->stop == TY_END ? (step > 0 ? n : -1) : item->stop < 0 ? item->stop + n : item->stop;
    if (step > 0) start = start < 0 ? 0 : start, stop = stop > n ? n : stop;
    if (step < 0) start = start > n - 1 ? n - 1 : start, stop = stop < -1 ? -1 : stop;
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) size++;
    *finder_new(r) = (struct finder){.axis = r->kept, .start = start, .step = step};
    keep(r, size);
    r->axis++;
}

static void read_at(struct reading *r, int64_t at) {
    int64_t n = r->shape[r->axis++], i = at < 0 ? at + n : at;
    if (i < 0 || i >= n) r->valid = false;
    is_advanced(r);
    *finder_new(r) = (struct finder){.axis = -1, .start = i};
}

static void read_places(struct reading *r, ty_tensor *tensor) {
    struct finder *f = finder_new(r);
    int64_t n = r->shape[r->axis++];
    *f = (struct finder){.axis = -2, .rank = ty_rank(tensor)};
    if (f->rank) memcpy(f->shape, ty_shape(tensor), sizeof *f->shape * (size_t)f->rank);
    ty_read(tensor, TY_I64, f->values);
    for (int64_t i = 0; i < ty_size(tensor); i++) {
        if (f->values[i] < 0) f->values[i] += n;
        if (f->values[i] < 0 || f->values[i] >= n) r->valid = false;
    }
    is_advanced(r);
    broadcast_block(r, f->rank, f->shape);
}

static void read_mask(struct reading *r, ty_tensor *mask) {
    unsigned char truth[256] = {0};
    int rank = ty_rank(mask);
    int64_t count = 0, size = ty_size(mask), index[4];
    struct finder *f = &r->finders[r->nfinders];
    for (int i = 0; i < rank; i++)
        if (ty_shape(mask)[i] != r->shape[r->axis + i]) r->valid = false;
    ty_read(mask, TY_BOOL, truth);
    for (int k = 0; k < rank; k++) f[k] = (struct finder){.axis = -2, .rank = 1};
    for (int64_t i = 0; i < size; i++) {
        int64_t rest = i;
        if (!truth[i]) continue;
        for (int k = rank - 1; k >= 0; k--) index[k] = rest % ty_shape(mask)[k], rest /= ty_shape(mask)[k];
        for (int k = 0; k < rank; k++) f[k].values[count] = index[k];
        count++;
    }
    for (int k = 0; k < rank; k++) f[k].shape[0] = count;
    r->nfinders += rank;
    r->axis += rank;
    is_advanced(r);
    broadcast_block(r, 1, &count);
}

static void read_item(struct reading *r, const ty_index *item, int dots) {
    bool mask = item->kind == TY_INDEX_TENSOR && ty_dtype_of(item->tensor) == TY_BOOL;
    int takes = mask                          ? ty_rank(item->tensor)
                : item->kind == TY_INDEX_DOTS ? dots
                                              : item->kind != TY_INDEX_NEW;
    if (r->axis + takes > r->rank) {
        r->valid = false;
        return;
    }
    if (item->kind == TY_INDEX_DOTS)
        for (int i = 0; i < dots; i++) read_range(r, &TY_WHOLE);
    else if (item->kind == TY_INDEX_NEW)
        keep(r, 1);
    else if (item->kind == TY_INDEX_AT)
        read_at(r, item->start);
    else if (item->kind == TY_INDEX_RANGE)
        read_range(r, item);
    else if (mask)
        read_mask(r, item->tensor);
    else
        read_places(r, item->tensor);
    r->items++;
}

static int64_t place_of(const struct reading *r, int at, const int64_t *index) {
    int64_t place = 0;
    for (int a = 0; a < r->rank; a++) {
        const struct finder *f = &r->finders[a];
        int64_t i = f->start, flat = 0;
        if (f->axis >= 0) {
            i += f->step * index[f->axis < at ? f->axis : f->axis + r->block];
        } else if (f->axis == -2) {
            for (int k = 0; k < f->rank; k++)
                flat = flat * f->shape[k] + (f->shape[k] == 1 ? 0 : index[at + r->block - f->rank + k]);
            i = f->values[flat];
        }
        place = place * r->shape[a] + i;
    }
    return place;
}

struct naive naive_places(const struct naive_index *x, int rank, const int64_t *shape) {
    struct reading r = {.rank = rank, .shape = shape, .valid = true, .last_advanced = -1};
    struct naive result = {0};
    int taken = 0;
    for (int i = 0; i < x->n; i++) {
        const ty_index *item = &x->items[i];
        bool mask = item->kind == TY_INDEX_TENSOR && ty_dtype_of(item->tensor) == TY_BOOL;
        taken += mask ? ty_rank(item->tensor) : item->kind != TY_INDEX_DOTS && item->kind != TY_INDEX_NEW;
    }
    for (int i = 0; i < x->n && r.valid; i++) read_item(&r, &x->items[i], rank > taken ? rank - taken : 0);
    while (r.valid && r.axis < rank) read_range(&r, &TY_WHOLE), r.items++;
    if (!r.valid) return result;
    int at = r.advanced && !r.apart ? r.first_kept : 0;
    result.rank = r.kept + r.block;
    result.valid = true;
    result.size = 1;
    for (int i = 0; i < result.rank; i++) {
        int k = i < at ? i : i - r.block;
        result.shape[i] = i >= at && i < at + r.block ? r.block_shape[i - at] : r.kept_shape[k];
        result.size *= result.shape[i];
    }
    result.places = test_room(sizeof(int64_t) * (size_t)(result.size + 1));
    for (int64_t k = 0; k < result.size; k++) {
        int64_t index[NAIVE_RANK], rest = k;
        for (int i = result.rank - 1; i >= 0; i--) index[i] = rest % result.shape[i], rest /= result.shape[i];
        result.places[k] = place_of(&r, at, index);
    }
    return result;
}
