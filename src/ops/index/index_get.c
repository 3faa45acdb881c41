/* Reading and replacing by index items.  The basic part (ranges, integers, new axes) is a view.  Index tensors are
   one gather from that view, or one scatter into it.  As in NumPy, their axes go where the first advanced item is
   if all advanced items, integers included, are adjacent, else in front.  A replaced view is placed back into x. */
#include <tyto/arithmetic.h>
#include <tyto/shape.h>
#include "ops/core/memory/give.h"
#include "ops/index/index_items.h"
#include "ops/shape/arrange.h"

/* Return the selection of a value without history, which has no index tensors, as one view. NULL if it needs operators. */
static ty_tensor *direct_view(const struct selection *s) {
    const ty_tensor *x = s->x;
    struct layout_room room;
    struct layout *l = layout_room_init(&room, 0);
    bool plain =
        !x->promise && !x->tracked && !x->varies && !x->given && x->buffer && !dtype_stored(x->dtype);
    if (!plain || op_watch || s->indices) return NULL;
    l->offset = x->layout.offset;
    for (int i = 0; i < s->n; i++) {
        const struct entry *e = &s->entries[i];
        bool part = e->kind == ENTRY_RANGE || e->kind == ENTRY_AT;
        int64_t stride = part ? x->layout.strides[e->axis] : 0;
        if (part && e->size) l->offset += e->start * stride;
        if (e->kind == ENTRY_AT) continue;
        if (l->rank == TY_MAX_RANK) return NULL;
        l->shape[l->rank] = e->size;
        l->strides[l->rank++] = part ? stride * e->step : 0;
    }
    return tensor_return(tensor_new_view(x, l));
}

/* Return the basic part of the selection: x sliced axis by axis, then reshaped once. Poison if it has too
   many axes. */
static ty_tensor *basic_view(const struct selection *s) {
    ty_tensor *y = s->x;
    int64_t shape[INDEX_MAX_ENTRIES];
    int rank = 0;
    for (int i = 0; i < s->n; i++) {
        const struct entry *e = &s->entries[i];
        if (e->kind == ENTRY_RANGE || e->kind == ENTRY_AT) {
            int64_t last = e->start + (e->size - 1) * e->step, stop = e->step > 0 ? last + 1
                                                                      : last > 0  ? last - 1
                                                                                  : TY_END;
            y = ty_slice(y, e->axis, e->size ? e->start : 0, e->size ? stop : 0, e->step);
        }
        if (e->kind != ENTRY_AT) shape[rank++] = e->size;
    }
    if (rank > TY_MAX_RANK)
        return refuse(s->list->name, 1, &s->x, E_LIMIT, "the result would have %d axes; expected at most %d",
                      rank, TY_MAX_RANK);
    return reshape_like(y, rank, shape);
}

/* Attributes and index tensors of the gather. */
struct fancy {
    struct gather_attr attr;
    int n;
    ty_tensor *tensors[INDEX_MAX_ENTRIES];
};

static bool is_advanced(const struct entry *e) { return e->kind == ENTRY_INDEX || e->kind == ENTRY_AT; }

/* Return the index, in the result, of the first axis of the index tensors. It is 0 if anything is between
   advanced items, even a "..." for no axes; -1 if there are no advanced items. */
static int block_place(const struct selection *s) {
    int first = -1, last = -1;
    for (int i = 0; i < s->n; i++)
        if (is_advanced(&s->entries[i])) first = first < 0 ? i : first, last = i;
    for (int i = first; i <= last; i++)
        if (!is_advanced(&s->entries[i]) || (i > first && i == s->dots)) return 0;
    return first;
}

/* Set *f to the index tensors of the selection, and the attributes of a gather from the basic part (the
   result of basic_view). */
static void fancy_make(const struct selection *s, struct fancy *f) {
    int block = 0, place = block_place(s), axis = 0, kept = 0;
    f->attr = (struct gather_attr){.rank = 0};
    f->n = 0;
    for (int i = 0; i < s->n; i++)
        if (s->entries[i].kind == ENTRY_INDEX && ty_rank(s->entries[i].tensor) > block)
            block = ty_rank(s->entries[i].tensor);
    for (int i = 0; i < s->n; i++) {
        const struct entry *e = &s->entries[i];
        if (e->kind == ENTRY_AT) continue;
        uint8_t *of = &f->attr.axis[axis++];
        if (e->kind == ENTRY_INDEX) {
            *of = (uint8_t)(GATHER_INDEXED + f->n);
            f->tensors[f->n++] = e->tensor;
        } else {
            *of = (uint8_t)(kept < place ? kept : kept + block);
            kept++;
        }
    }
    f->attr.rank = kept + block;
    f->attr.end = place + block;
}

