#include "base/lock.h"
#include <stdatomic.h>
#include <stdbool.h>

static struct lock *locks; /* the lists change only while the library is loaded */
static struct fork_child *children;

/* Those who begin a run look whether a fork waits after they have counted themselves, and the fork counts runs after it
   has said that it waits: in the one order of all atomic operations, one of them sees the other. */
static atomic_int runs;
static atomic_bool forking;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* held by a fork, and around the waiting */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Thread_local int own_runs; /* a signal's handler may fork while its thread runs a program */

/* ---- runs ---- */

/* The last run that a fork waits for wakes it. */
static void count_down(void) {
    atomic_fetch_sub(&runs, 1);
    if (!atomic_load(&forking)) return;
    pthread_mutex_lock(&gate);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&gate);
}

void fork_hold_off(void) {
    for (bool inside = own_runs > 0;
         ;) { /* a fork that waits for this thread does not begin before it is done */
        atomic_fetch_add(&runs, 1);
        if (inside || !atomic_load(&forking)) break;
        count_down();
        pthread_mutex_lock(&gate);
        while (atomic_load(&forking)) pthread_cond_wait(&changed, &gate);
        pthread_mutex_unlock(&gate);
    }
    own_runs++;
}

void fork_allow(void) {
    own_runs--;
    count_down();
}

/* ---- forks ---- */

static void before(void) {
    pthread_mutex_lock(&gate);
    atomic_store(&forking, true);
    while (atomic_load(&runs) > own_runs) {
        pthread_cond_wait(&changed, &gate);
        atomic_store(&forking, true); /* the fork of another thread may be over since */
    }
    for (struct lock *l = locks; l; l = l->next) lock_take(l);
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

/* Whoever was about to count itself down, or waited, stayed in the parent. */
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
