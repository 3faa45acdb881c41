/* Operators of arrays, and conversion to one number of Python.  Numbers of Python beside arrays follow NumPy 2: they
   adopt the array's dtype, and integers must fit it. */
#include "tyto_python.h"
#include <string.h>

typedef ty_tensor *unary_function(ty_tensor *x);
typedef ty_tensor *binary_function(ty_tensor *a, ty_tensor *b);

/* ---- operands ---- */

/* Return true if an integer of Python has at most 64 bits and is not negative. */
static bool integer_is_natural(PyObject *integer) {
    bool fits = PyLong_AsUnsignedLongLong(integer) != (unsigned long long)-1 || !PyErr_Occurred();
    PyErr_Clear();
    return fits;
}

bool integer_fits(PyObject *integer, ty_dtype dtype) {
    char kind = dtype_kind(dtype);
    if (kind != 'i' && kind != 'u') return true;
    int bits = ty_dtype_bits(dtype), overflow;
    long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    bool fits = !overflow;
    if (overflow > 0 && kind == 'u' && bits == 64) {
        fits = integer_is_natural(integer);
    } else if (kind == 'u') {
        fits = fits && value >= 0 && (bits == 64 || value < (1LL << bits));
    } else if (bits < 64) {
        fits = fits && value >= -(1LL << (bits - 1)) && value < (1LL << (bits - 1));
    }
    if (!fits)
        PyErr_Format(PyExc_OverflowError, "the integer %R is out of bounds for %s", integer,
                     dtype_word(dtype));
    return fits;
}

/* Return the tensor of a number of Python, or of nested lists of them, beside an array of `dtype`, which the caller owns.
   NULL: another object, or with an exception. */
static ty_tensor *number_beside(PyObject *object, ty_dtype dtype, bool compared) {
    if (PyLong_Check(object) && !PyBool_Check(object)) {
        int overflow;
        (void)PyLong_AsLongLongAndOverflow(object, &overflow);
        char kind = dtype_kind(dtype);
        if (!compared && !integer_fits(object, dtype)) return NULL;
        bool floating = kind == 'f' || kind == 'c';
        /* beyond 64 bits: floating arrays take its double, and all integers of an array are on one side of it */
        bool far = overflow && (floating || (compared && !integer_is_natural(object)));
        double real = far && floating ? PyLong_AsDouble(object) : 0;
        if (far && compared && (!floating || PyErr_Occurred())) {
            PyErr_Clear();
            real = overflow > 0 ? Py_HUGE_VAL : -Py_HUGE_VAL;
        }
        if (far) return PyErr_Occurred() ? NULL : ty_own(ty_num(real));
    }
    ty_tensor *x = operand_from(object);
    bool nested = PyList_Check(object) || PyTuple_Check(object);
    return x || PyErr_Occurred() || !nested ? x : tensor_of_sequence(object, "operand", TY_DTYPES);
}

/* Two operands, each with a reference. */
struct operands {
    ty_tensor *a, *b;
};

/* Set *o to the operands of an operator, of which one at least is an array.  Return 1, 0 if one is no operand, -1 with
   an exception. */
static int take_operands(PyObject *a, PyObject *b, bool compared, struct operands *o) {
    bool first = is_array(a), second = is_array(b);
    ty_tensor *known = tensor_of_array(first ? a : b);
    ty_dtype dtype = ty_dtype_of(known);
    o->a = first ? ty_retain(known) : number_beside(a, dtype, compared);
    if (!o->a) return PyErr_Occurred() ? -1 : 0;
    o->b = second ? ty_retain(tensor_of_array(b)) : number_beside(b, dtype, compared);
    if (o->b) return 1;
    ty_release(o->a);
    return PyErr_Occurred() ? -1 : 0;
}

static void drop_operands(struct operands *o) {
    ty_release(o->a);
    ty_release(o->b);
}

/* ---- two operands ---- */

static ty_tensor *compute(const struct operands *o, binary_function *f) {
    int64_t n = ty_size(o->a), m = ty_size(o->b);
    if (n < GIVE_UP_LOCK_FROM && m < GIVE_UP_LOCK_FROM) return f(o->a, o->b);
    PyThreadState *state = give_up_lock(n > m ? n : m);
    ty_tensor *result = ty_own(f(o->a, o->b));
    take_lock(state);
    return ty_disown(result);
}

static PyObject *binary(PyObject *a, PyObject *b, binary_function *f) {
    struct operands o;
    int taken = take_operands(a, b, false, &o);
    if (taken < 1) return taken ? NULL : new_ref(Py_NotImplemented);
    PyObject *result = array_of_result(compute(&o, f));
    drop_operands(&o);
    return result;
}

enum { COPY_BELOW = 1 << 10 }; /* elements */

