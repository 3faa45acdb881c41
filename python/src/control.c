/* Loops, branches and rules of derivatives whose bodies are functions of Python. */
#include "transform.h"
#include <stdlib.h>

/* ---- loops ---- */

static void call_step(void *context, ty_step *step) {
    const struct job *job = context;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *carry = tensors_list(job->m, step->carry), *x = tensors_list(job->n, step->x);
    PyObject *index = array_take(ty_retain(step->index));
    bool good = carry && x && index;
    PyObject *made = good ? call_python(job, 0, Py_BuildValue("(OOO)", index, carry, x)) : NULL;
    good = made && PyTuple_Check(made) && PyTuple_Size(made) == 2;
    if (made && !good) PyErr_SetString(PyExc_TypeError, "expected the next carries and results");
    good = good && give_results(PyTuple_GetItem(made, 0), job->m, step->next) &&
           give_results(PyTuple_GetItem(made, 1), job->extra, step->y);
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
    struct job job = {.functions = NULL};
    struct tensors carry = {0, NULL}, x = {0, NULL}, y = {0, NULL};
    long long length, checkpoint;
    int reverse;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOnLpL:scan", &function, &carries, &sequences, &job.extra, &length,
                          &reverse, &checkpoint))
        return NULL;
    if (job_of(&job, function) && tensors_take(carries, "scan", &carry) &&
        tensors_take(sequences, "scan", &x) && tensors_room(carry.n + job.extra, &y)) {
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
        result = job_results(done, carry.n + job.extra, &y);
    }
    tensors_drop(&carry);
    tensors_drop(&x);
    tensors_drop(&y);
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
    struct job job = {.functions = NULL};
    struct tensors carry = {0, NULL}, y = {0, NULL};
    long long most;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOL:while_loop", &condition, &next, &carries, &most)) return NULL;
    job.functions = PyTuple_Pack(2, condition, next);
    if (job.functions && tensors_take(carries, "while_loop", &carry) && tensors_room(carry.n, &y)) {
        job.n = carry.n;
        PyThreadState *state = compute_begin();
        bool done = ty_while(call_condition, call_next, &job, (int)carry.n, carry.all, most, y.all, NULL);
        compute_end(state);
        result = job_results(done, carry.n, &y);
    }
    tensors_drop(&carry);
    tensors_drop(&y);
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
    BRANCHES_16(do, 2)                                                                                       \
    BRANCHES_16(do, 3) BRANCHES_16(do, 4) BRANCHES_16(do, 5) BRANCHES_16(do, 6) BRANCHES_16(do, 7)
BRANCHES(BRANCH)
#define BRANCH_NAME(i) branch_##i,
static const ty_branch branches[] = {BRANCHES(BRANCH_NAME)};
enum { BRANCHES_MOST = sizeof branches / sizeof *branches };

static PyObject *choose(PyObject *module, PyObject *args) {
    PyObject *index, *functions, *operands, *result = NULL;
    struct job job = {.functions = NULL};
    struct tensors x = {0, NULL}, y = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!On:switch", &index, &PyTuple_Type, &functions, &operands, &job.m))
        return NULL;
    Py_ssize_t count = PyTuple_Size(functions);
    if (count < 1 || count > BRANCHES_MOST)
        return PyErr_Format(PyExc_ValueError, "switch: %zd branches; expected 1 to %d", count, BRANCHES_MOST);
    job.functions = new_ref(functions);
    ty_tensor *which = tensor_from(index, "index");
    if (which && tensors_take(operands, "switch", &x) && tensors_room(job.m, &y)) {
        job.n = x.n;
        PyThreadState *state = compute_begin();
        bool done = ty_dtype_of(which) == TY_BOOL && count == 2
                        ? ty_cond(which, branches[0], branches[1], &job, (int)x.n, x.all, (int)job.m, y.all)
                        : ty_switch(which, (int)count, branches, &job, (int)x.n, x.all, (int)job.m, y.all);
        compute_end(state);
        result = job_results(done, job.m, &y);
    }
    ty_release(which);
    tensors_drop(&x);
    tensors_drop(&y);
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

/* Call the function of a rule for its value, or again for a gradient. */
static ty_tensor *call_body(void *context, ty_tensor *const *x) {
    struct job *job = context;
    ty_tensor *y = NULL;
    PyGILState_STATE lock = PyGILState_Ensure();
    struct replay span;
    replay_begin(&span, job->called ? job->ended : assignments);
    call_on(job, 0, job->n, x, 1, &y);
    replay_end(&span);
    if (!job->called) job->ended = assignments;
    job->called = true;
    PyGILState_Release(lock);
    return y;
}

/* Call a rule's derivative, which must find arrays as the function has found them. */
static PyObject *call_rule(const struct job *job, int which, PyObject *args) {
    struct replay span;
    replay_begin(&span, job->ended);
    PyObject *made = call_python(job, which, args);
    replay_end(&span);
    return made;
}

/* Call the rule's vjp: vjp(x, y, g) returns a list of gradients and None. */
static void call_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                     ty_tensor **gradients) {
    const struct job *job = context;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *operands = tensors_list(n, x), *value = array_take(ty_retain(y)),
             *flow = array_take(ty_retain(g));
    bool good = operands && value && flow;
    PyObject *made = good ? call_rule(job, 1, Py_BuildValue("(OOO)", operands, value, flow)) : NULL;
    if (!made || !give_results(made, n, gradients)) fail_results(n, gradients);
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
    PyObject *operands = tensors_list(n, x), *value = array_take(ty_retain(y)), *moves = tensors_list(n, t);
    bool good = operands && value && moves;
    PyObject *made = good ? call_rule(job, 2, Py_BuildValue("(OOO)", operands, value, moves)) : NULL;
    if (made && made != Py_None && !is_array(made))
        PyErr_Format(PyExc_TypeError, "the rule's jvp returned %R; expected an array", made);
    if (!made || PyErr_Occurred())
        tangent = poison_of_exception();
    else if (made != Py_None)
        tangent = give_result(made);
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
    struct job *job = functions && tensors_take(operands, "apply", &x) ? rule_new(functions, x.n) : NULL;
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
    tensors_drop(&x);
    Py_XDECREF(functions);
    return result;
}

/* ---- the functions of the module ---- */

PyMethodDef control_functions[] = {
    {"_transform_scan", scan, METH_VARARGS,
     "scan(f, carry, x, ny, length, reverse, checkpoint): f(index, carry, x) returns the next carries and ny "
     "results."},
    {"_transform_while", while_loop, METH_VARARGS, "while(condition, next, carry, most)."},
    {"_transform_switch", choose, METH_VARARGS, "switch(index, functions, operands, m)."},
    {"_transform_apply", apply, METH_VARARGS,
     "apply(f, vjp, jvp, operands): a function with rules of its own."},
    {NULL, NULL, 0, NULL},
};
