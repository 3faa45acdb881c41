/* An engine of the user's own for tests, "own": memory in blocks that only its functions know, streams whose commands
   are done at once, kernels by the interpreter of nests.  It can be told to fail at any call. */
#ifndef TESTS_SUPPORT_OWN_H
#define TESTS_SUPPORT_OWN_H
#include <tyto/engine.h>
#include <tyto/tyto.h>

enum own_call {
    OWN_PREPARE,
    OWN_LAUNCH,
    OWN_ALLOCATE,
    OWN_UPLOAD,
    OWN_DOWNLOAD,
    OWN_COPY,
    OWN_ZERO,
    OWN_STREAM,
    OWN_RECORD,
    OWN_WAIT,
    OWN_CALLS
};
extern const char *const own_names[OWN_CALLS];

struct own_settings {
    ty_code code; /* of failures; TY_ERROR_NONE: none is given */
    bool lacks;   /* it refuses all kernels as unsupported */
    bool wrong;   /* it reports a refusal by a check that is not there */
    bool slow;    /* it needs 50 ms to close a stream */
};
extern struct own_settings own;

/* Register the engine, with no failures; it is unregistered when the test ends. */
void own_begin(void);
/* Register it with the settings as they are, for good.  False, with the reason in *error unless NULL, on failure. */
bool own_begin_again(ty_tensor **error);
/* Return an engine of another name, in the host's memory. */
ty_engine own_plain(const char *name);
/* Let the n-th call of a function from now on fail; 0: none. */
void own_fail(enum own_call call, int64_t n);
/* Return the number of calls since own_fail. */
int64_t own_calls(enum own_call call);
/* Let launches wait, two seconds at most, until they need no longer. */
void own_hold(bool on);
/* Return the number of launches that wait. */
int own_held(void);
/* True if a stream was closed, or is being closed, since own_begin. */
bool own_closes(void);
/* Return the number of blocks, kernels, streams and events that were made and not freed. */
int64_t own_left(void);
#endif
