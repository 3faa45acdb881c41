/* pthread.h of winpthreads; no process is copied, so hooks of forks are never called. */
#ifndef WINDOWS_PTHREAD_H
#define WINDOWS_PTHREAD_H
#include_next <pthread.h>
#undef pthread_atfork
static inline int pthread_atfork(void (*before)(void), void (*after)(void), void (*child)(void)) {
    return (void)before, (void)after, (void)child, 0;
}
#endif
