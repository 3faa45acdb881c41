/* Contexts: references, and the context of each thread. */
#include "base/context/context.h"
#include <string.h>
#include "base/alloc.h"
#include "base/threads/thread_end.h"

ty_context context_default;
_Thread_local struct context_thread context_thread = {.now = &context_default};

/* Contexts that a thread nests, the last of which is its present one; none: it is in the default one. */
struct context_nest {
    int depth;
    ty_context *outer[CONTEXT_NEST];
};
static _Thread_local struct context_nest nested;

/* ---- references ---- */

/* True if the context is static: the default one, or the one that stands for lack of memory. */
static bool is_static(const ty_context *context) { return atomic_load(&context->refs) == 0; }

ty_context *context_retain(ty_context *context) {
    if (!is_static(context)) atomic_fetch_add_explicit(&context->refs, 1, memory_order_relaxed);
    return context;
}

void context_release(ty_context *context) {
    if (is_static(context)) return;
    if (atomic_fetch_sub_explicit(&context->refs, 1, memory_order_acq_rel) == 1) mem_free(context);
}

void ty_context_free(ty_context *context) {
    if (context) context_release(context);
}

/* ---- the context of a thread ---- */

/* Drop the references of the contexts that the thread nests, from number `from` on. */
static void leave_from(struct context_nest *t, int from) {
    while (t->depth > from) context_release(t->outer[--t->depth]);
}

/* Return the number of nested contexts up to `context`, 0 if it is not among them. */
static int depth_of(const struct context_nest *t, const ty_context *context) {
    for (int i = t->depth; i > 0; i--)
        if (t->outer[i - 1] == context) return i;
    return 0;
}

static void leave_all(void) { ty_context_use(NULL); }
static _Thread_local struct thread_end at_end = {.end = leave_all};

/* Nest `context`; the outermost one loses its reference if there are too many.  If the system has no memory for the
   hook at the thread's end, the references are never dropped. */
static void nest(struct context_nest *t, ty_context *context) {
    thread_at_end(&at_end);
    if (t->depth == CONTEXT_NEST) {
        context_release(t->outer[0]);
        memmove(t->outer, t->outer + 1, --t->depth * sizeof *t->outer);
    }
    t->outer[t->depth++] = context_retain(context);
}

ty_context *ty_context_use(ty_context *context) {
    struct context_thread *t = &context_thread;
    struct context_nest *n = &nested;
    ty_context *before = ty_context_now(), *after = context_of(context);
    int depth = depth_of(n, after);
    t->now = after;
    t->engine = NULL;
    t->uses++;
    if (depth || after == &context_default)
        leave_from(n, depth);
    else
        nest(n, after);
    return before;
}

ty_context *ty_context_now(void) {
    ty_context *now = context_now();
    return now == &context_default ? NULL : now;
}
