/* Calls of the library's functions with Python's arguments, and the module tyto.c, which has them all. */
#include "callback.h"
#include <math.h>
#include <string.h>

enum { RESULTS_MOST = 16 }; /* objects that one call returns */

/* ---- arguments ---- */

static const char *name_at(const void *table, int i) {
    const struct function *f = table;
    return i < f->nparameters ? f->parameters[i].name : NULL;
}

static int place_of(const struct function *f, PyObject *name) {
    for (int i = 0; i < f->nparameters; i++)
        if (!PyUnicode_CompareWithASCIIString(name, f->parameters[i].name)) return i;
    return -1;
}

/* Refuse n positional arguments; `further` is the first that is too many, which may be NumPy's out. */
static bool too_many(const struct function *f, Py_ssize_t n, PyObject *further) {
    bool out = further && (is_array(further) || PyTuple_Check(further));
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional argument%s, not %zd%s", f->name,
                 f->npositional, f->npositional == 1 ? "" : "s", n,
                 out ? ": an array for the result is named, out=..." : "");
    return false;
}

bool bind_arguments(const struct function *f, PyObject *const *args, Py_ssize_t n, PyObject *names,
                    PyObject **values) {
    memset(values, 0, (size_t)f->nparameters * sizeof *values);
    if (n > f->npositional) return too_many(f, n, args[f->npositional]);
    for (Py_ssize_t i = 0; i < n; i++) values[i] = args[i];
    for (Py_ssize_t k = 0, count = names ? PyTuple_Size(names) : 0; k < count; k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        int i = place_of(f, name);
        if (i < 0) {
            raise_unknown(f->name, name, name_at, f);
            return false;
        }
        if (values[i]) {
            PyErr_Format(PyExc_TypeError, "%s() got two values for '%s'", f->name, f->parameters[i].name);
            return false;
        }
        values[i] = args[n + k];
    }
    for (int i = 0; i < f->nparameters; i++) {
        if (values[i] || !f->parameters[i].required) continue;
        PyErr_Format(PyExc_TypeError, "%s() missing argument '%s'", f->name, f->parameters[i].name);
        return false;
    }
    return true;
}

/* Return the record of a parameter that is a struct by value. */
static const struct record *record_of(const struct member *d) { return d->of; }

/* Write one argument to the frame. */
static bool argument_from(struct marshal *m, const struct function *f, const struct parameter *p,
                          PyObject *value, char *frame) {
    const struct member *d = &f->frame.members[p->member];
    char *at = frame + d->offset;
    if (p->field == PARAMETER_KEEP) return bool_from(value, p->name, &((ty_axes *)(void *)at)->keep);
    if (p->field < 0) return member_from(m, d, value, frame);
    if (value == Py_None) return true; /* the default */
    return member_from(m, &record_of(d)->members[p->field], value, at);
}

/* Give lists of results their memory. */
static bool prepare(struct marshal *m, const struct function *f, char *frame) {
    for (int i = 0; i < f->frame.n; i++) {
        const struct member *d = &f->frame.members[i];
        if (d->kind != KIND_LIST || !(d->flags & MEMBER_OUT) || d->flags & MEMBER_CALLEE) continue;
        int64_t n = d->count(frame);
        if (n < 0) {
            PyErr_Format(PyExc_ValueError, "%s() cannot return %lld results", f->name, (long long)n);
            return false;
        }
        void *list = marshal_memory(m, n ? (size_t)n : 1, ((const struct member *)d->of)->size);
        if (!list) return false;
        memcpy(frame + d->offset, &list, sizeof list);
    }
    return true;
}

/* Write all arguments; values of keepdims come before their axes, which keep them. */
static bool fill(struct marshal *m, const struct function *f, PyObject **values, char *frame) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < f->nparameters; i++) {
            const struct parameter *p = &f->parameters[i];
            if ((p->field == PARAMETER_KEEP) == pass) continue;
            bool axes = f->frame.members[p->member].kind == KIND_AXES && p->field == -1;
            PyObject *value = values[i] ? values[i] : axes ? Py_None : NULL;
            if (value && !argument_from(m, f, p, value, frame)) return false;
        }
    }
    return prepare(m, f, frame) && check_lengths(m);
}

/* ---- results ---- */

