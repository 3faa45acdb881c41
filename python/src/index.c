/*
 * Indexing, with NumPy's rules.  An array made by indexing knows its base, and is made again when it is read after its
 * base has got another tensor (assign.c).
 */
#include "index.h"

/* ---- keys ---- */

void drop_key(struct key *k) {
    for (int i = 0; i < k->tensors; i++) ty_release(k->owned[i]);
}

/* Append a tensor of indices or a mask, of which the caller's reference is taken. */
static bool add_tensor(struct key *k, ty_tensor *x) {
    if (!x) return false;
    k->owned[k->tensors++] = x;
    char kind = dtype_kind(ty_dtype_of(x));
    k->items[k->n++] = TY_OF(x);
    if (kind == 'i' || kind == 'u' || kind == 'b') return true;
    PyErr_Format(error_class(TY_ERROR_INDEX), "arrays of %s are no indices; expected integers or bools",
                 dtype_word(ty_dtype_of(x)));
    return false;
}

/* Append a range.  Explicit ends beyond the least integer must not look like absent ones, which are TY_END. */
static bool add_range(struct key *k, PyObject *slice) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step)) return false;
    int64_t from = start == PY_SSIZE_T_MIN ? INT64_MIN + 1 : start, to = stop;
    if (step > 0 && stop == PY_SSIZE_T_MIN) to = INT64_MIN + 1;
    if (step < 0 && stop == PY_SSIZE_T_MIN) to = TY_END;
    k->items[k->n++] = TY_RANGE(from, to, step);
    return true;
}

/* Append a nested sequence; an empty one has no dtype of its own. */
static bool add_sequence(struct key *k, PyObject *object) {
    ty_tensor *x = tensor_from(object, "index");
    if (x && ty_size(x) == 0 && dtype_kind(ty_dtype_of(x)) == 'f' && !is_array(object)) {
        ty_tensor *empty = ty_own(ty_cast(x, TY_I64));
        ty_release(x);
        x = empty;
    }
    return add_tensor(k, x);
}

static bool add_item(struct key *k, PyObject *item) {
    if (k->n == MOST_ITEMS) return PyErr_SetString(error_class(TY_ERROR_INDEX), "too many indices"), false;
    if (PyLong_CheckExact(item) || (PyLong_Check(item) && !PyBool_Check(item))) {
        int overflow;
        k->items[k->n++] = TY_AT(PyLong_AsLongLongAndOverflow(item, &overflow));
        if (overflow) PyErr_Format(error_class(TY_ERROR_INDEX), "index %R is out of bounds", item);
        return !overflow;
    }
    if (PySlice_Check(item)) return add_range(k, item);
    if (item == Py_None) return k->items[k->n++] = TY_NEW, true;
    if (item == Py_Ellipsis) return k->items[k->n++] = TY_DOTS, true;
    if (PyBool_Check(item)) return add_tensor(k, ty_own(ty_scalar(TY_BOOL, item == Py_True)));
    if (is_array(item)) return add_tensor(k, ty_retain(tensor_of_array(item)));
    if (PyIndex_Check(item) && !PySequence_Check(item)) {
        PyObject *integer = PyNumber_Index(item);
        bool good = integer && add_item(k, integer);
        Py_XDECREF(integer);
        return good;
    }
    if (!PyUnicode_Check(item) && !PyBytes_Check(item) && !PyFloat_Check(item) && !PyComplex_Check(item) &&
        !PyDict_Check(item))
        return add_sequence(k, item);
    PyErr_Format(error_class(TY_ERROR_INDEX),
                 "%R is no index; expected integers, slices, ..., None, or arrays of integers "
                 "or bools",
                 item);
    return false;
}

bool read_key(PyObject *object, struct key *k) {
    k->n = k->tensors = 0;
    if (!PyTuple_Check(object)) return add_item(k, object);
    Py_ssize_t n = PyTuple_Size(object);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!add_item(k, PyTuple_GetItem(object, i))) return false;
    return true;
}

/* ---- reading ---- */

/* Raise the error of poison that ty_get returned: keys that do not fit are IndexError, as in NumPy. */
static void *raise_key(ty_tensor *poison) {
    ty_code code = ty_error_code(poison);
    bool misfit = code == TY_ERROR_SHAPE || code == TY_ERROR_ARGUMENT;
    return misfit ? PyErr_SetString(error_class(TY_ERROR_INDEX), ty_error(poison)),
           NULL   : raise_poison(poison);
}

