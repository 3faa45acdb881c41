/* Hooks: a program's own allocator and thread pool, and a function that is called with the progress of long work. */
#ifndef TYTO_HOOKS_H
#define TYTO_HOOKS_H
#include <tyto/context.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory ----------------------------------------------------------------------------------- */

/*
 * The memory of the whole process, for this library.  Both functions are required.  Several threads call them at once,
 * the library's own threads included.  They must not call the library, nor wait for a thread that does: the thread that
 * allocates may hold a lock of the library.
 *
 * allocate returns `bytes` bytes (above 0) at a multiple of `alignment`, which is 16 or 64; NULL: out of memory.
 * Memory of another alignment is released at once and counts as out of memory.  The library asks for no alignment to
 * huge pages; an allocator may give it to blocks of 2 MiB and more, which makes large operands faster.
 *
 * release frees memory of allocate.  `bytes` is the size that was asked for.  There is no resizing: the library
 * allocates, copies and releases.
 */
typedef struct ty_allocator {
    void *context; /* passed to both functions */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *memory, size_t bytes);
} ty_allocator;

/*
 * Let the whole library take its memory from `allocator`, which is copied; NULL, or no functions: from malloc again.
 * Call it before all other functions.  Later it is refused once the library has used malloc, or holds memory of another
 * allocator: after ty_trim and the end of all objects it holds none.  One block of 64 bytes is allocated and released
 * as a trial.
 *
 * Recycled memory stays with the library until ty_trim.  Texts of the library are freed by ty_free, as always.  Outside
 * of the allocator are: pages of machine code, mapped files, stacks of threads, and what the C library, libjpeg and
 * LAPACK allocate themselves; zlib and libspng use it.  With dlclose memory is released, so the functions must exist
 * until then.  False if it is refused, and nothing changes; the reason is in *error unless NULL: a static poisoned
 * tensor.
 */
TY_API bool ty_set_allocator_sized(const ty_allocator *allocator, size_t size, ty_tensor **error);
/* Call ty_set_allocator_sized with the size of ty_allocator that this header declares. */
TY_INLINE bool ty_set_allocator(const ty_allocator *allocator, ty_tensor **error) {
    return ty_set_allocator_sized(allocator, sizeof(ty_allocator), error);
}

/* ---- threads ---------------------------------------------------------------------------------- */

/*
 * Threads of the program that compute for the library in place of its own.  Both functions are required.  Several
 * threads may call them at once, threads of the pool included.
 *
 * threads returns the number of parts that may run at once; below 1 counts as 1, above 1024 as 1024.  It is called
 * for each kernel, so it must be cheap.  ty_set_threads still limits the threads of a kernel.
 *
 * run calls part(data, i) for each 0 <= i < parts, and returns true when all calls have returned.  The calls may come
 * in any order, on any threads, the caller's included, one after another or at once: no part waits for another.  Parts
 * that were not called run on the calling thread when run returns; a part that is called twice, or after run has
 * returned, does nothing.  false: the pool is busy or ended; the parts that remain run on the calling thread.
 *
 * A pool whose run only waits for other threads must return false on a thread of its own, or all its threads may wait.
 * While run waits, it must not run other work of the program on the calling thread that uses the library: the thread
 * holds the program and the variables of its run.  Parts run with the library's floating-point modes, and those of the
 * pool's threads are restored.  Bits do not depend on the pool.
 */
typedef struct ty_thread_pool {
    void *context; /* passed to both functions */
    int (*threads)(void *context);
    bool (*run)(void *context, int parts, void (*part)(void *data, int i), void *data);
} ty_thread_pool;

/* Compute in `context` (NULL: the default one) on `pool`, which is copied; NULL, or no functions: on the library's
   threads again.  Calls that run meanwhile may still use the pool before.  False, with the reason in *error unless
   NULL (a poisoned tensor that the scope owns), if one of both functions is NULL. */
TY_API bool ty_context_set_pool_sized(ty_context *context, const ty_thread_pool *pool, size_t size,
                                      ty_tensor **error);
/* Call ty_context_set_pool_sized with the size of ty_thread_pool that this header declares. */
TY_INLINE bool ty_context_set_pool(ty_context *context, const ty_thread_pool *pool, ty_tensor **error) {
    return ty_context_set_pool_sized(context, pool, sizeof(ty_thread_pool), error);
}

/* ---- progress --------------------------------------------------------------------------------- */

/* State of a long call, for the function of ty_context_set_progress. */
typedef struct ty_progress_state {
    const char *what; /* one static word: "compile", "fit", "read", "solve", ... */
    int64_t done;     /* units of work that are done: steps, bytes, iterations, ... */
    int64_t total;    /* units in all; 0: unknown */
    int depth;  /* 1: the outermost work itself goes on; 2 and more: work inside it, which is not described */
    bool ended; /* the last report of this work */
    double seconds; /* since the work began */
} ty_progress_state;

/*
 * Let long calls in `context` (NULL: the default one) report to `report`, on the thread that called the library; NULL:
 * no reports.  Work that takes less than a tenth of a second does not report.  Longer work reports at most ten times a
 * second, and once more when it ends, however it ends.  Of nested work only the outermost is described.
 *
 * report returns false to stop this call: it fails with a sentence that begins with "interrupted", as by ty_interrupt,
 * and later calls go on as usual.  The result of the last report is not used.  report may call the library, too, and
 * calls made there do not report.  They never wait for a program that is running: evaluations and functions compile it
 * again, ty_run refuses it.  report must not wait for other threads that call the library, since these may wait for
 * the run that reports; and two threads must not fork in it at once.  `now` is valid until it returns.
 */
TY_API void ty_context_set_progress(ty_context *context,
                                    bool (*report)(void *data, const ty_progress_state *now), void *data);

#ifdef __cplusplus
}
#endif
#endif
