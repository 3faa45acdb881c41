/* Objects of what the library returns: numbers, texts, arrays, named tuples and handles. */
#include "marshal.h"
#include <string.h>

static PyObject *none(void) { return Py_INCREF(Py_None), Py_None; }

static void *pointer_at(const char *at) {
    void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

int64_t integer_at(const struct member *d, const char *at) {
    bool negative = d->kind == KIND_SIGNED || d->kind == KIND_ENUM;
    switch (d->size) {
    case 1:
        return negative ? *(const int8_t *)at : *(const uint8_t *)at;
    case 2:
        return negative ? *(const int16_t *)(const void *)at : *(const uint16_t *)(const void *)at;
    case 4:
        return negative ? *(const int32_t *)(const void *)at : (int64_t) * (const uint32_t *)(const void *)at;
    default:
        return *(const int64_t *)(const void *)at;
    }
}

/* Let the call own a tensor of the library's, and raise poison. */
static bool own_tensor(struct marshal *m, ty_tensor *x, bool borrowed) {
    if (!x) return true;
    if (!hold_tensor(m, borrowed ? ty_retain(x) : ty_own(x))) return false;
    return ty_ok(x) || PyErr_Occurred() || raise_poison(x);
}

static bool own_members(struct marshal *m, const struct record *r, const char *memory);

/* Own the tensors of a list that the function has filled. */
static bool own_list(struct marshal *m, const struct member *d, const char *memory) {
    if (((const struct member *)d->of)->kind != KIND_TENSOR || !d->count) return true;
    ty_tensor **list = pointer_at(memory + d->offset);
    bool good = true;
    for (int64_t i = list ? d->count(memory) : 0; i-- > 0;) /* the last one first, which is fastest */
        good = own_tensor(m, list[i], false) && good;
    return good && !PyErr_Occurred();
}

/* Own the tensors of an array in place, in reverse order. */
static bool own_array(struct marshal *m, const struct member *d, const char *at) {
    const struct member *e = d->of;
    bool good = true;
    for (int i = e->kind == KIND_TENSOR ? d->fixed : 0; i-- > 0;)
        good = own_tensor(m, pointer_at(at + (size_t)i * e->size), false) && good;
    return good;
}

bool own_results(struct marshal *m, const struct member *d, const char *memory) {
    const char *at = memory + d->offset;
    if (d->kind == KIND_TENSOR) return own_tensor(m, pointer_at(at), d->flags & MEMBER_IN);
    if (d->kind == KIND_RECORD) return own_members(m, d->of, at);
    if (d->kind == KIND_ARRAY) return own_array(m, d, at);
    return d->kind == KIND_LIST ? own_list(m, d, memory) : true;
}

static bool own_members(struct marshal *m, const struct record *r, const char *memory) {
    bool good = true;
    for (int i = r->n; i-- > 0;) good = own_results(m, &r->members[i], memory) && good;
    return good && !PyErr_Occurred();
}

static PyObject *object_of_tensor(ty_tensor *x) { return x ? array_take(ty_retain(x)) : none(); }

/* Return the pointer of a member; leave NULL where the object takes it over. */
static void *take_pointer(const struct member *d, char *at) {
    void *pointer = pointer_at(at);
    if (d->flags & MEMBER_OWNED) memset(at, 0, sizeof pointer);
    return pointer;
}

/* Return the number of elements of a list, and their place in *list. */
static int64_t elements_in(const struct member *d, const char *memory, char **list) {
    *list = pointer_at(memory + d->offset);
    if (*list && d->count) return d->count(memory);
    return d->length ? integer_at(d + d->length, memory + d[d->length].offset) : 0;
}

/* Free an object that no handle has taken over. */
static void drop(const struct member *d, char *at) {
    void *pointer = d->flags & MEMBER_OWNED ? take_pointer(d, at) : NULL;
    const struct handle *h = d->kind == KIND_HANDLE ? d->of : NULL;
    if (pointer && h && h->free) h->free(pointer);
    if (pointer && !h) ty_free(pointer);
}

/* Return the handle that the elements of a list are, which the function makes; NULL for others. */
static const struct member *made_handles(const struct member *d) {
    const struct member *e = d->kind == KIND_LIST && d->flags & MEMBER_OUT ? d->of : NULL;
    return e && e->kind == KIND_HANDLE ? e : NULL;
}

void drop_results(const struct record *frame, char *memory) {
    for (int i = 0; i < frame->n; i++) {
        const struct member *d = &frame->members[i], *e = made_handles(d);
        char *list;
        for (int64_t k = e ? elements_in(d, memory, &list) : 0; k-- > 0 && list;)
            drop(e, list + (size_t)k * e->size);
        drop(d, memory + d->offset);
    }
}

bool raise_failed(struct marshal *m, const struct record *frame, const char *memory) {
    for (int i = 0; i < frame->n; i++) {
        const struct member *d = &frame->members[i], *e = made_handles(d);
        const struct handle *h = e ? e->of : NULL;
        char *list;
        for (int64_t k = e && h->failure ? elements_in(d, memory, &list) : 0; k-- > 0;) {
            void *made = list ? pointer_at(list + (size_t)k * e->size) : NULL;
            ty_tensor *failure = made ? h->failure(made) : NULL;
            if (failure && !ty_ok(failure)) return hold_tensor(m, ty_own(failure)) && raise_poison(failure);
        }
    }
    return true;
}

static PyObject *object_of_text(const struct member *d, char *text) {
    if (!text) return none();
    PyObject *object = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (d->flags & MEMBER_OWNED) ty_free(text);
    return object;
}

/* Make bytes of memory that the library has allocated, and free it. */
static PyObject *object_of_bytes(const struct member *d, char *memory) {
    char *bytes = take_pointer(d, memory + d->offset);
    if (!bytes) return none();
    Py_ssize_t n = (Py_ssize_t)integer_at(d + d->length, memory + d[d->length].offset);
    PyObject *object = PyBytes_FromStringAndSize(bytes, n);
    if (d->flags & MEMBER_OWNED) ty_free(bytes);
    return object;
}

/* Make a list of n elements, one behind the other. */
static PyObject *object_of_elements(struct marshal *m, const struct member *e, int64_t n, char *at) {
    PyObject *list = PyList_New((Py_ssize_t)(n > 0 ? n : 0));
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *object = object_of(m, e, at + (size_t)i * e->size);
        if (!object) Py_CLEAR(list);
        if (list) PyList_SetItem(list, (Py_ssize_t)i, object);
    }
    return list;
}

