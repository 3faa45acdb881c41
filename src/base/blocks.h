/* Aligned blocks for data, recycled.  No counters: mem_data_alloc and mem_data_free are the doors. */
#ifndef BASE_BLOCKS_H
#define BASE_BLOCKS_H
#include <stddef.h>

/* 64-byte aligned, readable to the next 64-byte boundary, not zeroed; NULL: no memory.  Thread-safe. */
void *block_take(size_t bytes);
/* Whole huge pages for so many bytes, unless they are few. */
size_t block_near_bytes(size_t bytes);
/* `bytes` as asked for. */
void block_give(void *data, size_t bytes);
/* Gives what is kept back to the system; returns its bytes. */
size_t blocks_trim(void);
#endif
