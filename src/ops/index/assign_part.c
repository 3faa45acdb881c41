/*
 * Assignment of parts of variables. A lazy variable is claimed as by a run that updates it, so that assignments of
 * several threads do not lose each other. Its elements change in place if nobody else holds its buffer, else in a copy.
 */
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/remote.h"
#include "base/context/context.h"
#include "base/context/stop.h"
#include "base/machine/cache.h"
#include "base/machine/floating.h"
#include "base/threads/lock.h"
#include "ops/core/memory/destination.h"
#include "ops/core/variable.h"
#include "ops/index/index_items.h"
#include "ops/math/numbers.h"
#include "ops/shape/arrange.h"

/* The items of a part, as structs or as text. */
struct part {
    const char *name; /* of the public function */
    int n;
    const ty_index *items;
    const char *text;
    bool is_text; /* the items are in `text` */
    bool tensors; /* an item is a tensor */
};

/* Return x[part]; or if v is not NULL, x with v there. Poison on failure. */
static ty_tensor *pick(const struct part *p, ty_tensor *x, ty_tensor *v) {
    struct item_list list = {.name = p->name, .n = p->n, .items = p->items};
    if (!p->is_text) return v ? items_set(&list, x, TY_SCATTER_SET, v) : items_get(&list, x);
    return items_by_text(p->name, x, p->text, 0, NULL, TY_SCATTER_SET, v);
}

/* ---- the part of a buffer ---- */

/* Return a value on the buffer that the variable's new elements are in, with the variable's present ones. Poison if
   memory runs out. */
static ty_tensor *opened(struct variable_use *use) {
    const ty_tensor *x = use->leaf;
    int64_t bytes = (int64_t)dtype_table[x->dtype].size;
    struct fault fault;
    fault_clear(&fault);
    const char *home = buffer_home(use->buffer, &fault);
    if (!home) return tensor_fault(&fault);
    ty_tensor *y = tensor_new(x->dtype, x->layout.rank, 0, 0);
    if (!y || (!use->in_place && !(use->fresh = buffer_new(tensor_bytes(x))))) {
        tensor_free_one_reference(y);
        return tensor_return(NULL);
    }
    memcpy(y->layout.shape, x->layout.shape, 2 * sizeof(int64_t) * (size_t)x->layout.rank);
    y->layout.offset = use->in_place ? use->offset / bytes : 0;
    y->buffer = buffer_retain(use->in_place ? use->buffer : use->fresh);
    if (use->in_place)
        buffer_written_home(y->buffer);
    else
        cache_copy(y->buffer->data, home + use->offset, tensor_bytes(x));
    return tensor_return(y);
}

/* Set *b to the bounding box in x of the elements of `view`, a view of x. False if there are too many axes. */
static bool box_of(const ty_tensor *x, const ty_tensor *view, struct box *b) {
    struct box all;
    struct layout layout = view->layout;
    layout.offset -= x->layout.offset;
    if (x->layout.rank > BOX_RANK || !box_whole(&all, layout.rank, layout.shape)) return false;
    box_covered(&layout, &all, x->layout.rank, x->layout.shape, b);
    return true;
}

/* Write v, a value of the part's form, into the part of x, a value of opened(). *b becomes the box of the part if it is
   known, and *known says so. NULL, or poison on failure, with x unchanged. */
static ty_tensor *write_part(const struct part *p, ty_tensor *x, ty_tensor *v, struct box *b, bool *known) {
    struct fault fault;
    fault_clear(&fault);
    ty_tensor *to = p->tensors ? x : pick(p, x, NULL);
    if (p->tensors) v = pick(p, x, v);
    if (!ty_ok(to) || !ty_ok(v)) return ty_ok(to) ? v : to;
    *known = !p->tensors && box_of(x, to, b);
    return destination_copy(to, v, &fault) ? NULL : tensor_fault(&fault);
}

/* ---- variables ---- */

/* Change the part of a lazy variable that is claimed. Buffers that die join the list *dead. NULL, or poison on
   failure. */
