/*
 * The buffer protocol both ways, and the import of __array_interface__.
 *
 * An import is described by a source: address, sizes, steps, dtype.  It becomes a DLPack struct, which the library
 * checks, or a copy where elements are unaligned or in another order of bytes.
 */
#include "exchange.h"
#include <stdlib.h>
#include <string.h>

/* ---- formats ---- */

/* Characters of struct for each dtype; int64_t is long where that has 8 bytes, as NumPy writes it. */
static const char *const formats[TY_DTYPES] = {
    [TY_BOOL] = "?",
    [TY_I8] = "b",
    [TY_I16] = "h",
    [TY_I32] = "i",
    [TY_I64] = sizeof(long) == 8 ? "l" : "q",
    [TY_U8] = "B",
    [TY_U16] = "H",
    [TY_U32] = "I",
    [TY_F16] = "e",
    [TY_U64] = sizeof(long) == 8 ? "L" : "Q",
    [TY_F32] = "f",
    [TY_F64] = "d",
    [TY_C64] = "Zf",
    [TY_C128] = "Zd",
};

const char *buffer_format(ty_dtype dtype) { return dtype < TY_DTYPES ? formats[dtype] : NULL; }

enum { MACHINE_IS_LITTLE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/* Return the dtype of a kind ('b' bool, 'i', 'u', 'f', 'c') and a number of bytes; TY_DTYPES: none. */
static ty_dtype dtype_of_kind(char kind, int64_t bytes) {
    static const struct {
        char kind;
        ty_dtype dtype;
    } kinds[] = {{'b', TY_BOOL}, {'i', TY_I8},  {'i', TY_I16}, {'i', TY_I32}, {'i', TY_I64},
                 {'u', TY_U8},   {'u', TY_U16}, {'u', TY_U32}, {'u', TY_U64}, {'f', TY_F16},
                 {'f', TY_F32},  {'f', TY_F64}, {'c', TY_C64}, {'c', TY_C128}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind && (int64_t)ty_dtype_size(kinds[i].dtype) == bytes) return kinds[i].dtype;
    return TY_DTYPES;
}

/* Return the kind of a character of struct; 0: none that has a dtype. */
static char kind_of_format(const char *c) {
    if (!c[0] || (c[0] == 'Z' ? !c[1] || c[2] : c[1])) return 0;
    if (c[0] == 'Z') return strchr("fd", c[1]) ? 'c' : 0;
    if (c[0] == '?') return 'b';
    if (strchr("bhilqn", c[0])) return 'i';
    if (strchr("BHILQN", c[0])) return 'u';
    return strchr("efd", c[0]) ? 'f' : 0;
}

/* ---- sources ---- */

/* Memory of another library. */
struct source {
    char *data;
    int ndim;
    int64_t shape[TY_MAX_RANK], strides[TY_MAX_RANK]; /* steps in bytes */
    ty_dtype dtype;
    bool swapped, read_only; /* in another order of bytes than the machine's; not to be written */
};

/* An import: the struct of DLPack, and the object that owns the memory. */
struct import {
    DLManagedTensorVersioned managed;
    Py_buffer view; /* view.obj is NULL: none */
    PyObject *owner;
    int64_t shape[TY_MAX_RANK], strides[TY_MAX_RANK];
};

/* Free an import, on any thread.  After the end of the interpreter its objects are gone. */
static void drop_import(DLManagedTensorVersioned *self) {
    struct import *import = self->manager_ctx;
    if (Py_IsInitialized()) {
        PyGILState_STATE lock = PyGILState_Ensure();
        if (import->view.obj) PyBuffer_Release(&import->view);
        Py_XDECREF(import->owner);
        PyGILState_Release(lock);
    }
    free(import);
}

/* Return true if every element can be addressed in steps of whole elements. */
static bool is_aligned(const struct source *s) {
    int64_t size = (int64_t)ty_dtype_size(s->dtype);
    int64_t part = s->dtype == TY_C64 || s->dtype == TY_C128 ? size / 2 : size;
    bool aligned = (uintptr_t)s->data % (uintptr_t)part == 0;
    for (int i = 0; i < s->ndim; i++) aligned = aligned && (s->strides[i] % size == 0 || s->shape[i] <= 1);
    return aligned;
}

/* Copy an element of `size` bytes, whose parts of `part` bytes are reversed if `swapped`. */
static void copy_element(char *to, const char *from, size_t size, size_t part, bool swapped) {
    memcpy(to, from, size);
    for (size_t at = 0; swapped && at < size; at += part)
        for (size_t i = 0; i < part / 2; i++) {
            char kept = to[at + i];
            to[at + i] = to[at + part - 1 - i];
            to[at + part - 1 - i] = kept;
        }
}

/* Copy all elements of a source in row-major order to `to`. */
static void gather(const struct source *s, char *to) {
    size_t size = ty_dtype_size(s->dtype), part = s->dtype == TY_C64 || s->dtype == TY_C128 ? size / 2 : size;
    int64_t index[TY_MAX_RANK] = {0};
    const char *from = s->data;
    for (int axis = s->ndim; axis >= 0; to += size) {
        copy_element(to, from, size, part, s->swapped);
        for (axis = s->ndim - 1; axis >= 0; axis--) {
            from += s->strides[axis];
            if (++index[axis] < s->shape[axis]) break;
            from -= s->strides[axis] * s->shape[axis];
            index[axis] = 0;
        }
        if (axis < 0) return;
    }
}

/* Return a tensor of a copy of a source with `count` elements; NULL with an exception. */
static ty_tensor *copy_source(const struct source *s, int64_t count) {
    size_t size = ty_dtype_size(s->dtype);
    char *memory = malloc(count ? (size_t)count * size : 1); /* no overflow: the source has as many bytes */
    if (!memory) return PyErr_NoMemory(), NULL;
    if (count) gather(s, memory);
    ty_tensor *x = ty_own(ty_from(s->dtype, s->ndim, s->shape, memory));
    free(memory);
    return x;
}

/* Set *count to the number of elements; false with BufferError if sizes are negative or exceed the memory. */
static bool count_of(const struct source *s, int64_t *count) {
    int64_t bytes = (int64_t)ty_dtype_size(s->dtype);
    bool empty = false, fits = true;
    *count = 1;
    for (int i = 0; i < s->ndim; i++) {
        if (s->shape[i] < 0)
            return PyErr_SetString(PyExc_BufferError, "the buffer has a negative size"), false;
        empty = empty || !s->shape[i];
        if (s->shape[i]) fits = fits && !__builtin_mul_overflow(*count, s->shape[i], count);
    }
    fits = fits && !__builtin_mul_overflow(*count, bytes, &bytes);
    if (empty) *count = 0;
    if (!fits) PyErr_SetString(PyExc_BufferError, "the sizes of the buffer exceed the address space");
    return fits;
}

/* Free an import that no tensor uses. */
static void discard(struct import *import) { drop_import(&import->managed); }

/* Make an import, whose memory `owner` (NULL: none) owns; NULL with MemoryError. */
static struct import *import_new(PyObject *owner) {
    struct import *import = calloc(1, sizeof *import);
    if (!import) return PyErr_NoMemory(), NULL;
    import->managed = (DLManagedTensorVersioned){.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
                                                 .manager_ctx = import,
                                                 .deleter = drop_import};
    import->owner = owner ? new_ref(owner) : NULL;
    return import;
}

/* Describe a source to the library, in steps of elements. */
static void describe(struct import *import, const struct source *s) {
    static const uint8_t codes[] = {
        ['b'] = kDLBool, ['i'] = kDLInt, ['u'] = kDLUInt, ['f'] = kDLFloat, ['c'] = kDLComplex};
    int64_t size = (int64_t)ty_dtype_size(s->dtype);
    for (int i = 0; i < s->ndim; i++) {
        import->shape[i] = s->shape[i];
        import->strides[i] = s->shape[i] > 1 ? s->strides[i] / size : 1;
    }
    import->managed.flags = s->read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    import->managed.dl_tensor = (DLTensor){
        .data = s->data,
        .device = {kDLCPU, 0},
        .ndim = s->ndim,
        .dtype = {codes[(unsigned char)kind_of_format(formats[s->dtype])], (uint8_t)(8 * size), 1},
        .shape = import->shape,
        .strides = import->strides,
    };
}

/* Return the tensor of a source, without a copy if it can be.  The import is taken over. */
static ty_tensor *tensor_of_source(const struct source *s, struct import *import, int copy) {
    int64_t count = 0;
    bool fits = count_of(s, &count), needs = fits && (s->swapped || (count && !is_aligned(s)));
    ty_tensor *x = NULL;
    if (fits && !needs && count && copy != 1) {
        describe(import, s);
        x = ty_own(ty_from_dlpack(&import->managed));
    } else {
        if (needs && !copy)
            PyErr_Format(PyExc_BufferError, "the elements are %s: a copy is needed",
                         s->swapped ? "in another order of bytes" : "not aligned");
        else if (fits)
            x = copy_source(s, count);
        discard(import);
    }
    if (!x || ty_ok(x)) return x;
    raise_poison(x);
    ty_release(x);
    return NULL;
}

/* ---- import of buffers ---- */

/* Read format and itemsize of a view into the source; false with TypeError for elements that have no dtype here. */
static bool read_format(const Py_buffer *view, struct source *s) {
    const char *format = view->format ? view->format : "B", *c = format;
    bool little = MACHINE_IS_LITTLE;
    if (*c && strchr("@=<>!", *c)) {
        if (strchr("<>!", *c)) little = *c == '<';
        c++;
    }
    char kind = kind_of_format(c);
    s->dtype = kind ? dtype_of_kind(kind, view->itemsize) : TY_DTYPES;
    s->swapped = little != MACHINE_IS_LITTLE && view->itemsize > 1;
    if (s->dtype != TY_DTYPES) return true;
    const char *hint = strchr(format, 'O')   ? "objects of Python"
                       : strchr(format, '{') ? "structs"
                                             : "elements";
    PyErr_Format(PyExc_TypeError, "%s of format '%s' with %zd bytes have no dtype here", hint, format,
                 view->itemsize);
    return false;
}

/* Read the sizes and steps of a view into the source; false with BufferError if they contradict each other. */
static bool read_layout(const Py_buffer *view, struct source *s) {
    const char *reason = NULL;
    int64_t bytes = view->itemsize;
    if (view->ndim < 0 || view->ndim > TY_MAX_RANK || (view->ndim && !view->shape && view->ndim != 1))
        reason = "its number of axes is not supported";
    for (int i = 0; view->suboffsets && !reason && i < view->ndim; i++)
        if (view->suboffsets[i] >= 0) reason = "its elements are behind pointers (suboffsets)";
    if (reason) return PyErr_Format(PyExc_BufferError, "the buffer cannot be used: %s", reason), false;
    s->data = view->buf;
    s->ndim = view->ndim;
    s->read_only = view->readonly;
    for (int i = view->ndim - 1; i >= 0; i--) {
        s->shape[i] = view->shape ? view->shape[i] : view->len / view->itemsize;
        s->strides[i] = view->strides ? view->strides[i] : bytes;
        if (s->shape[i] < 0 || __builtin_mul_overflow(bytes, s->shape[i], &bytes))
            reason = "a size is not possible";
    }
    if (!reason && bytes != view->len) reason = "its length contradicts its sizes";
    if (!reason && view->len && !view->buf) reason = "its address is NULL";
    if (reason) PyErr_Format(PyExc_BufferError, "the buffer cannot be used: %s", reason);
    return !reason;
}

/* Get the buffer of an object.  NumPy refuses elements without a format, which are dates and times. */
static bool take_buffer(PyObject *object, Py_buffer *view) {
    if (!PyObject_GetBuffer(object, view, PyBUF_FULL_RO)) return true;
    if (!PyErr_ExceptionMatches(PyExc_ValueError) || !PyObject_HasAttrString(object, "dtype")) return false;
    PyErr_Clear();
    PyObject *dtype = PyObject_GetAttrString(object, "dtype");
    if (!dtype) return false;
    PyErr_Format(PyExc_TypeError,
                 "elements of %S have no dtype here; tables take dates as words, and "
                 "x.astype('int64') counts their units",
                 dtype);
    Py_DecRef(dtype);
    return false;
}

ty_tensor *tensor_of_buffer(PyObject *object, int copy) {
    struct source s;
    struct import *import = import_new(NULL);
    if (!import) return NULL;
    if (take_buffer(object, &import->view) && read_format(&import->view, &s) &&
        read_layout(&import->view, &s))
        return tensor_of_source(&s, import, copy);
    discard(import);
    return NULL;
}

/* ---- import of __array_interface__ ---- */

/* Return a borrowed item of the dict, NULL if it is absent or None. */
static PyObject *item(PyObject *interface, const char *name) {
    PyObject *found = PyDict_GetItemString(interface, name);
    return found == Py_None ? NULL : found;
}

/* Read n integers of a tuple; false with an exception. */
static bool read_integers(PyObject *tuple, int64_t *out) {
    for (Py_ssize_t i = 0, n = PyTuple_Size(tuple); i < n; i++) {
        out[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        if (out[i] == -1 && PyErr_Occurred()) return false;
    }
    return true;
}

/* Read typestr, such as "<f8", into the source; false with TypeError for others. */
static bool read_typestr(PyObject *typestr, struct source *s) {
    const char *text = typestr && PyUnicode_Check(typestr) ? PyUnicode_AsUTF8AndSize(typestr, NULL) : NULL;
    bool well = text && strlen(text) >= 3 && strchr("<>|=", text[0]);
    long bytes = well ? strtol(text + 2, NULL, 10) : 0;
    s->dtype = well ? dtype_of_kind(text[1], bytes) : TY_DTYPES;
    if (s->dtype != TY_DTYPES) {
        s->swapped = bytes > 1 && text[0] == (MACHINE_IS_LITTLE ? '>' : '<');
        return true;
    }
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "__array_interface__: elements of typestr %R have no dtype here",
                     typestr ? typestr : Py_None);
    return false;
}

ty_tensor *tensor_of_interface(PyObject *interface, PyObject *owner, int copy) {
    struct source s = {.ndim = 0};
    if (!PyDict_Check(interface))
        return PyErr_SetString(PyExc_TypeError, "__array_interface__ must be a dict"), NULL;
    PyObject *shape = item(interface, "shape"), *strides = item(interface, "strides"),
             *data = item(interface, "data");
    if (!read_typestr(item(interface, "typestr"), &s)) return NULL;
    Py_ssize_t rank = shape && PyTuple_Check(shape) ? PyTuple_Size(shape) : -1;
    if (rank < 0 || rank > TY_MAX_RANK ||
        (strides && (!PyTuple_Check(strides) || PyTuple_Size(strides) != rank)) || !data ||
        !PyTuple_Check(data) || PyTuple_Size(data) != 2 || item(interface, "mask"))
        return PyErr_SetString(
                   PyExc_TypeError,
                   "__array_interface__: expected a tuple of sizes as shape, a tuple of as many steps as "
                   "strides, and an address and a flag as data, without a mask"),
               NULL;
    s.ndim = (int)rank;
    s.data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    s.read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1)) != 0;
    if (PyErr_Occurred() || !read_integers(shape, s.shape) || (strides && !read_integers(strides, s.strides)))
        return NULL;
    int64_t bytes = (int64_t)ty_dtype_size(s.dtype);
    for (int i = s.ndim - 1; i >= 0 && !strides; i--) {
        s.strides[i] = bytes;
        if (__builtin_mul_overflow(bytes, s.shape[i], &bytes))
            return PyErr_SetString(PyExc_BufferError,
                                   "__array_interface__: the sizes exceed the address space"),
                   NULL;
    }
    int64_t count;
    if (!count_of(&s, &count)) return NULL;
    if (count && !s.data)
        return PyErr_SetString(PyExc_BufferError, "__array_interface__: the address is NULL"), NULL;
    struct import *import = import_new(owner);
    return import ? tensor_of_source(&s, import, copy) : NULL;
}

