/*
 * Functions of the library that call functions of Python: batches, compiled functions, loops, branches, rules of
 * derivatives.  tyto/transform*.py turns trees of arguments into the lists that these take.
 *
 * A function of Python gets lists of arrays, and returns lists of as many arrays as were announced.  Its exceptions
 * become poison inside of the library, and come out of the call unchanged (poison_of_exception).
 */
#include "compute.h"
#include <stdlib.h>

/* ---- lists of arrays ---- */

/* Tensors of a call, in one block. */
struct tensors {
    Py_ssize_t n;
    ty_tensor **all;
};

/* Release the tensors and free the block. */
static void drop(struct tensors *t) {
    for (Py_ssize_t i = 0; i < t->n; i++) ty_release(t->all[i]);
    PyMem_Free(t->all);
    *t = (struct tensors){0, NULL};
}

/* Get the tensors of a sequence of arrays and numbers, with references; false with an exception. */
static bool take(PyObject *sequence, const char *name, struct tensors *t) {
    *t = (struct tensors){0, NULL};
    Py_ssize_t n = PySequence_Size(sequence);
    if (n < 0) return false;
    t->all = PyMem_Calloc((size_t)n + 1, sizeof *t->all);
    if (!t->all) return PyErr_NoMemory(), false;
    for (; t->n < n; t->n++) {
        PyObject *item = PySequence_GetItem(sequence, t->n);
        t->all[t->n] = item ? tensor_from(item, name) : NULL;
        Py_XDECREF(item);
        if (!t->all[t->n]) return drop(t), false;
    }
    return true;
}

/* Make room for n results. */
static bool make_room(Py_ssize_t n, struct tensors *t) {
    *t = (struct tensors){0, PyMem_Calloc((size_t)n + 1, sizeof *t->all)};
    if (!t->all) PyErr_NoMemory();
    return t->all;
}

/* Make a list of n tensors that stay the library's. */
static PyObject *list_of_tensors(Py_ssize_t n, ty_tensor *const *x) {
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *item = x[i] ? array_take(ty_retain(x[i])) : new_ref(Py_None);
        if (!item) Py_CLEAR(list);
        if (list) PyList_SetItem(list, i, item);
    }
    return list;
}

/* Give the library a reference to an array's tensor, as a callback returns its result. */
static ty_tensor *give(PyObject *array) { return ty_disown(ty_retain(tensor_of_array(array))); }

/* Write the arrays of a sequence to results[n]; None stays NULL.  False with an exception if they are others. */
static bool give_all(PyObject *sequence, Py_ssize_t n, ty_tensor **results) {
    if (!PyList_Check(sequence) || PyList_Size(sequence) != n)
        return PyErr_Format(PyExc_TypeError, "expected a list of %zd arrays, not %R", n, sequence), false;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(sequence, i);
        if (!is_array(item) && item != Py_None)
            return PyErr_Format(PyExc_TypeError, "expected an array, not %R", item), false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(sequence, i);
        results[i] = item == Py_None ? NULL : give(item);
    }
    return true;
}

/* ---- calls of Python ---- */

/* Functions of one call of the library, with the numbers of their operands and results. */
struct job {
    PyObject *functions; /* a tuple */
    Py_ssize_t n, m;     /* operands; results of the first function */
    Py_ssize_t extra;    /* further results */
    int *axes;           /* a batch: axes of the results, which the function states */
};

/* Call function `which` with arguments, which are dropped; NULL with an exception. */
static PyObject *call(const struct job *job, int which, PyObject *args) {
    PyObject *result = args ? PyObject_CallObject(PyTuple_GetItem(job->functions, which), args) : NULL;
    Py_XDECREF(args);
    return result;
}

/* Write poison of the exception that is set to all results. */
static void fail(Py_ssize_t n, ty_tensor **results) {
    ty_tensor *poison = poison_of_exception();
    for (Py_ssize_t i = 0; i < n; i++) results[i] = poison;
}

