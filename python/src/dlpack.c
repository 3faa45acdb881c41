/* DLPack both ways.  A consumer holds the memory of an array until it frees the struct, and the array knows that. */
#include "exchange.h"
#include <stdlib.h>
#include <string.h>

/* ---- export ---- */

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

/* Memory of an array that a consumer shares until it frees the struct: that of the library, with a deleter of ours. */
struct loan {
    DLManagedTensorVersioned now; /* one of both is in use */
    DLManagedTensor before;
    DLManagedTensorVersioned *library_now;
    DLManagedTensor *library_before;
    struct array *root; /* owned: the array that is shared no longer when the loan ends */
};

/* Begin a loan of a root's memory; NULL with MemoryError. */
static struct loan *loan_new(struct array *root) {
    struct loan *loan = calloc(1, sizeof *loan);
    if (!loan) return PyErr_NoMemory(), NULL;
    loan->root = (struct array *)new_ref((PyObject *)root);
    root->lent++;
    return loan;
}

/* End a loan, on any thread.  After the end of the interpreter its objects are gone. */
static void finish_loan(struct loan *loan) {
    if (Py_IsInitialized()) {
        PyGILState_STATE lock = PyGILState_Ensure();
        loan->root->lent--;
        Py_DECREF((PyObject *)loan->root);
        PyGILState_Release(lock);
    }
    free(loan);
}
static void delete_now(DLManagedTensorVersioned *self) {
    struct loan *loan = self->manager_ctx;
    loan->library_now->deleter(loan->library_now);
    finish_loan(loan);
}
static void delete_before(DLManagedTensor *self) {
    struct loan *loan = self->manager_ctx;
    loan->library_before->deleter(loan->library_before);
    finish_loan(loan);
}

/* Return a capsule of DLPack's version 1: of the memory of `root`, or of a copy (NULL). */
static PyObject *new_capsule(ty_tensor *value, struct array *root, bool writable) {
    ty_tensor *error = NULL;
    DLManagedTensorVersioned *managed = ty_to_dlpack(value, &error);
    if (!managed) return refuse_export(error);
    if (writable) managed->flags &= ~(uint64_t)DLPACK_FLAG_BITMASK_READ_ONLY;
    if (!writable) managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
    if (!root) managed->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
    struct loan *loan = root ? loan_new(root) : NULL;
    if (loan) {
        loan->library_now = managed;
        loan->now = *managed;
        managed = &loan->now;
        managed->manager_ctx = loan;
        managed->deleter = delete_now;
    }
    PyObject *capsule = loan || !root ? PyCapsule_New(managed, NEW_NAME, drop_new) : NULL;
    if (!capsule) managed->deleter(managed);
    return capsule;
}

/* Return a capsule of DLPack before version 1, for memory that others may write. */
static PyObject *old_capsule(ty_tensor *value, struct array *root) {
    ty_tensor *error = NULL;
    DLManagedTensor *managed = ty_to_dlpack_legacy(value, &error);
    if (!managed) return refuse_export(error);
    struct loan *loan = root ? loan_new(root) : NULL;
    if (loan) {
        loan->library_before = managed;
        loan->before = *managed;
        managed = &loan->before;
        managed->manager_ctx = loan;
        managed->deleter = delete_before;
    }
    PyObject *capsule = loan || !root ? PyCapsule_New(managed, OLD_NAME, drop_old) : NULL;
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
    ty_tensor *value = evaluated(x), *home;
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

/* Return the capsule of a value of an array for a consumer of the given version, 0: before version 1. */
static PyObject *capsule_of(PyObject *self, ty_tensor *value, long version, int copy, bool copied) {
    bool writable = let_write(value) && (copied || !((struct array *)self)->read_only);
    struct array *root = copied ? NULL : root_of(self);
    if (version >= 1) return new_capsule(value, root, writable);
    if (copied || writable) return old_capsule(value, root);
    if (!copy) {
        PyErr_SetString(PyExc_BufferError,
                        "__dlpack__: the array is read-only, which DLPack before version 1 cannot "
                        "say; pass max_version=(1, 0), or do not forbid a copy");
        return NULL;
    }
    ty_tensor *own = copy_of(value);
    PyObject *capsule = ty_ok(own) ? old_capsule(own, NULL) : raise_poison(own);
    ty_release(own);
    return capsule;
}

PyObject *to_dlpack(PyObject *self, PyObject *args, PyObject *keywords) {
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
    PyObject *capsule = value ? capsule_of(self, value, at_most[0], copy, copied) : NULL;
    ty_release(value);
    return capsule;
}

PyObject *dlpack_device(PyObject *self, PyObject *unused) {
    (void)unused;
    const char *on = ty_on(form_of_array(self)), *number = strchr(on, ':');
    if (!strcmp(on, "cpu")) return Py_BuildValue("(ii)", kDLCPU, 0);
    bool opencl = !strncmp(on, "opencl", strlen("opencl"));
    return Py_BuildValue("(ii)", opencl ? kDLOpenCL : kDLExtDev, number ? atoi(number + 1) : 0);
}

/* ---- import ---- */

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

ty_tensor *tensor_of_dlpack(PyObject *object, int copy) {
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

ty_tensor *as_wished(ty_tensor *x, int copy) {
    if (!x || copy != 1) return x;
    ty_tensor *own = copy_of(x);
    ty_release(x);
    if (ty_ok(own)) return own;
    raise_poison(own);
    ty_release(own);
    return NULL;
}

PyObject *from_dlpack(PyObject *module, PyObject *args, PyObject *keywords) {
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
