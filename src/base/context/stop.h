/*
 * Requests to stop: interrupts, deadlines, limits.  All that computes for long calls a check at least every few
 * milliseconds.  There are two kinds:
 *   stop_check   between pieces of work: the function fails if it returns false.
 *   stop_cut     inside a kernel, which may return early with garbage.  The launch (stop_end) then fails, even if
 *                ty_resume comes in between, so nobody sees it.
 * If nothing is asked, a check is one load of a thread-local variable and one relaxed atomic load.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H
#include "base/context/context.h"
#include "base/for_command.h"

/* Flags of ty_context.asked.  The first three and STOP_HEARD are reasons to stop; the others say that a check has to
   look. */
enum {
    STOP_FAILED = 1,      /* making the context failed */
    STOP_INTERRUPTED = 2, /* ty_interrupt */
    STOP_DEADLINE = 4,    /* a deadline is set; as a reason: it has passed */
    STOP_OPERATIONS = 8,  /* operations are limited */
    STOP_BYTES = 16,      /* bytes are limited */
    STOP_COUNTED = 32,    /* stop_at */
    STOP_HEARD =
        64 /* progress is heard; as a reason: the function that hears it stopped this thread's call */
};

/* Return the reason to stop in `context`, one of the flags that are reasons; 0: none.  asked: its flags, not 0. */
int stop_look(ty_context *context, int asked);
/* stop_reason on the calling thread, whose state is t. */
static inline int stop_reason_of(const struct context_thread *t) {
    int asked = atomic_load_explicit(&t->now->asked, memory_order_relaxed);
    return asked ? stop_look(t->now, asked) : 0;
}
/* Return the reason for which the calling thread must stop; 0: none. */
static inline int stop_reason(void) { return stop_reason_of(thread_now()); }
/* True if the calling thread must stop. */
static inline bool stop_asked(void) { return stop_reason() != 0; }

/* Set the message for a reason, unless a message is set.  Always false. */
bool stop_fault(struct fault *fault, int reason) FOR_COMMAND(stop_fault);
/* True if the message is that of a stop, perhaps after the names of places. */
bool stop_said(const struct fault *fault);
/* True if the calling thread may go on.  False, with the fault set, if it must stop. */
static inline bool stop_check(struct fault *fault) {
    int reason = stop_reason();
    return !reason || stop_fault(fault, reason);
}
/* stop_check for the command `tyto`, where the state of a thread is not visible. */
bool stop_check_thread(struct fault *fault) FOR_COMMAND(stop_check_thread);

/* True if a kernel must leave early; the thread remembers it for stop_end. */
static inline bool stop_cut(void) {
    struct context_thread *t = thread_now();
    int reason = t->cut ? t->cut : stop_reason_of(t);
    if (reason) t->cut = reason;
    return reason != 0;
}
/* stop_end on the calling thread, whose state is t. */
static inline bool stop_end_of(struct context_thread *t, struct fault *fault) {
    int reason = t->cut;
    if (!reason) return true;
    t->cut = 0;
    fault_clear(fault); /* garbage may have another fault, such as no convergence */
    return stop_fault(fault, reason);
}
/* End a kernel on the thread that launched it.  False, with the fault set, if a part of it left early. */
static inline bool stop_end(struct fault *fault) { return stop_end_of(thread_now(), fault); }

/* Let requests to stop not hold on this thread, and in parallel loops that it starts, until stop_unmask: the work
   changes what a stop must leave unchanged.  Nests. */
static inline void stop_mask(void) { context_thread.masked++; }
static inline void stop_unmask(void) { context_thread.masked--; }

/* Let a stop by the function of progress, which the thread that started a parallel loop hears, also stop this thread:
   *flag tells.  NULL: no longer.  Return the flag before. */
const atomic_bool *stop_follow(const atomic_bool *flag);

/* ---- limits ---- */

/* A limit of the operations that one thread charges, inside its outer limits and that of its context.  It lies on the
   caller's stack. */
struct stop_limit {
    double most, left;
    struct stop_limit *outer;
};
/* Charge operations of the calling thread to `limit`, too, until stop_limit_end. */
static inline void stop_limit_begin(struct stop_limit *limit, double operations) {
    *limit = (struct stop_limit){operations, operations, context_thread.limit};
    context_thread.limit = limit;
}
/* End the limit that this thread began last. */
static inline void stop_limit_end(struct stop_limit *limit) { context_thread.limit = limit->outer; }

/* True if operations are limited: by the thread's context, or for the thread alone. */
static inline bool stop_counts(void) {
    int asked = atomic_load_explicit(&context_now()->asked, memory_order_relaxed);
    return asked & STOP_OPERATIONS || context_thread.limit;
}
/* Charge operations of the thing called `what` to all limits of the thread and of its context.  False, with the fault
   set, if they exceed one; then nothing is charged. */
bool stop_charge(double operations, const char *what, struct fault *fault);

/* account_charge and account_credit where a limit is set. */
bool account_charge_limited(size_t bytes, ty_context **account);
void account_credit_limited(size_t bytes, ty_context *account);
/* Charge bytes to the thread's context.  False if they exceed its limit; fault_memory then says so.  *account is the
   context that account_credit needs, retained; NULL if no limit is set. */
static inline bool account_charge(size_t bytes, ty_context **account) {
    *account = NULL;
    bool limited = atomic_load_explicit(&context_now()->asked, memory_order_relaxed) & STOP_BYTES;
    return !limited || account_charge_limited(bytes, account);
}
/* Credit bytes that account_charge has charged; an account of NULL does nothing. */
static inline void account_credit(size_t bytes, ty_context *account) {
    if (account) account_credit_limited(bytes, account);
}
/* mem_near_alloc of bytes that are charged to the thread's context.  NULL: no memory, or beyond the limit. */
void *account_near_alloc(size_t bytes, ty_context **account);
/* Free a block of account_near_alloc and credit it; NULL is allowed. */
void account_near_free(void *data, size_t bytes, ty_context *account);
/* If the limit of bytes has refused the thread's last allocation, set that message, unless one is set, and return
   true. */
bool account_fault(struct fault *fault);

/* Test hook: interrupt the calling thread's context at the n-th check from now (1: the next) of any thread in it; 0
   cancels. */
void stop_at(int64_t n);
/* Test hook: return the checks since stop_at. */
int64_t stop_checks(void);
#endif