ty_tensor *get_items(ty_tensor *x, const struct key *k) {
    PyThreadState *state = NULL;
    if (k->tensors) {
        ty_retain(x); /* another thread may assign to its array meanwhile */
        state = give_up_lock(ty_size(x));
    }
    ty_tensor *part = ty_own(ty_get(x, k->n, k->items));
    take_lock(state);
    if (k->tensors) ty_release(x);
    if (ty_ok(part)) return part;
    raise_key(part);
    ty_release(part);
    return NULL;
}

enum {
    MOST_KEPT = 64
}; /* bases that a view of a value keeps alive; those of promises are needed, however many */

static void drop_base(struct array *view) {
    Py_CLEAR(view->items);
    Py_CLEAR(view->base);
    view->root = NULL;
}

static bool has_dtype_of_root(const struct array *view) {
    return ty_dtype_of(view->tensor) == ty_dtype_of(view->root->tensor);
}

/* Note the base of a view, and how it is made of it, with a reference to items that is taken. */
static void note_base(struct array *view, PyObject *self, char how, PyObject *items) {
    struct array *base = (struct array *)self;
    bool kept = base->depth < MOST_KEPT || ty_is_promise(view->tensor) || is_tracked(view->tensor);
    bool placed = view->base && view->how == BY_PLACE;
    /* a place is faster to read again than by a call, but shows no elements of another dtype in a recorded function */
    bool keeps = !kept || (how == BY_CALL && placed && has_dtype_of_root(view));
    view->read_only = view->read_only || base->read_only;
    if ((view->base && !placed) || (placed && keeps) || !kept) {
        Py_XDECREF(items);
        if (!view->base) note_place((PyObject *)view, self);
        return;
    }
    if (placed) drop_base(view); /* other ways are faster to make again */
    view->base = (struct array *)new_ref(self);
    view->root = base->root ? base->root : base;
    view->items = items;
    view->how = how;
    view->depth = base->depth + 1;
    view->root_version = view->root->version;
}

/* Make the array of x[key], a reference that is taken, and note its base. */
static PyObject *view_of(PyObject *self, PyObject *object, const struct key *k, ty_tensor *part) {
    PyObject *result = array_take(part);
    if (result && !k->tensors) note_base((struct array *)result, self, BY_INDEX, new_ref(object));
    return result;
}

PyObject *whole_view(PyObject *view, PyObject *self, const int *order) {
    if (!view || view == self) return view;
    Py_ssize_t bytes = (Py_ssize_t)sizeof *order * ty_rank(((struct array *)view)->tensor);
    PyObject *items = order ? PyBytes_FromStringAndSize((const char *)order, bytes) : NULL;
    if (order && !items) {
        Py_DECREF(view);
        return NULL;
    }
    note_base((struct array *)view, self, order ? BY_ORDER : BY_SHAPE, items);
    return view;
}

/* ---- parts of complex numbers ---- */

ty_tensor *part_of(ty_tensor *x, char how) {
    bool memory = dtype_kind(ty_dtype_of(x)) == 'c' && !ty_is_promise(x) && !is_tracked(x);
    if (!memory) return ty_own(how == BY_REAL ? ty_real(x) : ty_imag(x));
    ty_scope *scope = ty_open();
    ty_tensor *pairs = ty_view_as(ty_expand(x, -1), ty_dtype_of(x) == TY_C64 ? TY_F32 : TY_F64);
    ty_tensor *part = ty_retain(ty_get(pairs, 2, (ty_index[]){TY_DOTS, TY_AT(how == BY_IMAG)}));
    ty_close(scope);
    return part;
}

PyObject *part_view(PyObject *self, char how) {
    ty_tensor *x = ty_retain(tensor_of_array(self));
    bool complex = dtype_kind(ty_dtype_of(x)) == 'c';
    PyObject *view = array_take(ty_ok(x) ? part_of(x, how) : ty_retain(x));
    ty_release(x);
    if (view && (complex || how == BY_REAL)) note_base((struct array *)view, self, how, NULL);
    if (view && !complex && how == BY_IMAG) ((struct array *)view)->read_only = true; /* it has no memory */
    return view;
}

/* Return true if the elements of an array lie in order in what it views, so that NumPy has views of it in other shapes.
   The memory of tensors that assignments made does not tell. */
