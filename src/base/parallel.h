/*
 * The one way to use threads.  Work is n items; body gets ranges [begin, end) that together cover them
 * once, in any order, from any thread.  What an item computes must not depend on the ranges, so that
 * the bits are the same for any number of threads.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H
#include <stdbool.h>
#include <stdint.h>

/* At most `width` threads (scratch is sized for that many), at least `grain` items a range; runs on the
   caller when one range is enough or when already inside a body. */
void parallel_for(int width, int64_t n, int64_t grain,
                  void (*body)(void *context, int64_t begin, int64_t end), void *context);
/* 0 .. width-1 inside a body: picks a scratch block.  0 outside. */
int parallel_index(void);
/* How many threads work started now may use (ty_set_threads). */
int parallel_width(void);
/* From now on parallel_width says 1 on this thread; returns whether it did before. */
bool parallel_alone(bool on);
#endif
