/*
 * Assigning elements of arrays.  Those of a value are written into its memory.  A promise or tracked tensor cannot change,
 * so its array gets another tensor, and the array that it views is assigned, too.  The same holds for a value that is
 * read later, by a promise, the history of a gradient or a program: they keep the elements of the time of recording.
 */
#include "index.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

ty_tensor *stored(ty_tensor *x, ty_dtype dtype, const char *name) {
    char from = dtype_kind(ty_dtype_of(x)), to = dtype_kind(dtype);
    if (from != 'c' || to == 'c' || to == 'b') return checked(ty_own(ty_cast(x, dtype)));
    PyErr_Format(error_class(TY_ERROR_DTYPE), "%s: complex numbers do not fit %s; take the real part", name,
                 dtype_word(dtype));
    return NULL;
}

/* Return the tensor of an assigned object in the dtype, which the caller owns. */
static ty_tensor *value_from(PyObject *object, ty_dtype dtype) {
    if (PyLong_Check(object) && !integer_fits(object, dtype)) return NULL;
    char kind = dtype_kind(dtype);
    bool floating = kind == 'f' || kind == 'c', whole = kind == 'i' || kind == 'u';
    /* integers beyond 64 bits may fit, and floats may not */
    bool ranged = (PyLong_Check(object) && floating) || (PyFloat_Check(object) && whole);
    ty_tensor *x =
        ranged ? tensor_of_sequence(object, "assignment", dtype) : tensor_from(object, "assignment");
    ty_tensor *y = x ? stored(x, dtype, "assignment") : NULL;
    ty_release(x);
    return y;
}

/* Return v broadcast to the shape of `to`, without leading axes of size 1 that `to` lacks, as NumPy assigns. */
static ty_tensor *fitted(ty_tensor *v, ty_tensor *to) {
    int drop = 0, rank = ty_rank(v), most = ty_rank(to);
    const int64_t *shape = ty_shape(v);
    while (rank - drop > most && shape[drop] == 1) drop++;
    ty_tensor *few = drop ? ty_own(ty_reshape(v, rank - drop, shape + drop)) : ty_retain(v);
    ty_tensor *wide = ty_own(ty_broadcast(few, most, ty_shape(to)));
    ty_release(few);
    return wide;
}

enum { MOST_FILLED = 1 << 12, MOST_BYTES = 8 }; /* elements that one thread stores fast; bytes of one */

/* Copy x to `to`, both without gaps in the host's memory and apart, where that is simple. */
static bool copy_bytes(ty_tensor *to, ty_tensor *x) {
    if (ty_size(x) > MOST_FILLED || ty_is_promise(x) || !ty_is_contiguous(x) || !ty_is_contiguous(to))
        return false;
    if (strcmp(ty_on(x), "cpu") || strcmp(ty_on(to), "cpu")) return false;
    size_t bytes = (size_t)ty_size(x) * ty_dtype_size(ty_dtype_of(x));
    memmove((char *)(uintptr_t)ty_data(to), ty_data(x), bytes);
    return true;
}

/* Copy x into the memory of `to`, of the same dtype and shape. */
static bool write_into(ty_tensor *to, ty_tensor *x) {
    ty_tensor *error = NULL;
    if (ty_size(to) == 0) return true;
    PyThreadState *state = give_up_lock(ty_size(to));
    bool exposed = ty_expose(to, &error), done = exposed && (copy_bytes(to, x) || ty_into(to, x, &error));
    take_lock(state);
    if (done) return true;
    ty_own(error);
    if (exposed)
        raise_poison(error);
    else
        PyErr_Format(error_class(TY_ERROR_ARGUMENT), "the array cannot be assigned: %s", ty_error(error));
    ty_release(error);
    return false;
}

/* Return a complex base with x as its real or imaginary part; of a real base, x. */
static ty_tensor *put_part(const struct array *view, ty_tensor *base, ty_tensor *x) {
    if (dtype_kind(ty_dtype_of(base)) != 'c') return ty_retain(x);
    ty_scope *scope = ty_open();
    bool real = view->how == BY_REAL;
    ty_tensor *whole = ty_retain(real ? ty_from_parts(x, ty_imag(base)) : ty_from_parts(ty_real(base), x));
    ty_close(scope);
    return checked(whole);
}

