/*
 * Evaluation of promises. The program is looked up by the structure of the graph among those of earlier
 * evaluations, so repeated recordings compile once. Small constants are part of the structure, for folding.
 * When a structure returns with other small constants (a counter, a decaying rate), a general program that
 * takes them as arguments is compiled once.
 */
#include <string.h>
#include "base/alloc.h"
#include "compile/demand/arguments.h"
#include "compile/demand/cache.h"
#include "compile/runs/handed.h"
#include "compile/passes/rewrite.h"
#include "compile/runs/ticket.h"
#include "graph/structure.h"
#include "ops/core/evaluator.h"

/* ---- compiling with placeholders for leaves ---- */

/* State of the substitution of leaves. */
struct placing {
    const struct key *key;
    ty_tensor **variables; /* a placeholder for each argument */
    struct map index;      /* leaf -> argument */
};

/* Return a value with the elements and the layout of x in memory of its own: a cached program outlives the evaluation
   of x, which may become memory that changes (ty_expose).  Poison if memory runs out. */
static ty_tensor *apart(ty_tensor *x) {
    int64_t low;
    size_t bytes = structure_extent(x, &low);
    if (dtype_stored(x->dtype) || !bytes) return x;
    struct layout layout = x->layout;
    layout.offset -= low;
    struct buffer *own = buffer_new(bytes);
    ty_tensor *y = own ? tensor_new_view(x, &layout) : NULL;
    if (!y) {
        buffer_release(own);
        return tensor_out_of_memory();
    }
    memcpy(own->data, (char *)tensor_data(x) - (layout.offset * (int64_t)dtype_table[x->dtype].size), bytes);
    buffer_release(y->buffer);
    y->buffer = own;
    y->weak = x->weak;
    return tensor_return(y);
}

/* Rewrite rule: return the placeholder of x if it is an argument of the key, a copy of other values, else x.
   context is a struct placing. */
static ty_tensor *place(void *context, ty_tensor *x) {
    const struct placing *p = context;
    if (x->promise && x->op == &op_constant) return x->inputs[0]->promise ? x->inputs[0] : x;
    const int64_t *argument = map_find(&p->index, map_key(x));
    return argument ? p->variables[*argument] : x->promise ? x : apart(x);
}

/* Make a placeholder variable for each of the key's arguments, into p->variables[]. False, with the fault
   set, on failure. */
static bool make_placeholders(struct placing *p, struct fault *fault) {
    for (int i = 0; i < p->key->narguments; i++) {
        p->variables[i] = argument_new(p->key->arguments[i]);
        if (!p->variables[i] || !map_put(&p->index, map_key(p->key->arguments[i]), i, NULL))
            return fault_memory(fault, sizeof *p->variables[i]);
        tensor_return(ty_retain(p->variables[i]));
    }
    return true;
}

/* Compile the graphs of roots[n] with arguments replaced by placeholders. The caller releases the program;
   NULL, with the fault set, on failure. */
static struct ty_program *compile_placed(struct placing *p, int n, ty_tensor **roots, struct fault *fault) {
    struct graph g = {.n = n, .roots = roots, .fault = fault};
    if (!make_placeholders(p, fault) || !rewrite(&g, place, p)) return NULL;
    struct ty_program *program = program_new(n, roots, (ty_compile_options){0});
    if (!program) {
        fault_memory(fault, sizeof *program);
        return NULL;
    }
    cache_count_compile();
    program->transient = true;
    if (program->broken.set)
        fault_copy(fault, &program->broken);
    else if (arguments_number(program, p->key->narguments, p->variables, fault))
        return program;
    program_release(program);
    return NULL;
}

/* Compile the graph of x[n] with placeholders for the key's arguments. The caller releases the program; NULL,
   with the fault set, on failure. */
static struct ty_program *compile_with_key(const struct key *key, int n, ty_tensor *const *x,
                                           struct fault *fault) {
    struct placing p = {.key = key};
    struct ty_program *program = NULL;
    ty_tensor **roots = mem_array((size_t)n, sizeof *roots);
    p.variables = mem_array((size_t)key->narguments, sizeof *p.variables);
    if (roots && p.variables) {
        for (int i = 0; i < n; i++) roots[i] = x[i];
        ty_scope *scope = ty_open();
        program = compile_placed(&p, n, roots, fault);
        ty_close(scope);
    } else {
        fault_memory(fault, (size_t)n * sizeof *roots);
    }
    for (int i = 0; p.variables && i < key->narguments; i++)
        if (p.variables[i]) ty_release(p.variables[i]);
    map_drop(&p.index);
    mem_free(p.variables);
    mem_free(roots);
    return program;
}

/* ---- finding and running a program ---- */

/* True if programs of these nodes may stay in the cache: a node with effects has another key each time it is recorded,
   and a node that owns objects would keep them alive. */
