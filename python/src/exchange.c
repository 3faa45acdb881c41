/*
 * The ways by which other objects offer their memory.  Methods that need NumPy or pickle are functions of
 * tyto/_exchange.py.  Exports turn values into memory (ty_expose), because others may write.
 */
#include "exchange.h"
#include <stdlib.h>
#include <string.h>

/* ---- our arrays for others ---- */

ty_tensor *evaluated(ty_tensor *x) {
    if (!ty_ok(x)) return raise_unread(x);
    ty_retain(x); /* another thread may assign to its array meanwhile */
    if (!ty_is_promise(x)) return x;
    PyThreadState *state = compute_begin();
    ty_tensor *value = ty_own(ty_eval(x));
    compute_end(state);
    ty_release(x);
    if (ty_ok(value)) return value;
    raise_unread(value);
    ty_release(value);
    return NULL;
}

ty_tensor *value_for_others(ty_tensor *x, const char *name) {
    ty_tensor *value = evaluated(x);
    if (!value) return NULL;
    bool tracked = ty_operator(value)[0], away = strcmp(ty_on(value), "cpu") != 0;
    if (!tracked && !away) return value;
    if (tracked)
        PyErr_Format(
            PyExc_TypeError,
            "%s: a gradient goes through the array, and it would not see what other libraries compute; use "
            "tyto.stop_gradient(x)",
            name);
    else
        PyErr_Format(PyExc_BufferError, "%s: the array is on device %s; use x.to_device(\"cpu\")", name,
                     ty_on(value));
    ty_release(value);
    return NULL;
}

bool let_write(ty_tensor *value) {
    ty_tensor *error = NULL;
    if (ty_expose(value, &error)) return true;
    ty_release(ty_own(error));
    return false;
}

/* ---- all ways ---- */

/* Return the tensor of an array of NumPy whose dtype has no format of buffers, such as bfloat16 of ml_dtypes: through
   its bytes.  NULL without an exception if it is none. */
static ty_tensor *tensor_of_named_dtype(PyObject *object, int copy) {
    ty_dtype dtype;
    PyObject *kind = PyObject_GetAttrString(object, "dtype"), *bytes = NULL;
    ty_tensor *x = NULL;
    if (kind && dtype_from(kind, "dtype", &dtype) && (dtype == TY_BF16 || dtype > TY_DTYPES))
        bytes = PyObject_CallMethod(object, "view", "s", ty_dtype_size(dtype) == 2 ? "uint16" : "uint8");
    PyErr_Clear();
    ty_tensor *flat = bytes && PyObject_CheckBuffer(bytes) ? tensor_of_buffer(bytes, copy) : NULL;
    if (flat) x = ty_own(ty_view_as(flat, dtype));
    ty_release(flat);
    Py_XDECREF(bytes);
    Py_XDECREF(kind);
    return x;
}

/* Return the tensor of an object by its method __array__. */
static ty_tensor *tensor_of_method(PyObject *object, int copy) {
    PyObject *array = PyObject_CallMethod(object, "__array__", NULL);
    ty_tensor *x = NULL;
    if (array && (array == object || !PyObject_CheckBuffer(array)))
        PyErr_Format(PyExc_TypeError, "__array__ of %R returned an object without a buffer", Py_TYPE(object));
    else if (array)
        x = tensor_of_buffer(array, copy);
    Py_XDECREF(array);
    return x;
}

ty_tensor *foreign_from(PyObject *object, int copy) {
    if (PyObject_CheckBuffer(object)) {
        ty_tensor *x = tensor_of_buffer(object, copy);
        PyObject *type, *value, *trace;
        if (x) return x;
        PyErr_Fetch(&type, &value, &trace);
        if (PyObject_HasAttrString(object, "dtype")) x = tensor_of_named_dtype(object, copy);
        if (!x) return PyErr_Restore(type, value, trace), NULL;
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return x;
    }
    if (PyType_Check(object)) return NULL; /* a class has the methods of its objects */
    if (PyObject_HasAttrString(object, "__dlpack__")) return as_wished(tensor_of_dlpack(object, copy), copy);
    PyObject *interface = PyObject_GetAttrString(object, "__array_interface__");
    if (interface) {
        ty_tensor *x = tensor_of_interface(interface, object, copy);
        Py_DECREF(interface);
        return x;
    }
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return NULL;
    PyErr_Clear();
    return PyObject_HasAttrString(object, "__array__") ? tensor_of_method(object, copy) : NULL;
}

/* ---- methods in Python ---- */