/* Return the base of a view with the view's tensor x in it, which the caller owns; NULL with an exception. */
static ty_tensor *put_back(const struct array *view, ty_tensor *base, ty_tensor *x) {
    struct key k;
    int inverse[TY_MAX_RANK];
    if (view->how == BY_SHAPE) return checked(ty_own(ty_reshape(x, ty_rank(base), ty_shape(base))));
    if (view->how == BY_INDEX)
        return read_key(view->items, &k) ? checked(ty_own(ty_set(base, k.n, k.items, x))) : NULL;
    if (view->how == BY_REAL || view->how == BY_IMAG) return put_part(view, base, x);
    if (view->how != BY_ORDER) return checked(put_placed(view, base, x));
    const int *order = order_of(view);
    for (int i = 0; i < ty_rank(x); i++) inverse[order[i]] = i;
    return checked(ty_own(ty_permute(x, inverse)));
}

/* Compute the tensors that the bases of an array get when it gets tensors[0]: tensors[i] is that of base i.  False, with
   an exception and none of them, if one is poison. */
static bool assign_bases(const struct array *array, ty_tensor **tensors) {
    int n = 0;
    for (; array->base; array = array->base, n++) {
        tensors[n + 1] = put_back(array, form_of_array((PyObject *)array->base), tensors[n]);
        if (!tensors[n + 1]) break;
    }
    for (; array->base && n > 0; n--) ty_release(tensors[n]);
    return !array->base;
}

/* Give an array and its bases the tensors of assign_bases, whose references are taken.  Views of a value are made again
   when they are read, since they must show its memory. */
static void set_tensors(struct array *array, struct array *root, ty_tensor **tensors) {
    bool shown = !ty_is_promise(tensors[array->depth]) && !is_tracked(tensors[array->depth]);
    root->version++;
    for (int i = 0; array; array = array->base, i++) {
        if (shown && array != root) {
            ty_release(tensors[i]);
            continue;
        }
        set_tensor(array, tensors[i]);
        array->root_version = root->version;
    }
}

/* ---- the end of a gradient ---- */

/* Number of functions of Python, within each other, of which this thread remembers the history for gradients, and the
   arrays that were assigned tracked tensors inside: a list; NULL: none. */
static _Thread_local int remembering;
static _Thread_local PyObject *assigned;

/* List a root that was assigned a tracked tensor, for its end.  False with an exception. */
static bool list_root(struct array *root) {
    if (!remembering || root->listed) return true;
    if (!assigned) assigned = PyList_New(0);
    if (!assigned || PyList_Append(assigned, (PyObject *)root)) return false;
    return root->listed = true;
}

/* Forget the history of an array that was assigned inside of a gradient: outside it is a value. */
static bool settle(struct array *root) {
    ty_tensor *x = root->tensor;
    root->listed = false;
    if (!is_tracked(x)) return true;
    ty_tensor *plain = ty_own(ty_detach(x)), *value = ty_ok(plain) ? copy_of(plain) : ty_retain(plain);
    ty_release(plain);
    value = in_layout(root, value);
    if (!checked(value)) return false;
    set_tensor(root, value);
    root->version++;
    return true;
}

/* Begin (True) or end (False) a function whose history is remembered. */
static PyObject *remember(PyObject *self, PyObject *on) {
    (void)self;
    remembering += PyObject_IsTrue(on) > 0 ? 1 : -1;
    PyObject *list = remembering ? NULL : assigned;
    if (list) assigned = NULL;
    bool good = true;
    for (Py_ssize_t i = 0, n = list ? PyList_Size(list) : 0; i < n; i++)
        good = settle((struct array *)PyList_GetItem(list, i)) && good;
    Py_XDECREF(list);
    return good ? new_ref(Py_None) : NULL;
}
PyMethodDef assign_functions[] = {
    {"_remember", remember, METH_O,
     "Begin (True) or end (False) a function whose history is remembered: arrays that it assigned become "
     "values."},
    {NULL, NULL, 0, NULL},
};

/* ---- replacing tensors ---- */

