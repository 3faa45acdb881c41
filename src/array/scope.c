/* Scopes: a stack per thread, each a growing list of owned references.  The stack is static, so opening a
   scope cannot fail for lack of memory.  If a list cannot grow, the new tensor is released and the caller gets
   the out-of-memory poison.  A thread that ends closes its open scopes. */
#include "array/scope.h"
#include <string.h>
#include <tyto/own.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/threads/thread_end.h"

enum { SCOPES = 256, AT_HAND = 8 };

struct ty_scope {
    ty_tensor **items; /* NULL: the items are in at_hand */
    size_t count, capacity;
    ty_tensor *at_hand[AT_HAND];
};

/* Scopes of a thread.  One variable, as context_thread (base/context/context.h). */
struct stack {
    int depth;
    int fence;       /* scopes below this index cannot be closed now */
    bool trespassed; /* an attempt to close one of them was made */
    bool ends;       /* leave_thread will be called when the thread ends */
    struct ty_scope scopes[SCOPES];
};
static _Thread_local struct stack stack;

/* Return the stack of the calling thread.  A function calls it once (thread_now). */
static inline struct stack *stack_now(void) {
    struct stack *t = &stack;
    __asm__("" : "+r"(t));
    return t;
}

/* ---- opening and closing ---- */

static ty_tensor **items_of(struct ty_scope *s) { return s->items ? s->items : s->at_hand; }

/* Remove the innermost scope; its references must have been dropped. */
static void pop(struct stack *t) {
    struct ty_scope *top = &t->scopes[--t->depth];
    if (top->items) mem_free(top->items);
    top->items = NULL;
    top->count = top->capacity = 0;
}

/* Close the innermost scopes until `level` are left open. Dropping a reference may call the user's `done`,
   which may use the library; so the stack is consistent before each drop, and no state is kept over it. */
static void close_down_to(struct stack *t, int level) {
    while (t->depth > level) {
        struct ty_scope *top = &t->scopes[t->depth - 1];
        if (top->count)
            tensor_free_one_reference(items_of(top)[--top->count]);
        else
            pop(t);
    }
}

static void leave_thread(void) {
    struct stack *t = stack_now();
    t->ends = false;
    close_down_to(t, 0);
}
static _Thread_local struct thread_end at_end = {.end = leave_thread};

ty_scope *ty_open(void) {
    struct stack *t = stack_now();
    if (!t->ends) t->ends = thread_at_end(&at_end);
    return t->depth < SCOPES ? &t->scopes[t->depth++] : NULL;
}

void ty_close(ty_scope *scope) {
    struct stack *t = stack_now();
    size_t level = ((uintptr_t)scope - (uintptr_t)t->scopes) / sizeof *scope;
    if (!scope || level >= SCOPES) return; /* NULL, or a scope of another thread */
    if ((int)level >= t->fence)
        close_down_to(t, (int)level);
    else
        t->trespassed = true;
}

int scope_depth(void) { return stack.depth; }

/* ---- ownership ---- */

/* Enlarge the scope's list of tensors; items stored in the struct itself move there. False if memory runs
   out; nothing has changed then. */
static bool grow(struct ty_scope *s) {
    bool first = !s->items;
    if (!list_reserve(s->items, first ? 4 * AT_HAND : s->count + 1, s->capacity)) return false;
    if (first) memcpy(s->items, s->at_hand, sizeof s->at_hand);
    return true;
}

/* Append x to the scope's list. False if memory runs out; the reference is still the caller's. */
static bool add(struct ty_scope *s, ty_tensor *x) {
    if (s->count < AT_HAND && !s->items) {
        s->at_hand[s->count++] = x;
        return true;
    }
    if ((!s->items || s->count == s->capacity) && !grow(s)) return false;
    s->items[s->count++] = x;
    return true;
}

static ty_tensor *own(struct ty_scope *s, ty_tensor *x) {
    if (add(s, x)) return x;
    tensor_free_one_reference(x);
    return tensor_out_of_memory();
}

/* Return the innermost scope but n of a stack, NULL if fewer are open. */
static struct ty_scope *innermost_but(struct stack *t, int n) {
    return t->depth > n ? &t->scopes[t->depth - 1 - n] : NULL;
}

bool scope_hold(ty_tensor *x) {
    struct ty_scope *top = innermost_but(stack_now(), 0);
    return top && add(top, x);
}

