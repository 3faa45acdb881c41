/*
 * Allocation for the whole library, so that tests can make any allocation fail and count leaks.  Callers check
 * sizes for overflow (base/checked.h); a request of 0 bytes is valid.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocate zeroed memory.  Return NULL if memory runs out; free with mem_free. */
void *mem_alloc(size_t bytes) FOR_COMMAND(mem_alloc);
/* Allocate n * size zeroed bytes.  Return NULL if the product overflows or memory runs out; free with
   mem_free. */
void *mem_array(size_t n, size_t size) FOR_COMMAND(mem_array);
/* Resize `old` (NULL allowed) to n * size bytes, like realloc; new bytes are not zeroed.  Return NULL on
   overflow or if memory runs out; `old` then stays valid and owned by the caller. */
void *mem_grow(void *old, size_t n, size_t size);
/* Free memory of mem_alloc, mem_array, mem_grow or mem_copy_text; NULL is allowed. */
void mem_free(void *memory) FOR_COMMAND(mem_free);
/* Copy a string.  Return NULL if memory runs out; free with mem_free. */
char *mem_copy_text(const char *text);

/* Allocate tensor data: 64-byte aligned, readable up to the next 64-byte boundary, not zeroed.  Large blocks
   are recycled, because touching fresh pages costs more than the arithmetic on them.  NULL: no memory. */
void *mem_data_alloc(size_t bytes) FOR_COMMAND(mem_data_alloc);
/* Free a block of mem_data_alloc; `bytes` is the size that was requested.  NULL is allowed. */
void mem_data_free(void *data, size_t bytes) FOR_COMMAND(mem_data_free);
/* Allocate as mem_data_alloc does; free with mem_near_free. Requests of 256 KiB or more get whole huge pages.
   Scattered 4 KiB pages overload some sets of L2: one run in three of the same plan took 1.2 to 1.4 times as
   long. */
void *mem_near_alloc(size_t bytes);
/* Free a block of mem_near_alloc; `bytes` is the size that was requested.  NULL is allowed. */
void mem_near_free(void *data, size_t bytes);
/* Free all recycled data blocks that are not in use.  Return their total size in bytes. */
size_t mem_data_trim(void);

/* Test hook: count allocations from now on, allow injected failures, and overwrite freed memory. */
void mem_watch(void);
/* Test hook: make the n-th allocation from now (1 = the next) of the process fail, once, on any thread; 0
   cancels. */
void mem_fail_at(int64_t n);
/* Test hook for allocations of other libraries: count one allocation. True if it is the one that must fail
   (mem_fail_at). */
bool mem_fail_other(void);
/* Test hook: make every allocation of more than `most` bytes fail; 0 removes the limit. */
void mem_limit(size_t most);
/* True if an allocation has failed on request of mem_fail_at or mem_limit since the last mem_fail_at. */
bool mem_failed(void);
/* Return the number of live allocations since mem_watch; recycled data blocks do not count. */
int64_t mem_live(void);
/* Return the number of allocations made since mem_watch. */
int64_t mem_count(void);
/* Return the bytes allocated now, counted since mem_watch, as requested; recycled data blocks do not count.
   Small blocks count only where the C library reports their size (Linux). */
int64_t mem_bytes(void);
/* Reset the peak that mem_peak returns to the bytes allocated now. */
void mem_peak_begin(void);
/* Return the largest value of mem_bytes since mem_peak_begin. */
int64_t mem_peak(void);
#endif
