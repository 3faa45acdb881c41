/* Conversion of Python's objects to memory of C and back, by the tables of descriptor.h. */
#include "callback.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory and references of a call ---- */

enum held_kind { HELD_MEMORY, HELD_OBJECT, HELD_KEPT, HELD_USE, HELD_CHANGE, HELD_TENSOR, HELD_BUFFER };

/* Things to drop at the end of a call.  Memory lies behind the struct itself. */
struct held {
    struct held *next;
    enum held_kind kind;
    void *what;
};

/* A number of elements: what a list has, and the member or the expression that must agree. */
struct note {
    struct note *next;
    const char *name;
    const char *place; /* memory of the member with the number; NULL: `count` */
    int64_t (*count)(const void *memory);
    const char *memory;
    int64_t n;
};

void marshal_start(struct marshal *m, const struct function *function) {
    m->function = function;
    m->frame = NULL;
    m->held = NULL;
    m->notes = NULL;
    m->used = 0;
    m->callables = NULL;
    m->operands = -1;
    m->elements = 0;
    m->promises = m->computes = false;
    m->changed = NULL;
    m->changed_kind = NULL;
}

void marshal_end(struct marshal *m) {
    free_callables(m);
    for (struct held *h = m->held, *next; h; h = next) {
        next = h->next;
        bool separate = h->kind == HELD_MEMORY;
        switch (h->kind) {
        case HELD_MEMORY:
            break;
        case HELD_USE:
        case HELD_CHANGE:
            end_use(h->what, h->kind == HELD_CHANGE); /* fall through */
        case HELD_OBJECT:
        case HELD_KEPT:
            Py_DECREF((PyObject *)h->what);
            break;
        case HELD_TENSOR:
            ty_release(h->what);
            break;
        case HELD_BUFFER:
            PyBuffer_Release(h->what);
            break;
        }
        if (separate) PyMem_Free(h);
    }
    m->held = NULL;
}

PyObject *kept_by(struct marshal *m) {
    PyObject *list = PyList_New(0);
    for (struct held *h = m->held; list && h; h = h->next)
        if ((h->kind == HELD_USE || h->kind == HELD_CHANGE || h->kind == HELD_KEPT) &&
            PyList_Append(list, h->what))
            Py_CLEAR(list);
    for (struct callable **at = &m->callables, *c; list && (c = *at);) {
        PyObject *keeper = c->of->life == LIFE_HANDLE ? keep_callable(c) : NULL;
        if (keeper)
            *at = c->next; /* the keeper frees it */
        else
            at = &c->next;
        if (keeper ? PyList_Append(list, keeper) : PyErr_Occurred() != NULL) Py_CLEAR(list);
        Py_XDECREF(keeper);
    }
    return list;
}

void *marshal_memory(struct marshal *m, size_t n, size_t size) {
    size_t most = (size_t)PY_SSIZE_T_MAX - sizeof(struct held) - sizeof m->first;
    if (size && n > most / size) return PyErr_NoMemory();
    size_t bytes = (n * size + 15) / 16 * 16;
    if (bytes <= sizeof m->first - m->used) {
        void *at = m->first + m->used;
        m->used += bytes;
        return memset(at, 0, bytes);
    }
    struct held *h = PyMem_Calloc(1, (sizeof *h + 15) / 16 * 16 + bytes);
    if (!h) return PyErr_NoMemory();
    h->kind = HELD_MEMORY;
    h->next = m->held;
    m->held = h;
    return (char *)h + (sizeof *h + 15) / 16 * 16;
}

/* Note a thing to drop at the end. */
static bool hold(struct marshal *m, enum held_kind kind, void *what) {
    struct held *h = marshal_memory(m, 1, sizeof *h);
    if (!h) return false;
    *h = (struct held){m->held, kind, what};
    m->held = h;
    return true;
}

bool hold_object(struct marshal *m, PyObject *object) {
    if (hold(m, HELD_OBJECT, object)) return true;
    Py_DECREF(object);
    return false;
}

/* As hold_object, for texts and bytes, which the object that the call returns may go on reading. */
static bool hold_kept(struct marshal *m, PyObject *object) {
    if (hold(m, HELD_KEPT, object)) return true;
    Py_DECREF(object);
    return false;
}

bool hold_use(struct marshal *m, PyObject *object, bool changes) {
    if (!begin_use(object, changes)) return false;
    if (!hold(m, changes ? HELD_CHANGE : HELD_USE, object)) {
        end_use(object, changes);
        return false;
    }
    Py_INCREF(object);
    return true;
}

bool hold_tensor(struct marshal *m, ty_tensor *tensor) {
    if (hold(m, HELD_TENSOR, tensor)) return true;
    ty_release(tensor);
    return false;
}

