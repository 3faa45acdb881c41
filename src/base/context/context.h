/*
 * Contexts: settings and requests to stop that several threads share (base/context/stop.h).  A thread computes in one
 * context.  The default one is static.  Threads of the library compute in the context of the thread whose job they
 * do: parallel_for passes it on, and loaders retain it.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H
#include <stdatomic.h>
#include <tyto/context.h>
#include "base/context/context_hooks.h"
#include "base/text.h"

enum { CONTEXT_TEXT = 16, CONTEXT_NEST = 16 };

struct ty_context {
    atomic_int refs;           /* the default context has none */
    atomic_int asked;          /* STOP_ flags (base/context/stop.h); 0: all checks end here */
    atomic_int threads;        /* 0: the default of the environment */
    _Atomic int64_t workspace; /* 0: the default of the environment */
    _Atomic int64_t cache; /* 1 + bytes of freed memory to keep; 0: the default (base/memory/cache_most.h) */
    char engine[CONTEXT_TEXT]; /* name of the engine; "": the first one */
    ty_print_options print;    /* its texts are NULL or those below */
    char nan_text[CONTEXT_TEXT], inf_text[CONTEXT_TEXT];
    struct fault fault;                    /* set if making it failed */
    _Atomic int64_t deadline;              /* STOP_DEADLINE: nanoseconds of the monotonic clock */
    _Atomic int64_t operations;            /* STOP_OPERATIONS: operations left */
    _Atomic int64_t operations_most;       /* STOP_OPERATIONS: the limit */
    _Atomic int64_t bytes_most, bytes_now; /* STOP_BYTES: limit; bytes charged and not credited yet */
    struct context_hooks hooks;            /* thread pool and progress of the caller */
};
extern ty_context context_default;

struct device_cell;
struct eager_pieces;
struct fault;
struct running;
/* State of a thread that most calls read.  One variable, because finding one is a call (__tls_get_addr) in a shared
   library.  One variable of the initial-exec model would make all 30 KB of the library's thread-local variables static.
   Then glibc, which has 1,664 bytes for all libraries that are loaded later, refuses dlopen, and so does musl. */
struct context_thread {
    ty_context *now;    /* never NULL */
    const void *engine; /* the engine that it computes with; NULL: not looked up in the context yet */
    double work;        /* operations of the kernel that it launches, if they may take long; else 0 */
    bool stopped;       /* its call was stopped by the function of progress (array/progress.h) */
    size_t refused;     /* bytes that the limit of bytes refused last; 0: none */
    unsigned uses;      /* number of calls of ty_context_use; tells if its print options still hold */
    int masked;         /* above 0: requests to stop do not hold now (stop_mask) */
    int cut;            /* the STOP_ flag for which a kernel of this thread has left early; 0: none */
    bool alone;         /* parallel_alone */
    bool inside;        /* it runs a range of a parallel loop */
    int place;          /* index of that range (parallel_index) */
    int held; /* above 0: reports no progress, since the user's function might wait for things that it holds */
    struct running *runs; /* programs that it runs, innermost first (compile/runs/run.c) */
    /* the last program that ty_run refused, until the thread enters it, and the reason; 0: none.  The program's own
       fault belongs to the run that goes on. */
    int64_t refused_program;
    const struct fault *refused_why;
    struct eager_pieces *pieces; /* its cache of prepared kernels (ops/core/eager.c); NULL: none yet */
    /* the innermost limit of the thread alone (stop_limit_begin); NULL: none */
    struct stop_limit *limit;
    /* the error cell for the kernel that it launches on a device (array/device.h); NULL: none */
    const struct device_cell *cell;
};
extern _Thread_local struct context_thread context_thread;

/* Return the state of the calling thread.  A function calls it once and passes the result on.  The asm hides the origin
   of the address; otherwise compilers find the variable again for each use. */
static inline struct context_thread *thread_now(void) {
    struct context_thread *t = &context_thread;
    __asm__("" : "+r"(t));
    return t;
}
/* Return the context of the calling thread, which lives at least until the thread leaves it. */
static inline ty_context *context_now(void) { return context_thread.now; }
/* Return `context`, for NULL the default one. */
static inline ty_context *context_of(ty_context *context) { return context ? context : &context_default; }
/* Add a reference to `context` and return it. */
ty_context *context_retain(ty_context *context);
/* Drop a reference to `context`; the last one frees it. */
void context_release(ty_context *context);
/* Compute in `context`, which somebody else holds, from now on; return the context before.  Unlike ty_context_use,
   engine and print options of the thread stay. */
static inline ty_context *context_enter(ty_context *context) {
    ty_context *before = context_thread.now;
    context_thread.now = context;
    return before;
}
#endif
