/* Scheduling of examples: slots, threads, forks. */
#include <signal.h>
#include <string.h>
#include <time.h>
#include "base/alloc.h"
#include "array/progress.h"
#include "base/machine/floating.h"
#include "base/context/stop.h"
#include "base/threads/cancel.h"
#include "base/threads/unload.h"
#include "base/threads/workers.h"
#include "data/loader.h"

enum { LOOK_EVERY = 5000000 }; /* nanoseconds between two looks for requests to stop */

LOCK(loaders)
static struct ring all; /* valid loaders; guarded by the lock */

/* ---- slots: the lock is held, or there is one thread ---- */

/* Empty a slot, whose number -1 then says that it belongs to no batch. Its parts stay. */
static void clear(struct slot *slot) {
    slot->number = slot->bad = -1;
    slot->left = slot->next = slot->count = 0;
    slot->differs = false;
    fault_clear(&slot->fault);
}

/* Assign a slot to batch `number`, with all its examples unclaimed. */
static void open_slot(const ty_loader *l, struct slot *slot, int64_t number) {
    clear(slot);
    slot->number = number;
    slot->count = slot->left = loader_count(l, number);
    memset(slot->states, STATE_LEFT, (size_t)slot->count);
}

/* Claim an unclaimed example of the next `many` batches, set *job to it and return true; false if all are
   claimed or the loader is stopped. Call with the lock held. */
static bool take(ty_loader *l, int many, struct job *job) {
    for (int i = 0; i < many && !l->stopped; i++) {
        int64_t number = l->next + i;
        struct slot *slot = &l->slots[number % l->nslots];
        if (slot->number != number) open_slot(l, slot, number);
        while (slot->next < slot->count && slot->states[slot->next] != STATE_LEFT) slot->next++;
        if (slot->next == slot->count) continue;
        *job = (struct job){slot, number, slot->next};
        slot->states[slot->next++] = STATE_BEGUN;
        return true;
    }
    return false;
}

/* Record that the example of `job` was made, or that it is left because of a request to stop. */
static void finish(ty_loader *l, struct job job, bool made) {
    job.slot->states[job.place] = made ? STATE_MADE : STATE_LEFT;
    if (!made) {
        if (job.place < job.slot->next) job.slot->next = job.place;
        pthread_cond_signal(&l->made); /* its caller makes it */
        return;
    }
    if (!--job.slot->left) pthread_cond_signal(&l->made);
}

/* Make the claimed example of `job` and record that it is done. Call with the lock held; it is released
   meanwhile. */
static void make(ty_loader *l, struct job job) {
    lock_give(&loaders);
    bool made = loader_make(l, job);
    lock_take(&loaders);
    finish(l, job, made);
}

bool loader_install(struct slot *slot, ty_tensor *const *parts, int n) {
    lock_take(&loaders);
    bool mine = parts && !slot->parts[0];
    if (mine) memcpy(slot->parts, parts, (size_t)n * sizeof *parts);
    bool answer = parts ? mine : slot->parts[0] != NULL;
    lock_give(&loaders);
    return answer;
}

void loader_differs(struct slot *slot) {
    lock_take(&loaders);
    slot->differs = true;
    lock_give(&loaders);
}

void loader_blame(struct slot *slot, int64_t place, const struct fault *fault) {
    lock_take(&loaders);
    if (slot->bad < 0 || place < slot->bad) {
        slot->bad = place;
        slot->fault = *fault;
    }
    lock_give(&loaders);
}

/* ---- threads ---- */

/* Wait for the condition, at most some milliseconds, since no signal tells that a context asks to stop, or not any
   more.  The lock is held. */
static void await(pthread_cond_t *condition) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_EVERY;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    pthread_cond_timedwait(condition, &loaders.mutex, &until);
}

/* Run a loader's thread: make examples until the loader ends, waiting when there are none. context is the
   loader; returns NULL. */
static void *work(void *context) {
    FLOATING_DEFAULT;
    progress_mute();
    ty_loader *l = context;
    struct job job;
    context_enter(l->context); /* the loader holds it */
    ty_use_engine(l->engine);
    lock_take(&loaders);
    while (!l->ending) {
        if (stop_asked()) {
            await(&l->work);
        } else if (take(l, l->nslots, &job)) {
            l->busy++;
            make(l, job);
            if (!--l->busy && l->stopped) pthread_cond_signal(&l->made);
        } else {
            pthread_cond_wait(&l->work, &loaders.mutex);
        }
    }
    lock_give(&loaders);
    return NULL;
}

static ty_loader *loader_at(struct ring *at) { return RING_ITEM(at, ty_loader, others); }

/* Add the loader to the list of all loaders; takes the lock. */
static void list(ty_loader *l) {
    lock_take(&loaders);
    ring_add(&all, &l->others);
    lock_give(&loaders);
}

