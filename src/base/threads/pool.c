/*
 * A job occupies a static slot.  The pool gets a ticket in place of an address: the slot's number and the number of the
 * job.  A part runs if it can be claimed, which sets its bit in a word that also has the number of the job.  So a part
 * that is called twice, or after its job, fails to claim and does nothing, and no memory of the job is read.
 */
#include "base/threads/pool.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "base/machine/floating.h"
#include "base/threads/cancel.h"
#include "base/threads/lock.h"
#include "base/threads/workers.h"

enum {
    SLOTS = 64, /* jobs at one time; further callers run alone */
    WORD = 32,  /* parts per word of claims */
    MOST_PARTS = WORKERS_MOST + 1,
    JOBS = 1 << 26 /* numbers of jobs of a slot, which repeat: a ticket has 32 bits */
};

struct slot {
    _Atomic(void *) owner; /* address of a variable of the thread whose job it is; NULL: free */
    uint32_t job;          /* number of the present job, 1 .. JOBS - 1 */
    int parts;
    void (*part)(void *context, int i);
    void *context;
    _Atomic uint64_t claims[MOST_PARTS / WORD]; /* number of the job in the upper half, a bit for each part */
    atomic_int done;
    atomic_bool waiting; /* the owner waits until all parts are done */
    pthread_mutex_t lock;
    pthread_cond_t all_done;
};
_Static_assert(MOST_PARTS % WORD == 0, "whole words of claims");
static struct slot slots[SLOTS];
static _Thread_local char self; /* its address stands for the thread */

/* Initialise the locks of all slots; in the child of a fork also free the slots of threads that do not exist there. */
static void reset(void) {
    for (int i = 0; i < SLOTS; i++) {
        pthread_mutex_init(&slots[i].lock, NULL);
        pthread_cond_init(&slots[i].all_done, NULL);
        if (atomic_load(&slots[i].owner) != &self) atomic_store(&slots[i].owner, NULL);
    }
}
static struct fork_child child = {.begin = reset};
__attribute__((constructor)) static void begin(void) {
    reset();
    fork_list_child(&child);
}

int pool_width(const struct thread_pool *pool) {
    int n = pool->threads(pool->context);
    return n < 1 ? 1 : n < MOST_PARTS ? n : MOST_PARTS;
}

/* ---- parts ---- */

/* Claim part i of a job. False if the slot has another job, or the part has been claimed. */
static bool claim(struct slot *s, uint32_t job, int i) {
    uint64_t bit = (uint64_t)1 << i % WORD, word = atomic_load(&s->claims[i / WORD]);
    do {
        if (word >> WORD != job || word & bit) return false;
    } while (!atomic_compare_exchange_weak(&s->claims[i / WORD], &word, word | bit));
    return true;
}

/* Run part i, which has been claimed, and wake the owner if it waits for the last part. The job may end with the
   count, so its slot is not read afterwards except for the lock, which is static. */
static void run_claimed(struct slot *s, int i) {
    int parts = s->parts;
    s->part(s->context, i);
    if (atomic_fetch_add(&s->done, 1) + 1 < parts || !atomic_load(&s->waiting)) return;
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->all_done);
    pthread_mutex_unlock(&s->lock);
}

/* Called by the pool for part i of the job whose ticket is `data`; does nothing for a part that is not due. */
static void part_of(void *data, int i) {
    uint32_t ticket = (uint32_t)(uintptr_t)data;
    struct slot *s = &slots[ticket % SLOTS];
    if (i < 0 || i >= MOST_PARTS || !claim(s, ticket / SLOTS, i)) return;
    FLOATING_DEFAULT; /* threads of the pool may have other modes, and keep them */
    int cancel = cancel_hold_off();
    run_claimed(s, i);
    cancel_restore(cancel);
}

/* ---- jobs ---- */

/* Return a slot for a job of this thread; NULL if all are occupied. */
static struct slot *occupy(void) {
    for (int i = 0; i < SLOTS; i++) {
        void *nobody = NULL;
        if (atomic_compare_exchange_strong(&slots[i].owner, &nobody, &self)) return &slots[i];
    }
    return NULL;
}

/* Start a job in the slot: from now on its parts can be claimed. Return the ticket. */
static void *start(struct slot *s, int parts, void (*part)(void *context, int i), void *context) {
    s->job = s->job + 1 < JOBS ? s->job + 1 : 1;
    s->parts = parts;
    s->part = part;
    s->context = context;
    atomic_store(&s->done, 0);
    for (int w = 0; w < MOST_PARTS / WORD; w++) {
        int absent = WORD * (w + 1) - parts; /* parts of this word that the job does not have */
        uint64_t claimed = absent <= 0      ? 0
                           : absent >= WORD ? UINT32_MAX
                                            : (uint64_t)UINT32_MAX << (WORD - absent);
        atomic_store(&s->claims[w], (uint64_t)s->job << WORD | (claimed & UINT32_MAX));
    }
    return (void *)(uintptr_t)(s->job * SLOTS + (uint32_t)(s - slots));
}

/* Wait for the parts that other threads have claimed and not ended. */
static void finish(struct slot *s) {
    if (atomic_load(&s->done) == s->parts) return;
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->waiting,
                 true); /* sequentially consistent: the last part sees it, or this thread its count */
    while (atomic_load(&s->done) < s->parts) pthread_cond_wait(&s->all_done, &s->lock);
    atomic_store(&s->waiting, false);
    pthread_mutex_unlock(&s->lock);
}

void pool_run(const struct thread_pool *pool, int parts, void (*part)(void *context, int i), void *context) {
    struct slot *s = occupy();
    if (!s) {
        for (int i = 0; i < parts; i++) part(context, i);
        return;
    }
    int cancel = cancel_hold_off(); /* the job is on this thread's stack */
    pool->run(pool->context, parts, part_of, start(s, parts, part, context));
    for (int i = 0; i < parts; i++)
        if (claim(s, s->job, i)) run_claimed(s, i);
    finish(s);
    atomic_store(&s->owner, NULL);
    cancel_restore(cancel);
}