bool replace_tensor(struct array *array, ty_tensor *fresh) {
    struct array *root = array->root ? array->root : array;
    if (!checked(fresh)) return false;
    if (!is_writable((PyObject *)array)) return ty_release(fresh), false;
    ty_tensor **tensors = malloc(sizeof *tensors * ((size_t)array->depth + 1));
    if (tensors) *tensors = fresh;
    if (!tensors || !assign_bases(array, tensors)) {
        if (!tensors) PyErr_NoMemory();
        free(tensors);
        ty_release(fresh);
        return false;
    }
    ty_tensor **last = &tensors[array->depth];
    if (!ty_is_promise(*last) && !is_tracked(*last)) *last = in_layout(root, *last);
    if (!(*last = checked(*last))) {
        while (last > tensors) ty_release(*--last);
        free(tensors);
        return false;
    }
    set_tensors(array, root, tensors);
    free(tensors);
    return !is_tracked(root->tensor) || list_root(root);
}

bool is_functional(const ty_tensor *x, const ty_tensor *v) {
    return ty_is_promise(x) || is_tracked(x) || ty_is_promise(v) || is_tracked(v);
}

/* ---- repeated calls ---- */

uint64_t assignments;
int replaying;
static _Thread_local const struct replay *replay; /* the innermost one of this thread; NULL: none */

void replay_begin(struct replay *r, uint64_t from) {
    *r = (struct replay){from, assignments, replay};
    replay = r;
    replaying++;
}

void replay_end(const struct replay *r) {
    replay = r->outer;
    replaying--;
}

/* Return true if an array was assigned since the first call of a function that this thread calls again. */
static bool is_assigned_since(PyObject *object) {
    uint64_t at = root_of(object)->assigned;
    for (const struct replay *r = replay; r; r = r->outer)
        if (at > r->from && at <= r->until) return true;
    return false;
}

ty_tensor *tensor_in_replay(PyObject *object) {
    static ty_tensor *refused; /* made once */
    if (!is_assigned_since(object)) return form_of_array(object);
    if (!refused)
        refused = ty_own(ty_poison_code(
            TY_ERROR_STATE,
            "an array that the function uses was assigned since its first call; a gradient calls it "
            "again (checkpoint, custom_vjp, custom_jvp), so pass the array as an argument"));
    return refused;
}

/* Note an assignment to an array. */
static bool note_assigned(struct array *array) {
    root_of((PyObject *)array)->assigned = ++assignments;
    return true;
}

/* ---- assigning ---- */

bool assign_all(struct array *array, ty_tensor *x, bool functional) {
    ty_tensor *to = form_of_array((PyObject *)array);
    bool same = ty_rank(x) == ty_rank(to);
    for (int i = 0; same && i < ty_rank(x); i++) same = ty_shape(x)[i] == ty_shape(to)[i];
    if (!same) {
        PyErr_SetString(error_class(TY_ERROR_SHAPE),
                        "the result has another shape than the array, which cannot change "
                        "in place");
        return false;
    }
    if (functional) return replace_tensor(array, ty_retain(x)) && note_assigned(array);
    to = ty_retain(to);
    bool done = write_into(to, x);
    ty_release(to);
    return done && note_assigned(array);
}

/* Assign v to the items of a value: in its memory. */
static bool assign_memory(ty_tensor *x, const struct key *k, ty_tensor *v) {
    if (k->tensors) { /* computed from the memory, into it */
        ty_tensor *lazy = ty_own(ty_lazy(x)), *fresh = checked(ty_own(ty_set(lazy, k->n, k->items, v)));
        bool done = fresh && write_into(x, fresh);
        ty_release(fresh);
        ty_release(lazy);
        return done;
    }
    ty_tensor *view = get_items(x, k);
    ty_tensor *wide = view ? checked(fitted(v, view)) : NULL;
    bool done = wide && write_into(view, wide);
    ty_release(wide);
    ty_release(view);
    return done;
}

/* ---- one number in memory, without tensors of it ---- */

/* Write the element of a dtype for an integer that fits it; false for floating dtypes and those that are not usual. */
static bool encode_integer(PyObject *value, ty_dtype dtype, void *out) {
    char kind = dtype_kind(dtype);
    int overflow, bits = ty_dtype_bits(dtype);
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow || (kind == 'u' && number < 0)) return false;
    if (kind == 'b') *(bool *)out = number != 0;
    if (kind == 'b') return true;
    if ((kind != 'i' && kind != 'u') || bits < 8) return false;
    long long most = bits == 64 ? LLONG_MAX : (1LL << (bits - (kind == 'i'))) - 1;
    if (number > most || number < -most - 1) return false;
    memcpy(out, (char *)&number + (PY_BIG_ENDIAN ? sizeof number - (size_t)bits / 8 : 0), (size_t)bits / 8);
    return true;
}

