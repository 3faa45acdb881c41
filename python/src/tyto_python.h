/*
 * The files of the extension tyto._core share these: arrays, conversions of Python's objects, errors, and lists of
 * functions.
 *
 * An array owns one reference to a tensor, which is never poison: poison becomes an exception (raise_poison) before an
 * object is made.  Functions that make Python objects return a new reference, or NULL with an exception set.  Functions
 * that return bool return false with an exception set.
 *
 * The code keeps to the limited API of Python 3.11, so that one binary serves all later versions; builds for 3.9, 3.10
 * and interpreters without the global lock use the full API.
 */
#ifndef TYTO_PYTHON_H
#define TYTO_PYTHON_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <tyto/tyto.h>

/* ---- arrays (array.c) ---- */

/* tyto.Array.  Assigning to elements of a value writes into its memory (ty_into), which other views of it show.  An
   array of a promise gets another tensor instead, and the array that it views is assigned, too. */
struct array {
    PyObject_HEAD
    ty_tensor *tensor;   /* one reference is the array's */
    PyObject *weakrefs;  /* list of weak references */
    struct array *base;  /* a view of a promise: the array that it views; NULL: none */
    PyObject *items;     /* a view of a promise: the index in its base */
    uint64_t version;    /* number of assignments that replaced `tensor` */
    uint64_t base_version; /* a view of a promise: version of its base when the view was made */
};

extern PyTypeObject *array_type; /* a heap type, made when the module is imported */

/* Return true if the object is a tyto.Array, or of a class derived from it. */
static inline bool is_array(PyObject *object) {
    return Py_TYPE(object) == array_type || PyObject_TypeCheck(object, array_type);
}
/* Return the tensor of an array, which the array owns. */
static inline ty_tensor *tensor_of_array(PyObject *object) { return ((struct array *)object)->tensor; }

/* Make an array of a result that a function of the library has just returned, and own the result.  Poison raises its
   error. */
PyObject *array_of_result(ty_tensor *result);
/* Make an array of x and take over one reference of the caller's, which is dropped on failure, too.  Poison raises its
   error. */
PyObject *array_take(ty_tensor *x);
/* Make a list of arrays of n results that a function has just written to results[].  On failure all are dropped. */
PyObject *arrays_of_results(Py_ssize_t n, ty_tensor **results);

/* ---- errors (error.c) ---- */

/* Raise the exception of poison's code with its message (python column of tables/errors.def), as tyto.Error's subclass of that
   exception; its attributes are those of ty_error_details.  An exception that a callback raised meanwhile is raised
   unchanged instead.  Return NULL. */
void *raise_poison(const ty_tensor *poison);
/* Keep the exception that a callback has just raised, for raise_poison, and return poison for the library. */
ty_tensor *poison_of_exception(void);

/* ---- conversion (convert.c, dtype.c) ---- */

/*
 * Return the tensor of an object: an array's own; a weak number of a bool, int, float or complex; else, without a copy
 * where possible, of an object with __dlpack__, a buffer, __array__ or __array_interface__; or of nested sequences of
 * numbers and arrays.
 *
 * The caller owns one reference.  `name` is the parameter's, for the message: TypeError for objects of other kinds.
 */
ty_tensor *tensor_from(PyObject *object, const char *name);
/* As tensor_from, but only of arrays and numbers; NULL without an exception for others.  Number slots return
   NotImplemented then. */
ty_tensor *operand_from(PyObject *object);
/* Set *out to the dtype of an object: a tyto.DType, a name ("float32", "f32"), bool, int, float, complex, or an object
   with the attribute name (a dtype of NumPy or PyTorch). */
bool dtype_from(PyObject *object, const char *name, ty_dtype *out);
/* Return the object of a dtype, of which there is one for each. */
PyObject *dtype_object(ty_dtype dtype);
/* Set *out to a set of axes: None: all; an integer; a sequence of integers, also empty. */
bool axes_from(PyObject *object, const char *name, bool keep, ty_axes *out);
/* Set out[0 .. return value) to an integer or a sequence of at most `most` integers; -1 with an exception. */
int ints_from(PyObject *object, const char *name, int most, int64_t *out);
bool int_from(PyObject *object, const char *name, int64_t *out); /* also __index__, arrays of one integer */
bool real_from(PyObject *object, const char *name, double *out); /* also arrays of one element */
bool bool_from(PyObject *object, const char *name, bool *out);

/* ---- the global lock ---- */

/* Number of elements of all operands and results from which a call gives up the global lock: below, taking it back
   costs more than the call. */
enum { GIVE_UP_LOCK_FROM = 1 << 14 };

/* ---- parts of the module: each adds its types and functions; false with an exception ---- */

bool add_errors(PyObject *module);
bool add_dtypes(PyObject *module);
bool add_arrays(PyObject *module);    /* array.c, with slots of number.c and index.c */
bool add_exchange(PyObject *module);  /* exchange.c: DLPack, buffers, pickling */
bool add_callbacks(PyObject *module); /* callback.c */
bool add_handles(PyObject *module);   /* handle.c: classes of handles, structs and enums */
bool add_calls(PyObject *module);     /* call.c: the module tyto.c with all functions of tyto.json */

/* Slots that array_type takes from other files; lists that end with {0, NULL}. */
extern PyType_Slot number_slots[], index_slots[], exchange_slots[];
/* Methods and attributes that array_type takes from other files; lists that end with {NULL}. */
extern PyMethodDef exchange_methods[], show_methods[];

#endif