/* ---- numbers ---- */

static void *refuse(const char *name, const char *expected, PyObject *object) {
    PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
    const char *word = type ? PyUnicode_AsUTF8AndSize(type, NULL) : NULL;
    if (word) PyErr_Format(PyExc_TypeError, "%s must be %s, not %s", name, expected, word);
    Py_XDECREF(type);
    return NULL;
}

static bool out_of_range(const char *name, int bits, const char *kind) {
    PyErr_Format(PyExc_OverflowError, "%s does not fit into %s integer of %d bits", name, kind, bits);
    return false;
}

/* Write the low bytes of a number. */
static void store(char *at, size_t size, uint64_t value) {
    switch (size) {
    case 1:
        memcpy(at, &(uint8_t){(uint8_t)value}, 1);
        break;
    case 2:
        memcpy(at, &(uint16_t){(uint16_t)value}, 2);
        break;
    case 4:
        memcpy(at, &(uint32_t){(uint32_t)value}, 4);
        break;
    default:
        memcpy(at, &value, 8);
    }
}

static bool signed_from(const struct member *d, PyObject *object, char *at) {
    int64_t value;
    if (!int_from(object, d->name, &value)) return false;
    int64_t most = d->size < 8 ? (INT64_C(1) << (8 * d->size - 1)) - 1 : INT64_MAX;
    if (value > most || value < -most - 1) return out_of_range(d->name, 8 * d->size, "a signed");
    store(at, d->size, (uint64_t)value);
    return true;
}

static bool unsigned_from(const struct member *d, PyObject *object, char *at) {
    if (!PyIndex_Check(object)) return refuse(d->name, "an integer", object);
    object = PyNumber_Index(object);
    if (!object) return false;
    unsigned long long value = PyLong_AsUnsignedLongLong(object);
    Py_DECREF(object);
    if (value == ULLONG_MAX && PyErr_Occurred()) {
        PyErr_Clear();
        return out_of_range(d->name, 8 * d->size, "an unsigned");
    }
    if (d->size < 8 && value >> 8 * d->size) return out_of_range(d->name, 8 * d->size, "an unsigned");
    store(at, d->size, value);
    return true;
}

static bool real_to(const struct member *d, PyObject *object, char *at) {
    double value;
    if (!real_from(object, d->name, &value)) return false;
    if (d->size == sizeof(float))
        memcpy(at, &(float){(float)value}, sizeof(float));
    else
        memcpy(at, &value, sizeof value);
    return true;
}

/* ---- texts and bytes ---- */

static bool text_from(struct marshal *m, const struct member *d, PyObject *object, char *at) {
    if (!PyUnicode_Check(object)) {
        PyObject *path = PyOS_FSPath(object);
        if (path && !PyUnicode_Check(path)) Py_CLEAR(path);
        if (!path) {
            PyErr_Clear();
            return refuse(d->name, "a str", object);
        }
        object = path;
    } else {
        Py_INCREF(object);
    }
    if (!hold_kept(m, object)) return false;
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(object, &n);
    if (!text) return false;
    if ((Py_ssize_t)strlen(text) != n) {
        PyErr_Format(PyExc_ValueError, "%s contains a null character", d->name);
        return false;
    }
    memcpy(at, &text, sizeof text);
    return true;
}

static bool character_from(const struct member *d, PyObject *object, char *at) {
    Py_ssize_t n = 0;
    const char *text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &n) : NULL;
    if (!text && PyErr_Occurred()) return false;
    if (!text || n != 1) return refuse(d->name, "a str of one ASCII character", object);
    *at = *text;
    return true;
}

/* Note that the number of elements at `place` must be n; the first note writes it. */
static bool note_length(struct marshal *m, const struct member *d, const struct member *length, char *memory,
                        int64_t n) {
    char *place = memory + length->offset;
    for (struct note *note = m->notes; note; note = note->next) {
        if (note->place != place) continue;
        if (note->n == n) return true;
        PyErr_Format(PyExc_ValueError, "%s has %lld elements, but %s has %lld", d->name, (long long)n,
                     note->name, (long long)note->n);
        return false;
    }
    if (length->size < 8 && n > INT32_MAX) return out_of_range(d->name, 32, "a signed");
    struct note *note = marshal_memory(m, 1, sizeof *note);
    if (!note) return false;
    *note = (struct note){m->notes, d->name, place, NULL, NULL, n};
    m->notes = note;
    store(place, length->size, (uint64_t)n);
    return true;
}