/* Call function `which` on n tensors, and write its m results; poison if it raises. */
static void call_on(const struct job *job, int which, Py_ssize_t n, ty_tensor *const *x, Py_ssize_t m,
                    ty_tensor **results) {
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *list = list_of_tensors(n, x);
    PyObject *made = call(job, which, list ? Py_BuildValue("(N)", list) : NULL);
    if (!made || !give_all(made, m, results)) fail(m, results);
    Py_XDECREF(made);
    PyGILState_Release(lock);
}

static void call_branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    const struct job *job = context;
    call_on(job, 0, job->n, x, job->m, results);
}

/* Make a list of the results of a call, or raise the error of the poisoned ones. */
static PyObject *results_of(bool done, Py_ssize_t n, struct tensors *t) {
    if (done || n) return arrays_of_results(n, t->all);
    if (!PyErr_Occurred()) PyErr_SetString(error_class(TY_ERROR_USER), "the function failed");
    return NULL;
}

/* Set job->functions to a tuple of one function. */
static bool one_function(struct job *job, PyObject *function) {
    job->functions = PyTuple_Pack(1, function);
    return job->functions;
}

/* ---- batches ---- */

/* Set axes[n] from a list of integers and None; false with an exception. */
static bool take_axes(PyObject *list, Py_ssize_t n, int *axes) {
    if (!PyList_Check(list) || PyList_Size(list) != n)
        return PyErr_Format(PyExc_TypeError, "expected a list of %zd axes, not %R", n, list), false;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        int64_t axis = TY_NO_AXIS;
        if (item != Py_None && !int_from(item, "axis", &axis)) return false;
        axes[i] = axis < INT32_MIN || axis > INT32_MAX ? INT32_MAX : (int)axis;
    }
    return true;
}

/* A body of a batch returns its results and their axes. */
static void call_batched(void *context, ty_tensor *const *x, ty_tensor **results) {
    const struct job *job = context;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *list = list_of_tensors(job->n, x);
    PyObject *made = call(job, 0, list ? Py_BuildValue("(N)", list) : NULL);
    bool good = made && PyTuple_Check(made) && PyTuple_Size(made) == 2;
    if (made && !good) PyErr_SetString(PyExc_TypeError, "expected results and their axes");
    good = good && take_axes(PyTuple_GetItem(made, 1), job->m, job->axes) &&
           give_all(PyTuple_GetItem(made, 0), job->m, results);
    if (!good) fail(job->m, results);
    Py_XDECREF(made);
    PyGILState_Release(lock);
}

static PyObject *vmap(PyObject *module, PyObject *args) {
    PyObject *function, *operands, *axes, *result = NULL;
    struct job job = {NULL};
    struct tensors x = {0, NULL}, y = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOn:vmap", &function, &operands, &axes, &job.m)) return NULL;
    if (!one_function(&job, function) || !take(operands, "vmap", &x) || !make_room(job.m, &y)) goto end;
    job.n = x.n;
    int *places = PyMem_Calloc((size_t)(job.n + job.m) + 1, sizeof *places);
    job.axes = places ? places + job.n : NULL;
    if (!places)
        PyErr_NoMemory();
    else if (take_axes(axes, job.n, places)) {
        PyThreadState *state = compute_begin();
        bool done = ty_vmap(call_batched, &job, (int)job.n, x.all, places, (int)job.m, y.all, job.axes);
        compute_end(state);
        result = results_of(done, job.m, &y);
    }
    PyMem_Free(places);
end:
    drop(&x);
    drop(&y);
    Py_XDECREF(job.functions);
    return result;
}

/* ---- loops ---- */

