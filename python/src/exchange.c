/*
 * DLPack both ways, and the ways by which other objects offer their memory.  Methods that need NumPy or pickle are
 * functions of tyto/_exchange.py.  Exports turn values into memory (ty_expose), because others may write.
 */
#include "exchange.h"
#include <stdlib.h>
#include <string.h>

/* ---- our arrays for others ---- */

/* Return the value of a promise, or x itself, with a reference. */
static ty_tensor *evaluate(ty_tensor *x) {
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
    ty_tensor *value = evaluate(x);
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

/* ---- DLPack: export ---- */

#define NEW_NAME "dltensor_versioned"
#define OLD_NAME "dltensor"

/* Free the struct of a capsule unless a consumer has taken it, and so renamed the capsule. */
static void drop_new(PyObject *capsule) {
    DLManagedTensorVersioned *managed =
        PyCapsule_IsValid(capsule, NEW_NAME) ? PyCapsule_GetPointer(capsule, NEW_NAME) : NULL;
    if (managed && managed->deleter) managed->deleter(managed);
}
static void drop_old(PyObject *capsule) {
    DLManagedTensor *managed =
        PyCapsule_IsValid(capsule, OLD_NAME) ? PyCapsule_GetPointer(capsule, OLD_NAME) : NULL;
    if (managed && managed->deleter) managed->deleter(managed);
}

/* Raise BufferError with the message of poison, which is dropped. */
static PyObject *refuse_export(ty_tensor *error) {
    error = ty_own(error);
    PyErr_SetString(PyExc_BufferError, ty_error(error));
    ty_release(error);
    return NULL;
}

/* Return a capsule of DLPack's version 1. */
static PyObject *new_capsule(ty_tensor *value, bool copied) {
    ty_tensor *error = NULL;
    bool writable = let_write(value);
    DLManagedTensorVersioned *managed = ty_to_dlpack(value, &error);
    if (!managed) return refuse_export(error);
    if (writable) managed->flags &= ~(uint64_t)DLPACK_FLAG_BITMASK_READ_ONLY;
    if (copied) managed->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
    PyObject *capsule = PyCapsule_New(managed, NEW_NAME, drop_new);
    if (!capsule) managed->deleter(managed);
    return capsule;
}

/* Return a capsule of DLPack before version 1, for memory that others may write. */
static PyObject *old_capsule(ty_tensor *value) {
    ty_tensor *error = NULL;
    DLManagedTensor *managed = ty_to_dlpack_legacy(value, &error);
    if (!managed) return refuse_export(error);
    PyObject *capsule = PyCapsule_New(managed, OLD_NAME, drop_old);
    if (!capsule) managed->deleter(managed);
    return capsule;
}

/* Read a pair of integers, such as a version or a device; false with TypeError for other objects. */
static bool pair_from(PyObject *object, const char *name, long pair[2]) {
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 2) {
        PyErr_Format(PyExc_TypeError, "__dlpack__: %s must be a tuple of two integers, not %R", name, object);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        pair[i] = PyLong_AsLong(PyTuple_GetItem(object, i));
        if (pair[i] == -1 && PyErr_Occurred()) return false;
    }
    return true;
}

/* Set *copy to 1 for True, 0 for False, -1 for None; false with TypeError for other objects. */
static bool copy_from(PyObject *object, const char *name, int *copy) {
    *copy = object == Py_None ? -1 : object == Py_True;
    if (object == Py_None || PyBool_Check(object)) return true;
    PyErr_Format(PyExc_TypeError, "%s: copy must be True, False or None, not %R", name, object);
    return false;
}

/* Return the value to export: on the host, also of a device's array if `host` is asked for.  *copied: it is new. */
static ty_tensor *exported(ty_tensor *x, bool host, int copy, bool *copied) {
    ty_tensor *value = evaluate(x), *home;
    *copied = false;
    if (value && host && copy && strcmp(ty_on(value), "cpu")) {
        PyThreadState *state = compute_begin();
        home = ty_own(ty_to(value, "cpu"));
        compute_end(state);
        ty_release(value);
        *copied = true;
        value = home;
    }
    home = value ? value_for_others(value, "__dlpack__") : NULL;
    ty_release(value);
    if (!home || copy != 1 || *copied) return home;
    value = copy_of(home);
    ty_release(home);
    *copied = true;
    if (ty_ok(value)) return value;
    raise_poison(value);
    ty_release(value);
    return NULL;
}

