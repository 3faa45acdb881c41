/* Functions that the library calls in the place of functions of Python: one for each type of callback. */
#include "thunks.h"
#include "callback.h"
#include <string.h>

/* ---- entry ---- */

/* Calls of the library that callbacks make within each other on one thread.  A call takes up to 128 KiB of stack
   (tyto.h), and threads have 8 MiB. */
enum { NESTED_MOST = 40 };
static _Thread_local int nested;

/* A function of Python that runs: the state of the global lock, and whether the library records what it computes. */
struct entry {
    PyGILState_STATE state;
    struct callable *c;
    bool records;
};

static struct entry enter(void *context) {
    struct entry e = {PyGILState_Ensure(), context, false};
    nested++;
    return e;
}

/* Enter a function whose results become a part of a graph if one of its n operands is a promise, as if a
   transformation recorded it (transform.c). */
static struct entry enter_on(void *context, int64_t n, ty_tensor *const *x) {
    struct entry e = enter(context);
    for (int64_t i = 0; i < n && !e.records; i++) e.records = x[i] && ty_is_promise(x[i]);
    recording += e.records;
    return e;
}

static void leave(struct entry e) {
    recording -= e.records;
    nested--;
    PyGILState_Release(e.state);
}

/* Call the function of a slot with arguments, of which it takes the reference; NULL with an exception. */
static PyObject *call(struct entry e, int slot, PyObject *args) {
    PyObject *result = NULL;
    if (args && nested > NESTED_MOST)
        PyErr_SetString(PyExc_RecursionError, "functions that the library calls are nested too deeply");
    else if (args && !e.c->functions[slot])
        PyErr_SetString(PyExc_RuntimeError, "the function has been freed with the objects that it refers to");
    else if (args)
        result = PyObject_Call(e.c->functions[slot], args, NULL);
    Py_XDECREF(args);
    return result;
}

/* Keep the exception for the end of the call. */
static void keep_exception(struct callable *c) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && value) PyException_SetTraceback(value, trace);
    if (c->exception)
        Py_XDECREF(value);
    else
        c->exception = value;
    Py_XDECREF(type);
    Py_XDECREF(trace);
}

/* Return poison for the exception, which the end of the call raises, or whoever meets the poison later. */
static ty_tensor *fail(struct callable *c) {
    if (!c->called) return poison_of_exception();
    keep_exception(c);
    return ty_poison("a function of Python failed");
}

/* Keep the exception of a function without results. */
static void fail_silently(struct callable *c) {
    if (c->called)
        keep_exception(c);
    else
        PyErr_WriteUnraisable(c->functions[0]);
}

/* ---- arguments and results ---- */

static PyObject *array_of(ty_tensor *x) { return x ? array_take(ty_retain(x)) : Py_BuildValue(""); }

/* Set elements from `at` of a tuple or list to n arrays; NULL is None. */
static bool put(PyObject *sequence, Py_ssize_t at, int64_t n, ty_tensor *const *x) {
    for (int64_t i = 0; sequence && i < n; i++) {
        PyObject *array = array_of(x[i]);
        if (!array) return false;
        if (PyTuple_Check(sequence))
            PyTuple_SetItem(sequence, at + i, array);
        else
            PyList_SetItem(sequence, at + i, array);
    }
    return sequence;
}

static PyObject *tuple_of(int64_t n, ty_tensor *const *x) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)n);
    if (!put(tuple, 0, n, x)) Py_CLEAR(tuple);
    return tuple;
}

static PyObject *list_of_arrays(int64_t n, ty_tensor *const *x) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    if (!put(list, 0, n, x)) Py_CLEAR(list);
    return list;
}

/* Return the tensor of a result and give it to the scope that is open; the reference to the object is dropped. */
static ty_tensor *give(struct entry e, PyObject *result) {
    ty_tensor *x = result ? tensor_from(result, "the function's result") : NULL;
    Py_XDECREF(result);
    return x ? ty_disown(x) : fail(e.c);
}

static void give_poison(struct entry e, int64_t n, ty_tensor **out) {
    ty_tensor *poison = fail(e.c);
    for (int64_t i = 0; i < n; i++) out[i] = i ? ty_disown(ty_retain(poison)) : poison;
}

