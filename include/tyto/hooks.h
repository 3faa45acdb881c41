/* What a program may provide in place of the library's own: memory, threads, and a function that hears of progress. */
#ifndef TYTO_HOOKS_H
#define TYTO_HOOKS_H
#include <tyto/core.h>
#ifdef __cplusplus
extern "C" {
#endif
#ifndef TY_INLINE
#define TY_INLINE static inline
#endif

/* ---- memory ----------------------------------------------------------------------------------- */

/*
 * The memory of the whole process, for this library.  Both functions are required.  Several threads call them at once,
 * the library's own threads included.  They must not call the library.
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
 * Let the whole library take its memory from `allocator`, which is copied; NULL: from malloc again.  Call it before all
 * other functions.  Later it is refused once the library has used malloc, or holds memory of another allocator: after
 * ty_trim and the end of all objects it holds none.  One block of 64 bytes is allocated and released as a trial.
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

#ifdef __cplusplus
}
#endif
#endif
