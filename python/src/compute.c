/*
 * Signals, progress and threads of calls that compute without the global lock.
 *
 * Python's own handler of SIGINT only notes the signal, and the interpreter looks at the note after the call.  So a
 * handler in front of it also asks the main thread's context to stop.  It does so only while the main thread is inside
 * a call, since a context that was asked would refuse later calls.
 */
#include "compute.h"
#include <signal.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#else
#include <pthread.h>
#endif

/* ---- ctrl-C ---- */

static volatile sig_atomic_t inside,
    asked;                             /* depth of the main thread's calls; a call of it was asked to stop */
static ty_context *volatile inside_of; /* context of the innermost one; NULL: the default one */
static struct sigaction python;        /* the handler behind ours */

static void on_interrupt(int number, siginfo_t *info, void *more) {
    if (inside) {
        asked = 1;
        ty_interrupt(inside_of);
    }
    if (python.sa_flags & SA_SIGINFO)
        python.sa_sigaction(number, info, more);
    else
        python.sa_handler(number);
}

/* Put the handler in front of Python's, unless it is there already.  A program may have set another one since. */
static void listen(void) {
    struct sigaction now;
    if (sigaction(SIGINT, NULL, &now)) return;
    bool with_facts = now.sa_flags & SA_SIGINFO;
    if (with_facts && now.sa_sigaction == on_interrupt) return;
    if (!with_facts && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) return;
    python = now;
    now.sa_sigaction = on_interrupt;
    now.sa_flags |= SA_SIGINFO;
    sigaction(SIGINT, &now, NULL);
}

/* ---- threads ---- */

static bool is_first_thread(void) {
#ifdef __linux__
    return syscall(SYS_gettid) == getpid();
#else
    return pthread_main_np();
#endif
}

/* State of a thread. */
static _Thread_local struct {
    bool known, main;
    int depth;         /* of its calls */
    PyObject *stopped; /* exception of the function for progress that stopped its call */
} thread;

/* Let a thread that is not the main one compute in a context of its own, with the present settings. */
static void use_own_context(void) {
    if (ty_context_now()) return;
    ty_context *own = ty_context_new((ty_context_options){
        .threads = ty_threads(), .workspace = ty_workspace(), .engine = ty_engine_name()});
    if (!ty_context_failure(own)) ty_context_use(own);
    ty_context_free(own); /* the thread keeps it */
}

PyThreadState *compute_begin(void) {
    if (!thread.known) {
        thread.known = true;
        thread.main = is_first_thread();
        if (!thread.main) use_own_context();
    }
    if (!thread.depth++)
        Py_CLEAR(thread.stopped); /* left by a call that had ended before it could be stopped */
    if (thread.main) {
        listen();
        inside_of = ty_context_now();
        inside++;
    }
    return PyEval_SaveThread();
}

void compute_end(PyThreadState *state) {
    if (thread.main) {
        inside--;
        if (asked) {
            asked = 0;
            ty_resume(inside_of);
        }
    }
    PyEval_RestoreThread(state);
    thread.depth--;
}

bool raise_stopped(void) {
    if (thread.stopped) {
        PyObject *exception = thread.stopped;
        thread.stopped = NULL;
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
        return true;
    }
    return PyErr_CheckSignals() != 0;
}

/* ---- progress ---- */

static PyObject *progress; /* the function that hears of progress; NULL: none */

/* Take the exception that is set, for raise_stopped. */
static void keep_exception(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && value) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    Py_XDECREF(thread.stopped);
    thread.stopped = value;
}

/* Report to Python's function, as tyto.progress describes. */
static bool report(void *data, const ty_progress_state *now) {
    (void)data;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *function = progress, *answer = NULL;
    Py_XINCREF(function);
    if (function)
        answer = PyObject_CallFunction(function, "sLLd", now->what, (long long)now->done,
                                       (long long)now->total, now->seconds);
    if (function && !answer) keep_exception();
    bool goes_on = !function || (answer && answer != Py_False);
    Py_XDECREF(answer);
    Py_XDECREF(function);
    PyGILState_Release(lock);
    return goes_on;
}

static PyObject *set_progress(PyObject *module, PyObject *function) {
    (void)module;
    if (function != Py_None && !PyCallable_Check(function))
        return PyErr_SetString(PyExc_TypeError, "progress: expected a function or None"), NULL;
    PyObject *before = progress;
    progress = function == Py_None ? NULL : new_ref(function);
    ty_context_set_progress(ty_context_now(), progress ? report : NULL, NULL);
    return before ? before : new_ref(Py_None);
}

static PyMethodDef functions[] = {
    {"progress", set_progress, METH_O,
     "progress(function, /)\n--\n\n"
     "Call function(what, done, total, seconds) up to ten times a second during long calls.\n\n"
     "what: a word such as \"fit\" or \"compile\"; done: units of work so far; total: units in all, 0 if "
     "unknown;\n"
     "seconds: time since the work began.  False as its result stops the call, which raises "
     "InterruptedError; an\n"
     "exception stops the call and comes out unchanged.  None: no reports.  Returns the function before.  "
     "The\n"
     "calling thread's context reports: that of the main thread, or of another thread alone."},
    {NULL, NULL, 0, NULL},
};

bool add_compute(PyObject *module) {
    if (is_first_thread()) listen();
    return PyModule_AddFunctions(module, functions) == 0;
}