/* Write n results to out: of a sequence, or of one object if n is 1.  with_none: None leaves NULL. */
static void give_all(struct entry e, PyObject *result, int64_t n, ty_tensor **out, bool with_none) {
    bool sequence = result && (PyTuple_Check(result) || PyList_Check(result));
    PyObject *tuple = !result ? NULL : sequence ? PySequence_Tuple(result) : PyTuple_Pack(1, result);
    Py_XDECREF(result);
    bool good = tuple && PyTuple_Size(tuple) == n;
    if (tuple && !good)
        PyErr_Format(PyExc_ValueError, "the function returned %zd results, not %lld", PyTuple_Size(tuple),
                     (long long)n);
    for (int64_t i = 0; good && i < n; i++) {
        PyObject *item = PyTuple_GetItem(tuple, (Py_ssize_t)i);
        if (with_none && item == Py_None) continue;
        ty_tensor *x = tensor_from(item, "a result of the function");
        if (x)
            out[i] = ty_disown(x);
        else
            good = false;
    }
    Py_XDECREF(tuple);
    if (!good) give_poison(e, n, out);
}

/* Return true unless the function failed or returned something false other than None. */
static bool goes_on(struct entry e, PyObject *result) {
    int truth = !result ? -1 : result == Py_None ? 1 : PyObject_IsTrue(result);
    Py_XDECREF(result);
    if (truth < 0) fail_silently(e.c);
    return truth > 0;
}

/* ---- one function for each type of callback ---- */

/* Call a function whose result a gradient computes again: it must find arrays as at its first call, and its results
   become a part of a graph in any case. */
static ty_tensor *call_again(struct entry e, ty_tensor *const *x) {
    struct replay span;
    recording++;
    replay_begin(&span, e.c->ran ? e.c->ended : assignments);
    ty_tensor *y = give(e, call(e, 0, tuple_of(e.c->counts[0], x)));
    replay_end(&span);
    recording--;
    if (!e.c->ran) e.c->ended = assignments;
    e.c->ran = true;
    return y;
}

ty_tensor *thunk_body(void *context, ty_tensor *const *x) {
    struct entry e = enter_on(context, ((struct callable *)context)->counts[0], x);
    bool again = e.c->of->life == LIFE_OPERAND;
    ty_tensor *y = again ? call_again(e, x) : give(e, call(e, 0, tuple_of(e.c->counts[0], x)));
    leave(e);
    return y;
}

static void branch(void *context, int slot, ty_tensor *const *x, ty_tensor **results) {
    struct entry e = enter_on(context, ((struct callable *)context)->counts[0], x);
    give_all(e, call(e, slot, tuple_of(e.c->counts[0], x)), e.c->counts[1], results, false);
    leave(e);
}
void thunk_branch(void *context, ty_tensor *const *x, ty_tensor **results) { branch(context, 0, x, results); }
void thunk_second_branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    branch(context, 1, x, results);
}

ty_tensor *thunk_single(void *context, ty_tensor *x) {
    struct entry e = enter_on(context, 1, &x);
    ty_tensor *y = give(e, call(e, 0, tuple_of(1, &x)));
    leave(e);
    return y;
}

/* step(index, carry, x) returns the next carry and y, two sequences, and perhaps a bool that stops. */
void thunk_step(void *context, ty_step *step) {
    struct entry e = enter_on(context, 1, &step->index);
    int64_t *n = e.c->counts; /* of carry, x and y */
    PyObject *carry = list_of_arrays(n[0], step->carry), *x = list_of_arrays(n[1], step->x);
    PyObject *index = array_of(step->index);
    PyObject *args = carry && x && index ? PyTuple_Pack(3, index, carry, x) : NULL;
    Py_XDECREF(carry);
    Py_XDECREF(x);
    Py_XDECREF(index);
    PyObject *result = call(e, 0, args), *next = NULL, *y = NULL, *stop = Py_None;
    if (result && !PyTuple_Check(result)) {
        PyErr_SetString(PyExc_TypeError,
                        "a step must return a tuple: the next carry and y, and perhaps stop");
        Py_CLEAR(result);
    }
    if (result && PyArg_ParseTuple(result, "OO|O;a step returns the next carry and y, and perhaps stop",
                                   &next, &y, &stop)) {
        Py_INCREF(next);
        Py_INCREF(y);
        give_all(e, next, n[0], step->next, false);
        give_all(e, y, n[2], step->y, false);
        Py_INCREF(stop);
        if (stop != Py_None)
            step->stop = give(e, stop);
        else
            Py_DECREF(stop);
    } else {
        give_poison(e, n[0], step->next);
        if (n[2]) memset(step->y, 0, (size_t)n[2] * sizeof *step->y);
        for (int64_t i = 0; i < n[2]; i++) step->y[i] = ty_poison("a function of Python failed");
    }
    Py_XDECREF(result);
    leave(e);
}

