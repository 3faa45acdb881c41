/* Calls that compute without the global lock: ctrl-C stops them, and other threads run Python meanwhile. */
#ifndef TYTO_PYTHON_COMPUTE_H
#define TYTO_PYTHON_COMPUTE_H
#include "tyto_python.h"

/* Give up the global lock around a call of the library that computes, in the place of PyEval_SaveThread and
   PyEval_RestoreThread.  Pairs nest through callbacks.

   On the main thread ctrl-C stops the call within some milliseconds: it returns poison of TY_ERROR_INTERRUPTED, which
   raise_poison turns into KeyboardInterrupt.  Other threads compute in contexts of their own, so they go on. */
PyThreadState *compute_begin(void);
void compute_end(PyThreadState *state);

/* Raise the exception for which this thread's call was stopped: that of a function for progress, or of a signal.
   False if there is none. */
bool raise_stopped(void);

bool add_compute(PyObject *module);

#endif
