/* Functions that make arrays of numbers and shapes.  They read their arguments here, since small arrays take less time
   than a frame of Python. */
#include "descriptor.h"
#include <string.h>

/* ---- arguments ---- */

enum { ARGUMENTS_MOST = 5 };
#define PLACE(name, required)                                                                                \
    { name, 0, -1, required, 0 }
#define WORD(name)                                                                                           \
    { name, 0, -1, 0, 1 }

/* Set *out to the dtype of an argument: `otherwise` if it is not given or None. */
static bool dtype_given(PyObject *object, ty_dtype otherwise, ty_dtype *out) {
    *out = otherwise;
    if (!object || object == Py_None) return true;
    if (!is_array(object)) return dtype_from(object, "dtype", out);
    *out = ty_dtype_of(form_of_array(object));
    return true;
}

/* Return the array x, whose reference is taken, with its elements on a device; NULL or None: where they are. */
static PyObject *placed(PyObject *x, PyObject *device) {
    if (!x || !device || device == Py_None) return x;
    PyObject *text = PyObject_Str(device);
    const char *name = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyObject *result = NULL;
    if (name) {
        ty_tensor *tensor = ty_retain(tensor_of_array(x));
        result = array_of_result(ty_to(tensor, name));
        ty_release(tensor);
    }
    Py_XDECREF(text);
    Py_DECREF(x);
    return result;
}

/* ---- shapes ---- */

typedef ty_tensor *maker(ty_dtype dtype, int rank, const int64_t *shape);

/* Make an array by a function of dtype and shape. */
static PyObject *make(const struct function *f, maker *c, PyObject *const *args, Py_ssize_t n,
                      PyObject *names) {
    PyObject *values[ARGUMENTS_MOST];
    int64_t shape[TY_MAX_RANK];
    ty_dtype dtype;
    if (!bind_arguments(f, args, n, names, values) || !dtype_given(values[1], TY_F64, &dtype)) return NULL;
    int rank = ints_from(values[0], "shape", TY_MAX_RANK, shape);
    return rank < 0 ? NULL : placed(array_of_result(c(dtype, rank, shape)), values[2]);
}