static bool note_count(struct marshal *m, const struct member *d, const char *memory, int64_t n) {
    struct note *note = marshal_memory(m, 1, sizeof *note);
    if (!note) return false;
    *note = (struct note){m->notes, d->name, NULL, d->count, memory, n};
    m->notes = note;
    return true;
}

int64_t product(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++)
        if (shape[i] < 0 || __builtin_mul_overflow(n, shape[i], &n)) return -1;
    return n;
}

bool check_lengths(struct marshal *m) {
    for (struct note *note = m->notes; note; note = note->next) {
        if (note->place) continue;
        int64_t expected = note->count(note->memory);
        if (expected == note->n) continue;
        if (expected < 0) {
            PyErr_Format(PyExc_ValueError,
                         "%s: a size of the shape is negative, or there are too many elements", note->name);
            return false;
        }
        PyErr_Format(PyExc_ValueError, "%s needs %lld elements, not %lld", note->name, (long long)expected,
                     (long long)note->n);
        return false;
    }
    return true;
}

/* A str as UTF-8, or an object with a buffer; the number of bytes goes to the member with the length. */
static bool bytes_from(struct marshal *m, const struct member *d, const struct member *length,
                       PyObject *object, char *memory) {
    const void *bytes;
    Py_ssize_t n;
    if (PyUnicode_Check(object)) {
        Py_INCREF(object);
        if (!hold_kept(m, object) || !(bytes = PyUnicode_AsUTF8AndSize(object, &n))) return false;
    } else {
        Py_buffer *buffer = marshal_memory(m, 1, sizeof *buffer);
        if (!buffer) return false;
        PyObject *view = PyMemoryView_FromObject(object); /* it keeps the memory where it is */
        if (view && !hold_kept(m, view)) return false;
        if (!view || PyObject_GetBuffer(view, buffer, PyBUF_SIMPLE)) {
            if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
            PyErr_Clear();
            return refuse(d->name, "bytes or a str", object);
        }
        if (!hold(m, HELD_BUFFER, buffer)) {
            PyBuffer_Release(buffer);
            return false;
        }
        bytes = buffer->buf;
        n = buffer->len;
    }
    m->computes = true;
    memcpy(memory + d->offset, &bytes, sizeof bytes);
    return note_length(m, d, length, memory, n);
}

/* ---- lists ---- */

/* Return a tuple of a sequence that the call holds, so that its elements stay; one number is a list of one size. */
static PyObject *tuple_from(struct marshal *m, const struct member *d, PyObject *object) {
    const struct member *e = d->of;
    bool number =
        (e->kind == KIND_SIGNED || e->kind == KIND_UNSIGNED) && PyIndex_Check(object) && !is_array(object);
    bool array = is_array(object) && (e->kind == KIND_TENSOR || !ty_rank(tensor_of_array(object)));
    PyObject *tuple;
    if (number || (e->kind == KIND_REAL && PyFloat_Check(object)))
        tuple = PyTuple_Pack(1, object);
    else if (array || PyUnicode_Check(object) || PyBytes_Check(object))
        tuple = refuse(d->name, "a sequence", object);
    else
        tuple = PySequence_Tuple(object);
    if (!tuple && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        return refuse(d->name, "a sequence", object);
    }
    return tuple && hold_object(m, tuple) ? tuple : NULL;
}

/* Write the elements of a tuple to memory, one behind the other. */
static bool elements_from(struct marshal *m, const struct member *d, PyObject *tuple, char *at) {
    const struct member *e = d->of;
    struct member element = *e;
    element.name = d->name;
    for (Py_ssize_t i = 0, n = PyTuple_Size(tuple); i < n; i++)
        if (!member_from(m, &element, PyTuple_GetItem(tuple, i), at + (size_t)i * e->size)) return false;
    return true;
}

/* Add the product of sizes to the elements of a call. */
static void count_sizes(struct marshal *m, const int64_t *sizes, Py_ssize_t n) {
    int64_t product = 1;
    for (Py_ssize_t i = 0; i < n; i++)
        if (sizes[i] < 0 || __builtin_mul_overflow(product, sizes[i], &product)) return;
    if (product < GIVE_UP_LOCK_FROM)
        m->elements += product;
    else
        m->computes = true;
}

/* Return the parameter n of the function, or NULL. */
static const struct member *outer_length(const struct marshal *m) {
    const struct record *frame = m->function ? &m->function->frame : NULL;
    for (int i = 0; frame && i < frame->n; i++)
        if (!strcmp(frame->members[i].name, "n")) return &frame->members[i];
    return NULL;
}

