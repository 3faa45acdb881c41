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
/* Set a fence before a call of a user function.  Returns the state for scope_fence_end or scope_fence_join. */
struct scope_fence scope_fence(void);
/* Remove the fence; closes scopes that the user function left open. */
void scope_fence_end(struct scope_fence fence);
/* Remove the fence, but move the tensors of scopes left open into the scope around it, so that the user's
   results stay alive.  False and fault set if the function tried to close a scope outside of the fence, or
   memory ran out; `who` names it. */
bool scope_fence_join(struct scope_fence fence, const char *who, struct fault *fault);
/* Like scope_fence_join for a function whose result is y.  Returns y, or a poisoned tensor on failure or if y
   is NULL. */
ty_tensor *scope_fence_result(struct scope_fence fence, const char *who, ty_tensor *y);

/* Call `done` of borrowed memory behind a fence. */
void scope_call_done(void (*done)(void *context, void *data), void *context, void *data);

/* Give a reference to the innermost scope.  False if no scope is open or memory runs out; the caller keeps it
   then. */
bool scope_hold(ty_tensor *x);
/* Test hook: return the number of scopes that the calling thread has open. */
int scope_depth(void);
/* Test hook: remove all fences after a longjmp out of a user function. */
void scope_fences_gone(void);
#endif