static ty_tensor *change(const struct part *p, struct variable_use *use, ty_tensor *v, struct buffer **dead) {
    struct box b;
    bool known = false;
    ty_scope *scope = ty_open();
    ty_tensor *bad = use->buffer ? NULL
                                 : ty_poison_code(E_STATE, "%s: variable %s has no value; use ty_assign",
                                                  p->name, use->leaf->name ? use->leaf->name : "");
    ty_tensor *x = bad ? bad : opened(use);
    stop_mask(); /* a stop would leave the part half written */
    if (!bad) bad = ty_ok(x) ? write_part(p, x, v, &b, &known) : x;
    stop_unmask();
    if (bad)
        bad = leave(scope, bad);
    else
        ty_close(scope);
    variables_give_part(use, !bad, known ? &b : NULL, dead);
    return bad;
}

/* Change the part of a lazy variable x. v is a value. NULL, or poison on failure. */
static ty_tensor *change_lazy(const struct part *p, ty_tensor *x, ty_tensor *v) {
    struct variable_use use = {.leaf = x, .updates = true};
    struct buffer *dead = NULL;
    ty_tensor *bad;
    fork_hold_off();
    if (variables_take_part(&use)) {
        struct context_thread *t = thread_now();
        t->held++; /* no function of the user's runs while the variable is claimed */
        bad = change(p, &use, v, &dead);
        t->held--;
    } else {
        bad = ty_poison_code(E_STATE, "%s: a run updates the variable, and this thread is inside a run",
                             p->name);
    }
    fork_allow();
    buffers_end(dead); /* may call the user's functions */
    return bad;
}

/* Return v as a value of the dtype of x and of the form of x[part]. Poison on failure. */
static ty_tensor *fitting(const struct part *p, ty_tensor *x, ty_tensor *v) {
    ty_tensor *y = pick(p, ty_lazy(x), v), *form = pick(p, x, NULL); /* checks all */
    if (!ty_ok(y) || !ty_ok(form)) return ty_ok(y) ? form : y;
    int extra = ty_rank(v) - ty_rank(form);
    v = stored_as(p->name, v, ty_dtype_of(x));
    if (extra > 0) v = ty_reshape(v, ty_rank(form), ty_shape(v) + extra);
    return ty_eval(p->tensors ? v : ty_broadcast(v, ty_rank(form), ty_shape(form)));
}

/* Assign v to the part of variable x. NULL, or poison on failure. */
static ty_tensor *assign_part(const struct part *p, ty_tensor *x, ty_tensor *v) {
    ty_tensor *error = NULL, *operands[] = {x, v};
    if (!ty_ok(x) || !ty_ok(v)) return first_poison_in(p->name, 2, operands);
    if (!x->current && x->op != &op_input)
        return ty_poison_code(E_ARGUMENT,
                              "%s: only variables (ty_var, ty_track) can be assigned; this is a %s", p->name,
                              x->promise ? "promise" : "value");
    ty_tensor *now = x->current ? ty_detach(x) : x;
    v = fitting(p, now, v);
    if (!ty_ok(v)) return v;
    if (!x->current) return change_lazy(p, x, v);
    return ty_assign(x, pick(p, now, v), &error) ? NULL : error;
}

static bool finish(const struct part *p, ty_tensor *x, ty_tensor *v, ty_tensor **error) {
    FLOATING_DEFAULT;
    ty_scope *scope = ty_open();
    ty_tensor *bad = assign_part(p, tensor_of(x), tensor_of(v));
    if (bad && error)
        *error = leave(scope, bad);
    else
        ty_close(scope);
    return !bad;
}

/* ---- public ---- */

bool ty_assign_at(ty_tensor *variable, const char *text, ty_tensor *value, ty_tensor **error) {
    return finish(&(struct part){.name = "assign_at", .text = text, .is_text = true}, variable, value, error);
}

bool ty_assign_items(ty_tensor *variable, int n, const ty_index *items, ty_tensor *value, ty_tensor **error) {
    ty_index values[INDEX_MAX_ITEMS];
    struct part p = {.name = "assign_items", .n = n, .items = items};
    ty_scope *scope = ty_open();
    ty_tensor *bad = NULL;
    if (items && n <= INDEX_MAX_ITEMS) p.items = values;
    for (int i = 0; i < n && p.items == values; i++) {
        values[i] = items[i];
        if (items[i].kind != TY_INDEX_TENSOR) continue;
        p.tensors = true; /* evaluated now, as a promise may read the variable */
        if (ty_ok(items[i].tensor)) values[i].tensor = ty_eval(items[i].tensor);
    }
    bool done = finish(&p, variable, value, &bad);
    if (!done && error)
        *error = leave(scope, bad);
    else
        ty_close(scope);
    return done;
}
