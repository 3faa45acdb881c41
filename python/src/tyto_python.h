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
#include <structmember.h>
#include <stdbool.h>
#include <tyto/tyto.h>

#define WEAK __attribute__((weak)) /* NULL in an extension that is built without the file */

/* Add a reference and return the object; Py_NewRef, which Python 3.9 lacks. */
static inline PyObject *new_ref(PyObject *object) {
    Py_INCREF(object);
    return object;
}

/* ---- arrays (array.c) ---- */

/* tyto.Array.  Assigning to elements of a value writes into its memory (ty_into), which other views of it show.  An
   array of a promise or tracked tensor gets another tensor instead, and so does a value that a promise, a history or a
   program reads.  The array that it views is assigned, too, and views of that are made again when they are read. */
struct array {
    PyObject head;
    ty_tensor *tensor;  /* one reference is the array's */
    PyObject *weakrefs; /* list of weak references */
    struct array *base; /* a view that knows it: the array that it views; NULL: none */
    struct array *root; /* the last one of the chain of bases, which keeps it alive; NULL: none */
    PyObject *
        items; /* the index in its base; BY_ORDER: bytes of the axes, each an int; BY_PLACE, BY_CALL: place.c */
    const char *begin, *end; /* addresses of its elements, once they were asked for; NULL (place.c) */
    struct layout *layout;   /* a root that is not row-major, and has views by place: its layout; NULL */
    char how;                /* BY_...: how the view is made of its base */
    int depth;               /* number of bases in the chain */
    int lent;                /* a root: other libraries that share memory with it or its views */
    bool listed;             /* a root: in the list of arrays to be settled (assign.c) */
    bool placed;             /* a root: views are known by their place in its memory */
    bool astray;             /* shares memory with an array, but no base could be noted */
    bool read_only;          /* must not be assigned, as NumPy's broadcast_to and diagonal */
    uint64_t assigned;       /* a root: the clock of assignments at the last one to it or its views */
    uint64_t version;        /* number of assignments that replaced tensors of it or its views */
    uint64_t root_version;   /* a view: version of its root when the tensor was made */
};

/* How a view is made of its base: a part; all of it in another shape, or order of axes; the real or imaginary part; the
   elements at a place in memory; by a function of Python. */
enum { BY_INDEX, BY_SHAPE, BY_ORDER, BY_REAL, BY_IMAG, BY_PLACE, BY_CALL };

extern PyTypeObject *array_type; /* a heap type, made when the module is imported */

/* Return true if the object is a tyto.Array, or of a class derived from it. */
static inline bool is_array(PyObject *object) {
    return Py_TYPE(object) == array_type || PyObject_TypeCheck(object, array_type);
}
/* Return the array of a view, all elements of self in another order of axes (NULL: another shape), whose reference is
   taken, and note its base; NULL is passed on (index.c). */
PyObject *whole_view(PyObject *view, PyObject *self, const int *order);
/* Return a view of the real part (BY_REAL) or imaginary part (BY_IMAG) of an array (index.c). */
PyObject *part_view(PyObject *self, char how);
/* Give an array another tensor, of which the caller's reference is taken. */
static inline void set_tensor(struct array *array, ty_tensor *fresh) {
    ty_release(array->tensor);
    array->tensor = fresh;
    array->begin = array->end = NULL;
}
/* Note the base of a new array that shares memory with another one, unless it has a base (place.c). */
void note_place(PyObject *view, PyObject *other);
/* Note it for the array that a function of n arrays has returned, which is passed on, or NULL with its exception. */
PyObject *note_operands(PyObject *result, PyObject *const *args, Py_ssize_t n);
/* Note it for what a function has returned, an array or a list of them, and one of its arguments, NULL: none. */
void note_places(PyObject *result, PyObject *argument);
void drop_layout(struct layout *layout);
/* Make the tensor of a view again, since an array that it views was assigned, and return it; poison if that fails
   (index.c). */
ty_tensor *tensor_renewed(struct array *array);
/* Return the tensor of an array, which the array owns, to ask for its form or to assign to it; never poison but where a
   view cannot be renewed. */
static inline ty_tensor *form_of_array(PyObject *object) {
    struct array *array = (struct array *)object;
    bool stale = array->root && array->root_version != array->root->version;
    return __builtin_expect(stale, 0) ? tensor_renewed(array) : array->tensor;
}

/*
 * A function that is called again for a gradient (checkpoint, custom_vjp) must find arrays as they were at its first call.
 * So an array that was assigned in between is poison while it runs.  Assignments in the function itself are not in
 * between.
 */