bool thunk_visit(void *context, int64_t node, ty_tensor *x) {
    struct entry e = enter(context);
    PyObject *array = array_of(x), *args = array ? Py_BuildValue("(LN)", (long long)node, array) : NULL;
    bool on = goes_on(e, call(e, 0, args));
    leave(e);
    return on;
}

/* Give the library the tensor of a result, or NULL for None, and leave the interpreter. */
static ty_tensor *give_unless_none(struct entry e, PyObject *result) {
    ty_tensor *x = NULL;
    if (result == Py_None)
        Py_DECREF(result);
    else
        x = give(e, result);
    leave(e);
    return x;
}

/* None keeps y. */
ty_tensor *thunk_pass(void *context, ty_tensor *x, ty_tensor *y) {
    struct entry e = enter_on(context, 1, &y);
    return give_unless_none(e, call(e, 0, tuple_of(2, (ty_tensor *const[]){x, y})));
}

ty_tensor *thunk_act(void *context, ty_tensor *y) {
    struct entry e = enter_on(context, 1, &y);
    return give_unless_none(e, call(e, 0, tuple_of(1, &y)));
}

bool callback_report(void *context, int slot, const struct record *r, const void *now) {
    struct entry e = enter(context);
    struct marshal m;
    marshal_start(&m, NULL);
    PyObject *record = object_of_record(&m, r, (char *)(uintptr_t)now);
    PyObject *args = record ? PyTuple_Pack(1, record) : NULL;
    Py_XDECREF(record);
    bool on = goes_on(e, call(e, slot, args));
    marshal_end(&m);
    leave(e);
    return on;
}

ty_tensor *thunk_objective(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch, void *context) {
    struct entry e = enter_on(context, n, batch);
    PyObject *handle = lend_handle(&handle_ty_model, model), *array = array_of(key);
    PyObject *parts = handle && array ? list_of_arrays(n, batch) : NULL;
    PyObject *args = parts ? PyTuple_Pack(3, handle, array, parts) : NULL;
    Py_XDECREF(array);
    Py_XDECREF(parts);
    ty_tensor *loss = give(e, call(e, 0, args));
    end_loan(handle);
    leave(e);
    return loss;
}

/* forward(layer, *x) returns one array or a sequence of as many as the model has results. */
void thunk_forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    struct entry e = enter_on((void *)(uintptr_t)options, n, x);
    PyObject *handle = lend_handle(&handle_ty_layer, self), *args = handle ? PyTuple_New(n + 1) : NULL;
    if (args) {
        Py_INCREF(handle);
        PyTuple_SetItem(args, 0, handle);
    }
    if (!put(args, 1, n, x)) Py_CLEAR(args);
    give_all(e, call(e, 0, args), e.c->counts[1], y, false);
    end_loan(handle);
    leave(e);
}

/* vjp(x, y, g) of a rule with one result returns gradients, None for 0. */
void thunk_rule_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                    ty_tensor **gradients) {
    struct entry e = enter_on(context, n, x);
    PyObject *operands = list_of_arrays(n, x), *a = array_of(y), *b = array_of(g);
    PyObject *args = operands && a && b ? PyTuple_Pack(3, operands, a, b) : NULL;
    Py_XDECREF(operands);
    Py_XDECREF(a);
    Py_XDECREF(b);
    give_all(e, call(e, 1, args), n, gradients, true);
    leave(e);
}

