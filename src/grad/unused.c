#include "grad/unused.h"
#include <tyto/derivative.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "grad/leaves.h"

static _Thread_local bool by_user, by_library;

bool ty_allow_unused(bool on) {
    bool was = by_user;
    by_user = on;
    return was;
}

bool unused_allow(bool on) {
    bool was = by_library;
    by_library = on;
    return was;
}

bool unused_allowed(void) { return by_library; }

/* Extend the marks reached[], an entry for each node of the walk, from marked nodes to all that they are
   computed from. ty_detach stops it. */
static void mark_operands(const struct walk *w, bool *reached) {
    for (int64_t k = w->count - 1; k >= 0; k--) {
        const ty_tensor *x = w->nodes[k];
        bool on = reached[k] && walk_enters(w, x) && x->op != &op_detach;
        for (int i = 0; i < x->ninputs && on; i++) reached[walk_operand(w, k, i)] = true;
    }
}

/* Mark in reached[], an entry for each node of the walk, the tensors of[n] and everything that they are
   computed from, and clear all other entries. */
static void mark_among(const struct walk *w, bool *reached, int n, ty_tensor *const *of) {
    for (int64_t k = 0; k < w->count; k++) reached[k] = false;
    for (int i = 0; i < n; i++) {
        int64_t place = walk_place(w, tensor_resolve(of[i]));
        if (place >= 0) reached[place] = true;
    }
    mark_operands(w, reached);
}

static bool is_reached(const struct walk *w, const bool *reached, const ty_tensor *x) {
    int64_t place = walk_place(w, x);
    return place >= 0 && reached[place];
}

#define ALLOW "or allow zeros (ty_allow_unused)"

/* Set the fault that y[ny] do not depend on x, the argument x[i] with this value, and the likely reason.
   Always return false. */
static bool refuse_x(const char *name, int ny, ty_tensor *const *y, int i, const ty_tensor *x,
                     const ty_tensor *value, struct fault *fault) {
    char left[160], right[160];
    const ty_tensor *result = tensor_resolve(y[0]);
    tensor_describe_into(right, sizeof right, tensor_of(x));
    if (!value->promise && !value->tracked)
        return fault_set(fault, E_ARGUMENT,
                         "%s: x[%d], %s, is not tracked, so y does not depend on it; compute y from a "
                         "variable (ty_track, ty_var), " ALLOW,
                         name, i, right);
    tensor_describe_into(left, sizeof left, result);
    if (ny == 1 && !result->promise && !result->tracked)
        return fault_set(fault, E_ARGUMENT,
                         "%s: y, %s, is a value without a history, so it does not depend on x[%d], %s; "
                         "compute it from tracked x, with ty_set_history on and without ty_detach, " ALLOW,
                         name, left, i, right);
    return fault_set(fault, E_ARGUMENT, "%s: y%s%s does not depend on x[%d], %s; leave that out, " ALLOW,
                     name, ny == 1 ? ", " : "", ny == 1 ? left : "", i, right);
}

/* Check that each of x[n] is used by at least one of y[ny]; values[i] is the value of x[i]. reached[] is
   scratch, an entry for each node of w. False, with the fault set in the name of function `name`, if not. */
static bool check_x(const char *name, const struct walk *w, bool *reached, int ny, ty_tensor *const *y, int n,
                    ty_tensor *const *x, ty_tensor *const *values, struct fault *fault) {
    mark_among(w, reached, ny, y);
    for (int i = 0; i < n; i++)
        if (!is_reached(w, reached, values[i])) return refuse_x(name, ny, y, i, x[i], values[i], fault);
    return true;
}

/* Mark in moves[], an entry for each node of the walk, the nodes that are computed from one of values[n], and
   these, and clear all other entries. */
static void mark_results(const struct walk *w, bool *moves, int n, ty_tensor *const *values) {
    for (int64_t k = 0; k < w->count; k++) moves[k] = false;
    for (int i = 0; i < n; i++) {
        int64_t place = walk_place(w, values[i]);
        if (place >= 0) moves[place] = true;
    }
    for (int64_t k = 0; k < w->count; k++) {
        const ty_tensor *x = w->nodes[k];
        for (int i = 0; i < x->ninputs && walk_enters(w, x) && x->op != &op_detach; i++)
            moves[k] = moves[k] || moves[walk_operand(w, k, i)];
    }
}

/* Check that each of y[ny] depends on at least one of values[n]. moves[] is scratch, an entry for each node
   of w; it need not be cleared. False, with the fault set in the name of function `name`, if not. */
static bool check_y(const char *name, const struct walk *w, bool *moves, int ny, ty_tensor *const *y, int n,
                    ty_tensor *const *values, struct fault *fault) {
    char words[160];
    mark_results(w, moves, n, values);
    for (int i = 0; i < ny; i++) {
        const ty_tensor *one = tensor_resolve(y[i]);
        if (is_reached(w, moves, one)) continue;
        return fault_set(fault, E_ARGUMENT, "%s: y[%d], %s, does not depend on any x; leave it out, " ALLOW,
                         name, i, tensor_describe_into(words, sizeof words, one));
    }
    return true;
}

bool unused_check(const char *name, const struct walk *w, int ny, ty_tensor *const *y, bool each, int n,
                  ty_tensor *const *x, ty_tensor *const *values, struct fault *fault) {
    if (by_user || by_library) return true;
    bool *marks = mem_array((size_t)w->count + 1, sizeof *marks);
    if (!marks) return fault_memory(fault, (size_t)w->count + 1);
    bool done = check_x(name, w, marks, ny, y, n, x, values, fault) &&
                (!each || ny < 2 || check_y(name, w, marks, ny, y, n, values, fault));
    mem_free(marks);
    return done;
}

bool unused_check_of(const char *name, ty_tensor *y, int n, ty_tensor *const *x, struct fault *fault) {
    if (by_user || by_library) return true;
    struct walk w = {.history = true};
    ty_tensor **values = mem_array((size_t)n, sizeof *values);
    bool done = values ? walk_order(&w, 1, &y, fault) : fault_memory(fault, (size_t)n * sizeof *values);
    for (int i = 0; i < n && done; i++) values[i] = tensor_resolve(x[i]);
    done = done && leaves_check(name, &w, n, x, values, fault) &&
           unused_check(name, &w, 1, &y, false, n, x, values, fault);
    mem_free(values);
    walk_drop(&w);
    return done;
}