static void call_step(void *context, ty_step *step) {
    const struct job *job = context;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *carry = list_of_tensors(job->m, step->carry), *x = list_of_tensors(job->n, step->x);
    PyObject *index = array_take(ty_retain(step->index));
    bool good = carry && x && index;
    PyObject *made = good ? call(job, 0, Py_BuildValue("(OOO)", index, carry, x)) : NULL;
    good = made && PyTuple_Check(made) && PyTuple_Size(made) == 2;
    if (made && !good) PyErr_SetString(PyExc_TypeError, "expected the next carries and results");
    good = good && give_all(PyTuple_GetItem(made, 0), job->m, step->next) &&
           give_all(PyTuple_GetItem(made, 1), job->extra, step->y);
    if (!good) {
        ty_tensor *poison = poison_of_exception();
        for (Py_ssize_t i = 0; i < job->m; i++) step->next[i] = poison;
        for (Py_ssize_t i = 0; i < job->extra; i++) step->y[i] = poison;
    }
    Py_XDECREF(made);
    Py_XDECREF(carry);
    Py_XDECREF(x);
    Py_XDECREF(index);
    PyGILState_Release(lock);
}

static PyObject *scan(PyObject *module, PyObject *args) {
    PyObject *function, *carries, *sequences, *result = NULL;
    struct job job = {NULL};
    struct tensors carry = {0, NULL}, x = {0, NULL}, y = {0, NULL};
    long long length, checkpoint;
    int reverse;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOnLpL:scan", &function, &carries, &sequences, &job.extra, &length,
                          &reverse, &checkpoint))
        return NULL;
    if (one_function(&job, function) && take(carries, "scan", &carry) && take(sequences, "scan", &x) &&
        make_room(carry.n + job.extra, &y)) {
        job.n = x.n;
        job.m = carry.n;
        ty_scan_spec loop = {.ncarry = (int)carry.n,
                             .carry = carry.all,
                             .nx = (int)x.n,
                             .x = x.all,
                             .ny = (int)job.extra,
                             .length = length,
                             .reverse = reverse,
                             .checkpoint = checkpoint};
        PyThreadState *state = compute_begin();
        bool done = ty_scan(call_step, &job, loop, y.all, y.all + carry.n, NULL);
        compute_end(state);
        result = results_of(done, carry.n + job.extra, &y);
    }
    drop(&carry);
    drop(&x);
    drop(&y);
    Py_XDECREF(job.functions);
    return result;
}

static ty_tensor *call_condition(void *context, ty_tensor *const *carry) {
    const struct job *job = context;
    ty_tensor *result = NULL;
    call_on(job, 0, job->n, carry, 1, &result);
    return result;
}

static void call_next(void *context, ty_tensor *const *carry, ty_tensor **next) {
    const struct job *job = context;
    call_on(job, 1, job->n, carry, job->n, next);
}

static PyObject *while_loop(PyObject *module, PyObject *args) {
    PyObject *condition, *next, *carries, *result = NULL;
    struct job job = {NULL};
    struct tensors carry = {0, NULL}, y = {0, NULL};
    long long most;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOL:while_loop", &condition, &next, &carries, &most)) return NULL;
    job.functions = PyTuple_Pack(2, condition, next);
    if (job.functions && take(carries, "while_loop", &carry) && make_room(carry.n, &y)) {
        job.n = carry.n;
        PyThreadState *state = compute_begin();
        bool done = ty_while(call_condition, call_next, &job, (int)carry.n, carry.all, most, y.all, NULL);
        compute_end(state);
        result = results_of(done, carry.n, &y);
    }
    drop(&carry);
    drop(&y);
    Py_XDECREF(job.functions);
    return result;
}

/* ---- branches ---- */

/* Branches have one context and no number, so each number has a function of its own. */
#define BRANCH(i)                                                                                            \
    static void branch_##i(void *context, ty_tensor *const *x, ty_tensor **results) {                        \
        const struct job *job = context;                                                                     \
        call_on(job, 0x##i, job->n, x, job->m, results);                                                     \
    }
