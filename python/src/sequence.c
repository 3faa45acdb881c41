/*
 * Tensors of nested lists, tuples and other sequences of numbers.
 *
 * The first element of each level gives the shape.  One walk then checks all lengths and stores the numbers; it begins
 * with integers of 64 bits and converts the numbers read so far when a wider kind appears.  Where an element is an array,
 * the levels are stacked instead, so that promises stay promises.
 */
#include "tyto_python.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of numbers, from narrow to wide; each holds those before it but NATURAL, which holds no negative ones. */
enum kind { BOOL, INTEGER, NATURAL, REAL, COMPLEX };

/* Numbers read so far. */
struct walk {
    const char *name;
    ty_dtype dtype; /* that of the result; TY_DTYPES: any */
    int rank;
    int64_t shape[TY_MAX_RANK], at[TY_MAX_RANK]; /* at: index of the present element, for messages */
    enum kind kind;
    bool negative; /* an integer is below 0 */
    int64_t room, n;
    union {
        int64_t *integer;
        double *real; /* COMPLEX: two each */
        void *data;
    };
};

/* A number of Python's. */
struct number {
    enum kind kind;
    int64_t integer; /* BOOL, INTEGER; NATURAL: its bits */
    double real, imaginary;
};

static bool is_sequence(PyObject *object) {
    return PyList_Check(object) || PyTuple_Check(object) ||
           (PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object) &&
            !PyByteArray_Check(object) && !PyDict_Check(object));
}

/* Return true if other files make a tensor of the object as a whole. */
static bool is_whole(PyObject *object) {
    if (is_array(object)) return true;
    if (PyList_Check(object) || PyTuple_Check(object) || PyLong_Check(object) || PyFloat_Check(object))
        return false;
    return PyObject_HasAttrString(object, "__array__") || PyObject_HasAttrString(object, "__dlpack__") ||
           PyObject_HasAttrString(object, "__array_interface__") || PyObject_CheckBuffer(object);
}

/* ---- numbers ---- */

/* Set *n to an integer of any size: beyond 64 bits only where the result is floating, and OverflowError elsewhere. */
static bool integer_from(const struct walk *w, PyObject *object, struct number *n) {
    int overflow;
    n->kind = INTEGER;
    n->integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) return !(n->integer == -1 && PyErr_Occurred());
    if (overflow > 0) {
        n->kind = NATURAL;
        n->integer = (int64_t)PyLong_AsUnsignedLongLong(object);
        if (!PyErr_Occurred()) return true;
        PyErr_Clear();
    }
    bool floating = dtype_kind(w->dtype) == 'f' || dtype_kind(w->dtype) == 'c';
    n->kind = REAL;
    n->real = floating ? PyLong_AsDouble(object) : 0;
    if (!floating)
        PyErr_Format(PyExc_OverflowError, "%s: the integer %R fits no dtype; integers have at most 64 bits",
                     w->name, object);
    return !PyErr_Occurred();
}

/* Set *n to the number of an object that is neither array nor sequence.  False, with TypeError, for others. */
static bool number_from(const struct walk *w, PyObject *object, struct number *n) {
    if (PyFloat_Check(object)) {
        n->kind = REAL;
        n->real = PyFloat_AsDouble(object);
        return true;
    }
    if (PyBool_Check(object)) {
        n->kind = BOOL;
        n->integer = object == Py_True;
        return true;
    }
    if (PyLong_Check(object)) return integer_from(w, object, n);
    if (PyComplex_Check(object)) {
        n->kind = COMPLEX;
        n->real = PyComplex_RealAsDouble(object);
        n->imaginary = PyComplex_ImagAsDouble(object);
        return true;
    }
    if (PyIndex_Check(object)) {
        PyObject *integer = PyNumber_Index(object);
        bool good = integer && integer_from(w, integer, n);
        Py_XDECREF(integer);
        return good;
    }
    if (!PyUnicode_Check(object) && !PyBytes_Check(object) && PyObject_HasAttrString(object, "__float__")) {
        n->kind = REAL;
        n->real = PyFloat_AsDouble(object);
        return !(n->real == -1 && PyErr_Occurred());
    }
    PyErr_Format(PyExc_TypeError, "%s: %R is no number; expected numbers, sequences of them, or arrays",
                 w->name, object);
    return false;
}

/* Convert the integers read so far to doubles, and pairs of doubles for complex numbers. */
static bool widen(struct walk *w, enum kind kind) {
    if (kind == COMPLEX) {
        void *more = realloc(w->data, (size_t)w->room * 2 * sizeof(double));
        if (!more) return PyErr_NoMemory(), false;
        w->data = more;
    }
    if (w->kind < REAL && kind >= REAL)
        for (int64_t i = 0; i < w->n; i++)
            w->real[i] = w->kind == NATURAL ? (double)(uint64_t)w->integer[i] : (double)w->integer[i];
    if (kind == COMPLEX)
        for (int64_t i = w->n; i-- > 0;) {
            w->real[2 * i] = w->real[i];
            w->real[2 * i + 1] = 0;
        }
    w->kind = kind;
    return true;
}

