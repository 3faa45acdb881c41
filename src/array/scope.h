/*
 * Fences around calls of the caller's code: `done` of borrowed memory, bodies of ty_fuse, layers, rules, sources.
 * Behind a fence scopes that were open before cannot be closed, so that what the library is working on stays; what was
 * opened there and left open ends at the fence.
 */
#ifndef ARRAY_SCOPE_H
#define ARRAY_SCOPE_H
#include "array/tensor.h"

struct scope_fence {
    int floor, depth;
    bool trespassed;
};
struct scope_fence scope_fence(void);
/* Scopes left open are closed. */
void scope_fence_end(struct scope_fence fence);
/* What left-open scopes own goes to the scope around the fence, so that what the code has handed over, y among it, lives
   on.  False, or poison in place of y, with a sentence about `who`: a scope outside of the fence was to be closed, or y
   is NULL. */
bool scope_fence_join(struct scope_fence fence, const char *who, struct fault *fault);
ty_tensor *scope_fence_result(struct scope_fence fence, const char *who, ty_tensor *y);

/* `done` of borrowed memory, behind a fence. */
void scope_call_done(void (*done)(void *context, void *data), void *context, void *data);

/* The innermost scope takes a reference over; false: none is open, or there is no memory. */
bool scope_hold(ty_tensor *x);
/* How many scopes the calling thread has open; tests. */
int scope_depth(void);
/* After a jump out of the caller's code, which only tests may do: no fence stands any more. */
void scope_fences_gone(void);
#endif