#define BRANCHES_16(do, h)                                                                                   \
    do                                                                                                       \
    (h##0) do(h##1) do(h##2) do(h##3) do(h##4) do(h##5) do(h##6) do(h##7) do(h##8) do(h##9) do(h##a) do(     \
        h##b) do(h##c) do(h##d) do(h##e) do(h##f)
#define BRANCHES(do)                                                                                         \
    BRANCHES_16(do, 0)                                                                                       \
    BRANCHES_16(do, 1)                                                                                       \
    BRANCHES_16(do, 2) BRANCHES_16(do, 3) BRANCHES_16(do, 4) BRANCHES_16(do, 5) BRANCHES_16(do, 6)           \
        BRANCHES_16(do, 7)
BRANCHES(BRANCH)
#define BRANCH_NAME(i) branch_##i,
static const ty_branch branches[] = {BRANCHES(BRANCH_NAME)};
enum { BRANCHES_MOST = sizeof branches / sizeof *branches };

static PyObject *choose(PyObject *module, PyObject *args) {
    PyObject *index, *functions, *operands, *result = NULL;
    struct job job = {NULL};
    struct tensors x = {0, NULL}, y = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!On:switch", &index, &PyTuple_Type, &functions, &operands, &job.m))
        return NULL;
    Py_ssize_t count = PyTuple_Size(functions);
    if (count < 1 || count > BRANCHES_MOST)
        return PyErr_Format(PyExc_ValueError, "switch: %zd branches; expected 1 to %d", count, BRANCHES_MOST);
    job.functions = new_ref(functions);
    ty_tensor *which = tensor_from(index, "index");
    if (which && take(operands, "switch", &x) && make_room(job.m, &y)) {
        job.n = x.n;
        PyThreadState *state = compute_begin();
        bool done = ty_dtype_of(which) == TY_BOOL && count == 2
                        ? ty_cond(which, branches[0], branches[1], &job, (int)x.n, x.all, (int)job.m, y.all)
                        : ty_switch(which, (int)count, branches, &job, (int)x.n, x.all, (int)job.m, y.all);
        compute_end(state);
        result = results_of(done, job.m, &y);
    }
    ty_release(which);
    drop(&x);
    drop(&y);
    Py_XDECREF(job.functions);
    return result;
}

/* ---- rules of derivatives ---- */

/* Make the job of a rule, which lives until release_rule. */
static struct job *rule_new(PyObject *functions, Py_ssize_t n) {
    struct job *job = calloc(1, sizeof *job);
    if (!job) return PyErr_NoMemory(), NULL;
    *job = (struct job){.functions = new_ref(functions), .n = n, .m = 1};
    return job;
}

/* Free a rule's job, on any thread.  After the end of the interpreter its objects are gone. */
static void release_rule(void *context) {
    struct job *job = context;
    if (Py_IsInitialized()) {
        PyGILState_STATE lock = PyGILState_Ensure();
        Py_DECREF(job->functions);
        PyGILState_Release(lock);
    }
    free(job);
}

static ty_tensor *call_body(void *context, ty_tensor *const *x) {
    const struct job *job = context;
    ty_tensor *y = NULL;
    call_on(job, 0, job->n, x, 1, &y);
    return y;
}

/* Call the rule's vjp: vjp(x, y, g) returns a list of gradients and None. */
static void call_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                     ty_tensor **gradients) {
    const struct job *job = context;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *operands = list_of_tensors(n, x), *value = array_take(ty_retain(y)),
             *flow = array_take(ty_retain(g));
    bool good = operands && value && flow;
    PyObject *made = good ? call(job, 1, Py_BuildValue("(OOO)", operands, value, flow)) : NULL;
    if (!made || !give_all(made, n, gradients)) fail(n, gradients);
    Py_XDECREF(made);
    Py_XDECREF(operands);
    Py_XDECREF(value);
    Py_XDECREF(flow);
    PyGILState_Release(lock);
}

