#include "control/user.h"
#include <tyto/graph.h>
#include "grad/unused.h"
#include "ops/core/eager.h"
#include "ops/core/op.h"

struct user_home user_home(void) {
    const struct context_thread *t = thread_now();
    return (struct user_home){t, t->engine, t->runs, t->held};
}

void user_enter(struct user_settings *before, const struct user_home *home) {
    struct context_thread *t = thread_now();
    *before = (struct user_settings){.fence = scope_fence(),
                                     .taken = {t == home->thread ? NULL : t, t->engine, t->runs, t->held},
                                     .work = t->work,
                                     .level = tensor_level,
                                     .lazily = record_lazily(false),
                                     .history = ty_set_history(true),
                                     .unused = unused_allow(false)};
    t->work = 0;
    tensor_level = 0;
    if (!before->taken.thread) return;
    t->engine = home->engine;
    t->runs = home->runs;
    t->held = home->held;
}

bool user_leave(const struct user_settings *before, const char *who, struct fault *fault) {
    struct context_thread *t = thread_now();
    unused_allow(before->unused);
    ty_set_history(before->history);
    record_lazily(before->lazily);
    tensor_level = before->level;
    t->work = before->work;
    if (before->taken.thread) {
        t->engine = before->taken.engine;
        t->runs = before->taken.runs;
        t->held = before->taken.held;
        eager_trim(); /* the thread is one of the workers, which hold no memory between jobs */
    }
    return scope_fence_join(before->fence, who, fault);
}
