/* Conversion of Python's objects to tensors, numbers, axes and shapes; asarray. */
#include "tyto_python.h"
#include <string.h>

/* ---- tensors ---- */

/* Return the weak number of a bool, int, float or complex; NULL without an exception for other objects, and with
   OverflowError for integers beyond 64 bits. */
static ty_tensor *number_tensor(PyObject *object) {
    if (PyFloat_Check(object)) return ty_own(ty_num(PyFloat_AsDouble(object)));
    if (PyBool_Check(object)) return ty_own(ty_scalar(TY_BOOL, object == Py_True));
    if (PyComplex_Check(object))
        return ty_own(ty_complex(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)));
    if (!PyLong_Check(object)) return NULL;
    int overflow;
    long long integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) return integer == -1 && PyErr_Occurred() ? NULL : ty_own(ty_int(integer));
    unsigned long long natural = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : (unsigned long long)-1;
    if (overflow > 0 && !PyErr_Occurred()) return ty_own(ty_natural(natural));
    PyErr_Clear();
    PyErr_Format(PyExc_OverflowError, "the integer %R fits no dtype; integers have at most 64 bits", object);
    return NULL;
}

/* Return true for a number of another library with a dtype, which is a subclass of Python's: NumPy's float64. */
static bool is_typed(PyObject *object) {
    if (PyFloat_CheckExact(object) || PyLong_CheckExact(object)) return false;
    bool inherits = (PyFloat_Check(object) && !PyFloat_CheckExact(object)) ||
                    (PyComplex_Check(object) && !PyComplex_CheckExact(object));
    return inherits && PyObject_HasAttrString(object, "dtype");
}

ty_tensor *operand_from(PyObject *object) {
    if (is_array(object)) return ty_retain(tensor_of_array(object));
    if (foreign_from && is_typed(object)) return checked(foreign_from(object, -1));
    return checked(number_tensor(object));
}

ty_tensor *tensor_from(PyObject *object, const char *name) {
    ty_tensor *x = operand_from(object);
    if (x || PyErr_Occurred()) return x;
    if (foreign_from && !PyList_Check(object) && !PyTuple_Check(object)) {
        x = foreign_from(object, -1);
        if (x || PyErr_Occurred()) return x;
    }
    return tensor_of_sequence(object, name, TY_DTYPES);
}

ty_tensor *copy_of(ty_tensor *x) {
    if (ty_is_promise(x) || is_tracked(x)) return ty_retain(x);
    PyThreadState *state = give_up_lock(ty_size(x));
    ty_tensor *rows = ty_own(ty_contiguous(x)), *copy = rows;
    if (ty_ok(rows) && ty_shares_memory(rows, x)) {
        copy = ty_own((ty_from)(ty_dtype_of(x), ty_rank(x), ty_shape(x), ty_data(rows)));
        ty_release(rows);
    }
    take_lock(state);
    return copy;
}

/* ---- numbers ---- */

static bool refuse(PyObject *object, const char *name, const char *expected) {
    if (PyErr_Occurred()) return false;
    PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
    if (type) PyErr_Format(PyExc_TypeError, "%s: expected %s, got %U", name, expected, type);
    Py_XDECREF(type);
    return false;
}

/* Return true if the object is an array of one element. */
static bool is_one(PyObject *object) { return is_array(object) && ty_size(tensor_of_array(object)) == 1; }

bool int_from(PyObject *object, const char *name, int64_t *out) {
    bool exact = PyLong_CheckExact(object);
    if (!exact && !PyIndex_Check(object)) return refuse(object, name, "an integer");
    PyObject *integer = exact ? new_ref(object) : PyNumber_Index(object);
    int overflow = 0;
    *out = integer ? PyLong_AsLongLongAndOverflow(integer, &overflow) : -1;
    if (overflow) PyErr_Format(PyExc_OverflowError, "%s: the integer %R exceeds 64 bits", name, integer);
    Py_XDECREF(integer);
    return integer && !overflow;
}

bool real_from(PyObject *object, const char *name, double *out) {
    if (PyFloat_Check(object)) return *out = PyFloat_AsDouble(object), true;
    bool number = PyLong_Check(object) || PyIndex_Check(object) || is_one(object) ||
                  (!PyUnicode_Check(object) && PyObject_HasAttrString(object, "__float__"));
    if (!number) return refuse(object, name, "a real number");
    *out = PyFloat_AsDouble(object);
    return !(*out == -1 && PyErr_Occurred());
}

bool bool_from(PyObject *object, const char *name, bool *out) {
    bool number = PyBool_Check(object) || PyLong_Check(object) || is_one(object) || PyIndex_Check(object) ||
                  PyObject_HasAttrString(object, "__bool__");
    if (!number) return refuse(object, name, "True or False");
    int truth = PyObject_IsTrue(object);
    *out = truth > 0;
    return truth >= 0;
}