/* jvp(x, y, t) of a rule with one result returns a tangent. */
ty_tensor *thunk_rule_jvp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    struct entry e = enter_on(context, n, x);
    PyObject *operands = list_of_arrays(n, x), *a = array_of(y), *tangents = list_of_arrays(n, t);
    PyObject *args = operands && a && tangents ? PyTuple_Pack(3, operands, a, tangents) : NULL;
    Py_XDECREF(operands);
    Py_XDECREF(a);
    Py_XDECREF(tangents);
    ty_tensor *result = give(e, call(e, 2, args));
    leave(e);
    return result;
}

static void derive(void *context, int slot, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                   ty_tensor *const *d, int nd, int nout, ty_tensor **out) {
    struct entry e = enter_on(context, n, x);
    PyObject *a = list_of_arrays(n, x), *b = list_of_arrays(m, y), *c = list_of_arrays(nd, d);
    PyObject *args = a && b && c ? PyTuple_Pack(3, a, b, c) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    Py_XDECREF(c);
    give_all(e, call(e, slot, args), nout, out, true);
    leave(e);
}
/* vjp(x, y, g) and jvp(x, y, t) of lists return lists, None for 0. */
void thunk_lists_vjp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *g, ty_tensor **gradients) {
    derive(context, 1, n, x, m, y, g, m, n, gradients);
}
void thunk_lists_jvp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *t, ty_tensor **tangents) {
    derive(context, 2, n, x, m, y, t, n, m, tangents);
}

void thunk_called(void *context, ty_called *called) {
    struct entry e = enter(context);
    give_all(e, call(e, 0, tuple_of(called->n, called->x)), called->m, called->y, false);
    leave(e);
}

/* get(index) returns the fields of an example; IndexError means that there is none. */
bool thunk_example(void *context, int64_t index, ty_tensor **out) {
    struct entry e = enter(context);
    int64_t n = e.c->counts[1];
    memset(out, 0, (size_t)n * sizeof *out);
    give_all(e, call(e, 0, Py_BuildValue("(L)", (long long)index)), n, out, false);
    bool good = !n || ty_ok(out[0]);
    leave(e);
    return good;
}

/* batch(step) returns the parts of a batch. */
bool thunk_batch(void *context, int64_t step, ty_tensor **out) { return thunk_example(context, step, out); }

/* write(bytes) raises an exception on failure. */
bool thunk_write(void *context, const void *bytes, size_t n) {
    struct entry e = enter(context);
    PyObject *object = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
    PyObject *result = call(e, 0, object ? Py_BuildValue("(N)", object) : NULL);
    bool good = result;
    if (!good) fail_silently(e.c);
    Py_XDECREF(result);
    leave(e);
    return good;
}

/* Copy the bytes of a result to out; their number, or -1. */
static int64_t give_bytes(struct entry e, PyObject *result, void *out, size_t n) {
    Py_buffer buffer;
    int64_t count = -1;
    if (result && !PyObject_GetBuffer(result, &buffer, PyBUF_SIMPLE)) {
        if ((size_t)buffer.len > n)
            PyErr_SetString(PyExc_ValueError, "a source returned more bytes than asked for");
        else
            memcpy(out, buffer.buf, (size_t)(count = buffer.len));
        PyBuffer_Release(&buffer);
    }
    Py_XDECREF(result);
    if (count < 0) fail_silently(e.c);
    return count;
}

/* read(n) returns at most n bytes, none at the end. */
int64_t thunk_read(void *context, void *out, size_t n) {
    struct entry e = enter(context);
    int64_t count = give_bytes(e, call(e, 1, Py_BuildValue("(n)", (Py_ssize_t)n)), out, n);
    leave(e);
    return count;
}
int64_t thunk_read_at(void *context, uint64_t at, void *out, size_t n) {
    struct entry e = enter(context);
    PyObject *args = Py_BuildValue("(Kn)", (unsigned long long)at, (Py_ssize_t)n);
    int64_t count = give_bytes(e, call(e, 0, args), out, n);
    leave(e);
    return count;
}
