/*
 * Batches and compiled functions whose bodies are functions of Python.  tyto/_transform.py and others turn trees of
 * arguments into the lists that these take.
 *
 * A function of Python gets lists of arrays, and returns lists of as many arrays as were announced.  Its exceptions
 * become poison inside of the library, and come out of the call unchanged (poison_of_exception).
 */
#include "transform.h"

/* ---- lists of arrays ---- */

void tensors_drop(struct tensors *t) {
    for (Py_ssize_t i = 0; i < t->n; i++) ty_release(t->all[i]);
    PyMem_Free(t->all);
    *t = (struct tensors){0, NULL};
}

bool tensors_take(PyObject *sequence, const char *name, struct tensors *t) {
    *t = (struct tensors){0, NULL};
    Py_ssize_t n = PySequence_Size(sequence);
    if (n < 0) return false;
    t->all = PyMem_Calloc((size_t)n + 1, sizeof *t->all);
    if (!t->all) return PyErr_NoMemory(), false;
    for (; t->n < n; t->n++) {
        PyObject *item = PySequence_GetItem(sequence, t->n);
        t->all[t->n] = item ? tensor_from(item, name) : NULL;
        Py_XDECREF(item);
        if (!t->all[t->n]) return tensors_drop(t), false;
    }
    return true;
}

bool tensors_room(Py_ssize_t n, struct tensors *t) {
    *t = (struct tensors){0, PyMem_Calloc((size_t)n + 1, sizeof *t->all)};
    if (!t->all) PyErr_NoMemory();
    return t->all;
}

PyObject *tensors_list(Py_ssize_t n, ty_tensor *const *x) {
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *item = x[i] ? array_take(ty_retain(x[i])) : new_ref(Py_None);
        if (!item) Py_CLEAR(list);
        if (list) PyList_SetItem(list, i, item);
    }
    return list;
}

ty_tensor *give_result(PyObject *array) { return ty_disown(ty_retain(tensor_of_array(array))); }

bool give_results(PyObject *sequence, Py_ssize_t n, ty_tensor **results) {
    if (!PyList_Check(sequence) || PyList_Size(sequence) != n)
        return PyErr_Format(PyExc_TypeError, "expected a list of %zd arrays, not %R", n, sequence), false;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(sequence, i);
        if (!is_array(item) && item != Py_None)
            return PyErr_Format(PyExc_TypeError, "expected an array, not %R", item), false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(sequence, i);
        results[i] = item == Py_None ? NULL : give_result(item);
    }
    return true;
}

/* ---- calls of Python ---- */

/* Number of functions of Python that the library is calling on this thread, one inside the other. */
_Thread_local int recording;

PyObject *call_python(const struct job *job, int which, PyObject *args) {
    recording++;
    PyObject *result = args ? PyObject_CallObject(PyTuple_GetItem(job->functions, which), args) : NULL;
    recording--;
    Py_XDECREF(args);
    return result;
}

static PyObject *is_recording(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyBool_FromLong(recording > 0);
}

void fail_results(Py_ssize_t n, ty_tensor **results) {
    ty_tensor *poison = poison_of_exception();
    for (Py_ssize_t i = 0; i < n; i++) results[i] = poison;
}

void call_on(const struct job *job, int which, Py_ssize_t n, ty_tensor *const *x, Py_ssize_t m,
             ty_tensor **results) {
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *list = tensors_list(n, x);
    PyObject *made = call_python(job, which, list ? Py_BuildValue("(N)", list) : NULL);
    if (!made || !give_results(made, m, results)) fail_results(m, results);
    Py_XDECREF(made);
    PyGILState_Release(lock);
}

static void call_branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    const struct job *job = context;
    call_on(job, 0, job->n, x, job->m, results);
}

PyObject *job_results(bool done, Py_ssize_t n, struct tensors *t) {
    if (done || n) return arrays_of_results(n, t->all);
    if (!PyErr_Occurred()) PyErr_SetString(error_class(TY_ERROR_USER), "the function failed");
    return NULL;
}

bool job_of(struct job *job, PyObject *function) {
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
    PyObject *list = tensors_list(job->n, x);
    PyObject *made = call_python(job, 0, list ? Py_BuildValue("(N)", list) : NULL);
    bool good = made && PyTuple_Check(made) && PyTuple_Size(made) == 2;
    if (made && !good) PyErr_SetString(PyExc_TypeError, "expected results and their axes");
    good = good && take_axes(PyTuple_GetItem(made, 1), job->m, job->axes) &&
           give_results(PyTuple_GetItem(made, 0), job->m, results);
    if (!good) fail_results(job->m, results);
    Py_XDECREF(made);
    PyGILState_Release(lock);
}

