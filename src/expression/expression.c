/* The public functions: a dry run for the grammar and names, then the run that computes. */
#include "expression/expression.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/tensor.h"
#include "expression/call.h"
#include "ops/core/structure.h"

/* The results of a list, the lists in it opened. */
static int collect(struct expression *e, const struct value *list, int capacity, ty_tensor **results, int n) {
    for (int i = 0; i < list->list.n && !e->fault.set; i++) {
        const struct value *v = &list->list.items[i];
        bool tensors = v->kind == VALUE_LIST && v->list.n > 0 && v->list.items[0].kind == VALUE_TENSOR;
        if (tensors) {
            n = collect(e, v, capacity, results, n);
            continue;
        }
        if (n == capacity) {
            expression_fail(e, v->place, "more than %d results", capacity);
            return n;
        }
        ty_tensor *x = value_tensor(e, v);
        if (x) results[n++] = x;
    }
    return n;
}

int ty_expressions(const char *text, int n, const char *const *names, ty_tensor *const *values, int capacity,
                   ty_tensor **results) {
    struct expression e = {.dry = true, .n = n, .names = names, .values = values};
    int count = 0;
    if (capacity < 1) return 0;
    ty_scope *scope = ty_open();
    expression_begin(&e, text);
    expression_program(&e);
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
        ty_tensor *shared = tensor_share(results[i]); /* may be the poison that tells of no memory */
        ty_release(results[i]);
        results[i] = shared;
    }
    return count;
}

ty_tensor *ty_expression(const char *text, int n, const char *const *names, ty_tensor *const *values) {
    ty_tensor *result[1];
    ty_expressions(text, n, names, values, 1, result);
    return result[0];
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(const struct function *const *)a)->name, (*(const struct function *const *)b)->name);
}

const char *ty_expression_function(int i) {
    static _Thread_local char line[512];
    const struct function *sorted[1024];
    if (i < 0 || i >= function_count || function_count > 1024) return NULL;
    for (int k = 0; k < function_count; k++) sorted[k] = &function_table[k];
    qsort(sorted, (size_t)function_count, sizeof *sorted, by_name);
    const struct function *f = sorted[i];
    snprintf(line, sizeof line, "%s(%s)%s%s", f->name, f->parameters, *f->doc ? " : " : "", f->doc);
    return line;
}