/* Raise the error that the call has written to a parameter. */
static bool check_error(struct marshal *m, const struct function *f, const char *frame) {
    for (int i = 0; i < f->frame.n; i++) {
        const struct member *d = &f->frame.members[i];
        if (!(d->flags & MEMBER_ERROR)) continue;
        ty_tensor *error;
        memcpy(&error, frame + d->offset, sizeof error);
        if (!error) continue;
        if (!hold_tensor(m, ty_own(error))) return false;
        if (!ty_ok(error)) return raise_poison(error);
    }
    return true;
}

/* Raise the error of a handle whose action failed: false or NaN as the result. */
static bool check_action(struct marshal *m, const struct function *f, const char *frame) {
    if (f->result < 0) return true;
    const struct member *d = &f->frame.members[f->result];
    const char *at = frame + d->offset;
    bool failed =
        d->kind == KIND_BOOL ? !*at : d->kind == KIND_REAL && isnan(*(const double *)(const void *)at);
    if (!failed) return true;
    if (m->changed && m->changed_kind->failure) {
        ty_tensor *failure = m->changed_kind->failure(m->changed);
        if (failure && !ty_ok(failure)) return hold_tensor(m, ty_own(failure)) && raise_poison(failure);
    }
    if (!(d->flags & MEMBER_ACTION)) return true;
    if (!raise_failed(m, &f->frame, frame)) return false;
    PyErr_Format(PyExc_RuntimeError, "%s() failed", f->name);
    return false;
}

/* Let the call own all tensors of the results, before the first object is made. */
static bool own_all(struct marshal *m, const struct function *f, const char *frame) {
    bool good = true;
    for (int i = f->frame.n; i-- > 0;)
        if (f->frame.members[i].flags & MEMBER_OUT)
            good = own_results(m, &f->frame.members[i], frame) && good;
    return good && !PyErr_Occurred();
}

/* Cut a list that has more room than there are results. */
static bool cut(const struct function *f, const struct member *d, const char *frame, PyObject *list) {
    if (!(d->flags & MEMBER_COUNTS) || f->result < 0) return true;
    const struct member *r = &f->frame.members[f->result];
    int64_t n = integer_at(r, frame + r->offset);
    if (n < 0 || n >= PyList_Size(list)) return true;
    return PyList_SetSlice(list, (Py_ssize_t)n, PyList_Size(list), NULL) == 0;
}

/* Make the objects of the result and of what the function wrote, in order; their number, or -1. */
static int make_objects(struct marshal *m, const struct function *f, char *frame, PyObject **out) {
    int n = 0;
    for (int k = -1; k < f->frame.n; k++) {
        int i = k < 0 ? f->result : k;
        if (i < 0 || (k >= 0 && i == f->result)) continue;
        const struct member *d = &f->frame.members[i];
        if (!(d->flags & MEMBER_OUT) || d->flags & (MEMBER_ACTION | MEMBER_ERROR) || d->kind == KIND_HIDDEN)
            continue;
        out[n] = object_of(m, d, frame);
        if (out[n] && cut(f, d, frame, out[n])) {
            n++;
            continue;
        }
        Py_XDECREF(out[n]);
        while (n > 0) Py_DECREF(out[--n]);
        return -1;
    }
    return n;
}

/* Make the object of a call: None, one result, or a tuple of several. */
static PyObject *results_of(struct marshal *m, const struct function *f, char *frame) {
    PyObject *out[RESULTS_MOST];
    int n = make_objects(m, f, frame, out);
    if (n < 0) return NULL;
    if (n == 1) return out[0];
    if (!n) return Py_BuildValue("");
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; i < n; i++) {
        if (tuple)
            PyTuple_SetItem(tuple, i, out[i]);
        else
            Py_DECREF(out[i]);
    }
    return tuple;
}

/* ---- calls ---- */

/* Run the function, without the global lock if it may take long. */
static void run(struct marshal *m, const struct function *f, char *frame) {
    bool gives_up = m->computes || m->elements >= GIVE_UP_LOCK_FROM || (f->evaluates && m->promises);
    PyThreadState *state = give_up_lock(gives_up ? GIVE_UP_LOCK_FROM : 0);
    f->call(frame);
    take_lock(state);
}