static PyObject *object_of_list(struct marshal *m, const struct member *d, char *memory) {
    char *list;
    int64_t n = elements_in(d, memory, &list);
    if (n < 0) return none(); /* the shape of any rank */
    return object_of_elements(m, d->of, list ? n : 0, list);
}

/* None for values that are no dtype. */
static PyObject *object_of_dtype(ty_dtype dtype) {
    return ty_dtype_bits(dtype) ? dtype_object(dtype) : none();
}

static PyObject *object_of_real(const struct member *d, const char *at) {
    return PyFloat_FromDouble(d->size == sizeof(float) ? *(const float *)(const void *)at
                                                       : *(const double *)(const void *)at);
}

static PyObject *object_of_axes(const ty_axes *axes) {
    return Py_BuildValue("{s:K,s:K,s:O}", "mask", (unsigned long long)axes->mask, "last",
                         (unsigned long long)axes->last, "keep", axes->keep ? Py_True : Py_False);
}

PyObject *object_of(struct marshal *m, const struct member *d, char *memory) {
    char *at = memory + d->offset;
    switch ((enum kind)d->kind) {
    case KIND_BOOL:
        return PyBool_FromLong(*at);
    case KIND_SIGNED:
        return PyLong_FromLongLong(integer_at(d, at));
    case KIND_UNSIGNED:
        return PyLong_FromUnsignedLongLong((unsigned long long)integer_at(d, at));
    case KIND_REAL:
        return object_of_real(d, at);
    case KIND_CHARACTER:
        return PyUnicode_DecodeLatin1(at, 1, NULL);
    case KIND_TEXT:
        return object_of_text(d, take_pointer(d, at));
    case KIND_DTYPE:
        return object_of_dtype(*(const ty_dtype *)(const void *)at);
    case KIND_ENUM:
        return object_of_enum(d->of, integer_at(d, at));
    case KIND_AXES:
        return object_of_axes((const ty_axes *)(const void *)at);
    case KIND_TENSOR:
        return object_of_tensor(pointer_at(at));
    case KIND_HANDLE:
        return object_of_handle(m, d->of, take_pointer(d, at), d->flags & MEMBER_OWNED);
    case KIND_RECORD:
        return object_of_record(m, d->of, at);
    case KIND_RECORD_AT:
        return pointer_at(at) ? object_of_record(m, d->of, pointer_at(at)) : none();
    case KIND_LIST:
        return object_of_list(m, d, memory);
    case KIND_ARRAY:
        break;
    case KIND_BYTES:
        return object_of_bytes(d, memory);
    case KIND_CALLBACK:
    case KIND_NAMED:
    case KIND_HIDDEN:
        return none();
    }
    const struct member *e = d->of;
    if (e->kind == KIND_CHARACTER)
        return PyUnicode_DecodeUTF8(at, (Py_ssize_t)strnlen(at, d->fixed), "replace");
    return object_of_elements(m, e, d->fixed, at);
}