/* Call the rule's jvp: jvp(x, y, t) returns a tangent or None; t has None for 0. */
static ty_tensor *call_jvp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    const struct job *job = context;
    ty_tensor *tangent = NULL;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *operands = list_of_tensors(n, x), *value = array_take(ty_retain(y)),
             *moves = list_of_tensors(n, t);
    bool good = operands && value && moves;
    PyObject *made = good ? call(job, 2, Py_BuildValue("(OOO)", operands, value, moves)) : NULL;
    if (made && made != Py_None && !is_array(made))
        PyErr_Format(PyExc_TypeError, "the rule's jvp returned %R; expected an array", made);
    if (!made || PyErr_Occurred())
        tangent = poison_of_exception();
    else if (made != Py_None)
        tangent = give(made);
    Py_XDECREF(made);
    Py_XDECREF(operands);
    Py_XDECREF(value);
    Py_XDECREF(moves);
    PyGILState_Release(lock);
    return tangent;
}

static PyObject *apply(PyObject *module, PyObject *args) {
    PyObject *function, *vjp, *jvp, *operands, *result = NULL;
    struct tensors x = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO:apply", &function, &vjp, &jvp, &operands)) return NULL;
    PyObject *functions = PyTuple_Pack(3, function, vjp, jvp);
    struct job *job = functions && take(operands, "apply", &x) ? rule_new(functions, x.n) : NULL;
    if (job) {
        ty_custom rule = {.f = call_body,
                          .vjp = vjp == Py_None ? NULL : call_vjp,
                          .jvp = jvp == Py_None ? NULL : call_jvp,
                          .context = job,
                          .release = release_rule};
        PyThreadState *state = compute_begin();
        ty_tensor *y = ty_own(ty_apply(rule, (int)x.n, x.all));
        compute_end(state);
        result = array_take(y);
    }
    drop(&x);
    Py_XDECREF(functions);
    return result;
}

static void release_borrowed(void *context, void *data) {
    (void)data;
    release_rule(context);
}

/* A checkpoint has no function that is called at its end.  So a further operand without elements, which its function
   does not use, lives as long as it, and frees the job. */
static PyObject *checkpoint(PyObject *module, PyObject *args) {
    PyObject *function, *operands, *result = NULL;
    struct job holder = {NULL};
    struct tensors x = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:checkpoint", &function, &operands)) return NULL;
    struct job *job = one_function(&holder, function) && take(operands, "checkpoint", &x)
                          ? rule_new(holder.functions, x.n)
                          : NULL;
    if (job) {
        x.all[x.n++] = ty_own(ty_borrow(TY_BOOL, 1, (int64_t[]){0}, NULL, release_borrowed, job));
        PyThreadState *state = compute_begin();
        ty_tensor *y = ty_own(ty_checkpoint(call_body, job, (int)x.n, x.all));
        compute_end(state);
        result = array_take(y);
    }
    drop(&x);
    Py_XDECREF(holder.functions);
    return result;
}

/* ---- compiled functions ---- */

#define FUNCTION_NAME "tyto.function"

/* A compiled function, and the function of Python that records it. */
struct compiled {
    ty_function *function;
    struct job job;
};

static void drop_compiled(PyObject *capsule) {
    struct compiled *c = PyCapsule_GetPointer(capsule, FUNCTION_NAME);
    ty_function_free(c->function);
    Py_XDECREF(c->job.functions);
    free(c);
}

static PyObject *function_new(PyObject *module, PyObject *args) {
    PyObject *function;
    struct compiled *c = calloc(1, sizeof *c);
    (void)module;
    if (!c) return PyErr_NoMemory();
    if (!PyArg_ParseTuple(args, "Onn:function_new", &function, &c->job.n, &c->job.m) ||
        !one_function(&c->job, function)) {
        free(c);
        return NULL;
    }
    c->function = ty_function_new(call_branch, &c->job, (int)c->job.n, (int)c->job.m,
                                  (ty_compile_options){.nupdates = 0});
    PyObject *capsule = PyCapsule_New(c, FUNCTION_NAME, drop_compiled);
    ty_tensor *failure = ty_own(ty_function_failure(c->function));
    if (capsule && ty_function_error(c->function)[0]) {
        raise_poison(failure);
        Py_CLEAR(capsule);
    }
    ty_release(failure);
    return capsule;
}