static bool has_tensors(const struct item_list *list) {
    for (int i = 0; list->items && i < list->n; i++)
        if (list->items[i].kind == TY_INDEX_TENSOR) return true;
    return false;
}

ty_tensor *items_get(const struct item_list *list, ty_tensor *x) {
    struct selection s;
    struct fancy f;
    if (!has_tensors(list)) { /* without a scope, as all that is made is the result */
        if (!selection_make(&s, list, x, false)) return s.bad;
        ty_tensor *view = direct_view(&s);
        if (view) return view;
    }
    ty_scope *scope = ty_open();
    if (!selection_make(&s, list, x, false)) return leave(scope, s.bad);
    ty_tensor *y = basic_view(&s);
    if (!ty_ok(y) || s.indices == 0) return leave(scope, tensor_resolve(y));
    fancy_make(&s, &f);
    ty_tensor *bad = first_poison(f.n, f.tensors);
    return leave_as(list->name, scope, y, bad ? bad : gather_at(y, &f.attr, f.n, f.tensors));
}

/* ---- replacement ---- */

/* Return v cast to x's dtype and broadcast to shape[rank]; superfluous leading axes of v must have size 1 and
   are dropped. Poison if it does not fit. */
static ty_tensor *fitted(const struct selection *s, ty_tensor *v, int rank, const int64_t *shape) {
    char words[WORDS];
    const int64_t *own = ty_shape(v);
    int extra = ty_rank(v) - rank;
    while (extra > 0 && *own == 1) extra--, own++;
    bool fits = extra <= 0;
    int given = ty_rank(v) - (int)(own - ty_shape(v));
    for (int i = 0; i < given && fits; i++) fits = own[i] == 1 || own[i] == shape[rank - given + i];
    if (!fits)
        return refuse(s->list->name, 2, (ty_tensor *[]){s->x, v}, E_SHAPE,
                      "the value does not broadcast to the selected shape %s",
                      shape_words(words, rank, shape));
    v = stored_as("set", v, ty_dtype_of(s->x));
    return ty_broadcast(reshape_like(v, given, own), rank, shape);
}

/* Return x with the basic part of the selection replaced by y, which has the shape of basic_view's result. */
static ty_tensor *put_back(const struct selection *s, ty_tensor *y) {
    struct place_attr attr = {{{0}}};
    int64_t shape[TY_MAX_RANK];
    bool whole = true;
    int rank = ty_rank(s->x);
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(s->x)[i], attr.axis[i].step = 1;
    for (int i = 0; i < s->n; i++) {
        const struct entry *e = &s->entries[i];
        if (e->kind != ENTRY_RANGE && e->kind != ENTRY_AT) continue;
        whole = whole && e->size == shape[e->axis] && e->step == 1;
        shape[e->axis] = e->size;
        attr.axis[e->axis] = (struct place_axis){e->start, e->step};
    }
    y = reshape_like(y, rank, shape);
    for (int i = 0; i < rank; i++) {
        struct place_axis *a = &attr.axis[i];
        if (a->step > 0) continue;
        y = ty_flip(y, i);
        a->start += (shape[i] - 1) * a->step;
        a->step = -a->step;
    }
    if (whole) return y;
    give_on(s->x);
    return place_at(s->x, y, &attr);
}

/* Return x with the elements that s->mask selects combined with v by `mode`, by a `where`. NULL if v is not
   the same for all of them, so that it must be scattered. Poison on failure. */