/* ---- bytes, for pickle ---- */

static void drop_borrowed(void *context, void *data) {
    struct import *import = context;
    (void)data;
    discard(import);
}

/* Return an array over the row-major elements in the import's memory; a copy if it is read-only or unaligned.  Bools
   are copied, since their bytes may be other numbers than 0 and 1. */
static PyObject *array_of_import(ty_dtype dtype, int rank, const int64_t *shape, struct import *import) {
    void *data = import->view.buf;
    bool copies =
        import->view.readonly || dtype == TY_BOOL || !data || (uintptr_t)data % ty_dtype_size(dtype);
    ty_tensor *x = ty_own(copies ? ty_from(dtype, rank, shape, data)
                                 : ty_borrow(dtype, rank, shape, data, drop_borrowed, import));
    if (copies) discard(import);
    return array_take(x);
}

PyObject *array_of_bytes(PyObject *module, PyObject *args) {
    PyObject *type, *sizes, *object;
    int64_t shape[TY_MAX_RANK];
    ty_dtype dtype;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO:array_of_bytes", &type, &sizes, &object) ||
        !dtype_from(type, "dtype", &dtype))
        return NULL;
    if (!PyTuple_Check(sizes) || PyTuple_Size(sizes) > TY_MAX_RANK)
        return PyErr_SetString(PyExc_ValueError, "array_of_bytes: expected a tuple of at most 64 sizes"),
               NULL;
    if (!read_integers(sizes, shape)) return NULL;
    struct import *import = import_new(NULL);
    if (!import) return NULL;
    bool given = !PyObject_GetBuffer(object, &import->view, PyBUF_WRITABLE);
    if (!given) PyErr_Clear();
    if (!given && PyObject_GetBuffer(object, &import->view, PyBUF_SIMPLE)) return discard(import), NULL;
    int rank = (int)PyTuple_Size(sizes);
    __int128 bits = ty_dtype_bits(dtype);
    for (int i = 0; i < rank && bits >= 0 && bits >> 70 == 0; i++) bits *= shape[i];
    if (bits >= 0 && (bits + 7) / 8 == import->view.len) return array_of_import(dtype, rank, shape, import);
    PyErr_Format(PyExc_ValueError, "array_of_bytes: %zd bytes do not fit the shape %R of %s",
                 import->view.len, sizes, ty_dtype_name(dtype));
    discard(import);
    return NULL;
}

