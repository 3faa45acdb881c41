/* Functions of Python that the library calls: their contexts and lives.  thunks.c has what the library calls. */
#include "callback.h"
#include "thunks.h"
#include <string.h>

/* ---- contexts ---- */

static void free_callable(struct callable *c) {
    for (int i = 0; i < SLOTS; i++) Py_CLEAR(c->functions[i]);
    Py_CLEAR(c->exception);
    PyMem_Free(c);
}

void free_callables(struct marshal *m) {
    for (struct callable *c = m->callables, *next; c; c = next) {
        next = c->next;
        if (!c->outlives && !c->users--) free_callable(c);
    }
    m->callables = NULL;
}

void callback_release(void *context) {
    if (!Py_IsInitialized()) return;
    PyGILState_STATE state = PyGILState_Ensure();
    free_callable(context);
    PyGILState_Release(state);
}

/* An object that owns a context, so that the collector sees which functions another object keeps alive. */
struct keeper {
    PyObject_HEAD struct callable *c;
};
static PyTypeObject *keeper_type;

static int visit_functions(PyObject *self, visitproc visit, void *arg) {
    struct callable *c = ((struct keeper *)self)->c;
    for (int i = 0; i < SLOTS; i++) Py_VISIT(c->functions[i]);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int clear_functions(PyObject *self) {
    struct callable *c = ((struct keeper *)self)->c;
    for (int i = 0; i < SLOTS; i++) Py_CLEAR(c->functions[i]);
    return 0;
}

static void destroy_keeper(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    free_callable(((struct keeper *)self)->c);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

PyObject *keep_callable(struct callable *c) {
    struct keeper *self = PyObject_GC_New(struct keeper, keeper_type);
    if (!self) return NULL;
    self->c = c;
    c->outlives = true;
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

/* Return the context at a place: that of an earlier function of the same struct, or a new one. */
static struct callable *callable_at(struct marshal *m, const struct callback *of, char *place) {
    for (struct callable *c = m->callables; c; c = c->next)
        if (c->place == place) return c;
    struct callable *c = PyMem_Calloc(1, sizeof *c);
    if (!c) return (void *)PyErr_NoMemory();
    *c = (struct callable){.next = m->callables, .of = of, .place = place};
    m->callables = c;
    memcpy(place, &c, sizeof c);
    return c;
}

bool callback_from(struct marshal *m, const struct member *d, PyObject *object, char *memory) {
    const struct callback *of = d->of;
    if (!PyCallable_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a function", d->name);
        return false;
    }
    struct callable *c = callable_at(m, of, memory + d[of->context].offset);
    if (!c) return false;
    if (of->count) {
        c->of = of;
        c->memory = memory;
    }
    PyObject *old = c->functions[of->slot];
    Py_INCREF(object);
    c->functions[of->slot] = object;
    Py_XDECREF(old);
    memcpy(memory + d->offset, &of->thunk, sizeof of->thunk);
    void (*release)(void *) = callback_release;
    if (of->release) memcpy(memory + d[of->release].offset, &release, sizeof release);
    m->computes = true;
    return true;
}

static void release_operand(void *context, void *data) {
    (void)data;
    callback_release(context);
}

/* Append an operand without elements to the list of a call's operands, which frees the context with the last of them.
   The function does not see it. */
static bool add_keeper(struct marshal *m, struct callable *c) {
    const struct record *frame = &m->function->frame;
    const struct member *d = frame->members, *end = d + frame->n;
    while (d < end &&
           !(d->kind == KIND_LIST && d->length && ((const struct member *)d->of)->kind == KIND_TENSOR))
        d++;
    int64_t n = c->counts[0];
    ty_tensor **list = d < end ? marshal_memory(m, (size_t)n + 1, sizeof(ty_tensor *)) : NULL, **old;
    if (!list) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        free_callable(c);
        return false;
    }
    memcpy(&old, m->frame + d->offset, sizeof old);
    if (n) memcpy(list, old, (size_t)n * sizeof *list);
    list[n++] = ty_own(ty_borrow(TY_BOOL, 1, (int64_t[]){0}, NULL, release_operand, c));
    memcpy(m->frame + d->offset, &list, sizeof list);
    int count = (int)n;
    memcpy(m->frame + d[d->length].offset, &count, sizeof count);
    if (!hold_tensor(m, list[n - 1])) return false;
    return ty_ok(list[n - 1]) || raise_poison(list[n - 1]);
}

/* ---- operands that keep a context ---- */

static ty_tensor *same(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_disown(ty_retain(x[0]));
}
static void same_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                     ty_tensor **gradients) {
    (void)context, (void)n, (void)x, (void)y;
    gradients[0] = ty_disown(ty_retain(g));
}
static ty_tensor *same_jvp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    (void)context, (void)n, (void)x, (void)y;
    return t[0] ? ty_disown(ty_retain(t[0])) : NULL;
}
static void release_user(void *context) {
    struct callable *c = context;
    if (!Py_IsInitialized()) return;
    PyGILState_STATE state = PyGILState_Ensure();
    if (!c->users--) free_callable(c);
    PyGILState_Release(state);
}