/* Compute self = f(self, other) in place. */
static PyObject *in_place(PyObject *self, PyObject *other, binary_function *f) {
    struct operands o;
    int taken = take_operands(self, other, false, &o);
    if (taken < 1) return taken ? NULL : new_ref(Py_NotImplemented);
    bool functional = is_functional(o.a, o.b);
    /* an array that is no view takes the result as its tensor */
    if (!functional && is_writable(self) && is_moved(self, o.a) && root_of(self) == (struct array *)self)
        functional = !((struct array *)self)->astray;
    if (!functional && !(o.a = tensor_to_write(self, o.a))) return drop_operands(&o), NULL;
    /* a few elements are computed beside the array and copied, which takes less than a promise */
    bool eager = functional || ty_size(o.a) < COPY_BELOW;
    ty_tensor *lazy = eager ? ty_retain(o.a) : ty_own(ty_lazy(o.a));
    ty_tensor *result = ty_own(f(lazy, o.b)), *fit = NULL;
    char from = dtype_kind(ty_dtype_of(result)), to = dtype_kind(ty_dtype_of(o.a));
    static const char order[] =
        "buifc"; /* elements of a kind are converted to those of the same and later ones */
    if (!ty_ok(result))
        raise_poison(result);
    else if (strchr(order, from) > strchr(order, to))
        PyErr_Format(error_class(TY_ERROR_DTYPE),
                     "the result has dtype %s and cannot be cast to %s, that of the array, in place",
                     dtype_word(ty_dtype_of(result)), dtype_word(ty_dtype_of(o.a)));
    else
        fit = ty_own(ty_cast(result, ty_dtype_of(o.a)));
    bool done = fit && assign_all((struct array *)self, fit, functional);
    ty_release(fit);
    ty_release(result);
    ty_release(lazy);
    drop_operands(&o);
    return done ? new_ref(self) : NULL;
}

#define OPERATOR(name, function)                                                                             \
    static PyObject *name(PyObject *a, PyObject *b) { return binary(a, b, function); }                       \
    static PyObject *name##_in_place(PyObject *a, PyObject *b) { return in_place(a, b, function); }

/* As NumPy, which refuses to subtract bools: true - false is no bool. */
static ty_tensor *subtract(ty_tensor *a, ty_tensor *b) {
    if (ty_dtype_of(a) != TY_BOOL || ty_dtype_of(b) != TY_BOOL || !ty_ok(a) || !ty_ok(b)) return ty_sub(a, b);
    return ty_poison_code(TY_ERROR_DTYPE, "bools cannot be subtracted; use ^ or logical_xor");
}

OPERATOR(add, ty_add)
OPERATOR(sub, subtract)
OPERATOR(mul, ty_mul)
OPERATOR(divide, ty_div)
OPERATOR(floor_div, ty_floor_div)
OPERATOR(mod, ty_mod)
OPERATOR(matmul, ty_matmul)
OPERATOR(and, ty_bit_and)
OPERATOR(or, ty_bit_or)
OPERATOR(xor, ty_bit_xor)
OPERATOR(shift_left, ty_shift_left)
OPERATOR(shift_right, ty_shift_right)

/* Refuse a negative integer of Python as the exponent of an array of integers, as NumPy does. */
static bool exponent_fits(PyObject *a, PyObject *b) {
    int overflow;
    if (!is_array(a) || !PyLong_Check(b)) return true;
    char kind = dtype_kind(ty_dtype_of(tensor_of_array(a)));
    if ((kind != 'i' && kind != 'u') || PyLong_AsLongLongAndOverflow(b, &overflow) >= 0 || overflow > 0)
        return true;
    PyErr_SetString(error_class(TY_ERROR_DOMAIN),
                    "integers to negative powers are not integers; convert to floating");
    return false;
}

static PyObject *refuse_modulus(void) {
    PyErr_SetString(PyExc_TypeError, "pow() of arrays takes two arguments");
    return NULL;
}
static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus) {
    if (modulus != Py_None) return refuse_modulus();
    return exponent_fits(a, b) ? binary(a, b, ty_pow) : NULL;
}
static PyObject *power_in_place(PyObject *a, PyObject *b, PyObject *modulus) {
    if (modulus != Py_None) return refuse_modulus();
    return exponent_fits(a, b) ? in_place(a, b, ty_pow) : NULL;
}

static PyObject *divide_both(PyObject *a, PyObject *b) {
    PyObject *quotient = floor_div(a, b);
    if (!quotient || quotient == Py_NotImplemented) return quotient;
    PyObject *remainder = mod(a, b), *both = remainder ? PyTuple_Pack(2, quotient, remainder) : NULL;
    Py_DECREF(quotient);
    Py_XDECREF(remainder);
    return both;
}

/* ---- comparisons ---- */

static PyObject *compare(PyObject *self, PyObject *other, int operation) {
    static binary_function *const functions[] = {
        [Py_LT] = ty_lt, [Py_LE] = ty_le, [Py_EQ] = ty_eq, [Py_NE] = ty_ne, [Py_GT] = ty_gt, [Py_GE] = ty_ge};
    struct operands o;
    int taken = take_operands(self, other, true, &o);
    if (taken < 1) return taken ? NULL : new_ref(Py_NotImplemented);
    PyObject *result = NULL;
    bool complex = dtype_kind(ty_dtype_of(o.a)) == 'c' || dtype_kind(ty_dtype_of(o.b)) == 'c';
    if (complex && operation != Py_EQ && operation != Py_NE)
        PyErr_SetString(error_class(TY_ERROR_DTYPE),
                        "complex numbers have no order; compare abs(x) or the real parts");
    else
        result = array_of_result(compute(&o, functions[operation]));
    drop_operands(&o);
    return result;
}