/* Give the operands away whose numbers are in `gifts`: their arrays alone hold them from now on. */
static bool give_away(PyObject *gifts, struct tensors *x) {
    for (Py_ssize_t i = 0, n = PyTuple_Size(gifts); i < n; i++) {
        int64_t which;
        if (!int_from(PyTuple_GetItem(gifts, i), "donate", &which)) return false;
        if (which < 0 || which >= x->n) continue;
        ty_release(x->all[which]); /* the array in the list of operands holds it */
        ty_give(x->all[which]);
    }
    return true;
}

/* Take the references back that give_away has dropped. */
static void take_back(PyObject *gifts, struct tensors *x) {
    for (Py_ssize_t i = 0, n = PyTuple_Size(gifts); i < n; i++) {
        Py_ssize_t which = PyLong_AsSsize_t(PyTuple_GetItem(gifts, i));
        if (which >= 0 && which < x->n) ty_retain(x->all[which]);
    }
}

static PyObject *function_call(PyObject *module, PyObject *args) {
    PyObject *capsule, *operands, *gifts, *result = NULL;
    struct tensors x = {0, NULL}, y = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!:function_call", &capsule, &operands, &PyTuple_Type, &gifts))
        return NULL;
    struct compiled *c = PyCapsule_GetPointer(capsule, FUNCTION_NAME);
    if (c && take(operands, "jit", &x) && make_room(c->job.m, &y) && give_away(gifts, &x)) {
        PyThreadState *state = compute_begin();
        bool done = ty_function_call(c->function, (int)x.n, x.all, (int)c->job.m, y.all);
        compute_end(state);
        take_back(gifts, &x);
        result = results_of(done, c->job.m, &y);
    }
    drop(&x);
    drop(&y);
    return result;
}

static PyObject *function_programs(PyObject *module, PyObject *capsule) {
    (void)module;
    struct compiled *c = PyCapsule_GetPointer(capsule, FUNCTION_NAME);
    return c ? PyLong_FromLongLong(ty_function_compiles(c->function)) : NULL;
}

/* ---- the module ---- */

/* Return a tensor by which a function is differentiated: a tracked copy of a value, else another node of the graph. */
static PyObject *stand_in(PyObject *module, PyObject *object) {
    (void)module;
    ty_tensor *x = tensor_from(object, "x");
    if (!x) return NULL;
    ty_tensor *y;
    if (ty_is_promise(x) || ty_operator(x)[0]) {
        ty_tensor *wide = ty_own(ty_expand(x, 0));
        y = ty_own(ty_squeeze(wide, 0));
        ty_release(wide);
    } else
        y = ty_own(ty_track(x, ty_name(x)));
    ty_release(x);
    return array_take(y);
}

static PyMethodDef functions[] = {
    {"transform_vmap", vmap, METH_VARARGS,
     "vmap(f, operands, axes, m): f(operands) returns m results and their axes."},
    {"transform_scan", scan, METH_VARARGS,
     "scan(f, carry, x, ny, length, reverse, checkpoint): f(index, carry, x) returns the next carries and ny "
     "results."},
    {"transform_while", while_loop, METH_VARARGS, "while(condition, next, carry, most)."},
    {"transform_switch", choose, METH_VARARGS, "switch(index, functions, operands, m)."},
    {"transform_apply", apply, METH_VARARGS,
     "apply(f, vjp, jvp, operands): a function with rules of its own."},
    {"transform_checkpoint", checkpoint, METH_VARARGS,
     "checkpoint(f, operands): f is called again for a gradient."},
    {"transform_function", function_new, METH_VARARGS, "function(f, n, m): compile f when it is called."},
    {"transform_call", function_call, METH_VARARGS, "call(function, operands, gifts)."},
    {"transform_programs", function_programs, METH_O, "Return the number of compiled programs."},
    {"transform_stand_in", stand_in, METH_O, "Return an array by which a function can be differentiated."},
    {NULL, NULL, 0, NULL},
};

bool add_transforms(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }
