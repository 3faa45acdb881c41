/* tyto.DType: element types as objects, one for each. */
#include "tyto_python.h"
#include <string.h>

struct dtype {
    PyObject head;
    ty_dtype code;
    PyObject *name;
};

enum { DTYPES = TY_U2 + 1, SHORT_NAME = 2 /* letters of names such as "i8", which NumPy reads as bytes */ };

static PyTypeObject *dtype_type;
static PyObject *objects[DTYPES]; /* NULL for TY_DTYPES, which is none */

/* Names of the array API standard, and of ml_dtypes for dtypes that it lacks. */
static const char *const names[DTYPES] = {
    [TY_BOOL] = "bool",
    [TY_I8] = "int8",
    [TY_I16] = "int16",
    [TY_I32] = "int32",
    [TY_I64] = "int64",
    [TY_U8] = "uint8",
    [TY_U16] = "uint16",
    [TY_U32] = "uint32",
    [TY_U64] = "uint64",
    [TY_F16] = "float16",
    [TY_BF16] = "bfloat16",
    [TY_F32] = "float32",
    [TY_F64] = "float64",
    [TY_C64] = "complex64",
    [TY_C128] = "complex128",
    [TY_F8_E4M3FN] = "float8_e4m3fn",
    [TY_F8_E4M3FNUZ] = "float8_e4m3fnuz",
    [TY_F8_E5M2] = "float8_e5m2",
    [TY_F8_E5M2FNUZ] = "float8_e5m2fnuz",
    [TY_F8_E8M0] = "float8_e8m0fnu",
    [TY_F4_E2M1] = "float4_e2m1fn",
    [TY_I4] = "int4",
    [TY_U4] = "uint4",
    [TY_I2] = "int2",
    [TY_U2] = "uint2",
};

char dtype_kind(ty_dtype dtype) {
    if ((int)dtype >= DTYPES || !names[dtype]) return '?';
    return dtype == TY_BF16 ? 'f' : *names[dtype];
}

const char *dtype_word(ty_dtype dtype) { return (int)dtype < DTYPES && names[dtype] ? names[dtype] : "?"; }

static PyObject *show(PyObject *self) {
    return PyUnicode_FromFormat("tyto.%U", ((struct dtype *)self)->name);
}
static PyObject *text(PyObject *self) { return new_ref(((struct dtype *)self)->name); }
static Py_hash_t hash(PyObject *self) { return PyObject_Hash(((struct dtype *)self)->name); }

/* Set *out to the dtype that an object of another library is: a class, or an object with a name.  False: none. */
static bool elsewhere(PyObject *object, ty_dtype *out) {
    PyObject *name = PyType_Check(object) ? new_ref(object) : PyObject_GetAttrString(object, "name");
    bool known = name && (PyType_Check(name) || PyUnicode_Check(name)) && dtype_from(object, "", out);
    Py_XDECREF(name);
    PyErr_Clear();
    return known;
}

/* A dtype equals itself, its name, which has the same hash, and classes and dtypes of NumPy that asarray takes for it. */
static PyObject *compare(PyObject *self, PyObject *other, int operation) {
    if (operation != Py_EQ && operation != Py_NE) return new_ref(Py_NotImplemented);
    const struct dtype *x = (struct dtype *)self;
    ty_dtype code;
    int equal = self == other;
    if (PyUnicode_Check(other))
        equal = PyUnicode_Compare(x->name, other) == 0;
    else if (Py_TYPE(other) != dtype_type) {
        if (!elsewhere(other, &code)) return new_ref(Py_NotImplemented);
        equal = code == x->code;
    }
    if (PyErr_Occurred()) return NULL;
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

static PyObject *get_name(PyObject *self, void *unused) {
    (void)unused;
    return text(self);
}
static PyObject *get_itemsize(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(ty_dtype_size(((struct dtype *)self)->code));
}
static PyObject *get_bits(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(ty_dtype_bits(((struct dtype *)self)->code));
}
static PyObject *get_kind(PyObject *self, void *unused) {
    (void)unused;
    char letter = dtype_kind(((struct dtype *)self)->code);
    return PyUnicode_FromStringAndSize(&letter, 1);
}

/* Copies and pickles give the one object again: by its name. */
static PyObject *reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_BuildValue("O(O)", (PyObject *)dtype_type, ((struct dtype *)self)->name);
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)type;
    static char *words[] = {"name", NULL};
    PyObject *object;
    ty_dtype code;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:DType", words, &object)) return NULL;
    return dtype_from(object, "dtype", &code) ? dtype_object(code) : NULL;
}