static bool is_in_order(const struct array *array) {
    for (; array->base; array = array->base) {
        Py_ssize_t start, stop, step = 0;
        if (array->how == BY_SHAPE) continue;
        if (array->how != BY_INDEX) return false;
        if (PyLong_Check(array->items)) continue;
        bool slice = PySlice_Check(array->items) && PySlice_Unpack(array->items, &start, &stop, &step) == 0;
        if (!slice || step != 1) return PyErr_Clear(), false;
    }
    return array->version > 0 || ty_is_contiguous(array->tensor);
}

/* Note the base of a new array that shows it in another shape, where NumPy has a view: as its form or the memory of values
   tells. */
static PyObject *view_in_shape(PyObject *view, PyObject *base) {
    const struct array *array = (struct array *)base;
    bool shown = is_in_order(array) || ty_shares_memory(((struct array *)view)->tensor, array->tensor);
    return shown ? whole_view(view, base, NULL) : view;
}

/* as_view(view, base, how): note the base of a new array, and how it is made of it. */
static PyObject *as_view(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *view, *base, *axes = Py_None;
    if (!PyArg_ParseTuple(args, "OO|O", &view, &base, &axes)) return NULL;
    bool arrays = is_array(view) && is_array(base);
    if (!arrays) return PyErr_SetString(PyExc_TypeError, "as_view takes arrays"), NULL;
    if (PyCallable_Check(axes)) {
        if (view != base) note_base((struct array *)view, base, BY_CALL, new_ref(axes));
        return new_ref(view);
    }
    ty_tensor *x = tensor_of_array(base);
    int order[TY_MAX_RANK], n = ty_rank(x);
    if (axes == Py_None) return view_in_shape(new_ref(view), base);
    for (int i = 0; i < n; i++) {
        PyObject *axis = PySequence_GetItem(axes, i);
        long number = axis ? PyLong_AsLong(axis) : -1;
        Py_XDECREF(axis);
        if (number == -1 && PyErr_Occurred()) return NULL;
        order[i] = (int)(number < 0 ? number + n : number);
        if (order[i] < 0 || order[i] >= n)
            return PyErr_SetString(PyExc_IndexError, "as_view: no such axis"), NULL;
    }
    return whole_view(new_ref(view), base, order);
}
/* Return an array in another shape, as a view that knows its base where NumPy has one. */
static PyObject *in_shape(PyObject *self, int rank, const int64_t *shape) {
    ty_tensor *x = ty_retain(tensor_of_array(self));
    PyThreadState *state = give_up_lock(ty_is_contiguous(x) ? 0 : ty_size(x));
    ty_tensor *y = ty_own(ty_reshape(x, rank, shape));
    take_lock(state);
    ty_release(x);
    PyObject *view = array_take(y);
    return view ? view_in_shape(view, self) : NULL;
}

/* reshaped(x, shape) */
static PyObject *reshaped(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    int64_t shape[TY_MAX_RANK];
    (void)module;
    if (n != 2 || !is_array(args[0]))
        return PyErr_SetString(PyExc_TypeError, "expected an array and a shape"), NULL;
    int rank = ints_from(args[1], "shape", TY_MAX_RANK, shape);
    return rank < 0 ? NULL : in_shape(args[0], rank, shape);
}

/* x.reshape(shape) and x.reshape(n, m, ...), without a frame of Python; keywords are those of the function reshape. */
static PyObject *reshape_method(PyObject *self, PyObject *args, PyObject *keywords) {
    int64_t shape[TY_MAX_RANK];
    PyObject *sizes = PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : args;
    if (!keywords || !PyDict_Size(keywords)) {
        int rank = ints_from(sizes, "shape", TY_MAX_RANK, shape);
        return rank < 0 ? NULL : in_shape(self, rank, shape);
    }
    PyObject *module = PyImport_ImportModule("tyto._manipulate"), *pair = PyTuple_Pack(2, self, sizes);
    PyObject *function = module ? PyObject_GetAttrString(module, "reshape") : NULL;
    PyObject *result = function && pair ? PyObject_Call(function, pair, keywords) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(pair);
    Py_XDECREF(module);
    return result;
}
PyMethodDef index_methods[] = {
    {"reshape", (PyCFunction)(void (*)(void))reshape_method, METH_VARARGS | METH_KEYWORDS,
     "reshape($self, *shape, order='C', copy=None)\n--\n\n"
     "Return an array of another shape, given as sizes or as one tuple."},
    {NULL, NULL, 0, NULL},
};

static PyObject *read_only(PyObject *module, PyObject *object) {
    (void)module;
    if (!is_array(object)) return PyErr_SetString(PyExc_TypeError, "read_only takes an array"), NULL;
    ((struct array *)object)->read_only = true;
    return new_ref(object);
}

