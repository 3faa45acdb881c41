/* Elements as Python's numbers: item, tolist, and bool(), int(), float(), complex(), __index__ of arrays. */
#include "tyto_python.h"
#include <stdlib.h>
#include <string.h>

/* Row-major elements in the widest dtype of their kind: bool, 64 bits, or two doubles. */
struct elements {
    char kind; /* dtype_kind */
    int64_t n;
    size_t size;   /* bytes of one */
    double one[2]; /* room of a single element */
    union {
        void *data;
        const bool *truth;
        const int64_t *integer;
        const uint64_t *natural;
        const double *real;
    };
};

static void drop_elements(struct elements *e) {
    if (e->data != e->one) free(e->data);
}

/* Read the only element of a value in the host's memory; false where that needs the library. */
static bool read_one(ty_tensor *x, ty_dtype wide, struct elements *e) {
    ty_dtype dtype = ty_dtype_of(x);
    if (e->n != 1 || ty_is_promise(x) || (dtype != wide && dtype != TY_F32) || strcmp(ty_on(x), "cpu"))
        return false;
    const void *data = ty_data(x);
    if (!data) return false;
    if (dtype == wide)
        memcpy(e->data, data, e->size);
    else
        e->one[0] = (double)*(const float *)data;
    return true;
}

/* Read the elements of x; a promise is evaluated.  The caller drops them. */
static bool read_elements(ty_tensor *x, struct elements *e) {
    e->kind = dtype_kind(ty_dtype_of(x));
    e->n = ty_size(x);
    ty_dtype wide = e->kind == 'b' ? TY_BOOL : e->kind == 'i' ? TY_I64 : e->kind == 'u' ? TY_U64 : TY_F64;
    if (e->kind == 'c') wide = TY_C128;
    e->size = ty_dtype_size(wide);
    e->data = e->n == 1 ? (void *)e->one : malloc((size_t)e->n * e->size + 1);
    if (!e->data) return PyErr_NoMemory(), false;
    if (read_one(x, wide, e)) return true;
    bool promise = ty_is_promise(x);
    ty_retain(x); /* another thread may assign to its array meanwhile */
    PyThreadState *state = give_up_lock(promise ? GIVE_UP_LOCK_FROM : e->n);
    ty_tensor *value = promise ? ty_own(ty_eval(x)) : ty_retain(x);
    bool done = ty_ok(value) && (ty_read)(value, wide, e->data);
    take_lock(state);
    if (!done && !ty_ok(value)) raise_unread(value);
    if (!done && !PyErr_Occurred()) PyErr_NoMemory();
    ty_release(value);
    ty_release(x);
    if (!done) drop_elements(e);
    return done;
}

static PyObject *number_at(const struct elements *e, int64_t i) {
    if (e->kind == 'b') return PyBool_FromLong(e->truth[i]);
    if (e->kind == 'i') return PyLong_FromLongLong(e->integer[i]);
    if (e->kind == 'u') return PyLong_FromUnsignedLongLong(e->natural[i]);
    if (e->kind == 'c') return PyComplex_FromDoubles(e->real[2 * i], e->real[2 * i + 1]);
    return PyFloat_FromDouble(e->real[i]);
}

/* Make the list of the elements from *i on, along the axes from `axis` on. */
static PyObject *list_at(const struct elements *e, int axis, int rank, const int64_t *shape, int64_t *i) {
    if (axis == rank) return number_at(e, (*i)++);
    PyObject *list = PyList_New((Py_ssize_t)shape[axis]);
    for (int64_t k = 0; list && k < shape[axis]; k++) {
        PyObject *part = list_at(e, axis + 1, rank, shape, i);
        if (!part) Py_CLEAR(list);
        if (list) PyList_SetItem(list, (Py_ssize_t)k, part);
    }
    return list;
}

PyObject *list_of(ty_tensor *x) {
    struct elements e;
    int64_t i = 0;
    ty_retain(x); /* another thread may assign to its array meanwhile */
    bool known = read_elements(x, &e);
    PyObject *list = known ? list_at(&e, 0, ty_rank(x), ty_shape(x), &i) : NULL;
    if (known) drop_elements(&e);
    ty_release(x);
    return list;
}

PyObject *number_of(ty_tensor *x, const char *what) {
    struct elements e;
    if (ty_size(x) != 1) {
        PyErr_Format(error_class(TY_ERROR_SHAPE), "%s: expected an array of one element, got one of %lld",
                     what, (long long)ty_size(x));
        return NULL;
    }
    if (!read_elements(x, &e)) return NULL;
    PyObject *number = number_at(&e, 0);
    drop_elements(&e);
    return number;
}

static PyObject *tolist(PyObject *self, PyObject *unused) {
    (void)unused;
    return list_of(tensor_of_array(self));
}

/* Return the element at a flat index, or at an index for each axis; without arguments the only one. */
static PyObject *item(PyObject *self, PyObject *args) {
    ty_tensor *x = tensor_of_array(self);
    int64_t at[TY_MAX_RANK];
    PyObject *first = PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : NULL;
    int n = ints_from(first && PyTuple_Check(first) ? first : args, "item", TY_MAX_RANK, at);
    if (n < 0) return NULL;
    if (n == 0) return number_of(x, "item");
    if (n > 1 && n != ty_rank(x)) {
        PyErr_Format(error_class(TY_ERROR_INDEX),
                     "item: %d indices; expected one, or one for each of %d axes", n, ty_rank(x));
        return NULL;
    }
    ty_index items[TY_MAX_RANK];
    for (int i = 0; i < n; i++) items[i] = TY_AT(at[i]);
    ty_tensor *flat = n == 1 && ty_rank(x) != 1 ? ty_own(ty_ravel(x)) : ty_retain(x);
    ty_tensor *one = ty_own(ty_get(flat, n, items));
    PyObject *number = ty_ok(one) ? number_of(one, "item") : raise_poison(one);
    ty_release(one);
    ty_release(flat);
    return number;
}

PyMethodDef convert_methods[] = {
    {"item", item, METH_VARARGS, "item($self, *index)\n--\n\nReturn one element as a number of Python."},
    {"tolist", tolist, METH_NOARGS, "tolist($self)\n--\n\nReturn the elements as nested lists of numbers."},
    {NULL, NULL, 0, NULL},
};
