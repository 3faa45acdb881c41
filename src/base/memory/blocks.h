/* Pool of aligned data blocks.  Callers use mem_data_alloc and mem_data_free, which add the test counters. */
#ifndef BASE_BLOCKS_H
#define BASE_BLOCKS_H
#include <stddef.h>

/* Return a block of `bytes` bytes: 64-byte aligned, readable up to the next 64-byte boundary, not zeroed.
   NULL if memory runs out.  Thread-safe. */
void *block_take(size_t bytes);
/* Round `bytes` up to whole huge pages (2 MiB); below 256 KiB return it unchanged. */
size_t block_near_bytes(size_t bytes);
/* Return a block of block_take to the pool; `bytes` is the size that was requested. Thread-safe. */
void block_give(void *data, size_t bytes);

/* Sizes in bytes, as rounded up to those of size classes. */
struct blocks_state {
    size_t live, recent; /* blocks in use; the largest such sum of this window of time and the one before */
    size_t kept, most;   /* free blocks of the pool; their bound for the calling thread */
    size_t peak;         /* largest live + kept */
};
struct blocks_state blocks_state(void);
/* Free the oldest pooled blocks beyond the calling thread's bound (base/memory/cache_most.h). */
void blocks_settle(void);
/* Test hook: let so many seconds pass for the pool. */
void blocks_pass(int seconds);
/* Test hook: begin a new peak at the bytes held now, and forget earlier peaks of the live set. */
void blocks_peak_begin(void);
/* Free all pooled blocks.  Return their total size in bytes. */
size_t blocks_trim(void);
#endif
