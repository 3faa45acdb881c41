/* Resolves items as NumPy does: "..." and missing items are whole axes, an integer picks.  A mask of rank r covers
   r axes and selects the indices where it is true.  A mask of rank 0 is a new axis with one element or none. */
#include "ops/index/index_items.h"
#include <stdarg.h>
#include <stdio.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>

/* Set s->bad to poison such as "get of f32[3,4]: item 1: ..." or "at of f32[3,4]: column 5 of "1, 7": ...".
   Always return false. */
__attribute__((format(printf, 4, 5))) static bool selection_fault(struct selection *s, int item, ty_code code,
                                                                  const char *format, ...) {
    char reason[320];
    va_list args;
    va_start(args, format);
    text_format(reason, sizeof reason, format, args);
    va_end(args);
    const struct item_list *list = s->list;
    if (list->text)
        s->bad = refuse(list->name, 1, &s->x, code, "column %d of \"%.120s\": %s", list->columns[item],
                        list->text, reason);
    else
        s->bad = refuse(list->name, 1, &s->x, code, "item %d: %s", item, reason);
    return false;
}

static bool is_mask(const ty_index *item) {
    return item->kind == TY_INDEX_TENSOR && ty_dtype_of(item->tensor) == TY_BOOL;
}

/* Return the number of axes of x that an item covers; 0 for "..." and a new axis. */
static int taken_by(const ty_index *item) {
    if (is_mask(item)) return ty_rank(item->tensor);
    return item->kind == TY_INDEX_RANGE || item->kind == TY_INDEX_AT || item->kind == TY_INDEX_TENSOR;
}

/* Append an entry to the selection, for item number `item` (from 0, for the message). False, with s->bad set
   to poison, if there are too many. */
static bool add(struct selection *s, int item, struct entry entry) {
    if (s->n == INDEX_MAX_ENTRIES)
        return selection_fault(s, item, E_LIMIT, "the result would have more than %d axes", TY_MAX_RANK);
    s->entries[s->n++] = entry;
    s->axes += entry.span;
    s->indices += entry.kind == ENTRY_INDEX;
    return true;
}

/* Add the entry of a range along the next axis of x, with bounds cut to its size and the step 0 counted as 1.
   False, with s->bad set to poison, on failure. */
static bool add_range(struct selection *s, int item, const ty_index *range) {
    struct entry e = {
        .kind = ENTRY_RANGE, .axis = s->axes, .span = 1, .start = range->start, .step = range->step};
    if (e.step == 0) e.step = 1;
    slice_normal(ty_shape(s->x)[s->axes], &e.start, range->stop, &e.step, &e.size);
    return add(s, item, e);
}

/* Add the entry of the index i along the next axis of x, which may be negative, counting from the end. False,
   with s->bad set to poison, if it is outside. */
static bool add_at(struct selection *s, int item, int64_t i) {
    int64_t n = ty_shape(s->x)[s->axes], at = i < 0 ? i + n : i;
    if (at < 0 || at >= n)
        return selection_fault(s, item, E_INDEX, "index %lld is out of bounds for axis %d of size %lld",
                               (long long)i, s->axes, (long long)n);
    return add(
        s, item,
        (struct entry){.kind = ENTRY_AT, .axis = s->axes, .span = 1, .start = at, .step = 1, .size = 1});
}

static bool add_whole(struct selection *s, int item, int count) {
    for (int i = 0; i < count; i++)
        if (!add_range(s, item, &TY_WHOLE)) return false;
    return true;
}

/* ---- masks ---- */

/* Check that the mask has the sizes of the next axes of x, which it covers, or 0. False, with s->bad set to poison,
   if not. */
static bool mask_fits(struct selection *s, int item, ty_tensor *mask) {
    for (int i = 0; i < ty_rank(mask); i++)
        if (ty_shape(mask)[i] != 0 && ty_shape(mask)[i] != ty_shape(s->x)[s->axes + i])
            return selection_fault(
                s, item, E_SHAPE, "axis %d of the mask has %lld elements, but axis %d has %lld", i,
                (long long)ty_shape(mask)[i], s->axes + i, (long long)ty_shape(s->x)[s->axes + i]);
    return true;
}