/* Call the function of tyto._exchange with self in front of the arguments. */
static PyObject *delegate(const char *name, PyObject *self, PyObject *args, PyObject *keywords) {
    PyObject *module = PyImport_ImportModule("tyto._exchange"), *all = NULL, *result = NULL;
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *first = function ? PyTuple_Pack(1, self) : NULL;
    if (first) all = PySequence_Concat(first, args);
    if (all) result = PyObject_Call(function, all, keywords);
    Py_XDECREF(all);
    Py_XDECREF(first);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

#define DELEGATED(function, name)                                                                            \
    static PyObject *function(PyObject *self, PyObject *args, PyObject *keywords) {                          \
        return delegate(name, self, args, keywords);                                                         \
    }
DELEGATED(to_numpy, "to_numpy")
DELEGATED(apply_ufunc, "apply_ufunc")
DELEGATED(apply_function, "apply_function")
DELEGATED(reduce_array, "reduce")

static PyObject *copy_array(PyObject *self, PyObject *unused) {
    (void)unused;
    ty_tensor *x = ty_retain(tensor_of_array(self)); /* another thread may assign to its array meanwhile */
    ty_tensor *copy = copy_of(x);
    ty_release(x);
    return array_take(copy);
}

#define PYTHON(function) (PyCFunction)(void (*)(void))(function)
PyMethodDef exchange_methods[] = {
    {"__dlpack__", PYTHON(to_dlpack), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "Export the array by DLPack, without a copy."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nReturn DLPack's device: (1, 0) for the host."},
    {"__array__", PYTHON(to_numpy), METH_VARARGS | METH_KEYWORDS,
     "__array__($self, /, dtype=None, copy=None)\n--\n\nReturn a NumPy array over the same memory."},
    {"__array_ufunc__", PYTHON(apply_ufunc), METH_VARARGS | METH_KEYWORDS,
     "Compute a NumPy ufunc by the function of tyto that has its name."},
    {"__array_function__", PYTHON(apply_function), METH_VARARGS | METH_KEYWORDS,
     "Compute a function of NumPy by the function of tyto that has its name."},
    {"__reduce_ex__", PYTHON(reduce_array), METH_VARARGS | METH_KEYWORDS,
     "__reduce_ex__($self, protocol, /)\n--\n\nPickle the array; protocol 5 passes its memory out of band."},
    {"copy", copy_array, METH_NOARGS, "copy($self, /)\n--\n\nReturn a copy in memory of its own."},
    {"__copy__", copy_array, METH_NOARGS, "__copy__($self, /)\n--\n\nReturn a copy in memory of its own."},
    {"__deepcopy__", copy_array, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\nReturn a copy in memory of its own."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef functions[] = {
    {"from_dlpack", PYTHON(from_dlpack), METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(x, /, *, device=None, copy=None)\n--\n\n"
     "Return an array over the memory of x, an object with __dlpack__ or a capsule of it.\n\n"
     "copy: True copies; False raises BufferError if x cannot be shared."},
    {"array_of_bytes", array_of_bytes, METH_VARARGS,
     "array_of_bytes(dtype, shape, buffer, /)\n--\n\nReturn an array over row-major elements, which are "
     "copied if they "
     "are read-only."},
    {"rows_of", rows_of, METH_O,
     "rows_of(x, /)\n--\n\nReturn the value of x in row-major order, in a dtype that buffers have a format "
     "for."},
    {NULL, NULL, 0, NULL},
};

/* The attribute __array_interface__, for consumers that know no buffers.  It has no reference to the memory, so an
   array whose memory may go before the array (a promise) has none. */
static PyObject *array_interface(PyObject *self, void *unused) {
    ty_tensor *x = tensor_of_array(self);
    ty_dtype dtype = ty_dtype_of(x);
    const char *format = buffer_format(dtype);
    (void)unused;
    if (ty_is_promise(x) || !format) {
        PyErr_SetString(PyExc_AttributeError, "__array_interface__: only values of dtypes that NumPy has");
        return NULL;
    }
    ty_tensor *value = value_for_others(x, "__array_interface__");
    if (!value) return NULL;
    const char *order = ty_dtype_size(dtype) == 1                   ? "|"
                        : __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "<"
                                                                    : ">";
    PyObject *shape = PyObject_GetAttrString(self, "shape"),
             *strides = PyObject_GetAttrString(self, "strides");
    PyObject *address = PyLong_FromVoidPtr((void *)(uintptr_t)ty_data(value)), *result = NULL;
    PyObject *type = PyUnicode_FromFormat("%s%c%zu", order, dtype_kind(dtype), ty_dtype_size(dtype));
    bool writable = let_write(value) && !((struct array *)self)->read_only;
    if (shape && strides && address && type)
        result = Py_BuildValue("{s:O,s:O,s:(OO),s:O,s:i}", "shape", shape, "strides", strides, "data",
                               address, writable ? Py_False : Py_True, "typestr", type, "version", 3);
    if (result) root_of(self)->lent++; /* for good: nobody tells when the address is used no longer */
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    Py_XDECREF(address);
    Py_XDECREF(type);
    ty_release(value);
    return result;
}

static PyGetSetDef interface = {"__array_interface__", array_interface, NULL, "Address and layout for NumPy.",
                                NULL};

bool add_exchange(PyObject *module) {
    PyObject *attribute = PyDescr_NewGetSet(array_type, &interface);
    bool good = attribute && !PyObject_SetAttrString((PyObject *)array_type, interface.name, attribute);
    Py_XDECREF(attribute);
    return good && PyModule_AddFunctions(module, functions) == 0;
}