static PyObject *call_plainly(const struct function *f, PyObject *const *args, Py_ssize_t n,
                              PyObject *names) {
    PyObject *values[PARAMETERS_MOST], *result = NULL;
    if (!bind_arguments(f, args, n, names, values)) return NULL;
    struct marshal m;
    marshal_start(&m, f);
    char *frame = m.frame = marshal_memory(&m, 1, f->frame.size);
    if (frame && fill(&m, f, values, frame) && hand_over(&m)) {
        ty_scope *scope = ty_open(); /* functions may leave temporaries, or return an operand */
        run(&m, f, frame);
        bool good = check_callbacks(&m);
        good = own_all(&m, f, frame) && good && check_error(&m, f, frame);
        ty_close(scope);
        if (good && check_action(&m, f, frame)) result = results_of(&m, f, frame);
        for (int i = 0; result && i < f->nparameters; i++) note_places(result, values[i]);
        drop_results(&f->frame, frame);
    }
    marshal_end(&m);
    return result;
}

/* ---- results into arrays ---- */

/* Return the place of out among the names of arguments; -1 if it is not there, or a parameter of the function. */
static Py_ssize_t place_of_out(const struct function *f, PyObject *names) {
    for (Py_ssize_t k = 0, count = PyTuple_Size(names); k < count; k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        if (!PyUnicode_CompareWithASCIIString(name, "out")) return place_of(f, name) < 0 ? k : -1;
    }
    return -1;
}

/* Assign a result, whose reference is taken, to out by the function of the package that all others use. */
static PyObject *place_into(PyObject *out, PyObject *result) {
    PyObject *module = result ? PyImport_ImportModule("tyto._base") : NULL;
    PyObject *placed = module ? PyObject_CallMethod(module, "placed_into", "OO", out, result) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(result);
    return placed;
}

/* Call a function without the argument number k of the named ones, which is out. */
static PyObject *call_into(const struct function *f, PyObject *const *args, Py_ssize_t n, PyObject *names,
                           Py_ssize_t k) {
    PyObject *others[PARAMETERS_MOST], *out = args[n + k], *result = NULL;
    Py_ssize_t count = PyTuple_Size(names);
    if (n + count - 1 > PARAMETERS_MOST) return too_many(f, n + count, NULL), NULL;
    for (Py_ssize_t i = 0, j = 0; i < n + count; i++)
        if (i != n + k) others[j++] = args[i];
    PyObject *head = PyTuple_GetSlice(names, 0, k), *tail = PyTuple_GetSlice(names, k + 1, count);
    PyObject *rest = head && tail ? PySequence_Concat(head, tail) : NULL;
    if (rest) result = place_into(out, call_plainly(f, others, n, rest));
    Py_XDECREF(head);
    Py_XDECREF(tail);
    Py_XDECREF(rest);
    return result;
}

PyObject *call_function(const struct function *f, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    Py_ssize_t k = names ? place_of_out(f, names) : -1;
    return k < 0 ? call_plainly(f, args, n, names) : call_into(f, args, n, names, k);
}

PyObject *call_method(const struct function *f, PyObject *self, PyObject *const *args, Py_ssize_t n,
                      PyObject *names) {
    Py_ssize_t count = n + (names ? PyTuple_Size(names) : 0);
    PyObject *all[PARAMETERS_MOST + 1];
    if (count > PARAMETERS_MOST) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments", f->name, f->nparameters);
        return NULL;
    }
    all[0] = self;
    for (Py_ssize_t i = 0; i < count; i++) all[i + 1] = args[i];
    return call_function(f, all, n + 1, names);
}

/* ---- the module tyto.c ---- */

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tyto.c",
    .m_doc = "Every function of the library, under its name in C without the prefix ty_.",
    .m_size = -1,
    .m_methods = functions_table,
};

static bool add_constants(PyObject *module) {
    for (const struct constant *c = constants_table; c->name; c++) {
        PyObject *value = PyLong_FromLongLong(c->value);
        int failed = value ? PyObject_SetAttrString(module, c->name, value) : -1;
        Py_XDECREF(value);
        if (failed) return false;
    }
    return true;
}

bool add_calls(PyObject *module) {
    PyObject *calls = PyModule_Create(&definition), *modules = PyImport_GetModuleDict();
    bool good = calls && add_words(module) && add_constants(calls) && add_records(calls) &&
                add_handle_classes(calls) && PyDict_SetItemString(modules, "tyto.c", calls) == 0 &&
                PyObject_SetAttrString(module, "c", calls) == 0;
    Py_XDECREF(calls);
    return good;
}
