/*
 * Calls of every public function, determined by a string of bytes.  The functions and their parameters come from the
 * public headers (signatures.awk).  Each kind of parameter has a menu, whose first entry is valid and whose others are
 * extreme: limits of integers, NaN, infinities, ranks of 64 and 65, empty and poisoned tensors, promises, every dtype.
 * A byte chooses an entry; missing bytes count as 0, so that an empty string makes a valid call.
 *
 * Calls keep a caller's obligations: arrays have exactly as many elements as their counts say, so that AddressSanitizer
 * finds reads beyond, and described memory exists.
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
    const uint8_t *data; /* bytes that choose */
    size_t size, at;
    int null_at;      /* index of the pointer that is NULL, from 0; -1: none */
    int mould;        /* 0 .. CALLS_MOULDS - 1: kind of valid tensors */
    int refusal;      /* 1 .. CALLS_REFUSALS: kind of invalid handles; 0: bytes choose, mostly valid ones */
    const char *path; /* of files written and read */
    const struct mode
        *mode; /* the caller's floating-point modes; NULL: the usual ones, and `value` stays 0 for tensors */

    /* results */
    int pointers;          /* parameters that are pointers */
    const char *null_name; /* of the parameter that was NULL; NULL: there was none */
    bool null_is_none;     /* it is an array of no elements */
    enum calls_outcome { CALLS_WELL, CALLS_REFUSED } outcome; /* if `tells` */
    bool tells;                                               /* the result indicates failure */
    char sentence[1024];                                      /* message of a refusal, if any */
    uint64_t value;                                           /* hash of the results */
    bool mode_there;                                          /* this machine has the mode */
    struct modes own, before, after;                          /* registers around the call */

    /* state of the call in progress */
    const char *function;
    int64_t operands; /* of a function that fills `count` results */
    int64_t count;    /* elements of the next arrays */
    int rank;         /* of the first tensor */
    size_t bytes;     /* of the last text or memory */
    ty_tensor **outs; /* nouts tensors that the function writes */
    size_t nouts;
    bool is_error;    /* outs is *error */
    const void *kind; /* of layers, whose options come next */
    int nowned;
    struct calls_owned {
        void *thing;
        void (*end)(void *thing);
    } owned[CALLS_OWNED];
};

/* Return the number of public functions. */
int calls_count(void);
/* Return the name of a function, counted from 0. */
const char *calls_name(int function);
/* Return the function whose hash is the next from a 24-bit number on. */
int calls_find(uint32_t number);
/* Return the 24-bit hash of a function. */
uint32_t calls_number(int function);
/* Make the call in a scope of its own; all results are freed on return.  Results that no function may return (a NULL
   tensor, a refusal without a message) end the program. */
void calls_make(struct calls *c, int function);
/* Return true if the call left the caller's floating-point modes and flags unchanged. */
bool calls_kept_modes(const struct calls *c);

/* ---- for menus ---- */

/* The call in progress, for callbacks. */
extern const struct calls *calls_now;

/* Choose a number below n, at most 256. */
int calls_choose(struct calls *c, int n);
/* Choose 0 for a valid handle, else 1 .. n for one of its n invalid kinds. */
int calls_refusal(struct calls *c, int n);
/* Call end(thing) after the call; returns thing. */
void *calls_own(struct calls *c, void *thing, void (*end)(void *thing));
/* Return zeroed memory of exactly this size, freed after the call. */
void *calls_room(struct calls *c, size_t bytes);
/* Return the number of elements of the next array: as counted, at most CALLS_MOST. */
enum { CALLS_MOST = 256 };
size_t calls_elements(const struct calls *c);
/* Choose a tensor from the menu; `name` is the parameter's. */
ty_tensor *calls_tensor(struct calls *c, const char *name);
/* End the program with a message if a tensor is NULL, or poisoned without a message of one line. */
void calls_check_tensor(const struct calls *c, const ty_tensor *x);
#endif
