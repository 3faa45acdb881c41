/*
 * Tables of the library's functions, structs and enums, which python/generate writes and the marshaller reads.
 *
 * A call is a struct in memory, its frame: a member for each parameter and one for the result.  So members of frames
 * and of the library's structs are described and converted alike.
 */
#ifndef TYTO_PYTHON_DESCRIPTOR_H
#define TYTO_PYTHON_DESCRIPTOR_H
#include "tyto_python.h"

/* Kinds of values in memory. */
enum kind {
    KIND_BOOL,
    KIND_SIGNED, /* integers of member.size bytes */
    KIND_UNSIGNED,
    KIND_REAL,
    KIND_CHARACTER, /* char: a str of one ASCII character */
    KIND_TEXT,      /* const char *: a str, or a path; as a result also char * */
    KIND_BYTES,     /* const void * with a size: an object with a buffer */
    KIND_DTYPE,
    KIND_ENUM,      /* of: struct enumeration */
    KIND_AXES,      /* ty_axes */
    KIND_TENSOR,    /* ty_tensor * */
    KIND_HANDLE,    /* pointer to an opaque object; of: struct handle */
    KIND_RECORD,    /* a struct by value; of: struct record */
    KIND_RECORD_AT, /* pointer to a struct; of: struct record */
    KIND_LIST,      /* pointer to elements; of: struct member of one element */
    KIND_ARRAY,     /* member.fixed elements in place; of: struct member of one element */
    KIND_CALLBACK,  /* function of the caller's; of: struct callback */
    KIND_NAMED,     /* pointer that the library knows by a name; of: struct named */
    KIND_HIDDEN     /* set by other members, or zero: numbers of elements, contexts */
};

enum {
    MEMBER_NULLABLE = 1, /* None is NULL */
    MEMBER_OUT = 2,      /* the function writes it */
    MEMBER_IN = 4,       /* the function reads it; with MEMBER_OUT: it updates it */
    MEMBER_OWNED = 8,    /* of results: the caller frees it */
    MEMBER_SIZES = 16,   /* a list of sizes, or one size */
    MEMBER_ERROR = 32,   /* ty_tensor *: the error of the call */
    MEMBER_CHANGES = 64, /* a handle that the function changes */
    MEMBER_ACTION = 128, /* a bool result that tells only success */
    MEMBER_CALLEE = 512, /* a list in the library's memory */
    MEMBER_OUTER =
        1024,           /* a list of a struct with as many elements as the parameter n of the function says */
    MEMBER_COUNTS = 256 /* a list of results that has as many elements as the result says, at most its room */
};

struct member {
    const char *name;
    uint8_t kind;
    uint16_t flags, size;
    uint32_t offset;
    int16_t length; /* list: how many members behind it the one with its number of elements is; 0: none */
    uint16_t fixed; /* array: number of elements */
    const void *of;
    int64_t (*count)(
        const void *memory); /* list: number of elements, from the struct that it lies in; NULL: unknown */
};

/* Return the product of sizes, which counts the elements of a shape; -1 if one is negative or it exceeds 64 bits. */
int64_t product(int rank, const int64_t *shape);

struct record {
    const char *name, *doc;
    uint32_t size;
    int16_t n;
    const struct member *members;
    PyTypeObject **type; /* named tuple of results; NULL: the struct is no result */
};

struct word {
    const char *word;
    int64_t value;
    const char *constant; /* its name in C */
};

struct enumeration {
    const char *name;
    const struct word *words;       /* ended by {NULL} */
    int (*named)(const char *name); /* further words; NULL: none */
    int count;                      /* as the result of `named`: an unknown word */
};

struct handle {
    const char *name; /* "Program" */
    const char *doc;
    void (*free)(void *pointer); /* NULL: the library owns all objects */
    ty_tensor *(*failure)(const void *pointer);
    bool shared; /* several threads may change it at once: the library excludes them from each other */
    PyTypeObject **type;
    PyMethodDef *methods;
};

