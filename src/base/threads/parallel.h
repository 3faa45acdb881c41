/*
 * Multi-threading.  parallel_for divides n items into ranges [begin, end), which cover each item once, in any
 * order, on any thread.  An item's result must not depend on the ranges, so that the bits are equal for any
 * number of threads.  Kernels that may take long have their ranges cut into pieces of some milliseconds; a request to
 * stop leaves out the rest, and all later loops of the kernel (base/context/stop.h).
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H
#include "base/for_command.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Call body(context, begin, end) on ranges that cover 0 .. n-1, and wait for all. Uses at most `width`
   threads and ranges of at least `grain` items. Runs on the caller if one range is enough, or when called
   from inside a body. */
void parallel_for(int width, int64_t n, int64_t grain,
                  void (*body)(void *context, int64_t begin, int64_t end), void *context)
    FOR_COMMAND(parallel_for);
/* As parallel_for, for a body that calls stop_cut often enough itself: its ranges are not cut into pieces. */
void parallel_for_checked(int width, int64_t n, int64_t grain,
                          void (*body)(void *context, int64_t begin, int64_t end), void *context);
/* Return the index of the range that this thread runs, 0 .. width-1 of parallel_for, which selects a scratch
   buffer. Outside of a body: 0. */
int parallel_index(void);
/* Return the number of threads that the context of the calling thread stores for ty_set_threads(n); 0: the
   default. */
int parallel_count(int n);
struct context_thread;
/* parallel_width on the calling thread, whose state is t. */
int parallel_width_of(const struct context_thread *t);
/* Return the number of threads that may be used now (ty_set_threads), at least 1. */
int parallel_width(void);
/* On true, make parallel_width return 1 on this thread from now on; false undoes it.  Return the previous
   setting. */
bool parallel_alone(bool on);
/* Test hook: cut all ranges of all kernels into pieces of so many items; 0: of long ones, as the clock says. */
void parallel_force_pieces(int64_t items);
/* The number of items that parallel_force_pieces has set. */
extern _Atomic int64_t parallel_forced;
#endif
