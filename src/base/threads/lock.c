#include "base/threads/lock.h"
#include <stdatomic.h>
#include <stdbool.h>
#include "base/threads/cancel.h"

static struct lock *locks; /* changed only while the library is loaded */
static struct fork_child *children;

/* Sequentially consistent handshake.  A run increments `runs`, then reads `forking`; a fork sets `forking`,
   then reads `runs`.  So at least one of the two sees the other. */
static atomic_int runs;
static atomic_bool forking;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* held during a fork, and around waiting */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Thread_local int own_runs; /* runs of this thread: a signal handler may fork while its thread
                                      runs a program */

/* ---- runs ---- */

/* Decrement the count of running calls, and wake a fork that waits for it to reach 0. */
static void count_down(void) {
    atomic_fetch_sub(&runs, 1);
    if (!atomic_load(&forking)) return;
    pthread_mutex_lock(&gate);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&gate);
}

/* Begin a run again when no fork is in progress. */
static __attribute__((noinline)) void wait_for_fork(void) {
    do {
        count_down();
        int cancel = cancel_hold_off();
        pthread_mutex_lock(&gate);
        while (atomic_load(&forking)) pthread_cond_wait(&changed, &gate);
        pthread_mutex_unlock(&gate);
        cancel_restore(cancel);
        atomic_fetch_add(&runs, 1);
    } while (atomic_load(&forking));
}

/* A nested run does not wait, since the fork waits for this thread. */
void fork_hold_off(void) {
    int *own = &own_runs;
    __asm__("" : "+r"(own)); /* finds the variable once (thread_now) */
    atomic_fetch_add(&runs, 1);
    if (!*own && atomic_load(&forking)) wait_for_fork();
    ++*own;
}

void fork_allow(void) {
    own_runs--;
    count_down();
}

/* ---- forks ---- */

/* Before a fork: wait until no other thread runs a call, then take all locks. */
static void before(void) {
    int cancel = cancel_hold_off();
    pthread_mutex_lock(&gate);
    atomic_store(&forking, true);
    while (atomic_load(&runs) > own_runs) {
        pthread_cond_wait(&changed, &gate);
        atomic_store(&forking, true); /* the fork of another thread may have ended meanwhile */
    }
    for (struct lock *l = locks; l; l = l->next) lock_take(l);
    cancel_restore(cancel);
}

static void give_all(void) {
    for (struct lock *l = locks; l; l = l->next) lock_give(l);
    atomic_store(&forking, false);
}

static void after(void) {
    give_all();
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&gate);
}

/* Reset locks and counts in the child of a fork, and call its hooks. Threads that were running or waiting
   exist only in the parent. */
static void in_child(void) {
    atomic_store(&runs, own_runs);
    pthread_cond_init(&changed, NULL);
    give_all();
    pthread_mutex_unlock(&gate);
    for (struct fork_child *c = children; c; c = c->next) c->begin();
}

__attribute__((constructor)) static void begin(void) { pthread_atfork(before, after, in_child); }

void lock_list(struct lock *lock) {
    lock->next = locks;
    locks = lock;
}

void fork_list_child(struct fork_child *child) {
    child->next = children;
    children = child;
}