/* True if axes first .. first+n-1 of x can be merged into one by a view; always true for a promise. */
static bool are_one(ty_tensor *x, int first, int n) {
    x = tensor_resolve(x);
    for (int i = first; i < first + n - 1 && !x->promise; i++)
        if (x->layout.strides[i] != x->layout.strides[i + 1] * x->layout.shape[i + 1]) return false;
    return true;
}

/* Add the entry of item `item`, a mask of rank 0: a new axis of size 1, of which its element is selected or
   not. False, with s->bad set to poison, on failure. */
static bool add_switch(struct selection *s, int item, ty_tensor *mask) {
    int64_t count = 0;
    if (!ty_read(mask, TY_I64, &count)) {
        s->bad = tensor_out_of_memory();
        return false;
    }
    ty_tensor *places = ty_zeros(TY_I64, 1, &count);
    return add(s, item,
               (struct entry){.kind = ENTRY_INDEX, .axis = s->axes, .step = 1, .size = 1, .tensor = places});
}

/* Add the entries of a mask, which is evaluated: indices of its true elements along its axes, as one entry if
   a view can merge these axes of x. False, with s->bad set to poison, on failure. */
static bool add_mask(struct selection *s, int item, ty_tensor *mask) {
    int rank = ty_rank(mask);
    if (!mask_fits(s, item, mask)) return false;
    mask = value_now("a mask", mask);
    if (!ty_ok(mask)) {
        s->bad = mask;
        return false;
    }
    if (rank == 0 && (s->bad = refuse_fixed("a mask", mask, 1, &s->x))) return false;
    if (rank == 0) return add_switch(s, item, mask);
    int64_t size = shape_size(rank, ty_shape(s->x) + s->axes);
    bool one = are_one(s->x, s->axes, rank);
    ty_tensor *places = one ? ty_flat_nonzero(mask) : ty_nonzero(mask);
    if (one)
        return add(s, item,
                   (struct entry){.kind = ENTRY_INDEX,
                                  .axis = s->axes,
                                  .span = rank,
                                  .step = 1,
                                  .size = size,
                                  .tensor = places});
    for (int i = 0; i < rank; i++) {
        ty_tensor *row = ty_squeeze(ty_slice(places, 0, i, i + 1, 1), 0);
        if (!add(s, item,
                 (struct entry){.kind = ENTRY_INDEX,
                                .axis = s->axes,
                                .span = 1,
                                .step = 1,
                                .size = ty_shape(s->x)[s->axes],
                                .tensor = row}))
            return false;
    }
    return true;
}

/* Add the entry of an index tensor, or those of a mask. False, with s->bad set to poison, if its dtype is
   neither integer nor bool, or on failure. */
static bool add_tensor(struct selection *s, int item, ty_tensor *tensor) {
    if (ty_dtype_of(tensor) == TY_BOOL) return add_mask(s, item, tensor);
    if (!dtype_is(ty_dtype_of(tensor), CLASS_INTEGER))
        return selection_fault(s, item, E_DTYPE,
                               "an index tensor must be of an integer dtype or bool, not %s",
                               ty_dtype_name(ty_dtype_of(tensor)));
    return add(s, item,
               (struct entry){.kind = ENTRY_INDEX,
                              .axis = s->axes,
                              .span = 1,
                              .step = 1,
                              .size = ty_shape(s->x)[s->axes],
                              .tensor = tensor});
}

/* ---- all items ---- */

/* Add the entries of one item of the list; `left` is the number of axes that "..." covers. False, with s->bad
   set to poison, on failure. */