/* Return the capsule of a value for a consumer of the given version, 0: before version 1. */
static PyObject *capsule_of(ty_tensor *value, long version, int copy, bool copied) {
    if (version >= 1) return new_capsule(value, copied);
    if (copied || let_write(value)) return old_capsule(value);
    if (!copy) {
        PyErr_SetString(PyExc_BufferError,
                        "__dlpack__: the array is read-only, which DLPack before version 1 cannot "
                        "say; pass max_version=(1, 0), or do not forbid a copy");
        return NULL;
    }
    ty_tensor *own = copy_of(value);
    PyObject *capsule = ty_ok(own) ? old_capsule(own) : raise_poison(own);
    ty_release(own);
    return capsule;
}

static PyObject *to_dlpack(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *wish = Py_None;
    long at_most[2] = {0, 0}, place[2] = {kDLCPU, 0};
    int copy;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", names, &stream, &version, &device,
                                     &wish))
        return NULL;
    if (stream != Py_None)
        return PyErr_Format(PyExc_BufferError,
                            "__dlpack__: the host has no streams: stream must be None, not %R", stream);
    if (!copy_from(wish, "__dlpack__", &copy) ||
        (version != Py_None && !pair_from(version, "max_version", at_most)) ||
        (device != Py_None && !pair_from(device, "dl_device", place)))
        return NULL;
    if (place[0] != kDLCPU || place[1])
        return PyErr_Format(PyExc_BufferError,
                            "__dlpack__: cannot export to device %R; expected (1, 0), the host", device);
    bool copied;
    ty_tensor *value = exported(tensor_of_array(self), device != Py_None, copy, &copied);
    PyObject *capsule = value ? capsule_of(value, at_most[0], copy, copied) : NULL;
    if (capsule && !copied) root_of(self)->lent++; /* for good: nobody tells when the consumer frees it */
    ty_release(value);
    return capsule;
}

static PyObject *dlpack_device(PyObject *self, PyObject *unused) {
    (void)unused;
    const char *on = ty_on(form_of_array(self)), *number = strchr(on, ':');
    if (!strcmp(on, "cpu")) return Py_BuildValue("(ii)", kDLCPU, 0);
    bool opencl = !strncmp(on, "opencl", strlen("opencl"));
    return Py_BuildValue("(ii)", opencl ? kDLOpenCL : kDLExtDev, number ? atoi(number + 1) : 0);
}

/* ---- DLPack: import ---- */

/* Take the struct of a capsule, and mark it as used.  The result may be poison, and belongs to the caller.  NULL with
   an exception for capsules of other names. */
static ty_tensor *take_capsule(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, NEW_NAME)) {
        DLManagedTensorVersioned *managed = PyCapsule_GetPointer(capsule, NEW_NAME);
        return PyCapsule_SetName(capsule, "used_" NEW_NAME) ? NULL : ty_own(ty_from_dlpack(managed));
    }
    if (PyCapsule_IsValid(capsule, OLD_NAME)) {
        DLManagedTensor *managed = PyCapsule_GetPointer(capsule, OLD_NAME);
        return PyCapsule_SetName(capsule, "used_" OLD_NAME) ? NULL : ty_own(ty_from_dlpack_legacy(managed));
    }
    if (!PyCapsule_CheckExact(capsule)) {
        PyErr_Format(PyExc_TypeError, "from_dlpack: __dlpack__ returned %R; expected a capsule", capsule);
        return NULL;
    }
    const char *name = PyCapsule_GetName(capsule);
    bool used = name && !strncmp(name, "used_", strlen("used_"));
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError,
                 used ? "from_dlpack: the capsule is used already; ask the array for a new one"
                      : "from_dlpack: the capsule is called '%s'; expected '" OLD_NAME "' or '" NEW_NAME "'",
                 name ? name : "");
    return NULL;
}