ty_tensor *tensor_return(ty_tensor *fresh) {
    if (!fresh) return tensor_out_of_memory();
    struct ty_scope *top = innermost_but(stack_now(), 0);
    return top && !fresh->immortal ? own(top, fresh) : fresh;
}

ty_tensor *tensor_share_in(const char *name, ty_tensor *x) {
    return tensor_of(x) == &tensor_null ? tensor_refuse_null(name, 0) : tensor_return(ty_retain(x));
}

ty_tensor *ty_keep(ty_tensor *x) {
    x = tensor_of(x);
    struct stack *t = stack_now();
    if (x->immortal || !t->depth) return x;
    ty_retain(x);
    struct ty_scope *outer = innermost_but(t, 1);
    return outer ? own(outer, x) : x;
}

/* Remove the last entry of x from the list of a scope. False if it has none. */
static bool take_out(struct ty_scope *s, const ty_tensor *x) {
    ty_tensor **items = items_of(s);
    for (size_t i = s->count; i-- > 0;)
        if (items[i] == x) {
            s->count--;
            memmove(items + i, items + i + 1, (s->count - i) * sizeof *items);
            return true;
        }
    return false;
}

ty_tensor *ty_own(ty_tensor *x) {
    x = tensor_of(x);
    struct ty_scope *top = innermost_but(stack_now(), 0);
    return x->immortal || !top || take_out(top, x) ? x : ty_retain(x);
}

ty_tensor *ty_disown(ty_tensor *x) { return tensor_return(tensor_of(x)); }

/* ---- fences ---- */

struct scope_fence scope_fence(void) {
    struct stack *t = stack_now();
    struct scope_fence before = {t->fence, t->depth, t->trespassed};
    t->fence = t->depth;
    t->trespassed = false;
    return before;
}

/* Remove the fence and restore the state `before`; return true if the function closed no scope that it had
   not opened. */
static bool stand_down(struct stack *t, struct scope_fence before) {
    bool well = !t->trespassed;
    t->fence = before.floor;
    t->trespassed = before.trespassed;
    return well;
}

void scope_fence_end(struct scope_fence before) {
    struct stack *t = stack_now();
    close_down_to(t, before.depth);
    stand_down(t, before);
}

/* Close the innermost scope and give its references to the scope below. False if some were dropped for lack
   of memory. */
static bool join(struct stack *t) {
    struct ty_scope *top = innermost_but(t, 0), *below = innermost_but(t, 1);
    bool well = true;
    for (size_t i = 0; i < top->count; i++) well &= own(below, items_of(top)[i]) != tensor_out_of_memory();
    pop(t);
    return well;
}

/* Remove the fence around a call of the user function named `who`, and restore the state `before`. False,
   with the fault set, if the function closed a scope that it had not opened. Also false if not `held`:
   references were lost for lack of memory. */
static bool settle(struct stack *t, struct scope_fence before, bool held, const char *who,
                   struct fault *fault) {
    if (!stand_down(t, before))
        return fault_set(fault, E_USER, "%s: the function closed a scope that it had not opened", who);
    return held || fault_memory(fault, sizeof(ty_tensor *));
}

static bool join_all(struct stack *t, struct scope_fence before) {
    bool held = true;
    while (t->depth > before.depth && t->depth > 1) held &= join(t);
    return held;
}

bool scope_fence_join(struct scope_fence before, const char *who, struct fault *fault) {
    struct stack *t = stack_now();
    bool held = join_all(t, before);
    close_down_to(t, before.depth);
    return settle(t, before, held, who, fault);
}

ty_tensor *scope_fence_result(struct scope_fence before, const char *who, ty_tensor *y) {
    struct fault fault;
    struct stack *t = stack_now();
    bool held = join_all(t, before);
    fault_clear(&fault);
    bool kept = t->depth > before.depth && y; /* without a scope around, y belongs to the caller */
    if (kept) ty_retain(y);
    close_down_to(t, before.depth);
    if (!settle(t, before, held, who, &fault)) {
        if (kept) tensor_free_one_reference(y);
        return tensor_fault(&fault);
    }
    if (y) return y;
    return ty_poison_code(E_USER, "%s: the function returned NULL; on failure return a tensor of ty_poison",
                          who);
}

void scope_fences_gone(void) {
    struct stack *t = stack_now();
    t->fence = 0;
    t->trespassed = false;
}

void scope_call_done(void (*done)(void *context, void *data), void *context, void *data) {
    struct scope_fence before = scope_fence();
    done(context, data);
    scope_fence_end(before);
}