static ty_tensor *set_where(const struct selection *s, ty_scatter_mode mode, ty_tensor *v) {
    int rank = ty_rank(s->x), masked = ty_rank(s->mask), behind = rank - s->mask_axis - masked,
        n = ty_rank(v);
    int64_t shape[2 * TY_MAX_RANK], mask[TY_MAX_RANK];
    if (n > behind && ty_shape(v)[n - 1 - behind] != 1) return NULL;
    int extra = n > behind ? masked - 1 : 0, place = n - 1 - behind;
    if (n + extra > TY_MAX_RANK) return NULL;
    for (int i = 0; i < n; i++) shape[i > place ? i + extra : i] = ty_shape(v)[i];
    for (int i = 0; i < extra; i++) shape[place + 1 + i] = 1;
    for (int i = 0; i < masked + behind; i++) mask[i] = i < masked ? ty_shape(s->mask)[i] : 1;
    ty_tensor *filled = fitted(s, reshape_like(v, n + extra, shape), rank, ty_shape(s->x));
    ty_tensor *chosen = reshape_like(s->mask, masked + behind, mask),
              *combined = scatter_combine(mode, s->x, filled);
    give_on(s->x);
    return ty_where(chosen, combined, s->x);
}

/* True if the basic part of the selection is all of x. */
static bool is_all(const struct selection *s) {
    bool all = true;
    for (int i = 0; i < s->n; i++) {
        const struct entry *e = &s->entries[i];
        bool whole = e->span == 1 && e->start == 0 && e->step == 1 && e->size == ty_shape(s->x)[e->axis];
        all = all && whole && (e->kind == ENTRY_RANGE || e->kind == ENTRY_INDEX);
    }
    return all;
}

/* Return the basic part of the selection with the selected elements combined with v by `mode`. Poison on failure. If
   x is all of that part and was given away, the result may be in its memory. */
static ty_tensor *set_part(const struct selection *s, ty_scatter_mode mode, ty_tensor *v) {
    struct fancy f;
    int64_t space[TY_MAX_RANK];
    ty_tensor *y = is_all(s) ? s->x : basic_view(s);
    if (!ty_ok(y)) return y;
    if (s->indices == 0) return scatter_combine(mode, y, fitted(s, v, ty_rank(y), ty_shape(y)));
    fancy_make(s, &f);
    ty_tensor *bad = gather_space(y, &f.attr, f.n, f.tensors, space);
    if (bad) return bad;
    v = fitted(s, v, f.attr.rank, space);
    if (y == s->x) give_on(y);
    return scatter_at(y, v, mode, &f.attr, f.n, f.tensors);
}

/* Return x with the selected elements combined with v by `mode`. Poison on failure. The view of a part is
   dropped before the part is put back, so that x has its memory for itself. */
static ty_tensor *set_selected(const struct selection *s, ty_scatter_mode mode, ty_tensor *v) {
    if (is_all(s)) return set_part(s, mode, v); /* x itself, with its shape */
    ty_scope *scope = ty_open();
    return put_back(s, leave(scope, set_part(s, mode, v)));
}

ty_tensor *items_set(const struct item_list *list, ty_tensor *x, ty_scatter_mode mode, ty_tensor *v) {
    struct selection s;
    ty_tensor *operands[] = {x, v}, *bad = first_poison_in(list->name, 2, operands);
    if (bad) return bad;
    if (!scatter_name(mode)) return refuse(list->name, 2, operands, E_ARGUMENT, "unknown mode %d", (int)mode);
    ty_scope *scope = ty_open();
    ty_tensor *y = NULL;
    x = tensor_resolve(x);
    if (!selection_make(&s, list, x, true)) return leave(scope, s.bad);
    if (s.mask) y = set_where(&s, mode, v);
    if (!y && s.mask && !selection_make(&s, list, x, false)) return leave(scope, s.bad);
    return leave_as(list->name, scope, x, y ? y : set_selected(&s, mode, v));
}

ty_tensor *ty_get(ty_tensor *x, int n, const ty_index *items) {
    return items_get(&(struct item_list){.name = "get", .n = n, .items = items}, x);
}

ty_tensor *ty_set_by(ty_tensor *x, int n, const ty_index *items, ty_scatter_mode mode, ty_tensor *v) {
    return items_set(&(struct item_list){.name = "set", .n = n, .items = items}, x, mode, v);
}

ty_tensor *ty_set(ty_tensor *x, int n, const ty_index *items, ty_tensor *v) {
    return ty_set_by(x, n, items, TY_SCATTER_SET, v);
}