extern uint64_t assignments; /* the clock: number of assignments so far */
extern int replaying;        /* number of such calls, of all threads */
struct replay {
    uint64_t from, until;       /* clock at the end of the first call, and at the beginning of this one */
    const struct replay *outer; /* the repeated call around this one, whose span counts, too; NULL: none */
};
/* Begin a call of a function whose first call has ended at a time of the clock: now, if this is the first. */
void replay_begin(struct replay *r, uint64_t from);
void replay_end(const struct replay *r);
/* Return the tensor of an array, or poison that this thread's repeated call must not read it. */
ty_tensor *tensor_in_replay(PyObject *object);

/* Return the tensor of an array, which the array owns, to read its elements; poison as form_of_array, and in a repeated
   call. */
static inline ty_tensor *tensor_of_array(PyObject *object) {
    return __builtin_expect(replaying, 0) ? tensor_in_replay(object) : form_of_array(object);
}
/* Give an array another tensor, of which the caller's reference is taken, and write it into the array that it views.
   False, with an exception and the array unchanged, for poison. */
bool replace_tensor(struct array *array, ty_tensor *fresh);
/* Write x, of the array's dtype, into array[...]: into its memory, or (functional) as its new tensor. */
bool assign_all(struct array *array, ty_tensor *x, bool functional);
/* Return the array whose elements an array shows: the last base of a view, or itself. */
static inline struct array *root_of(PyObject *object) {
    struct array *array = (struct array *)object;
    return array->root ? array->root : array;
}
/* Number of functions of Python, within each other, that this thread records for transformations (transform.c). */
extern _Thread_local int recording;
/* Return true if assigning v to elements of an array, whose tensor is x, makes another tensor of it: one of both cannot be
   memory. */
bool is_functional(const ty_tensor *x, const ty_tensor *v);
/* Return true if later computations read the elements that x, of an array, has now (ty_is_read), so that an assignment
   must not change them.  Memory that other libraries share is written nevertheless. */
bool is_moved(PyObject *array, const ty_tensor *x);
/* Return the tensor into whose memory an assignment to an array writes: x, or the same elements in new memory if later
   computations read them.  The reference to x is taken, and the result is the caller's.  NULL with an exception. */
ty_tensor *tensor_to_write(PyObject *array, ty_tensor *x);
/* Return true if an array may be assigned; false with ValueError if it is read-only. */
bool is_writable(PyObject *array);
/* Return x with the dtype for storing in an array of `dtype`, and a reference of the caller's.  NULL with TypeError where
   complex numbers would lose their imaginary part. */
ty_tensor *stored(ty_tensor *x, ty_dtype dtype, const char *name);
/* Return true if an integer of Python fits an integer dtype, or the dtype is no integer; with OverflowError if not. */
bool integer_fits(PyObject *integer, ty_dtype dtype);

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
/* raise_poison of a promise that could not be evaluated: TypeError if it has no value yet.  Return NULL. */
void *raise_unread(const ty_tensor *poison);
/* Return x, of which the caller's reference is dropped, and NULL with its exception, where it is poison; NULL stays. */
static inline ty_tensor *checked(ty_tensor *x) {
    if (!x || ty_ok(x)) return x;
    raise_poison(x);
    ty_release(x);
    return NULL;
}
/* Return the class of a code, borrowed, for errors that the extension finds itself: it raises no built-in class. */
PyObject *error_class(ty_code code);
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
/* Return the array that asarray makes of an object, of a dtype (TY_DTYPES: any); copy: 1 always, 0 never, -1 where
   needed. */
PyObject *asarray_from(PyObject *object, ty_dtype dtype, int copy);
/* Return the tensor of nested sequences of numbers and arrays, or of one number, which the caller owns (sequence.c).
   dtype: that of the elements, TY_DTYPES for the one that holds them all. */
ty_tensor *tensor_of_sequence(PyObject *object, const char *name, ty_dtype dtype);
/* Return a copy of x in memory of its own, or of a promise or tracked tensor x itself, which never changes; as functions
   of the library do. */
