/* Exceptions: one class for each code of the library, and exceptions that pass through the library. */
#include "compute.h"
#include <stdlib.h>
#include <string.h>

enum {
    CLASS_NAME =
        64, /* bytes of a class's name with the module; the longest word of tables/errors.def has 14 */
    KEPT_MOST = 64,    /* exceptions kept for raise_poison; older ones belong to errors that nobody raised */
    MESSAGE_MOST = 256 /* bytes of an exception's text in the message of its poison */
};

static PyObject *error_base, *error_classes[TY_CODES];
static PyObject *kept; /* dict: number of an exception -> exception */

static const struct {
    const char *word, *python, *doc;
} codes[TY_CODES] = {
#define ERROR_CODE(name, number, word, python, doc) [number] = {word, #python, doc},
#include <tyto/tables/errors.def>
};

/* Write the class's name for a word: "not converged" becomes "tyto.NotConvergedError". */
static void name_class(const char *word, char out[CLASS_NAME]) {
    strcpy(out, "tyto.");
    size_t n = strlen(out);
    for (bool upper = true; *word && n < CLASS_NAME - sizeof "Error"; word++) {
        if (*word == ' ') {
            upper = true;
            continue;
        }
        out[n++] = (char)(upper && *word >= 'a' && *word <= 'z' ? *word - 'a' + 'A' : *word);
        upper = false;
    }
    strcpy(out + n, "Error");
}

/* Make the class of a code, derived from tyto.Error and from a class of the standard library. */
static PyObject *make_class(PyObject *builtins, int code) {
    PyObject *parent = PyObject_GetAttrString(builtins, codes[code].python);
    PyObject *bases = parent ? PyTuple_Pack(2, error_base, parent) : NULL;
    char name[CLASS_NAME];
    name_class(codes[code].word, name);
    PyObject *result = bases ? PyErr_NewExceptionWithDoc(name, codes[code].doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    Py_XDECREF(parent);
    return result;
}

static bool add_named(PyObject *module, const char *name, PyObject *object) {
    return object && PyObject_SetAttrString(module, name, object) == 0;
}

bool add_errors(PyObject *module) {
    error_base =
        PyErr_NewExceptionWithDoc("tyto.Error",
                                  "Base of all errors of the library.\n\n"
                                  "Attributes: code (a word), message, and where known function, place and "
                                  "operands.",
                                  NULL, NULL);
    PyObject *builtins = PyImport_ImportModule("builtins");
    bool good = builtins && add_named(module, "Error", error_base) && (kept = PyDict_New());
    for (int code = 1; good && code < TY_CODES; code++) {
        char name[CLASS_NAME];
        name_class(codes[code].word, name);
        error_classes[code] = make_class(builtins, code);
        good = add_named(module, name + strlen("tyto."), error_classes[code]);
    }
    Py_XDECREF(builtins);
    return good;
}

/* Text of poison that stands for a kept exception begins with this and its number. */
static const char kept_prefix[] = "exception ";
static const char kept_middle[] = " of Python: ";

/* Drop the oldest exceptions beyond KEPT_MOST. */
static bool keep_few(void) {
    while (PyDict_Size(kept) > KEPT_MOST) {
        PyObject *number, *value;
        Py_ssize_t at = 0;
        if (!PyDict_Next(kept, &at, &number, &value)) break;
        Py_INCREF(number);
        int failed = PyDict_DelItem(kept, number);
        Py_DECREF(number);
        if (failed) return false;
    }
    return true;
}

ty_tensor *poison_of_exception(void) {
    static unsigned long long count; /* changed under the lock, or atomically without one */
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (!type) return ty_poison("a callback of Python failed without an exception");
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && value) PyException_SetTraceback(value, trace);
    unsigned long long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    PyObject *key = PyLong_FromUnsignedLongLong(number), *text = value ? PyObject_Str(value) : NULL;
    PyObject *name = PyObject_GetAttrString(type, "__name__");
    const char *said = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    const char *called = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    ty_tensor *poison = ty_poison("%s%llu%s%s: %.*s", kept_prefix, number, kept_middle,
                                  called ? called : "Exception", (int)MESSAGE_MOST, said ? said : "");
    PyErr_Clear();
    if (key && value && (PyDict_SetItem(kept, key, value) || !keep_few())) PyErr_Clear();
    Py_XDECREF(key);
    Py_XDECREF(text);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return poison;
}

