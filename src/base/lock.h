/*
 * Locks that a fork leaves whole.  The child of a fork has the thread that forked and no other, so a lock that another
 * one held would never open there, and what it guards might be half changed.  A fork therefore waits
 *
 *   for locks    which are held for moments only: nothing that waits, and no function of the caller's, runs under one,
 *                nor does whoever holds one take another;
 *   for runs     of programs, between fork_hold_off and fork_allow: they hold locks of their own for long, and may
 *                take those above meanwhile.
 *
 * So the child finds every program, variable and cache as it is between two changes.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H
#include <pthread.h>

struct lock {
    pthread_mutex_t mutex;
    struct lock *next; /* in the list that forks take */
};
void lock_list(struct lock *lock);

/* A static lock of this file. */
#define LOCK(NAME)                                                                                           \
    static struct lock NAME = {PTHREAD_MUTEX_INITIALIZER, NULL};                                             \
    __attribute__((constructor)) static void list_##NAME(void) { lock_list(&NAME); }

static inline void lock_take(struct lock *lock) { pthread_mutex_lock(&lock->mutex); }
static inline void lock_give(struct lock *lock) { pthread_mutex_unlock(&lock->mutex); }

/* A run begins, waiting for a fork that is going on; a run is over.  They nest. */
void fork_hold_off(void);
void fork_allow(void);

/* Called in the child of every fork: for what cannot be whole there, such as threads. */
struct fork_child {
    void (*begin)(void);
    struct fork_child *next;
};
void fork_list_child(struct fork_child *child);
#endif
