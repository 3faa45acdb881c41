/*
 * An allocator of the caller's for tests (ty_set_allocator): it counts blocks and bytes, checks the sizes that come
 * back, and writes bytes behind each block that must be intact when it is released.  With TY_TEST_ALLOCATOR=1 the
 * harness runs every test on it.
 */
#ifndef TESTS_SUPPORT_COUNTING_H
#define TESTS_SUPPORT_COUNTING_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/hooks.h>

/* Return the allocator. */
ty_allocator counting_allocator(void);
/* Return the number of live blocks. */
int64_t counting_blocks(void);
/* Return the bytes of live blocks. */
int64_t counting_bytes(void);
/* Return the number of blocks that came back with another size, or with bytes behind them that were changed. */
int64_t counting_faults(void);
/* Make the n-th allocation from now (1 = the next) and all later ones return NULL; 0 ends that. */
void counting_fail_from(int64_t n);
/* Make allocations return addresses that are `bytes` off their alignment. */
void counting_misalign(int bytes);
/* Return true if an allocation has failed or was misaligned since the last counting_fail_from or counting_misalign. */
bool counting_failed(void);
#endif