#define SHAPE_FUNCTION(word)                                                                                 \
    static PyObject *word(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *names) {          \
        static const struct parameter parameters[] = {PLACE("shape", 1), PLACE("dtype", 0), WORD("device")}; \
        static const struct function f = {                                                                   \
            .name = #word, .nparameters = 3, .npositional = 2, .parameters = parameters};                    \
        (void)module;                                                                                        \
        return make(&f, ty_##word, args, n, names);                                                          \
    }
SHAPE_FUNCTION(zeros)
SHAPE_FUNCTION(ones)
SHAPE_FUNCTION(empty)

static PyObject *full(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    static const struct parameter parameters[] = {PLACE("shape", 1), PLACE("fill_value", 1),
                                                  PLACE("dtype", 0), WORD("device")};
    static const struct function f = {
        .name = "full", .nparameters = 4, .npositional = 3, .parameters = parameters};
    PyObject *values[ARGUMENTS_MOST];
    int64_t shape[TY_MAX_RANK];
    ty_dtype dtype;
    (void)module;
    if (!bind_arguments(&f, args, n, names, values) || !dtype_given(values[2], TY_DTYPES, &dtype))
        return NULL;
    int rank = ints_from(values[0], "shape", TY_MAX_RANK, shape);
    PyObject *value = rank < 0 ? NULL : asarray_from(values[1], dtype, -1);
    if (!value) return NULL;
    ty_tensor *x = ty_retain(tensor_of_array(value));
    PyObject *result = array_of_result(ty_full_of(x, rank, shape));
    ty_release(x);
    Py_DECREF(value);
    return placed(result, values[3]);
}

/* ---- ranges ---- */

/* Set *out to a number of Python that a double holds exactly; false, without an exception, for other objects. */
static bool exact_from(PyObject *object, double *out) {
    static const double exact = 4503599627370496; /* 2^52: integers below and their differences are doubles */
    if (PyFloat_Check(object)) return *out = PyFloat_AsDouble(object), true;
    if (!PyLong_Check(object)) return false;
    int overflow;
    *out = (double)PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow && -exact < *out && *out < exact;
}

static bool is_whole(ty_tensor *x) { return strchr("biu", dtype_kind(ty_dtype_of(x))); }

/* Return the range from x[0] to x[1] in steps of x[2], objects, as a result of the library; NULL with an exception. */
static ty_tensor *range_of(PyObject *const *x, ty_dtype dtype) {
    ty_tensor *t[3] = {NULL}, *result = NULL;
    bool good = true, whole = true;
    for (int i = 0; i < 3 && good; i++) {
        good = (t[i] = tensor_from(x[i], "arange"));
        whole = good && whole && is_whole(t[i]);
    }
    if (dtype == TY_DTYPES) dtype = whole ? TY_I64 : TY_F64;
    if (good) result = ty_own(ty_arange_of(dtype, t[0], t[1], t[2]));
    for (int i = 0; i < 3; i++) ty_release(t[i]);
    return result;
}

/* Return a range, whose reference is taken; NULL with an exception if it counts to 2 or more in bool. */
static PyObject *counted(PyObject *range, ty_dtype dtype) {
    if (!range || dtype != TY_BOOL || ty_size(form_of_array(range)) <= 2) return range;
    Py_DECREF(range);
    PyErr_SetString(error_class(TY_ERROR_DTYPE),
                    "arange: bool holds 0 and 1; expected at most 2 elements, or an integer dtype");
    return NULL;
}

static PyObject *arange(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    static const struct parameter parameters[] = {PLACE("start", 0), PLACE("stop", 0), PLACE("step", 0),
                                                  PLACE("dtype", 0), WORD("device")};
    static const struct function f = {
        .name = "arange", .nparameters = 5, .npositional = 4, .parameters = parameters};
    PyObject *values[ARGUMENTS_MOST];
    ty_dtype dtype;
    double real[3] = {0, 0, 1};
    (void)module;
    if (!bind_arguments(&f, args, n, names, values) || !dtype_given(values[3], TY_DTYPES, &dtype))
        return NULL;
    if (values[1] == Py_None) values[1] = NULL;
    if (!values[1] && (!values[0] || !n)) { /* one number is the stop, but start=3 is none */
        PyErr_SetString(PyExc_TypeError, "arange() missing argument 'stop'");
        return NULL;
    }
    PyObject *zero = PyLong_FromLong(0), *one = PyLong_FromLong(1), *result = NULL;
    bool from_zero = !values[0] || !values[1];
    if (!values[1]) values[1] = values[0];
    PyObject *x[] = {from_zero ? zero : values[0], values[1], values[2] ? values[2] : one};
    if (zero && one && exact_from(x[0], real) && exact_from(x[1], real + 1) && exact_from(x[2], real + 2)) {
        bool whole = PyLong_Check(x[0]) && PyLong_Check(x[1]) && PyLong_Check(x[2]);
        if (dtype == TY_DTYPES) dtype = whole ? TY_I64 : TY_F64;
        result = array_of_result(ty_arange(dtype, real[0], real[1], real[2]));
    } else if (zero && one) {
        ty_tensor *range = range_of(x, dtype);
        result = range ? array_take(range) : NULL;
    }
    Py_XDECREF(zero);
    Py_XDECREF(one);
    return placed(counted(result, dtype), values[4]);
}

/* ---- objects ---- */

static PyObject *asarray(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    static const struct parameter parameters[] = {PLACE("obj", 1), PLACE("dtype", 0), WORD("device"),
                                                  WORD("copy")};
    static const struct function f = {
        .name = "asarray", .nparameters = 4, .npositional = 2, .parameters = parameters};
    PyObject *values[ARGUMENTS_MOST];
    ty_dtype dtype;
    (void)module;
    if (!bind_arguments(&f, args, n, names, values) || !dtype_given(values[1], TY_DTYPES, &dtype))
        return NULL;
    int copy = !values[3] || values[3] == Py_None ? -1 : PyObject_IsTrue(values[3]);
    PyObject *x = PyErr_Occurred() ? NULL : asarray_from(values[0], dtype, copy);
    if (!x || copy || !values[2] || values[2] == Py_None) return placed(x, values[2]);
    const char *on = ty_on(form_of_array(x));
    PyObject *text = PyObject_Str(values[2]);
    int same = text ? PyUnicode_CompareWithASCIIString(text, on) == 0 : 0;
    if (text && !same)
        PyErr_Format(PyExc_ValueError, "asarray: copy=False, but the array is on %s and not on %U", on, text);
    Py_XDECREF(text);
    if (same) return x;
    Py_DECREF(x);
    return NULL;
}

/* ---- dtypes ---- */

/* Set *out to the dtype of an argument of result_type; TY_DTYPES for a number of Python.  NumPy's float64 is a subclass of
   Python's, but has a dtype, as its other numbers and arrays have. */
static bool dtype_of_operand(PyObject *object, ty_dtype *out) {
    *out = TY_DTYPES;
    if (PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object)) return true;
    bool form = is_array(object) || is_dtype(object) || PyType_Check(object);
    PyObject *own = form ? NULL : PyObject_GetAttrString(object, "dtype");
    PyErr_Clear();
    bool number = PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object);
    bool good = (number && !own) || dtype_given(own ? own : object, TY_DTYPES, out);
    Py_XDECREF(own);
    return good;
}