/* Raise the kept exception that a message names.  False if it names none that is kept. */
static bool raise_kept(const char *message) {
    const char *at = strstr(message, kept_prefix);
    char *end;
    if (!at) return false;
    unsigned long long number = strtoull(at + strlen(kept_prefix), &end, 10);
    if (strncmp(end, kept_middle, strlen(kept_middle))) return false;
    PyObject *key = PyLong_FromUnsignedLongLong(number);
    PyObject *value = key ? PyDict_GetItemWithError(kept, key) : NULL; /* borrowed */
    if (value) {
        Py_INCREF(value);
        if (PyDict_DelItem(kept, key)) PyErr_Clear();
        PyErr_SetObject((PyObject *)Py_TYPE(value), value);
        Py_DECREF(value);
    }
    Py_XDECREF(key);
    return value || PyErr_Occurred();
}

/* Copy the facts of ty_error_details to attributes of the exception; those that cannot be read are left out. */
static void describe(PyObject *exception, const ty_tensor *poison) {
    char *details = ty_error_details(poison);
    PyObject *json = details ? PyImport_ImportModule("json") : NULL;
    PyObject *facts = json ? PyObject_CallMethod(json, "loads", "s", details) : NULL;
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (facts && PyDict_Check(facts) && PyDict_Next(facts, &at, &name, &value))
        if (PyObject_SetAttr(exception, name, value)) PyErr_Clear();
    PyErr_Clear();
    Py_XDECREF(facts);
    Py_XDECREF(json);
    ty_free(details);
}

PyObject *error_class(ty_code code) { return code > 0 && code < TY_CODES ? error_classes[code] : error_base; }

/* Return true if a message says that a tensor has no elements: that of a promise that is being recorded, of a variable, or
   of a value that was given away. */
static bool is_unread(const char *message) {
    return strstr(message, " has no value") || strstr(message, " has a value only while") ||
           strstr(message, " was given away");
}

/* Return a message as str, with names of Python in the place of those of C (tyto._hints). */
static PyObject *spoken(const char *message) {
    PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    PyObject *hints = text ? PyImport_ImportModule("tyto._hints") : NULL;
    PyObject *result = hints ? PyObject_CallMethod(hints, "spoken", "O", text) : NULL;
    Py_XDECREF(hints);
    if (text && !result) { /* the package is incomplete, or the interpreter ends */
        PyErr_Clear();
        return text;
    }
    Py_XDECREF(text);
    return result;
}

void *raise_poison(const ty_tensor *poison) {
    const char *message = ty_error(poison);
    ty_code code = poison ? ty_error_code(poison) : TY_ERROR_ARGUMENT;
    if (PyErr_Occurred() || raise_kept(message)) return NULL;
    /* Ctrl-C: Python's own handler raises KeyboardInterrupt, or whatever the program has chosen */
    if (code == TY_ERROR_INTERRUPTED && raise_stopped()) return NULL;
    if (code == TY_ERROR_STATE && recording > 0 && is_unread(message)) return raise_unread(poison);
    PyObject *type = error_class(code);
    PyObject *text = spoken(message);
    PyObject *exception = text ? PyObject_CallFunctionObjArgs(type, text, NULL) : NULL;
    if (exception) {
        describe(exception, poison);
        PyErr_SetObject(type, exception);
    }
    Py_XDECREF(exception);
    Py_XDECREF(text);
    return NULL;
}

void *raise_unread(const ty_tensor *poison) {
    if (ty_error_code(poison) != TY_ERROR_STATE || !is_unread(ty_error(poison))) return raise_poison(poison);
    if (recording == 0) {
        PyErr_SetString(PyExc_TypeError,
                        "the array has no elements: it was given away (donate_argnums), it is from a "
                        "function that was recorded, or it is a variable without a value");
        return NULL;
    }
    PyErr_SetString(
        PyExc_TypeError,
        "the elements of a promise are not known while a function is recorded (jit, vmap, scan, ...); use "
        "tyto.cond, tyto.where or tyto.while_loop, or let the argument be static (static_argnums)");
    return NULL;
}
