/* The public functions: a dry run checks grammar and names, then a second run computes. */
#include "expression/expression.h"
#include "array/progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>
#include "array/tensor.h"
#include "base/options.h"
#include "base/context/stop.h"
#include "base/machine/floating.h"
#include "expression/call.h"
#include "ops/core/structure.h"

/* Append the tensors of a list of results, flattening nested lists of tensors, to results[], from results[n]
   on. Return the new count. The fault is set if it would pass `capacity`, or if a result is no tensor. */
static int collect(struct expression *e, const struct value *list, int capacity, ty_tensor **results, int n) {
    for (int i = 0; i < list->list.n && !e->fault.set; i++) {
        const struct value *v = &list->list.items[i];
        bool tensors = v->kind == VALUE_LIST && v->list.n > 0 && v->list.items[0].kind == VALUE_TENSOR;
        if (tensors) {
            n = collect(e, v, capacity, results, n);
            continue;
        }
        if (n == capacity) {
            expression_fail(e, v->place, E_LIMIT, "more than %d results", capacity);
            return n;
        }
        ty_tensor *x = value_tensor(e, v);
        if (x) results[n++] = x;
    }
    return n;
}

/* Check that `text`, the arrays and the n names of a public function are not NULL, and n is not negative. The
   tensors are not checked. False, with the fault set, if one is. */
static bool check_given(const char *text, int n, const char *const *names, ty_tensor *const *values,
                        struct fault *fault) {
    if (!text) return fault_set(fault, E_ARGUMENT, "column 1: the expression is NULL");
    if (n < 0)
        return fault_set(fault, E_ARGUMENT, "column 1: the number of named tensors is %d; expected 0 or more",
                         n);
    if (n && (!names || !values))
        return fault_set(fault, E_ARGUMENT, "column 1: the array of %d %s is NULL", n,
                         names ? "tensors" : "names");
    for (int i = 0; i < n; i++)
        if (!names[i]) return fault_set(fault, E_ARGUMENT, "column 1: the name of tensor %d is NULL", i + 1);
    return true;
}

int expression_of_words(const struct expression_words *words, const char *text, int n,
                        const char *const *names, ty_tensor *const *values, int capacity,
                        ty_tensor **results) {
    struct expression e = {.dry = true, .n = n, .names = names, .values = values, .words = words};
    int count = 0;
    if (capacity < 1 || !results) return 0;
    PROGRESS_NAMED("evaluate");
    ty_scope *scope = ty_open();
    if (check_given(text, n, names, values, &e.fault)) {
        expression_begin(&e, text);
        expression_program(&e);
    }
    e.dry = false;
    if (!e.fault.set) {
        expression_begin(&e, text);
        struct value list = expression_program(&e);
        if (!e.fault.set) count = collect(&e, &list, capacity, results, 0);
    }
    if (e.fault.set) {
        results[0] = tensor_fault(&e.fault);
        count = 1;
    }
    arena_drop(&e.arena);
    for (int i = 0; i < count; i++) ty_retain(results[i]);
    ty_close(scope);
    for (int i = 0; i < count; i++) {
        ty_tensor *shared = tensor_share(results[i]); /* may be the out-of-memory poison */
        ty_release(results[i]);
        results[i] = shared;
    }
    return count;
}

int ty_expressions(const char *text, int n, const char *const *names, ty_tensor *const *values, int capacity,
                   ty_tensor **results) {
    return expression_of_words(NULL, text, n, names, values, capacity, results);
}

int ty_expressions_within_sized(const ty_expression_limits *given, size_t given_size, const char *text, int n,
                                const char *const *names, ty_tensor *const *values, int capacity,
                                ty_tensor **results) {
    ty_expression_limits limits;
    struct fault fault;
    fault_clear(&fault);
    if (!OPTIONS_READ(limits, given, given_size, &fault)) {
        if (capacity < 1 || !results) return 0;
        results[0] = tensor_fault(&fault);
        return 1;
    }
    FLOATING_DEFAULT;
    struct stop_limit limit;
    if (limits.operations == 0) return ty_expressions(text, n, names, values, capacity, results);
    if (capacity < 1 || !results) return 0;
    if (!(limits.operations > 0)) {
        results[0] = ty_poison_code(
            E_LIMIT, "column 1: the operation limit is %g; expected a number above 0, or 0 for no limit",
            limits.operations);
        return 1;
    }
    stop_limit_begin(&limit, limits.operations);
    int count = ty_expressions(text, n, names, values, capacity, results);
    stop_limit_end(&limit);
    return count;
}

ty_tensor *ty_expression(const char *text, int n, const char *const *names, ty_tensor *const *values) {
    ty_tensor *result[1];
    ty_expressions(text, n, names, values, 1, result);
    return result[0];
}

/* ---- list of functions ---- */

/* A function, or an alias of one. */
struct listed {
    const char *name, *of; /* of: the aliased function, NULL for a function */
    const struct function *function;
};

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

/* Fill list[] with the names of all functions and aliases in alphabetical order, each once; it has room for
   all. Return their number. */
static int list_names(struct listed *list) {
    int n = 0;
    for (int i = 0; i < function_count; i++) {
        const struct function *f = &function_table[i];
        bool hidden = function_find(f->name, (int)strlen(f->name)) != f;
        if (!hidden) list[n++] = (struct listed){f->name, NULL, f};
    }
    for (int i = 0; i < alias_count; i++) {
        const struct alias *a = &alias_table[i];
        list[n++] =
            (struct listed){a->name, a->function, function_find(a->function, (int)strlen(a->function))};
    }
    qsort(list, (size_t)n, sizeof *list, by_name);
    return n;
}

const char *ty_expression_function(int i) {
    static _Thread_local char line[512];
    enum { ROOM = 1024, EMPTY, FILLING, FULL };
    static struct listed
        shared[ROOM]; /* all calls read it, since a list of all functions takes time to sort */
    static _Atomic int state = EMPTY, count;
    struct listed own[ROOM], *list = shared;
    int expected = EMPTY, n;
    if (i < 0 || function_count + alias_count > ROOM) return NULL;
    if (atomic_load(&state) == FULL) {
        n = atomic_load(&count);
    } else if (atomic_compare_exchange_strong(&state, &expected, FILLING)) {
        atomic_store(&count, n = list_names(shared));
        atomic_store(&state, FULL);
    } else { /* another thread fills it */
        n = list_names(list = own);
    }
    if (i >= n) return NULL;
    const struct listed *is = &list[i];
    const char *words = is->of ? is->of : is->function->doc;
    snprintf(line, sizeof line, "%s(%s)%s%s", is->name, is->function->parameters, *words ? " : " : "", words);
    return line;
}