static bool may_keep(const struct walk *w) {
    bool may = true;
    for (int64_t i = 0; i < w->count && may; i++) {
        const ty_tensor *x = w->nodes[i];
        may = !x->promise || (!op_serial(x->op, x->attr) && !(x->op->owns && x->op->owns(x->attr)));
    }
    return may;
}

/* Find or compile the program of x[n], whose nodes are in the walk w, and fill *key, which the caller drops
   in any case (key_drop). Return the program, which the caller releases; NULL, with the fault set, on
   failure. */
static struct ty_program *program_for(const struct walk *w, int n, ty_tensor *const *x, struct key *key,
                                      struct fault *fault) {
    struct ty_program *program = NULL;
    enum lru_answer answer;
    if (!key_make(key, w, n, x, false, fault)) return NULL;
    if (!may_keep(w)) return compile_with_key(key, n, x, fault);
    if (cache_get(key, &program) == LRU_FOUND) return program;
    struct key special = *key;
    if (!key_make(key, w, n, x, true, fault)) {
        key_drop(&special);
        return NULL;
    }
    answer = cache_get(key, &program);
    if (answer == LRU_UNKNOWN) { /* first of its kind: compile with constants folded, note the general key */
        cache_put(key, NULL);
        key_drop(key);
        *key = special;
    } else {
        key_drop(&special);
    }
    if (answer == LRU_FOUND || !(program = compile_with_key(key, n, x, fault))) return program;
    cache_put(key, program);
    return program;
}

/* Run the program of x[n], which was entered; w and key are its graph and its arguments. Values may take the memory of
   leaves that were given away. As run_program_of otherwise. */
static bool run_entered(struct ty_program *program, const struct walk *w, const struct key *key, int n,
                        ty_tensor *const *x, ty_tensor *const *destinations, ty_tensor **values,
                        struct fault *fault) {
    struct handed handed = {0};
    bool keeps = destinations, done;
    for (int i = 0; i < n; i++) keeps = keeps || x[i]->tracked; /* the value's history has the operands */
    done = keeps || handed_leaves(&handed, w, key->narguments, key->arguments, fault);
    if (done) {
        program->handed = handed.n ? &handed : NULL;
        done = program_run_into(program, key->arguments, destinations, values, fault);
    } else {
        program_leave(program);
    }
    handed_end(&handed, w);
    return done;
}

/* Compute x[n] by a cached or new program: into values[n], whose references the caller owns, unless it is NULL, and
   into destinations[n], unless that is NULL. False, with the fault set, on failure; values[] then owns nothing. */
static bool run_program_of(int n, ty_tensor *const *x, ty_tensor *const *destinations, ty_tensor **values,
                           struct fault *fault) {
    struct walk w = {0};
    struct key key = {0};
    struct ty_program *program = NULL;
    if (walk_order(&w, n, x, fault)) program = program_for(&w, n, x, &key, fault);
    bool entered = program && program_enter(program, NULL);
    if (program && !entered) { /* it runs already: by another one, for this time */
        program_release(program);
        program = compile_with_key(&key, n, x, fault);
        entered = program && program_enter(program, fault);
    }
    bool done = entered && run_entered(program, &w, &key, n, x, destinations, values, fault);
    if (program) program_release(program);
    key_drop(&key);
    walk_drop(&w);
    return done;
}

/* Compute those of x[n] whose place is that of the first one without a value, into values[n]. False, with the fault
   set, on failure. */
static bool evaluate_place(int n, ty_tensor *const *x, ty_tensor **values, struct fault *fault) {
    int first = 0, count = 0;
    while (values[first]) first++;
    ty_tensor **some = mem_array(2 * (size_t)n, sizeof *some), **found = some + n;
    if (!some) return fault_memory(fault, 2 * (size_t)n * sizeof *some);
    for (int i = first; i < n; i++)
        if (!values[i] && x[i]->place == x[first]->place) some[count++] = x[i];
    bool done = run_program_of(count, some, NULL, found, fault);
    for (int i = n - 1; done && i >= first; i--)
        if (!values[i] && x[i]->place == x[first]->place) values[i] = found[--count];
    mem_free(some);
    return done;
}

/* Promises of one device are computed by one program. */
static bool evaluate(int n, ty_tensor *const *x, ty_tensor **values, struct fault *fault) {
    int same = 1, left = n;
    bool done = true;
    while (same < n && x[same]->place == x[0]->place) same++;
    if (same == n) return run_program_of(n, x, NULL, values, fault);
    for (int i = 0; i < n; i++) values[i] = NULL;
    while (left && done) {
        done = evaluate_place(n, x, values, fault);
        left = 0;
        for (int i = 0; i < n; i++) left += !values[i];
    }
    for (int i = 0; i < n && !done; i++)
        if (values[i]) ty_release(values[i]);
    return done;
}

static bool evaluate_into(int n, ty_tensor *const *x, ty_tensor *const *destinations, struct fault *fault) {
    return run_program_of(n, x, destinations, NULL, fault);
}

const struct evaluator evaluator = {evaluate, evaluate_into, tickets_wait};