static PyGetSetDef attributes[] = {
    {"name", get_name, NULL, "Name, such as \"float32\".", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of an element.", NULL},
    {"bits", get_bits, NULL, "Bits of an element.", NULL},
    {"kind", get_kind, NULL, "Letter of NumPy's kinds: b, i, u, f or c.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)"DType(name)\n--\n\nElement type; there is one object for each."},
    {Py_tp_new, (void *)make},
    {Py_tp_repr, (void *)show},
    {Py_tp_str, (void *)text},
    {Py_tp_hash, (void *)hash},
    {Py_tp_richcompare, (void *)compare},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {0, NULL},
};
static PyType_Spec spec = {"tyto.DType", sizeof(struct dtype), 0, Py_TPFLAGS_DEFAULT, slots};

bool add_dtypes(PyObject *module) {
    dtype_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!dtype_type || PyObject_SetAttrString(module, "DType", (PyObject *)dtype_type)) return false;
    for (int d = 0; d < DTYPES; d++) {
        if (!names[d]) continue;
        struct dtype *object = PyObject_New(struct dtype, dtype_type);
        if (!object) return false;
        object->code = (ty_dtype)d;
        object->name = PyUnicode_InternFromString(names[d]);
        objects[d] = (PyObject *)object; /* for ever */
        if (!object->name || PyObject_SetAttrString(module, names[d], objects[d])) return false;
    }
    return true;
}

PyObject *dtype_object(ty_dtype dtype) {
    PyObject *object = (int)dtype < DTYPES ? objects[dtype] : NULL;
    if (object) return new_ref(object);
    PyErr_Format(PyExc_SystemError, "%d is no dtype", (int)dtype);
    return NULL;
}

/* Set *out to the dtype of a name, such as "float32" or "f32".  False, without an exception, if there is none. */
static bool named(const char *name, ty_dtype *out) {
    static const char torch[] = "torch.";
    if (!strncmp(name, torch, strlen(torch))) name += strlen(torch);
    if (!strcmp(name, "bool_")) name = "bool"; /* NumPy's class */
    for (int d = 0; d < DTYPES; d++) {
        if (!names[d]) continue;
        if (strcmp(name, names[d]) && strcmp(name, ty_dtype_name((ty_dtype)d))) continue;
        *out = (ty_dtype)d;
        return true;
    }
    return false;
}

static bool refuse(PyObject *object, const char *name) {
    PyErr_Format(PyExc_TypeError, "%s: %R is no dtype; expected one such as tyto.float32 or \"float32\"",
                 name, object);
    return false;
}

/* Set *out to the dtype of a text.  NumPy counts bytes in short names and this library bits, so these are refused. */
static bool text_from(PyObject *object, const char *name, ty_dtype *out) {
    static const char *const python[][2] = {
        {"int", "int64"}, {"float", "float64"}, {"complex", "complex128"}};
    const char *word = PyUnicode_AsUTF8AndSize(object, NULL);
    if (!word) return false;
    for (size_t i = 0; i < sizeof python / sizeof *python; i++) /* names of Python's classes, as in NumPy */
        if (!strcmp(word, python[i][0])) word = python[i][1];
    bool known = named(word, out);
    if (known && strlen(word) == SHORT_NAME && (*word == 'i' || *word == 'u')) {
        PyErr_Format(PyExc_ValueError,
                     "%s: '%s' would be %s here, but counts bytes in NumPy; write the long name", name, word,
                     names[*out]);
        return false;
    }
    return known || refuse(object, name);
}

/* Set *out to the dtype of a class: of Python's numbers, or of NumPy's, which have the name of a dtype. */
static bool class_from(PyObject *object, const char *name, ty_dtype *out) {
    const struct {
        PyTypeObject *type;
        ty_dtype dtype;
    } classes[] = {
        {&PyBool_Type, TY_BOOL}, {&PyLong_Type, TY_I64}, {&PyFloat_Type, TY_F64}, {&PyComplex_Type, TY_C128}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if ((PyObject *)classes[i].type == object) return *out = classes[i].dtype, true;
    PyObject *word = PyObject_GetAttrString(object, "__name__");
    const char *text = word ? PyUnicode_AsUTF8AndSize(word, NULL) : NULL;
    bool known = text && named(text, out);
    PyErr_Clear();
    Py_XDECREF(word);
    return known || refuse(object, name);
}

bool is_dtype(PyObject *object) { return Py_TYPE(object) == dtype_type; }

bool dtype_from(PyObject *object, const char *name, ty_dtype *out) {
    if (Py_TYPE(object) == dtype_type) return *out = ((struct dtype *)object)->code, true;
    if (PyUnicode_Check(object)) return text_from(object, name, out);
    if (PyType_Check(object)) return class_from(object, name, out);
    PyObject *word =
        PyObject_GetAttrString(object, "name"); /* NumPy's dtypes; those of PyTorch have a text alone */
    if (!word) {
        PyErr_Clear();
        word = PyObject_Str(object);
    }
    const char *text = word && PyUnicode_Check(word) ? PyUnicode_AsUTF8AndSize(word, NULL) : NULL;
    bool known = text && named(text, out);
    PyErr_Clear();
    Py_XDECREF(word);
    return known || refuse(object, name);
}