ty_tensor *copy_of(ty_tensor *x);
/* Return true if x is a value that remembers its history for gradients, or a variable of them. */
static inline bool is_tracked(const ty_tensor *x) { return !ty_is_promise(x) && *ty_operator(x); }
/* Return the tensor x as Python's numbers in nested lists, or one number of an array without axes (read.c). */
PyObject *list_of(ty_tensor *x);
/* Return the only element of x, of any rank, as a number of Python; `what` begins the message for other sizes. */
PyObject *number_of(ty_tensor *x, const char *what);
/* Set *out to the dtype of an object: a tyto.DType, a name ("float32", "f32"), bool, int, float, complex, or an object
   with the attribute name (a dtype of NumPy or PyTorch). */
bool dtype_from(PyObject *object, const char *name, ty_dtype *out);
/* Return true for a tyto.DType. */
bool is_dtype(PyObject *object);
/* Return the object of a dtype, of which there is one for each. */
PyObject *dtype_object(ty_dtype dtype);
/* Return the letter of NumPy's kinds for a dtype: b, i, u, f or c; ? for none. */
char dtype_kind(ty_dtype dtype);
/* Return the name of a dtype in Python, such as "float32".  Static text. */
const char *dtype_word(ty_dtype dtype);
/* Set *out to a set of axes: None: all; an integer; a sequence of integers, also empty. */
bool axes_from(PyObject *object, const char *name, bool keep, ty_axes *out);
/* Set out[0 .. return value) to an integer or a sequence of at most `most` integers; -1 with an exception. */
int ints_from(PyObject *object, const char *name, int most, int64_t *out);
bool int_from(PyObject *object, const char *name, int64_t *out); /* also __index__, arrays of one integer */
bool real_from(PyObject *object, const char *name, double *out); /* also arrays of one element */
bool bool_from(PyObject *object, const char *name, bool *out);

/* ---- exchange with other libraries (exchange.c) ---- */

/*
 * Return a tensor over the memory of an object with a buffer, __dlpack__, __array_interface__ or __array__; a copy of
 * elements that are not aligned or in another order of bytes, unless `copy` forbids it.  The caller owns one reference.
 *
 * copy: 1: always; 0: never, which raises BufferError where one is needed; -1: where needed.  NULL without an exception
 * if the object has none of these; NULL with an exception on failure.
 */
ty_tensor *foreign_from(PyObject *object, int copy) WEAK;

/* ---- the global lock ---- */

/* Number of elements of all operands and results from which a call gives up the global lock: below, taking it back
   costs more than the call. */
enum { GIVE_UP_LOCK_FROM = 1 << 14 };

/* Give up the lock and take it back; signals stop the call meanwhile (compute.c). */
PyThreadState *compute_begin(void) WEAK;
void compute_end(PyThreadState *state) WEAK;

/* Give up the lock before a call on so many elements, if that pays.  Return what take_lock needs. */
static inline PyThreadState *give_up_lock(int64_t elements) {
    if (elements < GIVE_UP_LOCK_FROM) return NULL;
    return compute_begin ? compute_begin() : PyEval_SaveThread();
}
static inline void take_lock(PyThreadState *state) {
    if (state && compute_end)
        compute_end(state);
    else if (state)
        PyEval_RestoreThread(state);
}

extern PyMethodDef assign_functions[]; /* assign.c, of the module */
extern PyMethodDef index_functions[];  /* index.c, of the module */

/* ---- parts of the module: each adds its types and functions; false with an exception ---- */

bool add_errors(PyObject *module);
bool add_dtypes(PyObject *module);
bool add_arrays(PyObject *module);          /* array.c, with slots of number.c and index.c */
bool add_conversions(PyObject *module);     /* convert.c, assign.c, index.c */
bool add_creation(PyObject *module);        /* create.c: asarray, zeros, ... */
bool add_exchange(PyObject *module) WEAK;   /* exchange.c: DLPack, buffers, pickling */
bool add_compute(PyObject *module) WEAK;    /* compute.c: ctrl-C, progress, threads */
bool add_transforms(PyObject *module) WEAK; /* transform.c: functions that call functions of Python */
bool add_callbacks(PyObject *module) WEAK;  /* callback.c */
bool add_handles(PyObject *module) WEAK;    /* handle.c: classes of handles, structs and enums */
bool add_calls(PyObject *module) WEAK;      /* call.c: the module tyto.c with all functions of tyto.json */

/* Slots that array_type takes from other files; lists that end with {0, NULL}. */
extern PyType_Slot number_slots[], index_slots[], show_slots[] WEAK, exchange_slots[] WEAK;
/* Methods and attributes that array_type takes from other files; lists that end with {NULL}. */
extern PyMethodDef exchange_methods[] WEAK, show_methods[] WEAK, convert_methods[], number_methods[],
    index_methods[];

#endif