static bool list_from(struct marshal *m, const struct member *d, const struct member *length,
                      PyObject *object, char *memory) {
    PyObject *tuple = tuple_from(m, d, object);
    if (!tuple) return false;
    const struct member *e = d->of;
    Py_ssize_t n = PyTuple_Size(tuple);
    char *list = marshal_memory(m, n ? (size_t)n : 1, e->size);
    if (!list || !elements_from(m, d, tuple, list)) return false;
    memcpy(memory + d->offset, &list, sizeof list);
    if (e->kind == KIND_TENSOR && m->operands < 0) m->operands = n;
    if (d->flags & MEMBER_SIZES && e->size == sizeof(int64_t)) count_sizes(m, (const int64_t *)list, n);
    if (length) return note_length(m, d, length, memory, n);
    if (d->flags & MEMBER_OUTER) return note_length(m, d, outer_length(m), m->frame, n);
    return d->count ? note_count(m, d, memory, n) : true;
}

static bool array_from(struct marshal *m, const struct member *d, PyObject *object, char *at) {
    PyObject *tuple = tuple_from(m, d, object);
    if (!tuple) return false;
    if (PyTuple_Size(tuple) <= d->fixed) return elements_from(m, d, tuple, at);
    PyErr_Format(PyExc_ValueError, "%s has more than %d elements", d->name, d->fixed);
    return false;
}

/* ---- members ---- */

static bool tensor_to(struct marshal *m, const struct member *d, PyObject *object, char *at) {
    ty_tensor *x;
    if (is_array(object)) {
        /* the argument or its tuple owns the array, but another thread may assign to it: own the tensor */
        x = ty_retain(tensor_of_array(object));
    } else {
        if (object == Py_None) return refuse(d->name, "an array or a number", object);
        x = tensor_from(object, d->name);
    }
    if (!x || !hold_tensor(m, x)) return false;
    if (!ty_ok(x)) return raise_poison(x) != NULL;
    m->elements += ty_size(x);
    m->promises = m->promises || ty_is_promise(x);
    memcpy(at, &x, sizeof x);
    return true;
}

static bool enum_to(const struct member *d, PyObject *object, char *at) {
    int64_t value;
    if (!enum_from(d->of, object, d->name, &value)) return false;
    store(at, d->size, (uint64_t)value);
    return true;
}

static bool handle_to(struct marshal *m, const struct member *d, PyObject *object, char *at) {
    void *pointer;
    if (!handle_from(m, d->of, object, d->name, d->flags & MEMBER_CHANGES, &pointer)) return false;
    memcpy(at, &pointer, sizeof pointer);
    return true;
}

static bool record_at(struct marshal *m, const struct member *d, PyObject *object, char *at) {
    const struct record *r = d->of;
    char *memory = marshal_memory(m, 1, r->size);
    if (!memory || !record_from(m, r, object, d->name, memory)) return false;
    memcpy(at, &memory, sizeof memory);
    return true;
}

bool member_from(struct marshal *m, const struct member *d, PyObject *object, char *memory) {
    char *at = memory + d->offset;
    if (object == Py_None && d->flags & MEMBER_NULLABLE) return true; /* memory is zeroed */
    switch ((enum kind)d->kind) {
    case KIND_BOOL: {
        bool value;
        if (!bool_from(object, d->name, &value)) return false;
        *at = (char)value;
        return true;
    }
    case KIND_SIGNED:
        return signed_from(d, object, at);
    case KIND_UNSIGNED:
        return unsigned_from(d, object, at);
    case KIND_REAL:
        return real_to(d, object, at);
    case KIND_CHARACTER:
        return character_from(d, object, at);
    case KIND_TEXT:
        return text_from(m, d, object, at);
    case KIND_DTYPE:
        return dtype_from(object, d->name, (ty_dtype *)(void *)at);
    case KIND_ENUM:
        return enum_to(d, object, at);
    case KIND_AXES:
        return axes_from(object, d->name, ((ty_axes *)(void *)at)->keep, (ty_axes *)(void *)at);
    case KIND_TENSOR:
        return tensor_to(m, d, object, at);
    case KIND_HANDLE:
        return handle_to(m, d, object, at);
    case KIND_RECORD:
        return record_from(m, d->of, object, d->name, at);
    case KIND_RECORD_AT:
        return record_at(m, d, object, at);
    case KIND_ARRAY:
        return array_from(m, d, object, at);
    case KIND_LIST:
        return list_from(m, d, d->length ? d + d->length : NULL, object, memory);
    case KIND_BYTES:
        return bytes_from(m, d, d + d->length, object, memory);
    case KIND_CALLBACK:
        return callback_from(m, d, object, memory);
    case KIND_NAMED:
        return named_from(d, object, at);
    case KIND_HIDDEN:
        break;
    }
    PyErr_Format(PyExc_SystemError, "%s has no conversion", d->name);
    return false;
}
