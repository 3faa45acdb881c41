/* Classes of handles: programs, models, tables and the other objects of the library. */
#include "marshal.h"
#include <string.h>

/* An object of the library.  It keeps alive what it was made of: parents, and functions that it calls. */
struct handle_object {
    PyObject_HEAD void *pointer; /* NULL: closed */
    const struct handle *kind;
    PyObject *keeps;      /* parent or tuple of objects; NULL: none */
    bool owned;           /* free it at the end */
    bool closed;          /* by close(), but objects that were made of it still use the pointer */
    bool brief;           /* lent to a function of Python, or made of an object that is */
    int dependents;       /* objects that keep it */
    int uses;             /* calls in progress */
    int changes;          /* those of them that change it */
    unsigned long thread; /* that of all calls in progress; 0: of several threads */
};

/* ---- calls ---- */

static bool is_handle(PyObject *object) {
    for (const struct handle *const *h = handles_table; *h; h++)
        if (Py_TYPE(object) == *(*h)->type) return true;
    return false;
}

/* Return object i of those that a handle keeps if it is a handle, else NULL.  Set *done at the end. */
static struct handle_object *kept_handle(const struct handle_object *self, Py_ssize_t i, bool *done) {
    *done = !self->keeps || i >= PyList_Size(self->keeps);
    PyObject *kept = *done ? NULL : PyList_GetItem(self->keeps, i);
    return kept && is_handle(kept) ? (struct handle_object *)kept : NULL;
}

/* Return true unless the object was lent, or made of one that was, to a function that has returned. */
static bool is_lent_still(const struct handle_object *self) {
    bool done = false, still = self->pointer;
    for (Py_ssize_t i = 0; self->brief && still && !done; i++) {
        struct handle_object *kept = kept_handle(self, i, &done);
        still = !kept || is_lent_still(kept);
    }
    return still;
}

