/*
 * All memory of the library comes from here, so that a test can fail any allocation and count leaks.
 * Sizes are checked by the caller (base/checked.h); zero bytes is a valid request.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL when there is no memory.  Zeroed.  Ended with mem_free. */
void *mem_alloc(size_t bytes);
/* n * size bytes, overflow checked. */
void *mem_array(size_t n, size_t size);
/* Grows to n * size bytes; the old block stays valid and owned when NULL comes back.  New bytes are not
 * zeroed. */
void *mem_grow(void *old, size_t n, size_t size);
void mem_free(void *memory);
char *mem_copy_text(const char *text);

/* Data of tensors: 64-byte aligned, readable to the next 64-byte boundary, not zeroed.  Large blocks are
   recycled, because fresh pages cost more than arithmetic on them. */
void *mem_data_alloc(size_t bytes);
void mem_data_free(void *data, size_t bytes);
/* The same for what is used over and over from a cache: whole huge pages from a quarter of a MiB on.  Small ones
   lie anywhere, so that some sets of a second level get more lines than they hold: one run of three of the same
   plan took 1.2 to 1.4 times as long (1 MiB of L2, a workspace of 0.4). */
void *mem_near_alloc(size_t bytes);
void mem_near_free(void *data, size_t bytes);
size_t mem_data_trim(void);

/* Tests: from now on allocations are counted and can be made to fail, and what is freed is overwritten. */
void mem_watch(void);
/* Tests: the n-th allocation from now (1 is the next) fails, once; 0 stops.  Per process, all threads. */
void mem_fail_at(int64_t n);
/* Tests: whether an allocation that another library makes now is the one to fail; it takes a turn. */
bool mem_fail_other(void);
/* Tests: from now on each allocation of more bytes fails; 0: none does. */
void mem_limit(size_t most);
/* Whether a failure of these kinds has happened since mem_fail_at. */
bool mem_failed(void);
/* Blocks that are allocated now (recycled data blocks not counted), and allocations made, both since
 * mem_watch. */
int64_t mem_live(void);
int64_t mem_count(void);
/* Bytes that are allocated now, since mem_watch, and the most since mem_peak_begin: what was asked for, recycled data
   blocks not counted.  Small blocks count where the C library says how large they are (Linux), else as 0. */
int64_t mem_bytes(void);
void mem_peak_begin(void);
int64_t mem_peak(void);
#endif