PyObject *rows_of(PyObject *module, PyObject *object) {
    (void)module;
    if (!is_array(object)) return PyErr_SetString(PyExc_TypeError, "rows_of: expected an array"), NULL;
    ty_tensor *value = value_for_others(tensor_of_array(object), "pickle");
    if (!value) return NULL;
    ty_tensor *rows = ty_own(ty_contiguous(value));
    ty_release(value);
    ty_dtype dtype = ty_dtype_of(rows);
    if (ty_ok(rows) && !buffer_format(dtype)) {
        value = ty_own(ty_view_as(rows, ty_dtype_size(dtype) == 2 ? TY_U16 : TY_U8));
        ty_release(rows);
        rows = value;
    }
    PyObject *result = array_take(rows);
    if (result) note_place(result, object);
    return result;
}

/* ---- export of buffers ---- */

/* Memory of one export: steps in bytes, and the value. */
struct view_of_array {
    ty_tensor *value;
    Py_ssize_t shape[TY_MAX_RANK], strides[TY_MAX_RANK];
};

/* Return the reason why a consumer that asks by `flags` cannot get the value; NULL: none. */
static const char *obstacle(ty_tensor *value, int flags, bool writable) {
    ty_dtype dtype = ty_dtype_of(value);
    bool rows = ty_is_contiguous(value), columns = ty_is_columns(value);
    if (!buffer_format(dtype))
        return "its dtype has no format of buffers; use __dlpack__, or another dtype (astype)";
    if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && !writable) return "its memory is read-only";
    if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !rows) return "it is not in row-major order";
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !columns) return "it is not in column order";
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !rows && !columns)
        return "it is not contiguous";
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !rows)
        return "it is not in row-major order, and steps are not asked for";
    return NULL;
}

