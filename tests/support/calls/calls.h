/*
 * Calls of every public function, made of a string of bytes.  The functions and their parameters come from the public
 * headers (signatures.awk); for each kind of parameter there is a menu, whose first dish is well formed and whose others
 * are extreme: the ends of integers, NaN, infinities, ranks of 64 and 65, empty and poisoned tensors, promises, every
 * dtype.  A byte chooses; where bytes have run out they count as 0, so that no bytes make a well formed call.
 *
 * What a caller must keep is kept: arrays have as many elements as their counts say (and no more, so that
 * AddressSanitizer sees who reads further), and memory that is described is there.
 */
#ifndef TESTS_SUPPORT_CALLS_H
#define TESTS_SUPPORT_CALLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tyto/tyto.h>
#include "tests/support/modes.h"

enum { NOT_SAID = -12345, CALLS_OWNED = 96, CALLS_MOULDS = 11, CALLS_REFUSALS = 8 };

struct calls {
    const uint8_t *data; /* what chooses */
    size_t size, at;
    int null_at; /* which of the pointers is NULL, counted from 0; -1: none */
    int mould;   /* 0 .. CALLS_MOULDS - 1: what well formed tensors look like */
    int refusal; /* 1 .. CALLS_REFUSALS: in which way handles are refused; 0: bytes choose, mostly none */
    const char *path; /* of files that are written and read */
    const struct mode
        *mode; /* the caller's floating-point modes; NULL: the usual ones, and `value` stays 0 for tensors */

    /* what came of it */
    int pointers;          /* parameters that are pointers */
    const char *null_name; /* of the one that was NULL; NULL: there was none */
    bool null_is_none;     /* it is an array of no elements */
    enum calls_outcome { CALLS_WELL, CALLS_REFUSED } outcome; /* of results that tell */
    bool tells;                                               /* whether the result tells failures */
    char sentence[1024];                                      /* of a refusal, where there is one */
    uint64_t value;                                           /* hash of what came back */
    bool mode_there;                                          /* this machine has the mode */
    struct modes own, before, after;                          /* registers around the call */

    /* of the call that is being made */
    const char *function;
    int64_t operands; /* of a function that fills `count` results */
    int64_t count;    /* elements of the next arrays */
    int rank;         /* of the first tensor */
    size_t bytes;     /* of the last text or memory */
    ty_tensor **outs; /* where it puts tensors, nouts of them */
    size_t nouts;
    bool is_error;    /* it puts a refusal there */
    const void *kind; /* of layers, whose options come next */
    int nowned;
    struct calls_owned {
        void *thing;
        void (*end)(void *thing);
    } owned[CALLS_OWNED];
};

int calls_count(void);
const char *calls_name(int function);
/* The function whose name is the next from a number of 24 bits on, in an order as if by lot. */
int calls_find(uint32_t number);
uint32_t calls_number(int function);
/* Makes the call in a scope of its own; what it made is gone when this returns.  What no function may do (a tensor that
   is NULL, a refusal without a sentence) ends the program. */
void calls_make(struct calls *c, int function);
/* The call left the caller's floating-point modes and flags as they were. */
bool calls_kept_modes(const struct calls *c);

/* ---- for menus ---- */

/* The call that is being made, for what is called back. */
extern const struct calls *calls_now;

/* A number below n (at most 256). */
int calls_choose(struct calls *c, int n);
/* 0 for a handle that is well, else one of its n ways to be refused, from 1 on. */
int calls_refusal(struct calls *c, int n);
/* Ends `thing` after the call. */
void *calls_own(struct calls *c, void *thing, void (*end)(void *thing));
/* Zeroed memory of just so many bytes until the call has ended. */
void *calls_room(struct calls *c, size_t bytes);
/* How many elements the next array has: as counted, at most CALLS_MOST. */
enum { CALLS_MOST = 256 };
size_t calls_elements(const struct calls *c);
/* A tensor from the menu; `name` is the parameter's. */
ty_tensor *calls_tensor(struct calls *c, const char *name);
/* Ends the program with a sentence when a tensor is NULL, or poisoned without a sentence of one line. */
void calls_check_tensor(const struct calls *c, const ty_tensor *x);
#endif