/* Remove the loader from the list of all loaders; takes the lock. */
static void unlist(ty_loader *l) {
    lock_take(&loaders);
    ring_remove(&l->others);
    lock_give(&loaders);
}

/* List the loader, initialise its slots and start its threads; l->nthreads becomes the number that started.
   They block all signals, so that handlers run on the application's threads. */
void loader_start(ty_loader *l) {
    sigset_t every, before;
    for (int i = 0; i < l->nslots; i++) clear(&l->slots[i]);
    pthread_cond_init(&l->work, NULL);
    pthread_cond_init(&l->made, NULL);
    list(l);
    int wanted = WORKERS_BUILT ? l->nthreads : 0;
    l->nthreads = 0;
    if (wanted > 0) unload_expect();
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    while (l->nthreads < wanted && !pthread_create(&l->threads[l->nthreads], NULL, work, l)) l->nthreads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* End and join the loader's threads; takes the lock. */
static void end_threads(ty_loader *l) {
    int cancel = cancel_hold_off();
    lock_take(&loaders);
    l->ending = true;
    int n = l->nthreads;
    l->nthreads = 0;
    pthread_cond_broadcast(&l->work);
    lock_give(&loaders);
    for (int i = 0; i < n; i++) pthread_join(l->threads[i], NULL);
    cancel_restore(cancel);
}

void loader_join(ty_loader *l) {
    end_threads(l);
    unlist(l);
    pthread_cond_destroy(&l->work);
    pthread_cond_destroy(&l->made);
}

/* Join the threads of all loaders when the library is unloaded, since their code is unmapped. */
__attribute__((destructor)) static void leave(void) {
    if (unloading())
        for (struct ring *at = ring_newest(&all); at; at = ring_next(&all, at)) end_threads(loader_at(at));
}

/* Hook in the child of a fork, which has no threads: mark the examples that they had claimed as unclaimed.
   Parts are complete or absent. */
static void forget_threads(void) {
    for (struct ring *at = ring_newest(&all); at; at = ring_next(&all, at)) {
        ty_loader *l = loader_at(at);
        pthread_cond_init(&l->work, NULL);
        pthread_cond_init(&l->made, NULL);
        l->nthreads = l->busy = 0;
        for (int i = 0; i < l->nslots; i++) {
            struct slot *slot = &l->slots[i];
            slot->next = 0;
            for (int64_t k = 0; k < slot->count; k++)
                if (slot->states[k] == STATE_BEGUN) slot->states[k] = STATE_LEFT;
        }
    }
}
static struct fork_child child = {.begin = forget_threads};
__attribute__((constructor)) static void register_child(void) { fork_list_child(&child); }

/* ---- caller ---- */

static void drop_parts(struct slot *slot, int n) {
    for (int i = 0; i < n; i++)
        if (slot->parts[i]) tensor_free_one_reference(slot->parts[i]);
    memset(slot->parts, 0, sizeof slot->parts);
}

void loader_restart(ty_loader *l, uint64_t seed, int64_t next, bool pausing) {
    int cancel = cancel_hold_off();
    lock_take(&loaders);
    l->stopped = true;
    while (l->busy) pthread_cond_wait(&l->made, &loaders.mutex);
    lock_give(&loaders);
    for (int i = 0; i < l->nslots; i++) { /* no thread uses the slots now */
        drop_parts(&l->slots[i], l->set->nfields);
        clear(&l->slots[i]);
    }
    lock_take(&loaders);
    l->options.seed = seed;
    l->next = next;
    l->pausing = pausing;
    l->stopped = false;
    pthread_cond_broadcast(&l->work);
    lock_give(&loaders);
    cancel_restore(cancel);
}

bool loader_await(ty_loader *l, ty_tensor **parts, struct fault *fault) {
    struct job job;
    int n = l->set->nfields;
    lock_take(&loaders);
    struct slot *slot = &l->slots[l->next % l->nslots];
    while (slot->number != l->next || slot->left) {
        if (!stop_check(fault)) {
            lock_give(&loaders);
            return false;
        }
        if (take(l, 1, &job))
            make(l, job);
        else if (slot->left)
            await(&l->made);
        if (!progress_heard()) continue;
        lock_give(&loaders);
        progress_occasion(NULL);
        lock_take(&loaders);
    }
    int64_t number = l->next;
    lock_give(&loaders); /* the slot is complete and ours until `next` advances */
    if (slot->bad >= 0)
        *fault = slot->fault;
    else if (slot->differs)
        loader_explain(l, number, fault);
    if (!fault->set) memcpy(parts, slot->parts, (size_t)n * sizeof *parts);
    if (fault->set) drop_parts(slot, n);
    memset(slot->parts, 0, sizeof slot->parts);
    lock_take(&loaders);
    clear(slot);
    l->next++;
    l->pausing = l->next % l->batches == 0;
    pthread_cond_broadcast(&l->work);
    lock_give(&loaders);
    return !fault->set;
}
