/*
 * Locks that are safe across fork.  The child of a fork has only the thread that forked: a lock held by another
 * thread would never open there, and the data behind it might be half changed.  So fork waits for two things:
 *   * locks, which are held for moments only: a holder never waits, takes no other lock, and calls no user function
 *     except an allocator, which must not call the library;
 *   * runs of programs, from fork_hold_off to fork_allow: they hold their own locks for long, and take these, too.
 * Thus the child finds every program, variable and cache in a consistent state.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H
#include <pthread.h>

struct lock {
    pthread_mutex_t mutex;
    struct lock *next; /* in the list of locks that fork takes */
};
/* Add a static lock to the list of locks that fork acquires, so that the child finds them free. */
void lock_list(struct lock *lock);

/* Define a static lock NAME of this file and list it before main. */
#define LOCK(NAME)                                                                                           \
    static struct lock NAME = {PTHREAD_MUTEX_INITIALIZER, NULL};                                             \
    __attribute__((constructor)) static void list_##NAME(void) { lock_list(&NAME); }

/* Acquire the lock; blocks until it is free. */
static inline void lock_take(struct lock *lock) { pthread_mutex_lock(&lock->mutex); }
/* Release the lock. */
static inline void lock_give(struct lock *lock) { pthread_mutex_unlock(&lock->mutex); }

/* Begin a run, a section that no fork may interrupt; waits for a fork in progress. End it by fork_allow. Runs
   nest. */
void fork_hold_off(void);
/* End a run that fork_hold_off began. */
void fork_allow(void);

/* Hook called in the child of every fork, for objects that cannot survive it, such as threads. */
struct fork_child {
    void (*begin)(void);
    struct fork_child *next;
};
/* Add a hook that is called in the child of each fork; `child` must be static. */
void fork_list_child(struct fork_child *child);
#endif