static PyObject *vmap(PyObject *module, PyObject *args) {
    PyObject *function, *operands, *axes, *result = NULL;
    struct job job = {.functions = NULL};
    struct tensors x = {0, NULL}, y = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOn:vmap", &function, &operands, &axes, &job.m)) return NULL;
    if (!job_of(&job, function) || !tensors_take(operands, "vmap", &x) || !tensors_room(job.m, &y)) goto end;
    job.n = x.n;
    int *places = PyMem_Calloc((size_t)(job.n + job.m) + 1, sizeof *places);
    job.axes = places ? places + job.n : NULL;
    if (!places)
        PyErr_NoMemory();
    else if (take_axes(axes, job.n, places)) {
        PyThreadState *state = compute_begin();
        bool done = ty_vmap(call_batched, &job, (int)job.n, x.all, places, (int)job.m, y.all, job.axes);
        compute_end(state);
        result = job_results(done, job.m, &y);
    }
    PyMem_Free(places);
end:
    tensors_drop(&x);
    tensors_drop(&y);
    Py_XDECREF(job.functions);
    return result;
}

/* ---- compiled functions ---- */

/* A compiled function, and the function of Python that records it. */
struct compiled {
    PyObject_HEAD ty_function *function;
    struct job job;
};
static PyTypeObject *compiled_type;

static int visit_compiled(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((struct compiled *)self)->job.functions);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int clear_compiled(PyObject *self) {
    struct compiled *c = (struct compiled *)self;
    ty_function_free(c->function);
    c->function = NULL;
    Py_CLEAR(c->job.functions);
    return 0;
}

static void drop_compiled(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_compiled(self);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot compiled_slots[] = {
    {Py_tp_doc, (void *)"Function of the library that is compiled when it is called."},
    {Py_tp_traverse, (void *)visit_compiled},
    {Py_tp_clear, (void *)clear_compiled},
    {Py_tp_dealloc, (void *)drop_compiled},
    {0, NULL},
};

/* Return the compiled function of an object; NULL with TypeError for others. */
static struct compiled *compiled_of(PyObject *object) {
    struct compiled *c = (struct compiled *)object;
    if (Py_TYPE(object) == compiled_type && c->function) return c;
    PyErr_SetString(PyExc_TypeError, "expected a function of transform_function");
    return NULL;
}

static PyObject *function_new(PyObject *module, PyObject *args) {
    PyObject *function;
    struct job job = {.functions = NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "Onn:function_new", &function, &job.n, &job.m) || !job_of(&job, function))
        return NULL;
    struct compiled *c = PyObject_GC_New(struct compiled, compiled_type);
    if (!c) return Py_DECREF(job.functions), NULL;
    c->job = job;
    c->function =
        ty_function_new(call_branch, &c->job, (int)job.n, (int)job.m, (ty_compile_options){.nupdates = 0});
    PyObject_GC_Track((PyObject *)c);
    if (!ty_function_error(c->function)[0]) return (PyObject *)c;
    ty_tensor *failure = ty_own(ty_function_failure(c->function));
    raise_poison(failure);
    ty_release(failure);
    Py_DECREF((PyObject *)c);
    return NULL;
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
    PyObject *object, *operands, *gifts, *result = NULL;
    struct tensors x = {0, NULL}, y = {0, NULL};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!:function_call", &object, &operands, &PyTuple_Type, &gifts)) return NULL;
    struct compiled *c = compiled_of(object);
    if (c && tensors_take(operands, "jit", &x) && tensors_room(c->job.m, &y) && give_away(gifts, &x)) {
        PyThreadState *state = compute_begin();
        bool done = ty_function_call(c->function, (int)x.n, x.all, (int)c->job.m, y.all);
        compute_end(state);
        take_back(gifts, &x);
        result = job_results(done, c->job.m, &y);
    }
    tensors_drop(&x);
    tensors_drop(&y);
    return result;
}

static PyObject *function_programs(PyObject *module, PyObject *object) {
    (void)module;
    struct compiled *c = compiled_of(object);
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

/* Return a new array of an array's tensor, which assignments to that array leave. */
static PyObject *hold(PyObject *module, PyObject *object) {
    (void)module;
    if (is_array(object)) return array_take(ty_retain(tensor_of_array(object)));
    return PyErr_SetString(PyExc_TypeError, "expected an array"), NULL;
}

static PyMethodDef functions[] = {
    {"_transform_vmap", vmap, METH_VARARGS,
     "vmap(f, operands, axes, m): f(operands) returns m results and their axes."},
    {"_transform_function", function_new, METH_VARARGS, "function(f, n, m): compile f when it is called."},
    {"_transform_call", function_call, METH_VARARGS, "call(function, operands, gifts)."},
    {"_transform_programs", function_programs, METH_O, "Return the number of compiled programs."},
    {"_transform_recording", is_recording, METH_NOARGS,
     "Return true inside of a function that the library calls."},
    {"_transform_hold", hold, METH_O, "Return a new array of the tensor that an array has now."},
    {"_transform_stand_in", stand_in, METH_O, "Return an array by which a function can be differentiated."},
    {NULL, NULL, 0, NULL},
};

bool add_transforms(PyObject *module) {
    PyType_Spec spec = {"tyto.Compiled", sizeof(struct compiled), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                        compiled_slots};
    compiled_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return compiled_type && PyModule_AddFunctions(module, functions) == 0 &&
           PyModule_AddFunctions(module, control_functions) == 0;
}
