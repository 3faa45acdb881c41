/* Conversion of Python's objects to memory of C and back: one call's memory, members and records. */
#ifndef TYTO_PYTHON_MARSHAL_H
#define TYTO_PYTHON_MARSHAL_H
#include "descriptor.h"

struct held;
struct note;
struct callable;

/* Memory, references and facts of one call; all are freed when it ends (marshal_end). */
struct marshal {
    const struct function *function;
    char *frame;
    struct held *held;          /* references and memory to drop */
    struct note *notes;         /* numbers of elements that members must agree on */
    size_t used;                /* bytes of `first` */
    struct callable *callables; /* functions that the library calls */
    int64_t operands;           /* arrays of the first list */
    int64_t elements;           /* of all operands, for the rule of the global lock */
    bool promises;              /* an operand is a promise */
    bool computes;              /* the call runs programs, reads files, or may take long otherwise */
    void *changed;              /* first handle that the function may change; NULL: none */
    const struct handle *changed_kind;
    _Alignas(16) char first[768];
};

/* function: NULL outside calls. */
void marshal_start(struct marshal *m, const struct function *function);
void marshal_end(struct marshal *m);
/* Return zeroed memory that lives as long as the call; NULL with MemoryError. */
void *marshal_memory(struct marshal *m, size_t n, size_t size);
/* Drop a reference, release a tensor, or free memory at the end.  They take it over on failure, too. */
bool hold_object(struct marshal *m, PyObject *object);
bool hold_tensor(struct marshal *m, ty_tensor *tensor);
/* Keep a handle open until the end of the call. */
bool hold_use(struct marshal *m, PyObject *object, bool changes);

/* Write the object to the member d of the struct at `memory`. */
bool member_from(struct marshal *m, const struct member *d, PyObject *object, char *memory);
/* Check that lists have the numbers of elements that other members state; call it when all members are written. */
bool check_lengths(struct marshal *m);

/* results.c */
/* Let the call own the tensors of a member that a function has written.  False with the error of a poisoned one. */
bool own_results(struct marshal *m, const struct member *d, const char *memory);
/* Return the object of a member, which takes over texts and handles.  Tensors must be owned (own_results). */
PyObject *object_of(struct marshal *m, const struct member *d, char *memory);
/* Free texts and handles of a frame that no object took over. */
void drop_results(const struct record *frame, char *memory);
/* Raise the failure of the first failed handle that a function has made in a list; true if there is none. */
bool raise_failed(struct marshal *m, const struct record *frame, const char *memory);
/* Return the number at `at`. */
int64_t integer_at(const struct member *d, const char *at);

/* record.c */
bool record_from(struct marshal *m, const struct record *r, PyObject *object, const char *name, char *memory);
PyObject *object_of_record(struct marshal *m, const struct record *r, char *memory);
bool enum_from(const struct enumeration *e, PyObject *object, const char *name, int64_t *out);
PyObject *object_of_enum(const struct enumeration *e, int64_t value);
bool add_records(PyObject *module);
/* Add the dict _words: the word of each constant of an enum, such as {"TY_FFT_ORTHO": "ortho"}. */
bool add_words(PyObject *module);
/* Raise TypeError for an unknown name, with the nearest of those that `at` returns (NULL: no more). */
void raise_unknown(const char *function, PyObject *name, const char *(*at)(const void *table, int i),
                   const void *table);

/* handle.c */
bool handle_from(struct marshal *m, const struct handle *h, PyObject *object, const char *name, bool changes,
                 void **out);
/* Make the object of a handle; an owned one is freed on failure.  A failed handle raises its error. */
PyObject *object_of_handle(struct marshal *m, const struct handle *h, void *pointer, bool owned);
/* Make an object of a handle for a function of Python that the library calls, and invalidate it afterwards. */
PyObject *lend_handle(const struct handle *h, void *pointer);
void end_loan(PyObject *handle);
/* Return a list of the objects that a call uses, for its result to keep alive. */
PyObject *kept_by(struct marshal *m);
/* Begin and end a call that uses a handle.  False with RuntimeError while another thread changes it, or uses it and
   this call changes it. */
bool begin_use(PyObject *object, bool changes);
void end_use(PyObject *object, bool changes);
bool add_handle_classes(PyObject *module);

#endif
