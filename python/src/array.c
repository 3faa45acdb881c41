/* tyto.Array: lives of arrays, and their attributes.  Slots of numbers, indexing and exchange are in other files. */
#include "tyto_python.h"
#include <string.h>

enum { MOST_SLOTS = 96, MOST_METHODS = 96 }; /* of all files together; add_arrays checks */

PyTypeObject *array_type;

/* ---- lives ---- */

PyObject *array_take(ty_tensor *x) {
    if (!ty_ok(x)) {
        raise_poison(x);
        ty_release(x);
        return NULL;
    }
    struct array *array = PyObject_New(struct array, array_type);
    if (!array) {
        ty_release(x);
        return NULL;
    }
    array->tensor = x;
    array->weakrefs = NULL;
    array->base = array->root = NULL;
    array->items = NULL;
    array->how = BY_INDEX;
    array->depth = array->lent = 0;
    array->begin = array->end = NULL;
    array->layout = NULL;
    array->listed = array->placed = array->astray = array->read_only = false;
    array->assigned = 0;
    array->version = array->root_version = 0;
    return (PyObject *)array;
}

PyObject *array_of_result(ty_tensor *result) { return array_take(ty_own(result)); }

PyObject *arrays_of_results(Py_ssize_t n, ty_tensor **results) {
    for (Py_ssize_t i = n; i-- > 0;) ty_own(results[i]); /* the last one first, which is fastest */
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *array = list ? array_take(results[i]) : NULL;
        if (!list) ty_release(results[i]);
        if (list && !array) Py_CLEAR(list);
        if (list) PyList_SetItem(list, i, array);
    }
    return list;
}

static void destroy(PyObject *self) {
    struct array *array = (struct array *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (array->weakrefs) PyObject_ClearWeakRefs(self);
    struct array *base = array->base;
    ty_release(array->tensor);
    Py_XDECREF(array->items);
    drop_layout(array->layout);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
    /* a chain of views can be long: without recursion */
    while (base && Py_REFCNT((PyObject *)base) == 1) {
        struct array *next = base->base;
        base->base = NULL;
        Py_DECREF((PyObject *)base);
        base = next;
    }
    Py_XDECREF((PyObject *)base);
}

/* ---- attributes ---- */

/* Make a tuple of n sizes, each multiplied by `unit`. */
static PyObject *tuple_of(int n, const int64_t *sizes, int64_t unit) {
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *size = PyLong_FromLongLong(sizes[i] * unit);
        if (!size) Py_CLEAR(tuple);
        if (tuple) PyTuple_SetItem(tuple, i, size);
    }
    return tuple;
}

static PyObject *get_shape(PyObject *self, void *unused) {
    (void)unused;
    ty_tensor *x = form_of_array(self);
    return tuple_of(ty_rank(x), ty_shape(x), 1);
}
static PyObject *get_strides(PyObject *self, void *unused) {
    (void)unused;
    ty_tensor *x = form_of_array(self);
    return tuple_of(ty_rank(x), ty_strides(x), (int64_t)ty_dtype_size(ty_dtype_of(x)));
}
static PyObject *get_dtype(PyObject *self, void *unused) {
    (void)unused;
    return dtype_object(ty_dtype_of(form_of_array(self)));
}
static PyObject *get_ndim(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(ty_rank(form_of_array(self)));
}
static PyObject *get_size(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(ty_size(form_of_array(self)));
}
static PyObject *get_itemsize(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(ty_dtype_size(ty_dtype_of(form_of_array(self))));
}
static PyObject *get_nbytes(PyObject *self, void *unused) {
    (void)unused;
    ty_tensor *x = form_of_array(self);
    uint64_t n = (uint64_t)ty_size(x), bits = (uint64_t)ty_dtype_bits(ty_dtype_of(x));
    return PyLong_FromUnsignedLongLong(n / 8 * bits + (n % 8 * bits + 7) / 8); /* n * bits may exceed 2^64 */
}
static PyObject *get_device(PyObject *self, void *unused) {
    (void)unused;
    return PyUnicode_FromString(ty_on(form_of_array(self)));
}
static PyObject *get_transposed(PyObject *self, void *unused) {
    (void)unused;
    ty_tensor *x = tensor_of_array(self);
    int order[TY_MAX_RANK], n = ty_rank(x);
    for (int i = 0; i < n; i++) order[i] = n - 1 - i;
    return whole_view(array_of_result(ty_permute(x, NULL)), self, order);
}
static PyObject *get_matrix_transposed(PyObject *self, void *unused) {
    (void)unused;
    ty_tensor *x = tensor_of_array(self);
    int order[TY_MAX_RANK], n = ty_rank(x);
    for (int i = 0; i < n; i++) order[i] = i < n - 2 ? i : 2 * n - 3 - i;
    if (n >= 2) return whole_view(array_of_result(ty_transpose(x)), self, order);
    PyErr_Format(error_class(TY_ERROR_SHAPE), "mT: expected an array of 2 axes or more, got one of %d",
                 ty_rank(x));
    return NULL;
}
static PyObject *get_real(PyObject *self, void *unused) {
    (void)unused;
    return part_view(self, BY_REAL);
}
static PyObject *get_imag(PyObject *self, void *unused) {
    (void)unused;
    return part_view(self, BY_IMAG);
}
static PyObject *get_promise(PyObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(ty_is_promise(form_of_array(self)));
}

