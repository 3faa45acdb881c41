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
/* Free all pooled blocks.  Return their total size in bytes. */
size_t blocks_trim(void);
#endif
