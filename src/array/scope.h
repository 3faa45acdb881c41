/* Fences around calls of user functions: `done` of borrowed memory, functions of ty_fuse, layers, rules,
   sources.  Behind a fence, scopes that were open before cannot be closed, so that the library's own tensors
   stay alive.  Scopes that the user function leaves open are closed at the fence. */
#ifndef ARRAY_SCOPE_H
#define ARRAY_SCOPE_H
#include "array/tensor.h"

struct scope_fence {
    int floor, depth;
    bool trespassed;
};
/* Set a fence before a call of a user function: until it is removed, the function cannot close scopes that
   are open now. Return the state for scope_fence_end, scope_fence_join or scope_fence_result. */
struct scope_fence scope_fence(void);
/* Remove the fence that scope_fence set, and close the scopes that the user function left open. */
void scope_fence_end(struct scope_fence fence);
/* Remove the fence that scope_fence set. Tensors of scopes that the user function left open move to the scope
   around it, so that its results stay alive. False, with the fault set, if the function (named `who`) tried
   to close a scope outside of the fence, or memory ran out. */
bool scope_fence_join(struct scope_fence fence, const char *who, struct fault *fault);
/* Remove the fence that scope_fence set around a function named `who`, whose result is y. Tensors of scopes
   that it left open move to the scope around it. Return y; a poisoned tensor if y is NULL, the function tried
   to close a scope outside of the fence, or memory ran out. */
ty_tensor *scope_fence_result(struct scope_fence fence, const char *who, ty_tensor *y);

/* Call done(context, data), by which the user frees borrowed memory, behind a fence: scopes that it leaves
   open are closed. */
void scope_call_done(void (*done)(void *context, void *data), void *context, void *data);

/* Give a reference to x to the innermost scope, which drops it when it closes. False if no scope is open or
   memory runs out; the caller keeps the reference then. */
bool scope_hold(ty_tensor *x);
/* Test hook: return the number of scopes that the calling thread has open. */
int scope_depth(void);
/* Test hook: remove all fences after a longjmp out of a user function. */
void scope_fences_gone(void);
#endif
