/* Files that exchange memory with other libraries share these. */
#ifndef TYTO_PYTHON_EXCHANGE_H
#define TYTO_PYTHON_EXCHANGE_H
#include <tyto/dlpack.h>
#include "compute.h"

/* Return the value of a promise, or x itself, which the caller owns; NULL with an exception. */
ty_tensor *evaluated(ty_tensor *x);
/*
 * Return the value of x in the host's memory, for `name`, which gives the address to others.  The caller owns one
 * reference.
 *
 * NULL with an exception: TypeError for a tracked array, whose gradient would not see others; BufferError for one on a
 * device.
 */
ty_tensor *value_for_others(ty_tensor *x, const char *name);
/* Turn a value into memory.  False, without an exception, if others may only read it. */
bool let_write(ty_tensor *value);

/* Return a tensor over the memory of an object with a buffer (buffer.c).  `copy` and the result: foreign_from. */
ty_tensor *tensor_of_buffer(PyObject *object, int copy);
/* Return a tensor over the memory that __array_interface__ describes: a dict.  `owner` stays alive with it. */
ty_tensor *tensor_of_interface(PyObject *interface, PyObject *owner, int copy);

/* Return a tensor of an object with __dlpack__, or of a capsule (dlpack.c).  `copy` and the result: foreign_from. */
ty_tensor *tensor_of_dlpack(PyObject *object, int copy);
/* Return x, or a copy if `copy` is 1, whose reference takes the place of x's. */
ty_tensor *as_wished(ty_tensor *x, int copy);
/* Methods of arrays, and a function of the module (dlpack.c). */
PyObject *to_dlpack(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *dlpack_device(PyObject *self, PyObject *unused);
PyObject *from_dlpack(PyObject *module, PyObject *args, PyObject *keywords);

/* Function of the module: array_of_bytes(dtype, shape, object), over the object's bytes, which are copied if they are
   read-only. */
PyObject *array_of_bytes(PyObject *module, PyObject *args);
/* Function of the module: the value of an array in row-major order, in a dtype that has a format of buffers. */
PyObject *rows_of(PyObject *module, PyObject *object);

/* Return the characters of struct for a dtype; NULL: there are none. */
const char *buffer_format(ty_dtype dtype);

extern PyType_Slot exchange_slots[]; /* buffer.c */

#endif