/* Fill a view of `room`. */
static void fill_view(Py_buffer *view, struct view_of_array *room, int flags, bool writable) {
    static char nothing[16]; /* address of empty arrays */
    ty_tensor *value = room->value;
    Py_ssize_t size = (Py_ssize_t)ty_dtype_size(ty_dtype_of(value));
    const void *data = ty_data(value);
    for (int i = 0; i < ty_rank(value); i++) {
        room->shape[i] = ty_shape(value)[i];
        room->strides[i] = ty_strides(value)[i] * size;
    }
    view->buf = data ? (void *)(uintptr_t)data : nothing;
    view->len = ty_size(value) * size;
    view->itemsize = size;
    view->readonly = !writable;
    view->ndim = ty_rank(value);
    view->format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)formats[ty_dtype_of(value)] : NULL;
    view->shape = flags & PyBUF_ND ? room->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? room->strides : NULL;
    view->suboffsets = NULL;
    view->internal = room;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    view->obj = NULL;
    ty_tensor *value = value_for_others(tensor_of_array(self), "buffer");
    if (!value) return -1;
    bool writable = let_write(value) && !((struct array *)self)->read_only;
    const char *reason = obstacle(value, flags, writable);
    struct view_of_array *room = reason ? NULL : malloc(sizeof *room);
    if (room) {
        room->value = value;
        fill_view(view, room, flags, writable);
        view->obj = new_ref(self);
        root_of(self)->lent++;
        return 0;
    }
    if (reason)
        PyErr_Format(PyExc_BufferError, "the array offers no such buffer: %s", reason);
    else
        PyErr_NoMemory();
    ty_release(value);
    return -1;
}

static void release_buffer(PyObject *self, Py_buffer *view) {
    struct view_of_array *room = view->internal;
    root_of(self)->lent--;
    ty_release(room->value);
    free(room);
}

PyType_Slot exchange_slots[] = {
    {Py_bf_getbuffer, (void *)get_buffer},
    {Py_bf_releasebuffer, (void *)release_buffer},
    {0, NULL},
};
