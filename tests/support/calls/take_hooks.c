/* Tables of functions that the library calls: allocators, pools, reports of progress. */
#include "tests/support/aligned.h"
#include "tests/support/calls/take.h"

static void *allocate(void *context, size_t bytes, size_t alignment) {
    (void)context;
    return aligned_new(alignment, bytes);
}
static void release(void *context, void *memory, size_t bytes) {
    (void)context, (void)bytes;
    aligned_free(memory);
}

TAKE(ty_allocator, ty_allocator) {
    (void)name;
    return (ty_allocator){.allocate = calls_choose(c, 4) < 3 ? allocate : NULL,
                          .release = calls_choose(c, 4) < 3 ? release : NULL};
}

static int three(void *context) {
    (void)context;
    return 3;
}
static bool in_order(void *context, int parts, void (*part)(void *data, int i), void *data) {
    (void)context;
    for (int i = 0; i < parts; i++) part(data, i);
    return true;
}

TAKE(ty_thread_pool, ty_thread_pool) {
    (void)name;
    return (ty_thread_pool){.threads = calls_choose(c, 4) < 3 ? three : NULL,
                            .run = calls_choose(c, 4) < 3 ? in_order : NULL};
}

TAKE(c_ty_progress_state_p, const ty_progress_state *) {
    ty_progress_state *s = calls_room(c, sizeof *s);
    *s = (ty_progress_state){take_c_char_p(c, name), take_int64_t(c, name), take_int64_t(c, name),
                             take_int(c, name),      calls_choose(c, 2),    take_double(c, name)};
    return s;
}

static bool go_on(void *data, const ty_progress_state *now) {
    (void)data, (void)now;
    return true;
}
TAKE(callback_report, calls_report) {
    (void)c, (void)name;
    return go_on;
}

TAKE(c_ty_allocator_p, const ty_allocator *) {
    ty_allocator *a = calls_room(c, sizeof *a);
    *a = take_ty_allocator(c, name);
    return a;
}

TAKE(c_ty_thread_pool_p, const ty_thread_pool *) {
    ty_thread_pool *p = calls_room(c, sizeof *p);
    *p = take_ty_thread_pool(c, name);
    return p;
}