/* Write the element of a dtype for a number of Python, where that is simple; false, without an exception, elsewhere. */
static bool encode(PyObject *value, ty_dtype dtype, void *out) {
    static const double exact = 9007199254740992; /* 2^53: integers below are doubles */
    bool integer = PyLong_Check(value);
    if (dtype != TY_F64 && dtype != TY_F32) return integer && encode_integer(value, dtype, out);
    if (!integer && !PyFloat_Check(value)) return false;
    double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
    if (integer && fabs(number) >= exact) return false;
    if (dtype == TY_F64) *(double *)out = number;
    if (dtype == TY_F32) *(float *)out = (float)number;
    return true;
}

/* Store the element at all indices from an axis on. */
static void fill(char *to, const char *element, size_t size, int rank, const int64_t *shape,
                 const int64_t *strides) {
    if (rank == 0) memcpy(to, element, size);
    for (int64_t i = 0; rank && i < *shape; i++)
        fill(to + i * *strides * (int64_t)size, element, size, rank - 1, shape + 1, strides + 1);
}

/* Return the place of the one element that a key names by an index for each axis, in elements from the first; -1 for
   other keys, and for indices outside. */
static int64_t offset_of(const ty_tensor *x, const struct key *k) {
    int64_t offset = 0;
    if (k->n != ty_rank(x)) return -1;
    for (int i = 0; i < k->n; i++) {
        int64_t size = ty_shape(x)[i], at = k->items[i].start;
        if (k->items[i].kind != TY_INDEX_AT || at < -size || at >= size) return -1;
        offset += (at < 0 ? at + size : at) * ty_strides(x)[i];
    }
    return offset;
}

/* Set x[items] of a value in the host's memory to a number of Python.  Return 1, 0 if this is not simple, -1 with an
   exception. */
static int assign_number(PyObject *self, ty_tensor *x, const struct key *k, PyObject *value) {
    union {
        char bytes[MOST_BYTES];
        double aligned;
    } element;
    if (k->tensors || is_functional(x, x) || is_moved(self, x) || ((struct array *)self)->read_only) return 0;
    if (!encode(value, ty_dtype_of(x), element.bytes)) return 0;
    if (strcmp(ty_on(x), "cpu")) return 0;
    size_t size = ty_dtype_size(ty_dtype_of(x));
    int64_t offset = ty_is_contiguous(x) ? offset_of(x, k) : -1; /* others have negative offsets, too */
    if (offset >= 0 && ty_expose(x, NULL))
        return memcpy((char *)(uintptr_t)ty_data(x) + offset * (int64_t)size, element.bytes, size), 1;
    ty_tensor *view = get_items(x, k);
    int64_t n = view ? ty_size(view) : 0;
    int done = !view ? -1 : n == 0 ? 1 : n <= MOST_FILLED && ty_expose(view, NULL);
    if (done > 0 && n)
        fill((char *)(uintptr_t)ty_data(view), element.bytes, size, ty_rank(view), ty_shape(view),
             ty_strides(view));
    ty_release(view);
    return done;
}

int assign_items(PyObject *self, PyObject *object, PyObject *value) {
    struct key k;
    struct array *array = (struct array *)self;
    if (!value) return PyErr_SetString(PyExc_TypeError, "elements of arrays cannot be deleted"), -1;
    bool done = read_key(object, &k);
    ty_tensor *x = ty_retain(form_of_array(self)), *v = NULL;
    int simple = done ? assign_number(self, x, &k, value) : -1;
    if (simple == 0) v = value_from(value, ty_dtype_of(x));
    bool functional = v && is_functional(x, v);
    if (v && !functional) x = tensor_to_write(self, x);
    if (!v)
        done = simple > 0;
    else if (functional)
        done = replace_tensor(array, ty_own(ty_set(x, k.n, k.items, v)));
    else
        done = x && assign_memory(x, &k, v);
    ty_release(v);
    ty_release(x);
    drop_key(&k);
    return done && note_assigned(array) ? 0 : -1;
}
