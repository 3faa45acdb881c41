/*
 * Calls of every public function with arguments chosen by a string of bytes. Functions and parameters come from the
 * public headers (signatures.awk). Each kind of parameter has a menu: its first choice is valid, the others are
 * extreme. Examples are the ends of integers, NaN, infinities, ranks of 64 and 65, empty and poisoned tensors, promises
 * and every dtype. Each byte makes one choice; missing bytes count as 0, so that the empty string makes a valid call.
 *
 * Arguments keep the contract of callers. Arrays have exactly as many elements as their counts say, so that
 * AddressSanitizer reports reads past the end. Described memory exists.
 */
#ifndef TESTS_SUPPORT_CALLS_H
#define TESTS_SUPPORT_CALLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tyto/tyto.h>
#include "tests/support/modes.h"

enum {
    NOT_SAID = -12345,
    CALLS_OWNED = 96,
    CALLS_OUTS = 4,
    CALLS_MOULDS = 11,
    CALLS_REFUSALS = 8,
    CALLS_FEW = 8
};

struct calls {
    const uint8_t *data; /* bytes that make the choices */
    size_t size, at;
    int null_at;      /* index of the pointer that is NULL, from 0; -1: none */
    int mould;        /* 0 .. CALLS_MOULDS - 1: kind of the valid tensors */
    int refusal;      /* 1 .. CALLS_REFUSALS: kind of invalid handles; 0: bytes choose, mostly valid ones */
    const char *path; /* path of files that are written and read */
    /* floating-point modes of the caller; NULL: the usual ones, and no tensor is hashed */
    const struct mode *mode;

    /* outcome of the call */
    int pointers;          /* number of pointer parameters */
    const char *null_name; /* name of the parameter that was NULL; NULL: none was */
    bool null_is_none;     /* the NULL pointer stands for an array of no elements */
    enum calls_outcome { CALLS_WELL, CALLS_REFUSED } outcome; /* outcome, for results that report failures */
    bool tells;                                               /* true if the result reports failures */
    ty_code code;                                             /* its code */
    bool null_result;                                         /* the result is NULL */
    char sentence[1024];                                      /* error message, if there is one */
    uint64_t value;                                           /* hash of the results */
    int poisoned;                                             /* results in `outs` that are poison */
    bool replaced;                   /* an array of `outs` that had tensors before has others */
    bool mode_there;                 /* true if this machine has the mode */
    struct modes own, before, after; /* registers around the call */

    /* calls_make_sized: how the struct is given, and a number of bytes */
    enum calls_change {
        CALLS_AS_IS,
        CALLS_NULL,   /* NULL and the size 0 */
        CALLS_CUT,    /* the first `changed` bytes */
        CALLS_ZEROED, /* all bytes, 0 from number `changed` on */
        CALLS_LONGER, /* zeros after it */
        CALLS_SET,    /* zeros after it, and a byte that is not 0 */
        CALLS_SIZE    /* as it is, said to have `changed` bytes */
    } change;
    size_t changed;
    size_t known;        /* sizeof the last struct of options of the call; 0: it has none */
    size_t result_bytes; /* sizeof its struct of results; 0: it has none */
    void *result;        /* the struct of results; NULL: none */
    const char *spoil;   /* what was wrong with a struct of results; NULL: nothing */

    /* state of the call in progress */
    const char *function;
    int64_t operands;   /* operand count of a function that fills `count` results */
    int64_t count;      /* length of the next arrays */
    int rank;           /* rank of the first tensor */
    bool empty;         /* a parameter `shape` has no elements, so that memory for these may be NULL */
    size_t bytes;       /* length of the last text or memory */
    struct calls_outs { /* arrays of n tensors that the function fills or replaces */
        ty_tensor **tensors, **before;
        size_t n;
        int filled, poisoned; /* results that stand where NULL was, and those of them that are poison */
    } outs[CALLS_OUTS];
    int nouts;
    bool is_error;    /* the last of them receives an error */
    const void *kind; /* kind of layer whose options come next */
    int nowned;
    struct calls_owned {
        void *thing;
        void (*end)(void *thing);
    } owned[CALLS_OWNED];
};

/* Return the number of public functions that can be called. */
int calls_count(void);
/* Return the name of function 0 .. calls_count() - 1. */
const char *calls_name(int function);
/* Return the function that follows a 24-bit number in a pseudo-random order of all functions. */
int calls_find(uint32_t number);
/* Return the 24-bit hash of a function's name, its key for calls_find. */
uint32_t calls_number(int function);
/* Make the call in its own scope and free its results. A forbidden result (a NULL tensor, an error without
   a message) aborts the program. */
void calls_make(struct calls *c, int function);
/* Return the number of functions that take a struct with its size, and the name of one. */
int calls_sized_count(void);
const char *calls_sized_name(int function);
/* As calls_make, for such a function, with the struct as c->change says. */
void calls_make_sized(struct calls *c, int function);
/* Return true if the call left the caller's floating-point modes and flags unchanged. */
bool calls_kept_modes(const struct calls *c);

/* ---- for menus ---- */

/* The call in progress, for callbacks. */
extern const struct calls *calls_now;

/* Return a number in 0 .. n - 1, chosen by the next byte; n is at most 256. */
int calls_choose(struct calls *c, int n);
/* Return 0 for a valid handle, or 1 .. n for one of n kinds of invalid handles. */
int calls_refusal(struct calls *c, int n);
/* Free `thing` by `end` after the call; returns it. */
void *calls_own(struct calls *c, void *thing, void (*end)(void *thing));
/* Return exactly that many zeroed bytes, freed after the call. */
void *calls_room(struct calls *c, size_t bytes);
enum { CALLS_MOST = 256 };
/* Return the length of the next array: the announced count, or the rank of the first tensor, at most CALLS_MOST. */
size_t calls_elements(const struct calls *c);
/* Note an array of n tensors that the function fills, or replaces where they are not NULL. */
void calls_fills(struct calls *c, ty_tensor **tensors, size_t n);
/* Return a tensor from the menu; `name` is the name of the parameter. */
ty_tensor *calls_tensor(struct calls *c, const char *name);
/* Abort the program with a message if a tensor is NULL, or poisoned without a message of one line. */
void calls_check_tensor(const struct calls *c, const ty_tensor *x);
#endif
