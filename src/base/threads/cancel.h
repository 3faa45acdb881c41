/* Cancellation of threads (pthread_cancel): held off around cancellation points where a thread holds locks, or others
   wait for it.  A run has no others. */
#ifndef BASE_CANCEL_H
#define BASE_CANCEL_H
#include <pthread.h>

/* Let cancellation of the calling thread wait; return the state for cancel_restore.  Nests. */
static inline int cancel_hold_off(void) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}
/* Restore the state that cancel_hold_off returned.  A cancellation that waits happens at the thread's next
   cancellation point. */
static inline void cancel_restore(int before) { pthread_setcancelstate(before, &before); }
#endif
