/*
 * The threads behind parallel_for: started on first use, asleep between jobs, joined at the end of the process or
 * of the library, forgotten in the child of a fork.
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

/* Call part(context, i) once for each 0 <= i < parts, on the caller and up to parts - 1 workers; parts <=
   WORKERS_MOST + 1. `spin` lets waiting threads spin for some microseconds. Not from inside a part. False,
   and nothing is called, if another thread uses the workers, none can be started, or the process ends. */
bool workers_run(int parts, bool spin, void (*part)(void *context, int i), void *context);
#endif