/* Return the dtype in which an operator computes on a tensor of a dtype and a weak number. */
static ty_dtype with_number(ty_dtype dtype, PyObject *number) {
    ty_tensor *zero = ty_own(ty_zeros(dtype, 0, NULL)), *weak = NULL;
    if (PyBool_Check(number)) weak = ty_own(ty_scalar(TY_BOOL, 0));
    if (!weak && PyLong_Check(number)) weak = ty_own(ty_int(0));
    if (!weak) weak = ty_own(PyFloat_Check(number) ? ty_num(0) : ty_complex(0, 0));
    ty_tensor *sum = ty_own(ty_add(zero, weak));
    ty_dtype result = ty_ok(sum) ? ty_dtype_of(sum) : dtype;
    ty_release(sum);
    ty_release(weak);
    ty_release(zero);
    return result;
}

/* Return the dtype of n operands; TY_DTYPES with an exception. */
static ty_dtype type_of_operands(PyObject *const *operands, Py_ssize_t n, ty_dtype *dtypes) {
    int count = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!dtype_of_operand(operands[i], &dtypes[count])) return TY_DTYPES;
        count += dtypes[count] != TY_DTYPES;
    }
    bool alone = count == 0; /* numbers alone: the dtypes that arrays of them have */
    for (Py_ssize_t i = 0; i < n && alone; i++)
        if (!dtype_from((PyObject *)Py_TYPE(operands[i]), "dtype", &dtypes[count++])) return TY_DTYPES;
    ty_dtype result = ty_promote_all(count, dtypes);
    if (result == TY_DTYPES)
        PyErr_SetString(error_class(TY_ERROR_DTYPE), "result_type: dtypes for storage have no common dtype");
    for (Py_ssize_t i = 0; i < n && !alone && result != TY_DTYPES; i++) {
        ty_dtype own;
        if (!dtype_of_operand(operands[i], &own)) return TY_DTYPES;
        if (own == TY_DTYPES) result = with_number(result, operands[i]);
    }
    return result;
}

static PyObject *result_type(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    enum { USUAL = 16 };
    ty_dtype few[USUAL] = {TY_F32}, *dtypes = n <= USUAL ? few : PyMem_Calloc((size_t)n, sizeof *dtypes);
    (void)module;
    if (!dtypes) return PyErr_NoMemory();
    ty_dtype result = TY_DTYPES;
    if (n)
        result = type_of_operands(args, n, dtypes);
    else
        PyErr_SetString(PyExc_ValueError, "result_type() needs at least one array, dtype or number");
    if (dtypes != few) PyMem_Free(dtypes);
    return result == TY_DTYPES ? NULL : dtype_object(result);
}

#define WITH_WORDS(f) (PyCFunction)(void (*)(void)) f, METH_FASTCALL | METH_KEYWORDS
static PyMethodDef functions[] = {
    {"asarray", WITH_WORDS(asarray),
     "asarray($module, obj, /, dtype=None, *, device=None, copy=None)\n--\n\n"
     "Return an array of an array, numbers, nested sequences, or another library's array.\n\n"
     "copy=True always copies, False never does (ValueError if it must), None only if it must."},
    {"zeros", WITH_WORDS(zeros),
     "zeros($module, shape, dtype=None, *, device=None)\n--\n\nReturn an array of zeros."},
    {"ones", WITH_WORDS(ones),
     "ones($module, shape, dtype=None, *, device=None)\n--\n\nReturn an array of ones."},
    {"empty", WITH_WORDS(empty),
     "empty($module, shape, dtype=None, *, device=None)\n--\n\n"
     "Return an array of zeros: no function returns uninitialised memory."},
    {"full", WITH_WORDS(full),
     "full($module, shape, fill_value, dtype=None, *, device=None)\n--\n\nReturn an array of equal "
     "elements."},
    {"arange", WITH_WORDS(arange),
     "arange($module, start=0, stop=None, step=1, dtype=None, *, device=None)\n--\n\n"
     "Return the vector start, start + step, ... up to but excluding stop.\n\n"
     "arange(n) counts from 0.  int64 if all three are integers, else float64."},
    {"result_type", (PyCFunction)(void (*)(void))result_type, METH_FASTCALL,
     "result_type($module, *arrays_and_dtypes)\n--\n\n"
     "Return the dtype in which an operator on these operands computes.\n\n"
     "Numbers of Python adopt the dtype of the other operands."},
    {NULL, NULL, 0, NULL},
};

bool add_creation(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }
