/* Settings of a thread while a call runs the user's function: those of a fresh thread, behind a fence. */
#ifndef CONTROL_USER_H
#define CONTROL_USER_H
#include "array/scope.h"
#include "base/context/context.h"

/* A thread that starts a call, and the state that other threads which run the function take over. */
struct user_home {
    const struct context_thread *thread;
    const void *engine;
    struct running *runs;
    int held;
};
/* Settings of a thread to restore. */
struct user_settings {
    struct scope_fence fence;
    struct user_home taken; /* state before user_enter; thread NULL: this thread is the home */
    double work;
    uint16_t level;
    bool lazily, history, unused;
};

/* Return the state of the calling thread. */
struct user_home user_home(void);
/* Set a fence and the usual settings on this thread, for a function of the user that thread `home` calls.  Programs that
   run there count as running here, since that thread waits for this one. */
void user_enter(struct user_settings *before, const struct user_home *home);
/* Restore the settings and remove the fence.  Tensors of scopes that the function left open move to the scope around it.
   False, with the fault set, if the function, called by `who`, closed a scope of others. */
bool user_leave(const struct user_settings *before, const char *who, struct fault *fault);
#endif
