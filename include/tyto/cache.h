/* Memory that the library keeps for reuse: freed blocks of elements, and programs of functions and evaluations.  Part of
   <tyto/tyto.h>.  ty_trim frees all of it but the programs of functions. */
#ifndef TYTO_CACHE_H
#define TYTO_CACHE_H

#include <tyto/core.h>
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- freed blocks of elements ---- */

/*
 * Let the library keep at most `bytes` bytes of freed elements for reuse when threads of the calling thread's context
 * (ty_context_use) free or allocate.  0 keeps nothing: memory returns to the system as soon as it is free.
 *
 * A negative number restores the default: TY_CACHE, else the automatic bound: kept and live blocks together take at
 * most the peak of the live ones in the last 5 to 10 seconds and a slack.  The slack is a quarter of that peak, or
 * 64 MB if that is more.  The library keeps at most an eighth of the machine's memory, which also bounds greater numbers.
 *
 * All contexts share the blocks, because any thread may free what another one has allocated; only the bound belongs to
 * the context.  Blocks that nobody has used for 5 to 10 seconds return to the system at the next call that allocates
 * or frees more than 256 bytes of elements.  Results never depend on the bound.
 */
TY_API void ty_set_cache(int64_t bytes);
/* Return the bytes of freed elements that the library may keep now in the calling thread's context. */
TY_API int64_t ty_cache(void);

/* Blocks of elements and scratch memory of more than 256 bytes in this process, as rounded up by the library. */
typedef struct ty_memory_state {
    int64_t live;   /* bytes in use: elements of tensors, arenas of programs, scratch memory */
    int64_t recent; /* largest `live` of the last 5 to 10 seconds */
    int64_t kept;   /* bytes that are free and kept for reuse */
    int64_t peak;   /* largest sum of `live` and `kept` since the start of the process */
} ty_memory_state;

TY_API void ty_memory_now_sized(ty_memory_state *memory, size_t size);
/* Write the state of the library's memory to *memory. */
TY_INLINE void ty_memory_now(ty_memory_state *memory) { ty_memory_now_sized(memory, sizeof *memory); }

/* ---- programs of functions ---- */

/* Programs that a function keeps (ty_function_new), one for each combination of dtypes and shapes; or that evaluations
   keep (ty_eval_report). */
typedef struct ty_function_memory {
    int64_t programs; /* number of programs kept now */
    int64_t bytes;    /* bytes of these programs, of the data they keep, and of shared plans */
    int64_t most;     /* bound on the bytes of programs and their data */
    int64_t compiles; /* programs compiled so far with a memory plan of their own, as ty_function_compiles */
    int64_t dropped;  /* programs dropped so far because of the bound */
    int64_t plans;    /* memory plans kept for programs of many sizes (ty_function_bound) */
    int64_t resized;  /* programs made so far with such a plan */
} ty_function_memory;

/*
 * Let a function keep programs of at most `bytes` bytes together; those unused for longest are dropped at once.  The
 * last one used always stays.  0 keeps that one alone.  A negative number restores the default: 64 MiB, or a quarter
 * of the live blocks (ty_memory_now) if that is more.  Greater numbers than the machine's memory mean all of it.
 *
 * If ty_function_report shows about as many dropped programs as compiled ones, shapes return after their programs
 * were dropped.  Then raise the bound, or pad operands to fewer sizes, for example to the next power of two.
 */
TY_API void ty_function_cache(ty_function *function, int64_t bytes);
TY_API void ty_function_report_sized(const ty_function *function, ty_function_memory *memory, size_t size);
/* Write what the function keeps to *memory; zeros if the function has failed. */
TY_INLINE void ty_function_report(const ty_function *function, ty_function_memory *memory) {
    ty_function_report_sized(function, memory, sizeof *memory);
}

/*
 * Declare that axis `axis` of operand `operand` of a function has many sizes, of at most `most`.  Call it for each such
 * axis, best before the first call; 0 removes the bound.  Larger sizes are allowed, and compiled as without a bound.
 *
 * The first call with some dtypes and other sizes also calls the body with placeholders of the largest sizes, and plans
 * memory for these.  Each further size records the body again, so that the body may do something else for it, but takes
 * this memory plan: there is no search for one, and all sizes use the same number of bytes.  Results and their bits are
 * those without a bound.  A size whose kernels need other memory gets a plan of its own, for sizes like it.
 *
 * False, with the reason in *error (NULL: not wanted), if the function has failed or has the option max_bytes, there is
 * no such operand, axis is not in 0..63, or most is negative.
 */
TY_API bool ty_function_bound(ty_function *function, int operand, int axis, int64_t most, ty_tensor **error);

/* ---- programs of evaluations ---- */

/*
 * Let evaluations of promises (ty_eval, ty_print and all functions that read elements) keep programs of at most `bytes`
 * bytes together in this process, for graphs that are recorded again.  Bounds are those of ty_function_cache, also the
 * default.
 *
 * If ty_eval_report shows about as many dropped programs as compiled ones, graphs return after their programs were
 * dropped.  Then raise the bound, or compile them yourself (ty_compile, ty_function_new).
 */
TY_API void ty_eval_cache(int64_t bytes);
TY_API void ty_eval_report_sized(ty_function_memory *memory, size_t size);
/* Write what evaluations keep to *memory.  The numbers are those since the start of the process. */
TY_INLINE void ty_eval_report(ty_function_memory *memory) { ty_eval_report_sized(memory, sizeof *memory); }

#ifdef __cplusplus
}
#endif
#endif
