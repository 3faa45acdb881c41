/*
 * A fixed set of sleeping threads with one slot each.  Part i of a job is posted in worker i's slot.  The thread
 * that changes the slot from POSTED by compare-and-swap executes the part: the worker, or the caller once it has
 * finished its own part.  So a job never waits for a thread that has not started, and results do not depend on
 * the thread.  (Work stealing, Blumofe and Leiserson 1999, on static ranges.)
 *
 * Waiting threads spin for some microseconds, then block on a condition variable.  A worker's spinning time
 * adapts to the interval between jobs.
 */
#define _GNU_SOURCE
#include "base/threads/workers.h"
#ifdef TY_HAVE_THREADS
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/machine/clock.h"
#include "base/machine/floating.h"
#include "base/threads/cancel.h"
#include "base/threads/lock.h"

enum place { IDLE, POSTED, TAKEN, ENDING };
enum { APART_MOST = 16 };
/* Limits of spinning and waiting in nanoseconds; CLOCK_EVERY: iterations between reads of the clock. */
enum { SPIN_MOST = 50000, SPIN_LEAST = 2000, WAIT_MOST = 100000, CLOCK_EVERY = 16 };

/* State of a thread that sleeps until another thread has stored a value. */
struct bed {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool asleep;
};

struct worker {
    _Alignas(64) atomic_int place; /* slot, one of enum place */
    int index;
    pthread_t thread;
    struct bed bed;
};

static struct team {
    pthread_mutex_t busy; /* held by the thread whose job runs; guards the fields below */
    int started;
    int apart; /* processor that the workers are kept off; -1: none */
    bool registered, ended;
    atomic_bool spin;
    void (*part)(void *context, int i);
    void *context;
    struct bed caller;
} team = {.busy = PTHREAD_MUTEX_INITIALIZER,
          .apart = -1,
          .caller = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false}};
static struct worker workers[WORKERS_MOST]; /* separate from team: zeros take no space in the file */

/* Tell the processor that this is a spinning loop. */
static inline void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- waiting ---- */

static bool idle_over(const struct worker *w) {
    int place = atomic_load(&w->place);
    return place == POSTED || place == ENDING;
}

static bool part_done(const struct worker *w) { return atomic_load(&w->place) == IDLE; }

/* Block on `bed` until it is woken, unless ready(w) holds already; may return early, so the caller checks
   again. */
static void sleep_until(struct bed *bed, bool (*ready)(const struct worker *w), const struct worker *w) {
    pthread_mutex_lock(&bed->lock);
    atomic_store(&bed->asleep, true);
    if (!ready(w)) /* sequentially consistent: either this thread sees the value or its writer sees
                      asleep */
        pthread_cond_wait(&bed->wake, &bed->lock);
    atomic_store(&bed->asleep, false);
    pthread_mutex_unlock(&bed->lock);
}

/* Wake the sleeper of `bed`, if there is one; call it after the value that it waits for has been stored. */
static void wake(struct bed *bed) {
    if (!atomic_load(&bed->asleep)) return;
    pthread_mutex_lock(&bed->lock);
    pthread_mutex_unlock(&bed->lock);
    pthread_cond_signal(&bed->wake);
}

/* Spin until ready(w) is true, for at most `spin` nanoseconds (0: not at all). Return the last value of
   ready(w); false means that the time ran out. */
static bool spin_until(bool (*ready)(const struct worker *w), const struct worker *w, int64_t spin) {
    int64_t end = spin ? clock_nanoseconds() + spin : 0;
    for (int i = 1; spin; i++) {
        if (ready(w)) return true;
        breathe();
        if (i % CLOCK_EVERY == 0 && clock_nanoseconds() > end) break;
    }
    return ready(w);
}

/* ---- worker threads ---- */

static bool take(struct worker *w) {
    int posted = POSTED;
    return atomic_compare_exchange_strong(&w->place, &posted, TAKEN);
}

static void do_part(struct worker *w) {
    team.part(team.context, w->index + 1);
    atomic_store(&w->place, IDLE);
    wake(&team.caller);
}

/* Main function of a worker thread, `context`: run the parts that it is given until it is told to end. Always
   NULL. Halve its spinning time after each vain spin. Restore it when a job came while it spun, or when the
   caller did the part because waking took too long. */
static void *work(void *context) {
    FLOATING_DEFAULT; /* a new thread inherits the modes of its creator */
    struct worker *w = context;
    int64_t spin = SPIN_MOST;
    for (;;) {
        bool may_spin = atomic_load_explicit(&team.spin, memory_order_relaxed);
        if (spin_until(idle_over, w, may_spin ? spin : 0)) {
            spin = SPIN_MOST;
        } else {
            spin = spin > 2 * SPIN_LEAST ? spin / 2 : SPIN_LEAST;
            sleep_until(&w->bed, idle_over, w);
            if (!idle_over(w)) spin = SPIN_MOST;
        }
        if (atomic_load(&w->place) == ENDING) return NULL;
        if (take(w)) do_part(w);
    }
}

