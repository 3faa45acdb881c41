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

static _Thread_local struct ty_scope scopes[SCOPES];
static _Thread_local int depth;
static _Thread_local int fence;       /* scopes below this index cannot be closed now */
static _Thread_local bool trespassed; /* an attempt to close one of them was made */

/* ---- opening and closing ---- */

static ty_tensor **items_of(struct ty_scope *s) { return s->items ? s->items : s->at_hand; }

/* Remove the innermost scope; its references must have been dropped. */
static void pop(void) {
    struct ty_scope *top = &scopes[--depth];
    mem_free(top->items);
    top->items = NULL;
    top->count = top->capacity = 0;
}

/* Close the innermost scopes until `level` are left open. Dropping a reference may call the user's `done`,
   which may use the library; so the stack is consistent before each drop, and no state is kept over it. */
static void close_down_to(int level) {
    while (depth > level) {
        struct ty_scope *top = &scopes[depth - 1];
        if (top->count)
            tensor_free_one_reference(items_of(top)[--top->count]);
        else
            pop();
    }
}

static void leave_thread(void) { close_down_to(0); }
static _Thread_local struct thread_end at_end = {.end = leave_thread};

ty_scope *ty_open(void) {
    if (!at_end.listed) thread_at_end(&at_end);
    return depth < SCOPES ? &scopes[depth++] : NULL;
}

void ty_close(ty_scope *scope) {
    size_t level = ((uintptr_t)scope - (uintptr_t)scopes) / sizeof *scope;
    if (!scope || level >= SCOPES) return; /* NULL, or a scope of another thread */
    if ((int)level >= fence)
        close_down_to((int)level);
    else
        trespassed = true;
}

int scope_depth(void) { return depth; }

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

bool scope_hold(ty_tensor *x) { return depth && add(&scopes[depth - 1], x); }

ty_tensor *tensor_return(ty_tensor *fresh) {
    if (!fresh) return tensor_out_of_memory();
    return depth && !fresh->immortal ? own(&scopes[depth - 1], fresh) : fresh;
}

ty_tensor *tensor_share_in(const char *name, ty_tensor *x) {
    return tensor_of(x) == &tensor_null ? tensor_refuse_null(name, 0) : tensor_return(ty_retain(x));
}

ty_tensor *ty_keep(ty_tensor *x) {
    x = tensor_of(x);
    if (x->immortal || !depth) return x;
    ty_retain(x);
    return depth > 1 ? own(&scopes[depth - 2], x) : x;
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
    return x->immortal || !depth || take_out(&scopes[depth - 1], x) ? x : ty_retain(x);
}

ty_tensor *ty_disown(ty_tensor *x) { return tensor_return(tensor_of(x)); }

/* ---- fences ---- */

struct scope_fence scope_fence(void) {
    struct scope_fence before = {fence, depth, trespassed};
    fence = depth;
    trespassed = false;
    return before;
}

/* Remove the fence and restore the state `before`; return true if the function closed no scope that it had
   not opened. */
static bool stand_down(struct scope_fence before) {
    bool well = !trespassed;
    fence = before.floor;
    trespassed = before.trespassed;
    return well;
}

void scope_fence_end(struct scope_fence before) {
    close_down_to(before.depth);
    stand_down(before);
}

/* Close the innermost scope and give its references to the scope below. False if some were dropped for lack
   of memory. */
static bool join(void) {
    struct ty_scope *top = &scopes[depth - 1], *below = &scopes[depth - 2];
    bool well = true;
    for (size_t i = 0; i < top->count; i++) well &= own(below, items_of(top)[i]) != tensor_out_of_memory();
    pop();
    return well;
}

/* Remove the fence around a call of the user function named `who`, and restore the state `before`. False,
   with the fault set, if the function closed a scope that it had not opened. Also false if not `held`:
   references were lost for lack of memory. */
static bool settle(struct scope_fence before, bool held, const char *who, struct fault *fault) {
    if (!stand_down(before))
        return fault_set(fault, E_USER, "%s: the function closed a scope that it had not opened", who);
    return held || fault_memory(fault, sizeof(ty_tensor *));
}

static bool join_all(struct scope_fence before) {
    bool held = true;
    while (depth > before.depth && depth > 1) held &= join();
    return held;
}

bool scope_fence_join(struct scope_fence before, const char *who, struct fault *fault) {
    bool held = join_all(before);
    close_down_to(before.depth);
    return settle(before, held, who, fault);
}

ty_tensor *scope_fence_result(struct scope_fence before, const char *who, ty_tensor *y) {
    struct fault fault;
    bool held = join_all(before);
    fault_clear(&fault);
    bool kept = depth > before.depth && y; /* without a scope around, y belongs to the caller */
    if (kept) ty_retain(y);
    close_down_to(before.depth);
    if (!settle(before, held, who, &fault)) {
        if (kept) tensor_free_one_reference(y);
        return tensor_fault(&fault);
    }
    if (y) return y;
    return ty_poison_code(E_USER, "%s: the function returned NULL; on failure return a tensor of ty_poison",
                          who);
}

void scope_fences_gone(void) {
    fence = 0;
    trespassed = false;
}

void scope_call_done(void (*done)(void *context, void *data), void *context, void *data) {
    struct scope_fence before = scope_fence();
    done(context, data);
    scope_fence_end(before);
}
