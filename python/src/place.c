/*
 * Views that are known by the place of their elements in the memory of their root: what a function returns that shares
 * memory with an argument, such as a diagonal or windows.  And views that a function of Python makes again (promises).
 *
 * When something computed later reads the memory of an array, an assignment to the array or its views takes new memory
 * with the same layout for the root (tensor_to_write); views are made again from that when they are read (index.c).
 */
#include "index.h"
#include <stdlib.h>
#include <string.h>

/* The place of elements in memory, counted in elements: of the first one, and steps. */
struct place {
    int rank;
    int64_t offset, shape[TY_MAX_RANK], strides[TY_MAX_RANK];
};

/* The layout of a root that is not row-major. */
struct layout {
    ty_tensor *memory; /* vector of all memory, once the root has memory that we made; NULL */
    int64_t size;      /* number of elements from the lowest address to the highest one */
    struct place place;
};

void drop_layout(struct layout *layout) {
    if (layout) ty_release(layout->memory);
    free(layout);
}

/* Set *low and *high to the offsets of the first and behind the last element in memory, from the element at index 0. */
static void extent_of(const ty_tensor *x, int64_t *low, int64_t *high) {
    *low = 0, *high = 1;
    for (int i = 0; i < ty_rank(x); i++) {
        int64_t reach = (ty_shape(x)[i] - 1) * ty_strides(x)[i];
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
}

/* Return the elements at a place of a vector, as a view, which the caller owns. */
static ty_tensor *at_place(ty_tensor *memory, const struct place *p) {
    int64_t low = p->offset, high = p->offset + 1;
    bool repeats = false;
    for (int i = 0; i < p->rank; i++) {
        int64_t reach = (p->shape[i] - 1) * p->strides[i];
        *(reach < 0 ? &low : &high) += reach;
    }
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_slice(memory, 0, low, high, 1);
    for (int i = 0; i < p->rank; i++) { /* windows along the first axis add a last axis with any step */
        int64_t n = p->shape[i], step = p->strides[i];
        repeats = repeats || (n > 1 && step == 0);
        if (n == 1 || step == 0)
            x = ty_expand(x, -1);
        else
            x = ty_window(x, 0, n, 1, step < 0 ? -step : step);
        if (n > 1 && step < 0) x = ty_flip(x, -1);
    }
    x = ty_squeeze(x, 0);
    x = ty_retain(repeats ? ty_broadcast(x, p->rank, p->shape) : x);
    ty_close(scope);
    return x;
}

/* ---- noting places ---- */

/* Return true if the elements of x lie in the host's memory. */
static bool is_near(const ty_tensor *x) {
    const char *on = ty_on(x);
    return on[0] == 'c' && on[1] == 'p' && on[2] == 'u';
}

/* Find the addresses of an array's elements, unless they are known: from `begin` to before `end`.  They are equal where
   there are none in the host's memory. */
static void find_span(struct array *array) {
    static const char nowhere[1];
    ty_tensor *x = array->tensor;
    if (array->begin) return;
    array->begin = array->end = nowhere;
    const char *data = ty_is_promise(x) || !is_near(x) ? NULL : ty_data(x);
    if (!data) return;
    int64_t low, high, size = (int64_t)ty_dtype_size(ty_dtype_of(x));
    extent_of(x, &low, &high);
    array->begin = data + low * size;
    array->end = data + high * size;
}

/* Note the layout of a root for views by place, unless it is row-major.  False if memory runs out. */
static bool note_layout(struct array *root) {
    ty_tensor *x = root->tensor;
    if (root->placed) return true;
    if (!ty_is_contiguous(x)) {
        int64_t low, high;
        extent_of(x, &low, &high);
        root->layout = calloc(1, sizeof *root->layout);
        if (!root->layout) return false;
        struct place *p = &root->layout->place;
        root->layout->size = high - low;
        p->rank = ty_rank(x);
        p->offset = -low;
        memcpy(p->shape, ty_shape(x), (size_t)p->rank * sizeof *p->shape);
        memcpy(p->strides, ty_strides(x), (size_t)p->rank * sizeof *p->strides);
    }
    return root->placed = true;
}

/* Return the bytes of the place of x, whose first element is `offset` bytes behind the lowest one of its root; NULL if
   elements of its size do not count it, or with an exception. */
static PyObject *place_bytes(const ty_tensor *x, int64_t offset) {
    int64_t numbers[TY_MAX_RANK + 1], size = (int64_t)ty_dtype_size(ty_dtype_of(x));
    if (offset % size || ty_dtype_bits(ty_dtype_of(x)) != 8 * size) return NULL;
    int rank = ty_rank(x);
    numbers[0] = offset / size;
    memcpy(numbers + 1, ty_strides(x), (size_t)rank * sizeof *numbers);
    return PyBytes_FromStringAndSize((const char *)numbers, (rank + 1) * (Py_ssize_t)sizeof *numbers);
}

void note_place(PyObject *view, PyObject *other) {
    struct array *array = (struct array *)view, *root = root_of(other);
    ty_tensor *x = array->tensor, *memory = root->tensor;
    if (array->base || array == root) return;
    find_span(array);
    find_span(root);
    bool within = array->begin >= root->begin && array->end <= root->end && array->begin < array->end;
    if (!within && (array->begin < array->end || ty_is_promise(x) || is_near(x))) return;
    if (!ty_shares_memory(x, memory)) return;
    if (is_tracked(x) != is_tracked(memory))
        return; /* a variable, or a value without history: not the same elements */
    array->read_only = array->read_only || ((struct array *)other)->read_only;
    PyObject *items =
        within && note_layout(root) ? place_bytes(x, (const char *)ty_data(x) - root->begin) : NULL;
    PyErr_Clear(); /* where memory runs out, the view is refused later */
    array->astray = !items;
    if (!items) return;
    array->base = (struct array *)new_ref((PyObject *)root);
    array->root = root;
    array->items = items;
    array->how = BY_PLACE;
    array->depth = 1;
    array->root_version = root->version;
}

PyObject *note_operands(PyObject *result, PyObject *const *args, Py_ssize_t n) {
    for (Py_ssize_t i = 0; result && i < n; i++)
        if (is_array(args[i])) note_place(result, args[i]);
    return result;
}

enum { MOST_PAIRS = 1 << 12 }; /* results and arguments in lists: they are compared in tens of microseconds */

static bool is_list(PyObject *object) { return PyTuple_Check(object) || PyList_Check(object); }

void note_places(PyObject *result, PyObject *argument) {
    if (!argument || (!is_list(argument) && !is_array(argument))) return;
    if (!is_list(result)) {
        Py_ssize_t n = is_array(result) && is_list(argument) ? PySequence_Size(argument) : 0;
        if (is_array(result) && is_array(argument)) note_place(result, argument);
        for (Py_ssize_t i = 0; i < n; i++) {
            PyObject *item = PySequence_GetItem(argument, i);
            if (item && is_array(item)) note_place(result, item);
            Py_XDECREF(item);
        }
        return;
    }
    Py_ssize_t n = PySequence_Size(result), m = is_list(argument) ? PySequence_Size(argument) : 1;
    for (Py_ssize_t i = 0; i < n && (n == m || n * m <= MOST_PAIRS); i++) {
        bool pair = is_list(argument) && n == m;
        PyObject *one = PySequence_GetItem(result, i);
        PyObject *from = pair ? PySequence_GetItem(argument, i) : new_ref(argument);
        if (one && from && (is_list(one) || is_array(one))) note_places(one, from);
        Py_XDECREF(one);
        Py_XDECREF(from);
    }
    PyErr_Clear();
}

/* ---- views of a root ---- */

/* Read the place of a view. */
static void place_of(const struct array *view, struct place *p) {
    const char *bytes = PyBytes_AsString(view->items);
    p->rank = ty_rank(view->tensor);
    memcpy(p->shape, ty_shape(view->tensor), (size_t)p->rank * sizeof *p->shape);
    memcpy(&p->offset, bytes, sizeof p->offset);
    memcpy(p->strides, bytes + sizeof p->offset, (size_t)p->rank * sizeof *p->strides);
}

/* Return the numbers 0, 1, ... in the shape of x, which the caller owns. */
static ty_tensor *numbers_like(const ty_tensor *x) {
    ty_scope *scope = ty_open();
    ty_tensor *all = ty_arange_of(TY_I64, ty_int(0), ty_int(ty_size(x)), ty_int(1));
    all = ty_retain(ty_reshape(all, ty_rank(x), ty_shape(x)));
    ty_close(scope);
    return all;
}

/* Return memory of a layout with the elements of x, which the caller owns; its vector in *memory, which the caller
   owns, too. */
static ty_tensor *laid_out(const struct layout *layout, ty_tensor *x, ty_tensor **memory) {
    ty_tensor *error = NULL;
    *memory = ty_own(ty_memory(ty_dtype_of(x), 1, &layout->size));
    ty_tensor *y = at_place(*memory, &layout->place);
    if (!ty_ok(y) || ty_into(y, x, &error)) return y;
    ty_release(y);
    return ty_own(error);
}

/* Call the function of a view that a function of Python makes: of a tensor in the place of its base. */
static ty_tensor *call_maker(const struct array *view, ty_tensor *base) {
    PyObject *array = array_take(ty_retain(base));
    PyObject *made = array ? PyObject_CallFunctionObjArgs(view->items, array, NULL) : NULL;
    if (made && !is_array(made)) PyErr_SetString(PyExc_TypeError, "a view is no array");
    ty_tensor *x =
        made && is_array(made) ? ty_retain(((struct array *)made)->tensor) : ty_own(poison_of_exception());
    Py_XDECREF(made);
    Py_XDECREF(array);
    return x;
}

/* Return the row-major numbers in the base of the elements of a view, which the caller owns. */
static ty_tensor *positions(const struct array *view) {
    ty_tensor *base = view->base->tensor, *numbers = numbers_like(base), *memory = NULL, *result;
    struct place p;
    if (view->how == BY_CALL) {
        result = call_maker(view, numbers);
    } else {
        ty_tensor *laid = view->base->layout ? laid_out(view->base->layout, numbers, &memory)
                                             : ty_retain(memory = ty_own(ty_ravel(numbers)));
        place_of(view, &p);
        result = ty_ok(laid) ? at_place(memory, &p) : ty_retain(laid);
        ty_release(laid);
    }
    ty_release(memory);
    ty_release(numbers);
    return result;
}

/* Return poison unless the view has the dtype of its base, whose elements it shows as they are; NULL if it has. */
static ty_tensor *other_dtype(const struct array *view) {
    if (ty_dtype_of(view->tensor) == ty_dtype_of(view->base->tensor)) return NULL;
    return ty_own(ty_poison_code(
        TY_ERROR_UNSUPPORTED,
        "a view of the bytes of an array as another dtype cannot be assigned or read after its array "
        "was assigned inside of a gradient, jit or vmap; make the view again, or use a copy"));
}

ty_tensor *tensor_at_place(const struct array *view) {
    ty_tensor *base = view->base->tensor;
    if (view->how == BY_CALL) return call_maker(view, base);
    if (ty_is_promise(base) || is_tracked(base)) {
        ty_tensor *bad = other_dtype(view), *flat = ty_own(ty_ravel(base));
        ty_tensor *at = bad ? bad : positions(view);
        ty_tensor *x = ty_ok(at) ? ty_own(ty_get(flat, 1, &TY_OF(at))) : ty_retain(at);
        ty_release(at);
        ty_release(flat);
        return x;
    }
    struct place p;
    place_of(view, &p);
    ty_tensor *all = view->base->layout ? ty_retain(view->base->layout->memory) : ty_own(ty_ravel(base));
    ty_tensor *bytes = ty_own(ty_view_as(all, ty_dtype_of(view->tensor))), *x = at_place(bytes, &p);
    ty_release(bytes);
    ty_release(all);
    return x;
}

ty_tensor *put_placed(const struct array *view, ty_tensor *base, ty_tensor *x) {
    ty_tensor *bad = other_dtype(view), *at = bad ? bad : positions(view);
    ty_tensor *flat = ty_own(ty_ravel(base)), *fresh = at;
    if (ty_ok(at)) {
        ty_tensor *set = ty_own(ty_set(flat, 1, &TY_OF(at), x));
        fresh = ty_own(ty_reshape(set, ty_rank(base), ty_shape(base)));
        ty_release(set);
        ty_release(at);
    }
    ty_release(flat);
    return fresh;
}

/* ---- memory of a root ---- */

ty_tensor *in_layout(struct array *root, ty_tensor *value) {
    ty_tensor *memory = NULL, *x;
    if (!root->placed || (!root->layout && ty_is_contiguous(value))) return value;
    if (!root->layout) {
        x = copy_of(value);
    } else {
        x = laid_out(root->layout, value, &memory);
        ty_release(root->layout->memory);
        root->layout->memory = memory;
    }
    ty_release(value);
    return x;
}

bool is_writable(PyObject *object) {
    if (!((struct array *)object)->read_only) return true;
    PyErr_SetString(error_class(TY_ERROR_ARGUMENT),
                    "the array is read-only: it shows elements of another one (diagonal, diag, broadcast_to, "
                    "sliding_window_view, ...); assign to that one, or to x.copy()");
    return false;
}

/* Give a root memory of its own with the same elements.  Later computations keep the old one. */
static bool move_root(struct array *root) {
    ty_tensor *error = NULL, *old = ty_retain(root->tensor), *fresh;
    if (root->layout) {
        fresh = in_layout(root, ty_retain(old));
    } else {
        fresh = ty_own(ty_memory(ty_dtype_of(old), ty_rank(old), ty_shape(old)));
        if (ty_ok(fresh) && !ty_into(fresh, old, &error)) {
            ty_release(fresh);
            fresh = ty_own(error);
        }
    }
    ty_release(old);
    if (!checked(fresh)) return false;
    set_tensor(root, fresh);
    root->version++;
    return true;
}

bool is_moved(PyObject *array, const ty_tensor *x) { return ty_is_read(x) && !root_of(array)->lent; }

ty_tensor *tensor_to_write(PyObject *object, ty_tensor *x) {
    struct array *root = root_of(object);
    bool good = is_writable(object);
    if (good && !is_moved(object, x)) return x;
    if (good && (root->astray || is_functional(root->tensor, root->tensor))) {
        PyErr_SetString(
            error_class(TY_ERROR_STATE),
            "the array shows memory of another one that something computed later reads (a gradient, "
            "a promise or a compiled function); assign to the array that it was made of, or to "
            "x.copy()");
        good = false;
    }
    good = good && move_root(root);
    ty_release(x);
    return good ? checked(ty_retain(form_of_array(object))) : NULL;
}