int ints_from(PyObject *object, const char *name, int most, int64_t *out) {
    bool vector = is_array(object) && ty_rank(tensor_of_array(object)) == 1;
    if (PyIndex_Check(object) && !vector) {
        if (most < 1) return PyErr_Format(PyExc_ValueError, "%s: more than %d integers", name, most), -1;
        return int_from(object, name, out) ? 1 : -1;
    }
    if (!PySequence_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object))
        return refuse(object, name, "an integer or a sequence of integers") - 1;
    Py_ssize_t n = PySequence_Size(object);
    if (n > most) PyErr_Format(PyExc_ValueError, "%s: %zd integers; expected at most %d", name, n, most);
    bool known = n <= most;
    for (Py_ssize_t i = 0; i < n && known; i++) {
        PyObject *item = PySequence_GetItem(object, i);
        known = item && int_from(item, name, &out[i]);
        Py_XDECREF(item);
    }
    return known && n >= 0 ? (int)n : -1;
}

/* Return true if one of n numbers is x. */
static bool is_among(const int64_t *list, int n, int64_t x) {
    while (n > 0)
        if (list[--n] == x) return true;
    return false;
}

bool axes_from(PyObject *object, const char *name, bool keep, ty_axes *out) {
    int64_t list[TY_MAX_RANK];
    int axes[TY_MAX_RANK];
    if (object == Py_None) return *out = (ty_axes){UINT64_MAX, 0, keep}, true;
    int n = ints_from(object, name, TY_MAX_RANK, list);
    for (int i = 0; i < n; i++) {
        axes[i] = (int)list[i];
        if (i > 0 && is_among(list, i, list[i])) {
            PyErr_Format(error_class(TY_ERROR_ARGUMENT), "%s: axis %lld is given twice", name,
                         (long long)list[i]);
            return false;
        }
        if (axes[i] == list[i]) continue;
        PyErr_Format(error_class(TY_ERROR_INDEX), "%s: axis %lld is out of bounds", name, (long long)list[i]);
        return false;
    }
    if (n >= 0) *out = ty_axes_of(n, axes, keep);
    return n >= 0;
}

/* ---- asarray ---- */

/* Arguments of asarray. */
struct wanted {
    ty_dtype dtype; /* TY_DTYPES: any */
    int copy;       /* 1: always, 0: never, -1: where needed */
};

/* Return x, of which the caller's reference is taken, with the dtype wanted; in memory of its own if `copy`. */
static ty_tensor *shaped_as(ty_tensor *x, const struct wanted *w, bool copy) {
    bool cast = w->dtype != TY_DTYPES && ty_dtype_of(x) != w->dtype;
    if (cast && w->copy == 0) {
        PyErr_Format(PyExc_ValueError, "asarray: copy=False, but elements of %s must be converted to %s",
                     dtype_word(ty_dtype_of(x)), dtype_word(w->dtype));
        ty_release(x);
        return NULL;
    }
    if (!cast && !copy) return x;
    PyThreadState *state = give_up_lock(ty_size(x));
    ty_tensor *y = cast ? ty_own(ty_cast(x, w->dtype)) : NULL;
    take_lock(state);
    if (!cast) y = copy_of(x);
    ty_release(x);
    return y;
}

PyObject *asarray_from(PyObject *object, ty_dtype dtype, int copy) {
    const struct wanted wanted = {dtype, copy}, *w = &wanted;
    bool any = w->dtype == TY_DTYPES;
    if (is_array(object)) {
        if (w->copy != 1 && (any || ty_dtype_of(tensor_of_array(object)) == w->dtype)) return new_ref(object);
        ty_tensor *x = shaped_as(ty_retain(tensor_of_array(object)), w, w->copy == 1);
        return x ? array_take(x) : NULL;
    }
    bool plain =
        PyList_Check(object) || PyTuple_Check(object) || PyLong_Check(object) || PyFloat_Check(object);
    ty_tensor *x = plain || !foreign_from ? NULL : foreign_from(object, w->copy ? -1 : 0);
    if (!x && PyErr_Occurred()) return NULL;
    if (x && ty_ok(x)) x = shaped_as(x, w, w->copy == 1);
    if (!x && !PyErr_Occurred() && w->copy == 0)
        PyErr_SetString(PyExc_ValueError, "asarray: copy=False, but numbers of Python must be copied");
    if (!x && !PyErr_Occurred()) x = tensor_of_sequence(object, "asarray", w->dtype);
    return x ? array_take(x) : NULL;
}

bool add_conversions(PyObject *module) {
    return PyModule_AddFunctions(module, assign_functions) == 0 &&
           PyModule_AddFunctions(module, index_functions) == 0;
}
