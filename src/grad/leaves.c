/* Finds eager variables among x that were assigned after y was computed. */
#include "grad/leaves.h"
#include <tyto/graph.h>
#include "base/alloc.h"

static uint64_t variable_of(const ty_tensor *leaf) {
    return ((const struct track_attr *)leaf->attr)->variable;
}

/* Current values of the eager variables among x. A variable may occur with several values. */
struct leaves {
    struct map last; /* variable -> index of its last value in x */
    int *before;     /* by index: 1 + index of the previous value of the same variable; 0: none */
};

/* Index values[n] by their variable, so that check_leaf finds all values of one. False if memory runs out;
   free *l in either case. */
static bool index_leaves(struct leaves *l, int n, ty_tensor *const *values) {
    l->before = mem_array((size_t)n, sizeof *l->before);
    for (int i = 0; i < n && l->before; i++) {
        const ty_tensor *now = values[i];
        if (now->op != &op_track) continue;
        bool is_new;
        int64_t *last = map_put(&l->last, variable_of(now), i, &is_new);
        if (!last) return false;
        if (is_new || values[*last] == now) continue;
        l->before[i] = (int)*last + 1;
        *last = i;
    }
    return l->before;
}

/* Check that `leaf`, which y was computed from, is not an old value of a variable x[i], whose present value
   is values[i]. False, with the fault set, in the name of function `name`, if it is. */
static bool check_leaf(const char *name, const struct leaves *l, const ty_tensor *leaf, ty_tensor *const *x,
                       ty_tensor *const *values, struct fault *fault) {
    const int64_t *last = leaf->op == &op_track ? map_find(&l->last, variable_of(leaf)) : NULL;
    for (int i = last ? (int)*last : -1; i >= 0; i = l->before[i] - 1)
        if (values[i] != leaf)
            return fault_set(fault, E_STATE,
                             "%s: y was computed before variable %s (x[%d]) was assigned; take "
                             "derivatives before ty_assign, or compute y again",
                             name, *ty_name(x[i]) ? ty_name(x[i]) : "(unnamed)", i);
    return true;
}

bool leaves_check(const char *name, const struct walk *w, int n, ty_tensor *const *x,
                  ty_tensor *const *values, struct fault *fault) {
    struct leaves l = {0};
    bool well = index_leaves(&l, n, values) || fault_memory(fault, (size_t)n * sizeof *l.before);
    for (int64_t k = 0; k < w->count && well && l.last.count; k++)
        well = check_leaf(name, &l, w->nodes[k], x, values, fault);
    map_drop(&l.last);
    mem_free(l.before);
    return well;
}