/* ---- one operand ---- */

static PyObject *unary(PyObject *self, unary_function *f) {
    ty_tensor *x = ty_retain(tensor_of_array(self));
    PyThreadState *state = give_up_lock(ty_size(x));
    ty_tensor *result = ty_own(f(x));
    take_lock(state);
    ty_release(x);
    return array_take(result);
}

static PyObject *negative(PyObject *self) {
    if (ty_dtype_of(tensor_of_array(self)) != TY_BOOL) return unary(self, ty_neg);
    PyErr_SetString(error_class(TY_ERROR_DTYPE), "bools have no negative; use ~ or logical_not");
    return NULL;
}
static PyObject *positive(PyObject *self) {
    ty_tensor *x = ty_retain(tensor_of_array(self));
    PyObject *copy = array_take(copy_of(x));
    ty_release(x);
    return copy;
}
static PyObject *absolute(PyObject *self) { return unary(self, ty_abs); }
static PyObject *invert(PyObject *self) { return unary(self, ty_bit_not); }

/* ---- one number ---- */

/* Return the only element; TypeError if it is complex, which has no real number. */
static PyObject *real_number(PyObject *self, const char *what) {
    ty_tensor *x = tensor_of_array(self);
    if (dtype_kind(ty_dtype_of(x)) != 'c') return number_of(x, what);
    PyErr_Format(PyExc_TypeError, "%s: the array is complex; take its real part", what);
    return NULL;
}

/* Return the element converted by one of Python's functions. */
static PyObject *converted(PyObject *number, PyObject *(*convert)(PyObject *)) {
    PyObject *result = number ? convert(number) : NULL;
    Py_XDECREF(number);
    return result;
}
static PyObject *to_integer(PyObject *self) { return converted(real_number(self, "int"), PyNumber_Long); }
static PyObject *to_real(PyObject *self) { return converted(real_number(self, "float"), PyNumber_Float); }

static int to_truth(PyObject *self) {
    ty_tensor *x = tensor_of_array(self);
    if (ty_size(x) != 1) {
        PyErr_Format(error_class(TY_ERROR_SHAPE),
                     "bool: the truth of an array of %lld elements is ambiguous; use "
                     "tyto.any(x) or tyto.all(x)",
                     (long long)ty_size(x));
        return -1;
    }
    PyObject *number = number_of(x, "bool");
    int truth = number ? PyObject_IsTrue(number) : -1;
    Py_XDECREF(number);
    return truth;
}

static PyObject *to_index(PyObject *self) {
    ty_tensor *x = tensor_of_array(self);
    char kind = dtype_kind(ty_dtype_of(x));
    if (!ty_ok(x)) return raise_poison(x);
    if (ty_rank(x) == 0 && (kind == 'i' || kind == 'u')) return number_of(x, "index");
    PyErr_SetString(PyExc_TypeError, "only an integer array without axes can be an index of Python");
    return NULL;
}

static PyObject *to_complex(PyObject *self, PyObject *unused) {
    (void)unused;
    PyObject *number = number_of(tensor_of_array(self), "complex");
    PyObject *result =
        number ? PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, number, NULL) : NULL;
    Py_XDECREF(number);
    return result;
}

PyMethodDef number_methods[] = {
    {"__complex__", to_complex, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define BOTH(slot, name)                                                                                     \
    {Py_nb_##slot, (void *)name}, { Py_nb_inplace_##slot, (void *)name##_in_place }

PyType_Slot number_slots[] = {
    BOTH(add, add),
    BOTH(subtract, sub),
    BOTH(multiply, mul),
    BOTH(true_divide, divide),
    BOTH(floor_divide, floor_div),
    BOTH(remainder, mod),
    BOTH(matrix_multiply, matmul),
    BOTH(and, and),
    BOTH(or, or),
    BOTH(xor, xor),
    BOTH(lshift, shift_left),
    BOTH(rshift, shift_right),
    BOTH(power, power),
    {Py_nb_divmod, (void *)divide_both},
    {Py_nb_negative, (void *)negative},
    {Py_nb_positive, (void *)positive},
    {Py_nb_absolute, (void *)absolute},
    {Py_nb_invert, (void *)invert},
    {Py_nb_bool, (void *)to_truth},
    {Py_nb_int, (void *)to_integer},
    {Py_nb_float, (void *)to_real},
    {Py_nb_index, (void *)to_index},
    {Py_tp_richcompare, (void *)compare},
    {Py_tp_hash, (void *)PyObject_HashNotImplemented},
    {0, NULL},
};