/* Append a number. */
static bool store(struct walk *w, const struct number *n) {
    enum kind kind = n->kind > w->kind ? n->kind : w->kind;
    bool negative = n->kind == INTEGER && n->integer < 0;
    w->negative = w->negative || negative;
    if (kind == NATURAL && w->negative) kind = REAL; /* as NumPy: no integer dtype holds both */
    if (kind != w->kind && !widen(w, kind)) return false;
    double real = n->kind >= REAL      ? n->real
                  : n->kind == NATURAL ? (double)(uint64_t)n->integer
                                       : (double)n->integer;
    int64_t i = w->n++;
    if (kind < REAL) w->integer[i] = n->integer;
    if (kind == REAL) w->real[i] = real;
    if (kind == COMPLEX) {
        w->real[2 * i] = real;
        w->real[2 * i + 1] = n->kind == COMPLEX ? n->imaginary : 0;
    }
    return true;
}

/* ---- sequences ---- */

/* Return element i, with a reference of the caller's; IndexError where the sequence has shrunk meanwhile. */
static PyObject *element(PyObject *sequence, Py_ssize_t i) { return PySequence_GetItem(sequence, i); }

/* Set the shape by the first elements.  Return 1, 0 if an element is an array, -1 with an exception. */
static int measure(struct walk *w, PyObject *object) {
    PyObject *now = new_ref(object);
    int result = 1;
    while (now && !is_whole(now) && is_sequence(now)) {
        Py_ssize_t n = PySequence_Size(now);
        if (n >= 0 && w->rank == TY_MAX_RANK)
            PyErr_Format(PyExc_ValueError, "%s: lists are nested more than %d deep", w->name, TY_MAX_RANK);
        if (n < 0 || w->rank == TY_MAX_RANK) {
            Py_DECREF(now);
            return -1;
        }
        w->shape[w->rank++] = n;
        PyObject *first = n ? element(now, 0) : NULL;
        Py_DECREF(now);
        if (!n) return 1;
        now = first;
    }
    if (!now) return -1;
    if (is_whole(now)) result = 0;
    Py_DECREF(now);
    return result;
}

/* Write the index of the present element at a level, such as "[2][0]". */
static void place_words(const struct walk *w, int level, char *out, size_t capacity) {
    size_t n = 0;
    *out = 0;
    for (int i = 0; i < level && n < capacity; i++) {
        int added = PyOS_snprintf(out + n, capacity - n, "[%lld]", (long long)w->at[i]);
        n += added > 0 ? (size_t)added : 0;
    }
}

static bool refuse_ragged(const struct walk *w, int level, Py_ssize_t length) {
    char place[128];
    place_words(w, level, place, sizeof place);
    if (length < 0)
        PyErr_Format(PyExc_ValueError,
                     "%s: element %s is one number, but the first ones of its level have %lld elements",
                     w->name, place, (long long)w->shape[level]);
    else if (level == w->rank)
        PyErr_Format(PyExc_ValueError,
                     "%s: element %s has %zd elements, but the first ones of its level are numbers", w->name,
                     place, length);
    else
        PyErr_Format(PyExc_ValueError,
                     "%s: element %s has %zd elements, but the first ones of its level have %lld", w->name,
                     place, length, (long long)w->shape[level]);
    return false;
}

/* Store the numbers of an object at a level.  Return 1, 0 if it has an array, -1 with an exception. */
static int walk(struct walk *w, PyObject *object, int level) {
    struct number number;
    if (!PyFloat_Check(object) && !PyLong_Check(object)) {
        if (is_whole(object)) return 0;
        if (is_sequence(object)) {
            Py_ssize_t n = PySequence_Size(object);
            if (n < 0) return -1;
            if (level == w->rank || n != w->shape[level]) return refuse_ragged(w, level, n) - 1;
            for (Py_ssize_t i = 0; i < n; i++) {
                PyObject *part = element(object, i);
                w->at[level] = i;
                int done = part ? walk(w, part, level + 1) : -1;
                Py_XDECREF(part);
                if (done < 1) return done;
            }
            return 1;
        }
    }
    if (level < w->rank) return refuse_ragged(w, level, -1) - 1;
    if (w->n == w->room) return PyErr_Format(PyExc_RuntimeError, "%s: a list changed meanwhile", w->name), -1;
    return number_from(w, object, &number) && store(w, &number) ? 1 : -1;
}