/* Raise the error of an assignment to an attribute; `advice` names the replacement. */
static int refuse_assignment(PyObject *self, PyObject *value, void *advice) {
    (void)self, (void)value;
    PyErr_SetString(PyExc_AttributeError, advice);
    return -1;
}

static PyGetSetDef attributes[] = {
    {"shape", get_shape, refuse_assignment, "Tuple of sizes.",
     "the shape of an array cannot be assigned: write x = x.reshape(shape)"},
    {"strides", get_strides, NULL, "Tuple of steps in bytes.", NULL},
    {"dtype", get_dtype, refuse_assignment, "Element type.",
     "the dtype of an array cannot be assigned: write x = x.view(dtype), or x.astype(dtype)"},
    {"ndim", get_ndim, NULL, "Number of axes.", NULL},
    {"size", get_size, NULL, "Number of elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of an element.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements without gaps.", NULL},
    {"device", get_device, NULL, "Name of the device, such as \"cpu\".", NULL},
    {"T", get_transposed, NULL, "View with the axes reversed.", NULL},
    {"mT", get_matrix_transposed, NULL, "View with the last two axes exchanged.", NULL},
    {"real", get_real, refuse_assignment, "Real part.",
     "the name of a part cannot be assigned: write x.real[...] = value"},
    {"imag", get_imag, refuse_assignment, "Imaginary part.",
     "the name of a part cannot be assigned: write x.imag[...] = value"},
    {"is_promise", get_promise, NULL, "True for a promise, which has not been computed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct array, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* ---- the type ---- */

static PyObject *refuse_making(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)type, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError,
                    "tyto.Array is made by functions; use tyto.asarray(...) or tyto.zeros(...)");
    return NULL;
}

static PyType_Slot own_slots[] = {
    {Py_tp_doc, (void *)"Array of numbers, or a promise of one; made by tyto.asarray and other functions."},
    {Py_tp_dealloc, (void *)destroy},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_new, (void *)refuse_making},
    {0, NULL},
};

/* Append a list of slots, up to MOST_SLOTS in all. */
static bool append(PyType_Slot *all, int *n, const PyType_Slot *some) {
    for (; some && some->slot; some++) {
        if (*n + 2 > MOST_SLOTS) return PyErr_SetString(PyExc_SystemError, "MOST_SLOTS is too small"), false;
        all[(*n)++] = *some;
    }
    return true;
}

/* Append a list of methods, up to MOST_METHODS in all. */
static bool append_methods(PyMethodDef *all, int *n, const PyMethodDef *some) {
    for (; some && some->ml_name; some++) {
        if (*n + 1 > MOST_METHODS)
            return PyErr_SetString(PyExc_SystemError, "MOST_METHODS is too small"), false;
        all[(*n)++] = *some;
    }
    return true;
}

bool add_arrays(PyObject *module) {
    static PyMethodDef methods[MOST_METHODS + 1]; /* lives as long as the type; the last one is zero */
    PyType_Slot slots[MOST_SLOTS] = {{0, NULL}};
    int n = 0, count = 0;
    bool good =
        append_methods(methods, &count, show_methods) && append_methods(methods, &count, convert_methods) &&
        append_methods(methods, &count, number_methods) && append_methods(methods, &count, index_methods) &&
        append_methods(methods, &count, exchange_methods) && append(slots, &n, own_slots) &&
        append(slots, &n, number_slots) && append(slots, &n, index_slots) && append(slots, &n, show_slots) &&
        append(slots, &n, exchange_slots);
    if (!good) return false;
    slots[n] = (PyType_Slot){Py_tp_methods, methods};
    PyType_Spec spec = {"tyto.Array", sizeof(struct array), 0, Py_TPFLAGS_DEFAULT, slots};
    array_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return array_type && PyObject_SetAttrString(module, "Array", (PyObject *)array_type) == 0;
}
