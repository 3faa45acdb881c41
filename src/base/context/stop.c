/* Interrupts, deadlines and limits of contexts. */
#include "base/context/stop.h"
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/machine/clock.h"
#include "base/machine/floating.h"

/* ---- requests ---- */

static void ask(ty_context *context, int flag) { atomic_fetch_or(&context->asked, flag); }
static void unask(ty_context *context, int flag) { atomic_fetch_and(&context->asked, ~flag); }

void ty_interrupt(ty_context *context) { ask(context_of(context), STOP_INTERRUPTED); }
void ty_resume(ty_context *context) { unask(context_of(context), STOP_INTERRUPTED | STOP_DEADLINE); }
bool ty_interrupted(const ty_context *context) {
    const ty_context *c = context ? context : &context_default;
    return atomic_load(&c->asked) & STOP_INTERRUPTED;
}

/* A deadline that cannot be counted in nanoseconds, of 146 years or more, is none. */
void ty_deadline(ty_context *context, double seconds) {
    FLOATING_DEFAULT;
    ty_context *c = context_of(context);
    const double most = (double)(INT64_MAX / 2) / 1e9;
    if (seconds >= most) {
        unask(c, STOP_DEADLINE);
        return;
    }
    atomic_store(&c->deadline, seconds > 0 ? clock_nanoseconds() + (int64_t)(seconds * 1e9) : 0);
    ask(c, STOP_DEADLINE);
}

/* ---- checks ---- */

#define INTERRUPTED "interrupted: "
#define TIMEOUT "timeout: "

static _Atomic int64_t countdown, checks;

void stop_at(int64_t n) {
    atomic_store(&checks, 0);
    atomic_store(&countdown, n);
    if (n)
        ask(context_now(), STOP_COUNTED);
    else
        unask(context_now(), STOP_COUNTED);
}
int64_t stop_checks(void) { return atomic_load(&checks); }

static _Thread_local const atomic_bool *followed;

const atomic_bool *stop_follow(const atomic_bool *flag) {
    const atomic_bool *before = followed;
    followed = flag;
    return before;
}

/* True if the function of progress has stopped the calling thread, or the thread for which it works. */
static bool is_stopped(void) {
    return context_thread.stopped || (followed && atomic_load_explicit(followed, memory_order_relaxed));
}

int stop_look(ty_context *context, int asked) {
    if (context_thread.masked) return 0;
    if (asked & STOP_COUNTED && atomic_fetch_add(&checks, 1) + 1 == atomic_load(&countdown)) {
        ask(context, STOP_INTERRUPTED);
        return STOP_INTERRUPTED;
    }
    if (asked & (STOP_FAILED | STOP_INTERRUPTED)) return asked & STOP_FAILED ? STOP_FAILED : STOP_INTERRUPTED;
    if (asked & STOP_HEARD && is_stopped()) return STOP_HEARD;
    bool late = asked & STOP_DEADLINE && clock_nanoseconds() >= atomic_load(&context->deadline);
    return late ? STOP_DEADLINE : 0;
}

bool stop_said(const struct fault *fault) {
    return fault->set && (fault->code == E_INTERRUPTED || fault->code == E_TIMEOUT);
}

bool stop_fault(struct fault *fault, int reason) {
    if (reason == STOP_FAILED) {
        const struct fault *why = &context_now()->fault;
        return fault_set(fault, why->set ? why->code : E_INTERNAL, "%s",
                         why->set ? why->text : "the context failed");
    }
    if (reason == STOP_DEADLINE) return fault_set(fault, E_TIMEOUT, TIMEOUT "the deadline has passed");
    if (reason == STOP_HEARD)
        return fault_set(fault, E_INTERRUPTED, INTERRUPTED "the progress function stopped the call");
    return fault_set(fault, E_INTERRUPTED, INTERRUPTED "the context was asked to stop");
}

bool stop_check_thread(struct fault *fault) { return stop_check(fault); }

/* ---- limits ---- */

enum { LIMIT_OF_COUNTS = 62 }; /* operations beyond 2^62 are no limit */

void ty_limits(ty_context *context, double operations, int64_t bytes) {
    FLOATING_DEFAULT;
    ty_context *c = context_of(context);
    unask(c, STOP_OPERATIONS | STOP_BYTES);
    if (operations > 0 && operations < ldexp(1, LIMIT_OF_COUNTS)) {
        atomic_store(&c->operations_most, (int64_t)operations);
        atomic_store(&c->operations, (int64_t)operations);
        ask(c, STOP_OPERATIONS);
    }
    if (bytes <= 0) return;
    atomic_store(&c->bytes_most, bytes);
    ask(c, STOP_BYTES);
}

static bool operations_fault(double operations, double left, double most, const char *what,
                             struct fault *fault) {
    return fault_set(fault, E_LIMIT, "limit exceeded: %s needs %.3g operations, and %.3g of %.3g are left",
                     what, operations, left, most);
}

/* Charge operations to the thread's context. */
static bool charge_context(double operations, const char *what, struct fault *fault) {
    ty_context *c = context_now();
    int64_t left = atomic_load(&c->operations);
    do {
        if (operations > (double)left)
            return operations_fault(operations, (double)left, (double)atomic_load(&c->operations_most), what,
                                    fault);
    } while (!atomic_compare_exchange_weak(&c->operations, &left, left - (int64_t)operations));
    return true;
}

bool stop_charge(double operations, const char *what, struct fault *fault) {
    struct stop_limit *limit;
    for (limit = context_thread.limit; limit; limit = limit->outer)
        if (operations > limit->left)
            return operations_fault(operations, limit->left, limit->most, what, fault);
    bool limited = atomic_load_explicit(&context_now()->asked, memory_order_relaxed) & STOP_OPERATIONS;
    if (limited && !charge_context(operations, what, fault)) return false;
    for (limit = context_thread.limit; limit; limit = limit->outer) limit->left -= operations;
    return true;
}

bool account_charge_limited(size_t bytes, ty_context **account) {
    ty_context *c = context_now();
    context_thread.refused = 0;
    int64_t now = atomic_load(&c->bytes_now);
    do {
        int64_t most = atomic_load(&c->bytes_most);
        if (now > most || bytes > (uint64_t)(most - now)) {
            context_thread.refused = bytes;
            return false;
        }
    } while (!atomic_compare_exchange_weak(&c->bytes_now, &now, now + (int64_t)bytes));
    *account = context_retain(c);
    return true;
}

void account_credit_limited(size_t bytes, ty_context *account) {
    atomic_fetch_sub(&account->bytes_now, (int64_t)bytes);
    context_release(account);
}

void *account_near_alloc(size_t bytes, ty_context **account) {
    if (!account_charge(bytes, account)) return NULL;
    void *data = mem_near_alloc(bytes);
    if (data) return data;
    account_credit(bytes, *account);
    *account = NULL;
    return NULL;
}

void account_near_free(void *data, size_t bytes, ty_context *account) {
    mem_near_free(data, bytes);
    if (data) account_credit(bytes, account);
}

bool account_fault(struct fault *fault) {
    size_t refused = context_thread.refused;
    if (!refused) return false;
    const ty_context *c = context_now();
    char more[BYTES_WORDS], now[BYTES_WORDS], most[BYTES_WORDS];
    bytes_words(more, refused);
    bytes_words(now, (size_t)atomic_load(&c->bytes_now));
    bytes_words(most, (size_t)atomic_load(&c->bytes_most));
    fault_set(fault, E_LIMIT, "limit exceeded: %s more than %s in use; %s are allowed", more, now, most);
    context_thread.refused = 0;
    return true;
}