enum life {
    LIFE_CALL,    /* the last use is in the call */
    LIFE_HANDLE,  /* the object that the call returns uses it */
    LIFE_RELEASE, /* the library calls a function after the last use */
    LIFE_OPERAND, /* gradients call it again, as long as the operands of the call live */
    LIFE_HISTORY  /* so do those of operands that are promises or tracked, if there are any */
};
enum { COUNTS_MOST = 3 }; /* numbers of arrays that a callback gets and returns */

struct callback {
    void (*thunk)(void); /* function that the library calls */
    uint8_t slot, life;
    int16_t context,
        release; /* members with the context and its release: how many behind this one; 0: none */
    void (*count)(const void *memory, int64_t *counts); /* NULL: operands of the call, and no results */
};

struct named {
    const char *name;
    bool (*find)(const char *name, void *out); /* write the pointer; false for unknown names */
};

/* A parameter as Python sees it. */
struct parameter {
    const char *name;
    int16_t member; /* of the frame */
    int16_t field;  /* of the struct that the member is; -1: the member itself; PARAMETER_KEEP */
    uint8_t required, keyword_only;
};

struct function {
    const char *name;
    struct record frame;
    void (*call)(void *frame);
    int16_t result; /* member of the frame; -1: none */
    int16_t nparameters, npositional;
    const struct parameter *parameters;
    bool evaluates; /* it evaluates promises that it gets, so the call may take long */
};

enum {
    PARAMETERS_MOST = 96, /* Python's parameters of one function */
    PARAMETER_KEEP = -2   /* the field `keep` of axes */
};

/* Sort the arguments of METH_FASTCALL | METH_KEYWORDS by parameter, into values[f->nparameters]: borrowed, NULL for those
   that are not given. */
bool bind_arguments(const struct function *f, PyObject *const *args, Py_ssize_t n, PyObject *names,
                    PyObject **values);
/* Call a function with Python's arguments: METH_FASTCALL | METH_KEYWORDS. */
PyObject *call_function(const struct function *f, PyObject *const *args, Py_ssize_t n, PyObject *names);
/* As call_function, for a method: self is the first argument. */
PyObject *call_method(const struct function *f, PyObject *self, PyObject *const *args, Py_ssize_t n,
                      PyObject *names);

/* Number of elements of up to three arrays, or -1 if one of the objects is none. */
static inline int64_t elements_of(PyObject *const *args, int n) {
    int64_t sum = 0;
    for (int i = 0; i < n; i++) {
        if (!is_array(args[i])) return -1;
        sum += ty_size(tensor_of_array(args[i]));
    }
    return sum;
}

/* Body of a function of tensors alone, at most three: calls it without tables if all arguments are arrays.  The call
   owns the tensors, since another thread may assign to the arrays while the lock is given up. */
#define CALL_TENSORS(function, count, expression)                                                            \
    if (n == (count) && !names) {                                                                            \
        int64_t elements = elements_of(args, count);                                                         \
        if (elements >= 0) {                                                                                 \
            ty_tensor *x[count], *result;                                                                    \
            for (int i = 0; i < (count); i++) x[i] = ty_retain(tensor_of_array(args[i]));                    \
            PyThreadState *state = give_up_lock(elements);                                                   \
            result = ty_own(expression);                                                                     \
            take_lock(state);                                                                                \
            for (int i = 0; i < (count); i++) ty_release(x[i]);                                              \
            return note_operands(array_take(result), args, count);                                           \
        }                                                                                                    \
    }                                                                                                        \
    return call_function(function, args, n, names)

/* Tables that the generator writes. */
extern PyMethodDef functions_table[];                        /* ended by {NULL} */
extern const struct record *const records_table[];           /* structs of results; ended by NULL */
extern const struct handle *const handles_table[];           /* ended by NULL */
extern const struct enumeration *const enumerations_table[]; /* ended by NULL */
struct constant {
    const char *name;
    int64_t value;
};
extern const struct constant constants_table[]; /* ended by {NULL} */

#endif