/* Stack the tensors of the elements of a sequence. */
static ty_tensor *stack(PyObject *object, const char *name) {
    Py_ssize_t n = PySequence_Size(object), made = 0;
    ty_tensor **parts = n > 0 && n <= INT32_MAX ? calloc((size_t)n, sizeof *parts) : NULL, *result = NULL;
    if (!parts) return n < 0 ? NULL : (ty_tensor *)PyErr_NoMemory();
    for (; made < n; made++) {
        PyObject *part = element(object, made);
        parts[made] = part ? tensor_from(part, name) : NULL;
        Py_XDECREF(part);
        if (!parts[made]) break;
    }
    if (made == n) result = ty_own(ty_stack((int)n, parts, 0));
    for (Py_ssize_t i = 0; i < made; i++) ty_release(parts[i]);
    free(parts);
    return checked(result);
}

/* ---- results ---- */

/* Raise OverflowError for a number that does not fit the dtype. */
static bool refuse_number(const struct walk *w) {
    char *text = w->kind == REAL ? PyOS_double_to_string(*w->real, 'r', 0, 0, NULL) : NULL;
    PyErr_Format(PyExc_OverflowError, "%s: %s does not fit %s", w->name, text ? text : "the integer",
                 dtype_word(w->dtype));
    PyMem_Free(text);
    return false;
}

/* Check that numbers may become the dtype: integers in its range, finite for integers, real for real dtypes. */
static bool check_range(const struct walk *w) {
    ty_dtype dtype = w->dtype;
    char kind = dtype_kind(dtype);
    if (w->kind == COMPLEX && kind != 'c' && kind != 'b') {
        PyErr_Format(PyExc_TypeError, "%s: complex numbers do not fit %s; take the real part", w->name,
                     dtype_word(dtype));
        return false;
    }
    if (kind != 'i' && kind != 'u') return true;
    int bits = ty_dtype_bits(dtype);
    bool is_signed = kind == 'i';
    uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
    for (int64_t i = 0; i < w->n; i++) {
        bool fits = true;
        if (w->kind == REAL) {
            double x = trunc(w->real[i]), end = ldexp(1, bits - is_signed);
            fits = x < end && x >= (is_signed ? -end : 0);
        } else if (w->kind == NATURAL || w->integer[i] >= 0) {
            fits = (uint64_t)w->integer[i] <= most;
        } else {
            fits = is_signed && w->integer[i] >= -(int64_t)most - 1;
        }
        if (fits) continue;
        if (w->rank == 0) return refuse_number(w);
        PyErr_Format(PyExc_OverflowError, "%s: element %lld in row-major order does not fit %s", w->name,
                     (long long)i, dtype_word(dtype));
        return false;
    }
    return true;
}

/* Make the tensor of the numbers read. */
static ty_tensor *finish(struct walk *w) {
    static const ty_dtype dtypes[] = {TY_BOOL, TY_I64, TY_U64, TY_F64, TY_C128};
    if (w->dtype != TY_DTYPES && !check_range(w)) return NULL;
    if (w->kind == BOOL)
        for (int64_t i = 0; i < w->n; i++) ((char *)w->data)[i] = (char)w->integer[i];
    ty_dtype natural = w->n ? dtypes[w->kind] : TY_F64; /* NumPy's dtype of an empty list */
    ty_tensor *x = ty_own((ty_from)(natural, w->rank, w->shape, w->data));
    if (w->dtype == TY_DTYPES || w->dtype == natural || !ty_ok(x)) return x;
    ty_tensor *y = ty_own(ty_cast(x, w->dtype));
    ty_release(x);
    return y;
}

ty_tensor *tensor_of_sequence(PyObject *object, const char *name, ty_dtype dtype) {
    struct walk w = {.name = name, .dtype = dtype, .room = 1};
    int done = measure(&w, object);
    if (done < 0) return NULL;
    for (int i = 0; done && i < w.rank; i++)
        if (__builtin_mul_overflow(w.room, w.shape[i], &w.room)) return PyErr_NoMemory(), NULL;
    if (done && (size_t)w.room > SIZE_MAX / (2 * sizeof(double))) return PyErr_NoMemory(), NULL;
    w.data = done ? malloc((size_t)w.room * sizeof(double) + 1) : NULL;
    if (done && !w.data) return PyErr_NoMemory(), NULL;
    if (done) done = walk(&w, object, 0);
    ty_tensor *result = done > 0 ? checked(finish(&w)) : NULL;
    free(w.data);
    if (done) return result;
    result = stack(object, name);
    if (!result || dtype == TY_DTYPES || ty_dtype_of(result) == dtype) return result;
    ty_tensor *cast = ty_own(ty_cast(result, dtype));
    ty_release(result);
    return cast;
}