bool handle_from(struct marshal *m, const struct handle *h, PyObject *object, const char *name, bool changes,
                 void **out) {
    if (!*h->type || !PyObject_TypeCheck(object, *h->type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a %s", name, h->name);
        return false;
    }
    struct handle_object *self = (struct handle_object *)object;
    if (!self->pointer || self->closed) {
        PyErr_Format(PyExc_ValueError, "%s: the %s is closed", name, h->name);
        return false;
    }
    if (!is_lent_still(self)) {
        PyErr_Format(PyExc_ValueError, "%s: the %s belongs to a function that has returned", name, h->name);
        return false;
    }
    if (!hold_use(m, object, changes && !h->shared)) return false;
    m->computes = true; /* it may wait for threads that call Python */
    if (changes && !m->changed) {
        m->changed = self->pointer;
        m->changed_kind = h;
    }
    *out = self->pointer;
    return true;
}

#ifdef Py_GIL_DISABLED
static volatile char counting; /* a thread reads or writes counts of calls: some instructions long */
static void lock_counts(void) {
    while (__atomic_test_and_set(&counting, __ATOMIC_ACQUIRE)) continue;
}
static void unlock_counts(void) { __atomic_clear(&counting, __ATOMIC_RELEASE); }
#else
static void lock_counts(void) {}
static void unlock_counts(void) {}
#endif

bool begin_use(PyObject *object, bool changes) {
    struct handle_object *self = (struct handle_object *)object;
    unsigned long thread = PyThread_get_thread_ident();
    lock_counts();
    bool alone = !self->uses || self->thread == thread, free = alone || !(changes || self->changes);
    if (free) {
        self->thread = alone ? thread : 0;
        self->uses++;
        self->changes += changes;
    }
    unlock_counts();
    if (!free) PyErr_Format(PyExc_RuntimeError, "another thread uses the %s", self->kind->name);
    return free;
}

void end_use(PyObject *object, bool changes) {
    struct handle_object *self = (struct handle_object *)object;
    lock_counts();
    self->uses--;
    self->changes -= changes;
    unlock_counts();
}

/* Add `more` to the numbers of dependents of the handles that an object keeps. */
static void count_dependents(const struct handle_object *self, int more) {
    bool done = false;
    for (Py_ssize_t i = 0; !done; i++) {
        struct handle_object *kept = kept_handle(self, i, &done);
        lock_counts();
        if (kept) kept->dependents += more;
        unlock_counts();
    }
}

/* Return true if an object keeps one that was lent, or was made of one. */
static bool keeps_brief(const struct handle_object *self) {
    bool done = false, found = false;
    for (Py_ssize_t i = 0; !done; i++) {
        struct handle_object *kept = kept_handle(self, i, &done);
        found = found || (kept && kept->brief);
    }
    return found;
}

static void free_pointer(const struct handle *h, void *pointer) {
    if (h->free && pointer) h->free(pointer);
}

PyObject *object_of_handle(struct marshal *m, const struct handle *h, void *pointer, bool owned) {
    if (!pointer) return Py_BuildValue("");
    ty_tensor *failure = h->failure ? h->failure(pointer) : NULL;
    if (failure && !ty_ok(failure)) {
        if (hold_tensor(m, ty_own(failure))) raise_poison(failure);
        if (owned) free_pointer(h, pointer);
        return NULL;
    }
    struct handle_object *self = PyObject_GC_New(struct handle_object, *h->type);
    if (!self) {
        if (owned) free_pointer(h, pointer);
        return NULL;
    }
    self->pointer = pointer;
    self->kind = h;
    self->keeps = NULL;
    self->owned = owned;
    self->uses = self->changes = self->dependents = 0;
    self->closed = self->brief = false;
    self->thread = 0;
    self->keeps = kept_by(m);
    count_dependents(self, 1);
    self->brief = keeps_brief(self);
    PyObject_GC_Track((PyObject *)self);
    if (!self->keeps) Py_CLEAR(self);
    return (PyObject *)self;
}

PyObject *lend_handle(const struct handle *h, void *pointer) {
    struct handle_object *self = PyObject_GC_New(struct handle_object, *h->type);
    if (!self) return NULL;
    self->pointer = pointer;
    self->kind = h;
    self->keeps = NULL;
    self->owned = false;
    self->uses = self->changes = self->dependents = 0;
    self->closed = false;
    self->brief = true;
    self->thread = 0;
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

void end_loan(PyObject *handle) {
    if (handle) ((struct handle_object *)handle)->pointer = NULL;
    Py_XDECREF(handle);
}

/* ---- lives ---- */

static void close_object(struct handle_object *self) {
    void *pointer = self->pointer;
    self->pointer = NULL;
    if (pointer && self->owned) {
        PyThreadState *state = PyEval_SaveThread(); /* a loader waits for its threads */
        free_pointer(self->kind, pointer);
        PyEval_RestoreThread(state);
    }
    count_dependents(self, -1);
    Py_CLEAR(self->keeps);
}

static int visit_kept(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(((struct handle_object *)object)->keeps);
    Py_VISIT(Py_TYPE(object));
    return 0;
}

static int clear_kept(PyObject *object) {
    close_object((struct handle_object *)object);
    return 0;
}

static void destroy(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    close_object((struct handle_object *)object);
    PyObject_GC_Del(object);
    Py_DECREF((PyObject *)type);
}

static PyObject *close_method(PyObject *object, PyObject *unused) {
    (void)unused;
    struct handle_object *self = (struct handle_object *)object;
    if (self->uses) {
        PyErr_Format(PyExc_RuntimeError, "the %s is in use and cannot be closed", self->kind->name);
        return NULL;
    }
    if (self->dependents)
        self->closed = true; /* it is freed after them */
    else
        close_object(self);
    return Py_BuildValue("");
}

static PyObject *enter(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_BuildValue("O", self);
}

static PyObject *leave(PyObject *self, PyObject *args) {
    (void)args;
    return close_method(self, NULL);
}

static PyObject *show(PyObject *object) {
    struct handle_object *self = (struct handle_object *)object;
    return PyUnicode_FromFormat("<tyto.c.%s%s>", self->kind->name,
                                self->pointer && !self->closed ? "" : ", closed");
}

static bool has_method(const struct handle *h, const char *name) {
    size_t i = 0;
    while (h->methods[i].ml_name && strcmp(h->methods[i].ml_name, name) != 0) i++;
    return h->methods[i].ml_name != NULL;
}

/* Its memory belongs to the library, so pickle and copy say how an object is stored. */
static PyObject *refuse_pickle(PyObject *object, PyObject *unused) {
    (void)unused;
    const struct handle *h = ((struct handle_object *)object)->kind;
    const char *way = has_method(h, "save")      ? "; write save(path)"
                      : has_method(h, "to_json") ? "; write to_json()"
                                                 : "";
    PyErr_Format(PyExc_TypeError,
                 "a tyto.c.%s cannot be pickled or copied%s; classes of tyto, such as tyto.table.Table and "
                 "tyto.nn.Model, can",
                 h->name, way);
    return NULL;
}

static PyMethodDef own_methods[] = {
    {"__reduce__", refuse_pickle, METH_NOARGS, "__reduce__($self)\n--\n\nRaise a TypeError."},
    {"close", close_method, METH_NOARGS,
     "close($self)\n--\n\nFree the object, after those that were made of it; it cannot be used afterwards."},
    {"__enter__", enter, METH_NOARGS, "__enter__($self)\n--\n\nReturn the object."},
    {"__exit__", leave, METH_VARARGS, "__exit__($self, *error)\n--\n\nClose the object."},
};

enum { OWN = sizeof own_methods / sizeof *own_methods };

/* Return a list of the methods of a handle and those above, in memory that stays. */
static PyMethodDef *methods_of(const struct handle *h) {
    size_t n = 0, k = 0;
    while (h->methods[n].ml_name) n++;
    PyMethodDef *all = PyMem_Calloc(n + OWN + 1, sizeof *all);
    if (!all) return PyErr_NoMemory(), NULL;
    memcpy(all, own_methods, sizeof own_methods);
    for (size_t i = 0; i < n; i++) all[OWN + k++] = h->methods[i];
    return all;
}

static PyObject *refuse_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)args;
    (void)keywords;
    PyObject *name = PyObject_GetAttrString((PyObject *)type, "__name__");
    if (name) PyErr_Format(PyExc_TypeError, "functions of tyto.c make objects of the class %U", name);
    Py_XDECREF(name);
    return NULL;
}

static bool add_class(PyObject *module, const struct handle *h) {
    PyMethodDef *methods = methods_of(h);
    if (!methods) return false;
    char *name = PyMem_Malloc(strlen(h->name) + sizeof "tyto.c."); /* the class keeps it */
    if (!name) return PyErr_NoMemory() != NULL;
    strcpy(name, "tyto.c.");
    strcat(name, h->name);
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)destroy},  {Py_tp_repr, (void *)show},
        {Py_tp_methods, methods},          {Py_tp_traverse, (void *)visit_kept},
        {Py_tp_clear, (void *)clear_kept}, {Py_tp_doc, (void *)h->doc},
        {Py_tp_new, (void *)refuse_new},   {0, NULL},
    };
    PyType_Spec spec = {name, sizeof(struct handle_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                        slots};
    *h->type = (PyTypeObject *)PyType_FromSpec(&spec);
    return *h->type && PyObject_SetAttrString(module, h->name, (PyObject *)*h->type) == 0;
}

bool add_handle_classes(PyObject *module) {
    for (const struct handle *const *h = handles_table; *h; h++)
        if (!add_class(module, *h)) return false;
    return true;
}

bool add_handles(PyObject *module) {
    return (void)module, true; /* with the module tyto.c: add_handle_classes */
}
