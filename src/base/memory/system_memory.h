/*
 * The memory that alloc.c and blocks.c divide: malloc's, or of the caller's allocator (ty_set_allocator).  The first
 * allocation of the process chooses malloc for good, unless an allocator has been set before.
 */
#ifndef BASE_SYSTEM_MEMORY_H
#define BASE_SYSTEM_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#ifndef release_aligned /* frees memory of posix_memalign; Windows has another function for it */
#define release_aligned(memory) free(memory)
#endif

/* Functions of the caller's allocator; the public header hooks.h is the contract. */
struct memory_hooks {
    void *context;
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *memory, size_t bytes);
};

enum hooks_outcome {
    HOOKS_SET,
    HOOKS_IN_USE,    /* the library holds memory of the present allocator, or has used malloc */
    HOOKS_NO_MEMORY, /* a trial allocation returned NULL */
    HOOKS_MISALIGNED /* a trial allocation returned an address of another alignment */
};

/* Take all further memory from `hooks`, which are copied; NULL: from malloc. */
enum hooks_outcome system_memory_use(const struct memory_hooks *hooks);
/* True if the caller's allocator is used. */
bool system_memory_hooked(void);

/* Allocate `bytes` bytes aligned for any type, not zeroed; NULL if memory runs out.  Free with system_free. */
void *system_alloc(size_t bytes);
/* Allocate `bytes` zeroed bytes aligned for any type; NULL if memory runs out.  Free with system_free. */
void *system_alloc_zeroed(size_t bytes);
/* Resize `old` (NULL allowed) to `bytes` bytes, as realloc does; NULL if memory runs out: `old` stays valid. */
void *system_resize(void *old, size_t bytes);
/* Free memory of system_alloc, system_alloc_zeroed or system_resize. */
void system_free(void *memory);
/* Return the size of a block of system_alloc; with malloc the size that it reserved, 0 where it does not tell. */
size_t system_bytes(void *memory);
/* Allocate `bytes` bytes of tensor data, aligned to a cache line, or by malloc to a huge page from that size on.
   NULL if memory runs out.  Free with system_data_free. */
void *system_data_alloc(size_t bytes);
/* Free a block of system_data_alloc of `bytes` bytes. */
void system_data_free(void *data, size_t bytes);

/* True if large data can be mapped: on Linux, unless the caller's allocator is used. */
bool system_maps(void);
/* Map `bytes` bytes, a multiple of huge pages, which begin on one.  NULL if memory runs out. */
void *system_map(size_t bytes);
/* Give back mapped memory, any whole pages of it. */
void system_unmap(void *memory, size_t bytes);
#endif
