/*
 * The threads behind parallel_for: started when first wanted, asleep between jobs, joined when the process or
 * the library ends, forgotten in the child of a fork.
 */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H
#include <stdbool.h>

enum { WORKERS_MOST = 1023 };
#ifdef TY_HAVE_THREADS
enum { WORKERS_BUILT = 1 };
#else
enum { WORKERS_BUILT = 0 };
#endif

/* Calls part(context, i) once for each i < parts (at most WORKERS_MOST + 1), on any of the caller and
   parts - 1 workers.  False, and nothing is called, when another thread has the workers, when there are
   none and none can be started, or at the end of the process.  Not from inside a part.  `spin`: whether
   waiting may burn processor time for some microseconds. */
bool workers_run(int parts, bool spin, void (*part)(void *context, int i), void *context);
#endif
