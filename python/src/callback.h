/* Functions of Python that the library calls. */
#ifndef TYTO_PYTHON_CALLBACK_H
#define TYTO_PYTHON_CALLBACK_H
#include "marshal.h"

enum { SLOTS = 3 }; /* functions that share one context */

/* Contexts of callbacks, which the library gets: functions of Python, and numbers of arrays. */
struct callable {
    struct callable *next; /* of the same call */
    const struct callback *of;
    const char *place;  /* the member of C with the context */
    const char *memory; /* the struct that the callback is a member of */
    PyObject *functions[SLOTS];
    PyObject *exception; /* raised by a function; NULL: none, or the library has it as poison */
    int64_t counts[COUNTS_MOST];
    uint64_t ended; /* LIFE_OPERAND: the clock of assignments at the end of the first call */
    int users;      /* LIFE_HISTORY: operands that keep the context, besides the call */
    bool ran;       /* the first call has ended */
    bool outlives;  /* an object keeps it (keep_callable) */
    bool called;    /* the call that it was given to runs, and raises its exception */
};

/* Write a function of Python and its context to the member d. */
bool callback_from(struct marshal *m, const struct member *d, PyObject *object, char *memory);
/* Set the numbers of arrays of all callbacks, once all members are written and the library is called.  False with an
   exception if memory runs out. */
bool hand_over(struct marshal *m);
/* Raise the exception of a callback, if there is one.  False if so. */
bool check_callbacks(struct marshal *m);
/* Free the callbacks of a call, except those that something keeps. */
void free_callables(struct marshal *m);
/* Make an object that frees a callback, for what uses it later; the call does not free it then. */
PyObject *keep_callable(struct callable *c);

/* Write the pointer that the library knows by a name to the member d. */
bool named_from(const struct member *d, PyObject *object, char *at);

#endif
