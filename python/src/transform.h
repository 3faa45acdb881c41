/* Files that let the library call functions of Python share these: lists of arrays, and jobs. */
#ifndef TYTO_PYTHON_TRANSFORM_H
#define TYTO_PYTHON_TRANSFORM_H
#include "compute.h"

/* Tensors of a call, in one block. */
struct tensors {
    Py_ssize_t n;
    ty_tensor **all;
};

/* Release the tensors and free the block. */
void tensors_drop(struct tensors *t);
/* Get the tensors of a sequence of arrays and numbers, with references; false with an exception. */
bool tensors_take(PyObject *sequence, const char *name, struct tensors *t);
/* Make room for n results; false with MemoryError. */
bool tensors_room(Py_ssize_t n, struct tensors *t);
/* Make a list of n tensors that stay the library's; NULL becomes None. */
PyObject *tensors_list(Py_ssize_t n, ty_tensor *const *x);

/* Functions of one call of the library, with the numbers of their operands and results. */
struct job {
    PyObject *functions; /* a tuple */
    Py_ssize_t n, m;     /* operands; results of the first function */
    Py_ssize_t extra;    /* further results */
    int *axes;           /* a batch: axes of the results, which the function states */
    bool called;         /* a rule: its function was called */
    uint64_t ended;      /* a rule: the clock of assignments at the end of that call */
};

/* Set job->functions to a tuple of one function; false with an exception. */
bool job_of(struct job *job, PyObject *function);
/* Make a list of n results of a call, or raise the error of the poisoned ones. */
PyObject *job_results(bool done, Py_ssize_t n, struct tensors *t);

/* Inside of a call, with the global lock: */

/* Give the library a reference to an array's tensor, as a callback returns its result. */
ty_tensor *give_result(PyObject *array);
/* Write the arrays of a list to results[n]; None becomes NULL.  False with an exception if they are others. */
bool give_results(PyObject *list, Py_ssize_t n, ty_tensor **results);
/* Write poison of the exception that is set to all results. */
void fail_results(Py_ssize_t n, ty_tensor **results);
/* Call function `which` of a job with a tuple of arguments, which is dropped; NULL with an exception. */
PyObject *call_python(const struct job *job, int which, PyObject *args);

/* Inside of a call, without the lock: call function `which` on n tensors, and write its m results, or poison. */
void call_on(const struct job *job, int which, Py_ssize_t n, ty_tensor *const *x, Py_ssize_t m,
             ty_tensor **results);

extern PyMethodDef control_functions[]; /* control.c */

#endif