static bool add_item(struct selection *s, int item, int left) {
    const ty_index *i = &s->list->items[item];
    switch (i->kind) {
    case TY_INDEX_RANGE:
        return add_range(s, item, i);
    case TY_INDEX_AT:
        return add_at(s, item, i->start);
    case TY_INDEX_NEW:
        return add(s, item, (struct entry){.kind = ENTRY_NEW, .axis = s->axes, .step = 1, .size = 1});
    case TY_INDEX_DOTS:
        return s->dots = s->n, add_whole(s, item, left);
    default:
        return add_tensor(s, item, i->tensor);
    }
}

/* Count the axes of x that all items cover but "...", into *taken, and the "..." items, into *dots. False,
   with s->bad set to poison, if an item is invalid or there are too many. */
static bool items_count(struct selection *s, int *taken, int *dots) {
    const struct item_list *list = s->list;
    *taken = *dots = 0;
    for (int i = 0; i < list->n; i++) {
        const ty_index *item = &list->items[i];
        if ((unsigned)item->kind > TY_INDEX_TENSOR)
            return selection_fault(s, i, E_ARGUMENT, "unknown kind of item %d", (int)item->kind);
        if (item->kind == TY_INDEX_TENSOR && !item->tensor)
            return selection_fault(s, i, E_ARGUMENT, "the tensor is missing");
        if (item->kind == TY_INDEX_TENSOR && !ty_ok(item->tensor)) {
            s->bad = tensor_share_in(s->list->name, item->tensor);
            return false;
        }
        if (item->kind == TY_INDEX_DOTS && (*dots)++)
            return selection_fault(s, i, E_ARGUMENT, "... can occur only once");
        *taken += taken_by(item);
        if (*taken > ty_rank(s->x))
            return selection_fault(s, i, E_SHAPE, "there are more items than axes, which are %d",
                                   ty_rank(s->x));
    }
    return true;
}

/* Set s->mask to the only mask, and s->mask_axis to its first axis in x, if it has the sizes of x's axes and all
   other items are whole axes; else s->mask to NULL. `left` is the number of axes that "..." covers. */
static void find_mask(struct selection *s, int left) {
    int axis = 0, masks = 0;
    for (int i = 0; i < s->list->n; i++) {
        const ty_index *item = &s->list->items[i];
        bool whole = item->kind == TY_INDEX_RANGE && item->start == TY_END && item->stop == TY_END &&
                     (item->step == 1 || item->step == 0);
        if (is_mask(item) && ty_rank(item->tensor) > 0 && masks++ == 0) {
            s->mask = item->tensor;
            s->mask_axis = axis;
        } else if (!whole && item->kind != TY_INDEX_DOTS) {
            masks = 2;
        }
        axis += item->kind == TY_INDEX_DOTS ? left : taken_by(item);
    }
    int rank = masks == 1 ? ty_rank(s->mask) : 0;
    if (masks != 1 || !shape_equal(rank, ty_shape(s->mask), rank, ty_shape(s->x) + s->mask_axis))
        s->mask = NULL;
}

bool selection_make(struct selection *s, const struct item_list *list, ty_tensor *x, bool keep_mask) {
    int taken, dots, item = 0;
    s->list = list;
    s->x = x;
    s->n = s->axes = s->indices = 0;
    s->bad = s->mask = NULL;
    s->dots = -1;
    if (!ty_ok(x)) {
        s->bad = tensor_share_in(list->name, x);
        return false;
    }
    if (list->n > INDEX_MAX_ITEMS) {
        s->bad =
            refuse(list->name, 1, &x, E_LIMIT, "%d items; expected at most %d", list->n, INDEX_MAX_ITEMS);
        return false;
    }
    s->bad = refuse_missing(list->name, list->n, list->items, "items");
    if (s->bad) return false;
    if (!items_count(s, &taken, &dots)) return false;
    int left = ty_rank(x) - taken;
    if (keep_mask) find_mask(s, left);
    for (; item < list->n; item++) {
        if (s->mask && is_mask(&list->items[item])) {
            if (!add_whole(s, item, ty_rank(s->mask))) return false;
        } else if (!add_item(s, item, left)) {
            return false;
        }
    }
    return dots || add_whole(s, item - 1, left);
}