/* Set *host to true if the object's device is the host, or it has no __dlpack_device__; false with an exception. */
static bool find_host(PyObject *object, bool *host) {
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    *host = true;
    if (!device) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        PyErr_Clear();
        return true;
    }
    long kind =
        PyTuple_Check(device) && PyTuple_Size(device) == 2 ? PyLong_AsLong(PyTuple_GetItem(device, 0)) : 0;
    bool good = kind > 0 && !PyErr_Occurred();
    if (!good && !PyErr_Occurred())
        PyErr_Format(PyExc_BufferError,
                     "from_dlpack: __dlpack_device__ returned %R; expected a tuple of two integers", device);
    Py_DECREF(device);
    *host = kind == kDLCPU;
    return good;
}

/* Call object.__dlpack__ for version 1.  Producers of older versions accept no arguments. */
static PyObject *ask_capsule(PyObject *object, bool host, int copy) {
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__"), *none = PyTuple_New(0);
    PyObject *names = Py_BuildValue("{s:(ii)}", "max_version", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION),
             *capsule;
    PyObject *place = host ? NULL : Py_BuildValue("(ii)", kDLCPU, 0);
    bool good = method && none && names && (host || place);
    if (good && place) good = !PyDict_SetItemString(names, "dl_device", place);
    if (good && copy >= 0) good = !PyDict_SetItemString(names, "copy", copy ? Py_True : Py_False);
    capsule = good ? PyObject_Call(method, none, names) : NULL;
    if (good && !capsule && host && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_CallObject(method, NULL);
    }
    Py_XDECREF(place);
    Py_XDECREF(names);
    Py_XDECREF(none);
    Py_XDECREF(method);
    return capsule;
}

/* Return a tensor of an object with __dlpack__, or of a capsule. */
static ty_tensor *tensor_of_dlpack(PyObject *object, int copy) {
    bool host = true, is_capsule = PyCapsule_CheckExact(object);
    if (!is_capsule && !find_host(object, &host)) return NULL;
    PyObject *capsule = is_capsule ? new_ref(object) : ask_capsule(object, host, copy);
    ty_tensor *x = capsule ? take_capsule(capsule) : NULL;
    Py_XDECREF(capsule);
    if (x && !ty_ok(x)) {
        refuse_export(ty_retain(x)), ty_release(x);
        return NULL;
    }
    return x;
}

/* Return x, or a copy if `copy` is 1, whose reference takes the place of x's. */
static ty_tensor *as_wished(ty_tensor *x, int copy) {
    if (!x || copy != 1) return x;
    ty_tensor *own = copy_of(x);
    ty_release(x);
    if (ty_ok(own)) return own;
    raise_poison(own);
    ty_release(own);
    return NULL;
}

static PyObject *from_dlpack(PyObject *module, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "device", "copy", NULL};
    PyObject *object, *device = Py_None, *wish = Py_None;
    int copy;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OO:from_dlpack", names, &object, &device, &wish) ||
        !copy_from(wish, "from_dlpack", &copy))
        return NULL;
    if (!PyCapsule_CheckExact(object) && !PyObject_HasAttrString(object, "__dlpack__"))
        return PyErr_Format(PyExc_TypeError,
                            "from_dlpack: expected an object with __dlpack__, not %R; use asarray",
                            Py_TYPE(object));
    ty_tensor *x = as_wished(tensor_of_dlpack(object, copy), copy);
    if (!x) return NULL;
    const char *name = device == Py_None         ? "cpu"
                       : PyUnicode_Check(device) ? PyUnicode_AsUTF8AndSize(device, NULL)
                                                 : NULL;
    if (name && strcmp(name, "cpu")) {
        PyThreadState *state = compute_begin();
        ty_tensor *moved = ty_own(ty_to(x, name));
        compute_end(state);
        ty_release(x);
        x = moved;
    }
    if (name) return array_take(x);
    ty_release(x);
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "from_dlpack: device must be a str, not %R", device);
    return NULL;
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
    if (shape && strides && address && type)
        result = Py_BuildValue("{s:O,s:O,s:(OO),s:O,s:i}", "shape", shape, "strides", strides, "data",
                               address, let_write(value) ? Py_False : Py_True, "typestr", type, "version", 3);
    if (result) root_of(self)->lent++; /* for good, too */
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