/* Give the place of an operand the same operand with a rule whose end lets the context go. */
static bool keep_by(struct marshal *m, struct callable *c, char *at) {
    ty_tensor *x;
    memcpy(&x, at, sizeof x);
    if (!x || (!ty_is_promise(x) && !is_tracked(x))) return true;
    ty_custom rule = {.f = same, .vjp = same_vjp, .jvp = same_jvp, .context = c, .release = release_user};
    c->users++;
    ty_tensor *y = ty_own(ty_apply(rule, 1, &x));
    memcpy(at, &y, sizeof y);
    if (!hold_tensor(m, y)) return false;
    return ty_ok(y) || raise_poison(y);
}

/* Do so for all operands of the call. */
static bool keep_by_operands(struct marshal *m, struct callable *c) {
    const struct record *frame = &m->function->frame;
    bool good = true;
    for (const struct member *d = frame->members, *end = d + frame->n; d < end; d++) {
        const struct member *e = d->kind == KIND_LIST ? d->of : NULL;
        if (d->flags & MEMBER_OUT) continue;
        if (d->kind == KIND_TENSOR) good = good && keep_by(m, c, m->frame + d->offset);
        if (!e || e->kind != KIND_TENSOR || !d->length) continue;
        char *list;
        memcpy(&list, m->frame + d->offset, sizeof list);
        int64_t n = integer_at(d + d->length, m->frame + d[d->length].offset);
        for (int64_t i = 0; good && i < n; i++) good = keep_by(m, c, list + i * (int64_t)sizeof(ty_tensor *));
    }
    return good;
}

bool hand_over(struct marshal *m) {
    bool good = true;
    for (struct callable **at = &m->callables, *c; (c = *at);) {
        c->counts[0] = m->operands < 0 ? 0 : m->operands;
        if (c->of->count) c->of->count(c->memory, c->counts);
        c->called = c->of->life != LIFE_RELEASE && c->of->life != LIFE_OPERAND;
        if (c->called) {
            if (c->of->life == LIFE_HISTORY) good = good && keep_by_operands(m, c);
            at = &c->next;
            continue;
        }
        *at = c->next; /* the library frees it, perhaps before the call returns */
        if (c->of->life == LIFE_OPERAND) good = add_keeper(m, c) && good;
    }
    return good;
}

bool check_callbacks(struct marshal *m) {
    for (struct callable *c = m->callables; c; c = c->next) {
        c->called = false;
        if (!c->exception || PyErr_Occurred()) continue;
        PyObject *exception = c->exception;
        c->exception = NULL;
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return !PyErr_Occurred();
}

bool named_from(const struct member *d, PyObject *object, char *at) {
    const struct named *of = d->of;
    const char *name = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, NULL) : NULL;
    if (PyErr_Occurred()) return false;
    if (!name) {
        PyErr_Format(PyExc_TypeError, "%s must be the name of a %s", d->name, of->name);
        return false;
    }
    if (of->find(name, at)) return true;
    PyErr_Format(PyExc_ValueError, "%s: '%s' is no %s", d->name, name, of->name);
    return false;
}

/* ---- type ---- */

static PyType_Slot keeper_slots[] = {
    {Py_tp_dealloc, (void *)destroy_keeper},
    {Py_tp_traverse, (void *)visit_functions},
    {Py_tp_clear, (void *)clear_functions},
    {0, NULL},
};
static PyType_Spec keeper_spec = {
    "tyto.c.Callback", sizeof(struct keeper), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, keeper_slots,
};

bool add_callbacks(PyObject *module) {
    (void)module;
    keeper_type = (PyTypeObject *)PyType_FromSpec(&keeper_spec);
    return keeper_type;
}