static PyObject *is_read_only(PyObject *module, PyObject *object) {
    (void)module;
    return PyBool_FromLong(is_array(object) && ((struct array *)object)->read_only);
}

PyMethodDef index_functions[] = {
    {"_reshaped", (PyCFunction)(void (*)(void))reshaped, METH_FASTCALL, "Return an array in another shape."},
    {"as_view", as_view, METH_VARARGS,
     "as_view(view, base, how=None): note that a new array shows another one, and return it.\n\nhow: None: "
     "in "
     "another shape; a sequence: with its axes in that order; a function: how(base) makes it."},
    {"read_only", read_only, METH_O, "Note that a new array must not be assigned, and return it."},
    {"_is_read_only", is_read_only, METH_O, "Return True if an array must not be assigned."},
    {NULL, NULL, 0, NULL},
};

static PyObject *subscript(PyObject *self, PyObject *object) {
    struct key k;
    PyObject *result = NULL;
    if (read_key(object, &k)) {
        ty_tensor *found = get_items(tensor_of_array(self), &k);
        result = found ? view_of(self, object, &k, found) : NULL;
    }
    drop_key(&k);
    return result;
}

const int *order_of(const struct array *view) { return (const void *)PyBytes_AsString(view->items); }

/* Return what a view shows of its base, which the caller owns; poison if that fails. */
static ty_tensor *seen(const struct array *view) {
    ty_tensor *base = view->base->tensor;
    struct key k;
    if (view->how == BY_SHAPE) return ty_own(ty_reshape(base, ty_rank(view->tensor), ty_shape(view->tensor)));
    if (view->how == BY_ORDER) return ty_own(ty_permute(base, order_of(view)));
    if (view->how == BY_REAL || view->how == BY_IMAG) return part_of(base, view->how);
    if (view->how != BY_INDEX) return tensor_at_place(view);
    bool known = read_key(view->items, &k); /* it has been read before, and has no tensors */
    return known ? ty_own(ty_get(base, k.n, k.items)) : ty_poison("the index has changed");
}

ty_tensor *tensor_renewed(struct array *array) {
    for (struct array *view = array; view->root_version != array->root->version;) {
        /* the stale view whose base is not stale: without recursion, since a chain can be long */
        struct array *last = view;
        while (last->base->root && last->base->root_version != array->root->version) last = last->base;
        ty_tensor *fresh = seen(last);
        set_tensor(last, fresh);
        last->root_version = array->root->version;
    }
    return array->tensor;
}

static Py_ssize_t length(PyObject *self) {
    ty_tensor *x = form_of_array(self);
    if (ty_rank(x)) return (Py_ssize_t)*ty_shape(x);
    PyErr_SetString(PyExc_TypeError, "an array without axes has no length");
    return -1;
}

/* Return x[i] for iteration: IndexError ends it. */
static PyObject *part(PyObject *self, Py_ssize_t i) {
    Py_ssize_t n = length(self);
    if (n < 0) return NULL;
    if (i < 0 || i >= n) {
        PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for an axis of size %zd", i, n);
        return NULL;
    }
    PyObject *at = PyLong_FromSsize_t(i), *result = at ? subscript(self, at) : NULL;
    Py_XDECREF(at);
    return result;
}

static PyObject *iterate(PyObject *self) { return length(self) < 0 ? NULL : PySeqIter_New(self); }

/* Return 1 if an element equals the object. */
static int contains(PyObject *self, PyObject *object) {
    PyObject *equal = PyObject_RichCompare(self, object, Py_EQ);
    if (!equal) return -1;
    int found = 0;
    if (is_array(equal)) {
        ty_tensor *any = ty_own(ty_any(tensor_of_array(equal), TY_ALL));
        PyObject *number = ty_ok(any) ? number_of(any, "in") : raise_poison(any);
        ty_release(any);
        found = number ? PyObject_IsTrue(number) : -1;
        Py_XDECREF(number);
    }
    Py_DECREF(equal);
    return found;
}

PyType_Slot index_slots[] = {
    {Py_mp_subscript, (void *)subscript}, {Py_mp_ass_subscript, (void *)assign_items},
    {Py_mp_length, (void *)length},       {Py_sq_length, (void *)length},
    {Py_sq_item, (void *)part},           {Py_sq_contains, (void *)contains},
    {Py_tp_iter, (void *)iterate},        {0, NULL},
};
