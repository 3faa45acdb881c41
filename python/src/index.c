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
    if (PyLong_Check(item) && !PyBool_Check(item)) {
        int64_t at;
        if (!int_from(item, "index", &at)) {
            if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
            PyErr_Clear();
            PyErr_Format(error_class(TY_ERROR_INDEX), "index %R is out of bounds", item);
            return false;
        }
        k->items[k->n++] = TY_AT(at);
        return true;
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
    PyThreadState *state = k->tensors ? give_up_lock(ty_size(x)) : NULL;
    ty_tensor *part = ty_own(ty_get(x, k->n, k->items));
    take_lock(state);
    if (ty_ok(part)) return part;
    raise_key(part);
    ty_release(part);
    return NULL;
}

/* Make the array of x[key], a reference that is taken, and note its base. */
static PyObject *view_of(PyObject *self, PyObject *object, const struct key *k, ty_tensor *part) {
    PyObject *result = array_take(part);
    if (!result || k->tensors) return result;
    struct array *view = (struct array *)result, *base = (struct array *)self;
    view->base = (struct array *)new_ref(self);
    view->items = new_ref(object);
    view->base_version = base->version;
    return result;
}

static PyObject *subscript(PyObject *self, PyObject *object) {
    struct key k;
    PyObject *result = NULL;
    if (read_key(object, &k)) {
        ty_tensor *x = ty_retain(tensor_of_array(self));
        ty_tensor *found = get_items(x, &k);
        ty_release(x);
        result = found ? view_of(self, object, &k, found) : NULL;
    }
    drop_key(&k);
    return result;
}

ty_tensor *tensor_renewed(struct array *array) {
    struct key k;
    if (Py_EnterRecursiveCall(" while views of views are made again")) return PyErr_Clear(), array->tensor;
    ty_tensor *base = tensor_of_array((PyObject *)array->base);
    if (array->base_version != array->base->version && read_key(array->items, &k)) {
        ty_tensor *fresh = ty_own(ty_get(base, k.n, k.items));
        ty_release(array->tensor);
        array->tensor = fresh;
        array->base_version = array->base->version;
        array->version++;
    }
    Py_LeaveRecursiveCall();
    return array->tensor;
}

static Py_ssize_t length(PyObject *self) {
    ty_tensor *x = tensor_of_array(self);
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