/* ---- the team; team.busy is held ---- */

/* At exit: end and join all workers; does nothing while a job runs. */
static void end_all(void) {
    if (pthread_mutex_trylock(&team.busy))
        return; /* a running job of another thread ends with the
                   process */
    team.ended = true;
    for (int i = 0; i < team.started; i++) {
        atomic_store(&workers[i].place, ENDING);
        wake(&workers[i].bed);
    }
    for (int i = 0; i < team.started; i++) pthread_join(workers[i].thread, NULL);
    team.started = 0;
    pthread_mutex_unlock(&team.busy);
}

/* Reset the team in the child of a fork: the workers exist only in the parent, and locks may be in any state. */
static void forget_all(void) {
    pthread_mutex_init(&team.busy, NULL);
    pthread_mutex_init(&team.caller.lock, NULL);
    pthread_cond_init(&team.caller.wake, NULL);
    atomic_store(&team.caller.asleep, false);
    for (int i = 0; i < team.started; i++) atomic_store(&workers[i].place, IDLE);
    team.started = 0;
}
static struct fork_child child = {.begin = forget_all};
__attribute__((constructor)) static void list(void) { fork_list_child(&child); }

/* Start worker `w` with all signals blocked, so that signal handlers run on the application's threads;
   `index` is its position in the table. False if that fails. */
static bool start_one(struct worker *w, int index) {
    sigset_t all, before;
    w->index = index;
    atomic_init(&w->place, IDLE);
    atomic_init(&w->bed.asleep, false);
    if (pthread_mutex_init(&w->bed.lock, NULL) || pthread_cond_init(&w->bed.wake, NULL)) return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Start workers until `wanted` exist, if possible. Return the number that can be used, at most `wanted`. */
static int start_up_to(int wanted) {
    if (team.ended) return 0;
    if (wanted > team.started && !team.registered) team.registered = !atexit(end_all);
    while (team.registered && team.started < wanted && start_one(&workers[team.started], team.started))
        team.apart = -1, team.started++;
    return team.started < wanted ? team.started : wanted;
}

/* Allow the workers on every processor of the caller except its current one.  The kernel often wakes a thread
   on the processor of the thread that wakes it, where it waits for milliseconds.  System calls only if the
   caller has moved. */
static void keep_apart(void) {
#ifdef __linux__
    cpu_set_t allowed;
    int here = sched_getcpu();
    if (here == team.apart || here < 0 || here >= CPU_SETSIZE || team.started > APART_MOST) return;
    team.apart = here;
    if (sched_getaffinity(0, sizeof allowed, &allowed) || CPU_COUNT(&allowed) < 2) return;
    CPU_CLR(here, &allowed);
    for (int i = 0; i < team.started; i++)
        pthread_setaffinity_np(workers[i].thread, sizeof allowed, &allowed);
#endif
}

static void post(struct worker *w) {
    atomic_store(&w->place, POSTED);
    wake(&w->bed);
}

/* Execute the part of worker w if w has not begun it, else wait until w is done. */
static void collect(struct worker *w) {
    int posted = POSTED;
    if (atomic_compare_exchange_strong(&w->place, &posted, IDLE))
        team.part(team.context, w->index + 1);
    else if (!spin_until(part_done, w, atomic_load(&team.spin) ? WAIT_MOST : 0))
        while (!part_done(w)) sleep_until(&team.caller, part_done, w);
}

bool workers_run(int parts, bool spin, void (*part)(void *context, int i), void *context) {
    if (pthread_mutex_trylock(&team.busy)) return false;
    int cancel = cancel_hold_off(); /* other threads run parts with the caller's memory */
    int helpers = start_up_to(parts - 1);
    if (helpers > 0) {
        team.part = part;
        team.context = context;
        atomic_store(&team.spin, spin);
        keep_apart();
        for (int i = 0; i < helpers; i++) post(&workers[i]);
        for (int i = helpers + 1; i < parts; i++) part(context, i);
        part(context, 0);
        for (int i = 0; i < helpers; i++) collect(&workers[i]);
    }
    pthread_mutex_unlock(&team.busy);
    cancel_restore(cancel);
    return helpers > 0;
}

#else

bool workers_run(int parts, bool spin, void (*part)(void *context, int i), void *context) {
    (void)parts, (void)spin, (void)part, (void)context;
    return false;
}
#endif
