/*
 * Compiled functions of the caller, one program per combination of operand dtypes and shapes. The body is
 * recorded on placeholders. Programs are bounded in bytes; the least recently used are evicted. Equal kernels
 * and prepared data are shared between programs (prepared.h), so a new size costs its passes and plan.
 * If bounds of sizes are declared, programs of all sizes share the memory plan of the bound (memory_share.h).
 */
#include <string.h>
#include <tyto/cache.h>
#include "array/scope.h"
#include "base/options.h"
#include "ops/core/kernel/devices.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/machine/isa.h"
#include "base/lru.h"
#include "base/threads/parallel.h"
#include "base/workspace.h"
#include "compile/demand/arguments.h"
#include "compile/demand/size_bounds.h"
#include "compile/demand/kept.h"
#include "compile/runs/handed.h"
#include "graph/structure.h"
#include "graph/walk.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"

/* A function; its programs are guarded by `lock`. */
struct ty_function {
    struct lru forms; /* dtypes and shapes -> program */
    ty_branch body;
    void *context;
    int n, nresults;
    ty_compile_options options;
    char *engine; /* owned copy of the name, or NULL */
    struct size_bounds bounds;
    struct plan_share share;
    _Atomic int64_t compiles, resized; /* programs with a memory plan of their own; with a shared one */
    _Atomic int64_t most;              /* limit that the caller set; below 0: the default */
    struct fault broken;
};

LOCK(lock)
static void retain(void *program) { program_retain(program); }
static void release(void *program) { program_release(program); }

static struct ty_function null_function = {.broken = {true, E_ARGUMENT, "function: the function is NULL"}};
static struct ty_function no_memory = {
    .broken = {true, E_MEMORY, "out of memory: a function could not be allocated"}};
static const struct ty_function *function_of(const struct ty_function *f) { return f ? f : &null_function; }

/* ---- construction ---- */

/* Check the arguments that ty_function_new stored in *f; errors go to f->broken. */
static void check(struct ty_function *f) {
    const ty_compile_options *o = &f->options;
    if (!f->body)
        fault_set(&f->broken, E_ARGUMENT, "function: the body is NULL");
    else if (f->n < 0 || f->nresults < 0)
        fault_set(&f->broken, E_ARGUMENT, "function: %d operands and %d results; expected 0 or more of each",
                  f->n, f->nresults);
    else if (o->nupdates || o->incremental || o->nchanging)
        fault_set(
            &f->broken, E_ARGUMENT,
            "function: updates and incremental runs need a program (ty_compile); a function has no state");
}

ty_function *ty_function_new_sized(ty_branch body, void *context, int n, int nresults,
                                   const ty_compile_options *given, size_t given_size) {
    ty_compile_options options;
    struct ty_function *f = mem_alloc(sizeof *f);
    if (!f) return &no_memory;
    *f = (struct ty_function){.forms = {.lock = &lock,
                                        .retain = retain,
                                        .release = release,
                                        .parts = program_parts,
                                        .most = SIZE_MAX},
                              .body = body,
                              .context = context,
                              .n = n,
                              .nresults = nresults,
                              .most = -1};
    OPTIONS_READ(options, given, given_size, &f->broken);
    f->options = options;
    if (options.engine) {
        f->options.engine = f->engine = mem_copy_text(options.engine);
        if (!f->engine) fault_memory(&f->broken, strlen(options.engine));
    }
    check(f);
    if (!f->broken.set) size_bounds_make(&f->bounds, n, &f->broken);
    return f;
}

void ty_function_free(ty_function *f) {
    if (!f || f == &no_memory) return;
    lru_clear(&f->forms);
    memory_share_drop(&f->share);
    size_bounds_drop(&f->bounds);
    mem_free(f->engine);
    mem_free(f);
}

const char *ty_function_error(const ty_function *f) { return function_of(f)->broken.text; }
ty_tensor *ty_function_failure(const ty_function *f) { return tensor_failure(&function_of(f)->broken); }
int64_t ty_function_compiles(const ty_function *f) { return atomic_load(&function_of(f)->compiles); }

/* ---- the bound of its programs ---- */

/* Return the limit for the programs of f in bytes. */
static size_t most_of(const struct ty_function *f) { return kept_most(atomic_load(&f->most)); }

void ty_function_cache(ty_function *f, int64_t bytes) {
    if (!f || f->broken.set) return;
    atomic_store(&f->most, bytes < 0 ? -1 : bytes);
    lru_bound(&f->forms, most_of(f));
}

bool ty_function_bound(ty_function *function, int operand, int axis, int64_t most, ty_tensor **error) {
    struct ty_function *f = (struct ty_function *)(uintptr_t)function_of(function);
    struct fault fault = f->broken;
    if (!fault.set && f->options.max_bytes)
        fault_set(&fault, E_ARGUMENT,
                  "function_bound: the function has the option max_bytes, which needs a memory "
                  "plan for each size; expected 0");
    bool done = !fault.set && size_bounds_set(&f->bounds, operand, axis, most, &fault);
    if (error) *error = done ? NULL : tensor_fault(&fault);
    return done;
}

void ty_function_report_sized(const ty_function *function, ty_function_memory *memory, size_t size) {
    struct ty_function *f = function ? (struct ty_function *)(uintptr_t)function : &null_function;
    ty_function_memory now = {0};
    if (!f->broken.set) {
        size_t plans;
        kept_report(&f->forms, atomic_load(&f->most), atomic_load(&f->compiles), &now);
        now.plans = memory_share_count(&f->share, &plans);
        now.bytes += (int64_t)plans;
        now.resized = atomic_load(&f->resized);
    }
    options_write(memory, size, &now, sizeof now);
}

/* ---- calling ---- */

/* Call the user's function on x[f->n] and check its results, into results[f->nresults]. False, with the fault
   set, on failure. */
static bool call_body(const struct ty_function *f, ty_tensor *const *x, ty_tensor **results,
                      struct fault *fault) {
    for (int i = 0; i < f->nresults; i++) results[i] = NULL;
    struct scope_fence fence = scope_fence();
    f->body(f->context, x, results);
    if (!scope_fence_join(fence, "the body of a function", fault)) return false;
    for (int i = 0; i < f->nresults; i++) {
        if (!results[i]) return fault_set(fault, E_USER, "function: the body did not set result %d", i);
        if (!ty_ok(results[i])) return fault_tensor(fault, results[i]);
    }
    return true;
}

/* Set *uses to true if one of n results depends on an eager variable or tracked value, whose changes and
   history a program would not follow; else to false. False, with the fault set, on failure. */
static bool use_tracked(int n, ty_tensor *const *results, bool *uses, struct fault *fault) {
    struct walk w = {0};
    bool done = walk_order(&w, n, results, fault);
    *uses = false;
    for (int64_t k = 0; k < w.count && done && !*uses; k++)
        *uses = !w.nodes[k]->promise && (w.nodes[k]->tracked || w.nodes[k]->op == &op_track);
    walk_drop(&w);
    return done;
}

/* Record the user's function on the placeholders arguments[] and compile it. *program is set to the program,
   which the caller releases, also on failure. It stays NULL if the function uses tracked values; it is then
   called each time. False, with the fault set, on failure. */
static bool compile_form(struct ty_function *f, ty_tensor **arguments, ty_tensor **results,
                         const struct plan_use *sharing, struct ty_program **program, struct fault *fault) {
    bool tracked;
    if (!call_body(f, arguments, results, fault) || !use_tracked(f->nresults, results, &tracked, fault))
        return false;
    if (tracked) return true;
    struct ty_program *p = program_new_shared(f->nresults, results, f->options, sharing);
    if (!p) return fault_memory(fault, sizeof *p);
    atomic_fetch_add(p->plan.shared ? &f->resized : &f->compiles, 1);
    p->transient = true;
    *program = p;
    if (p->broken.set) return fault_copy(fault, &p->broken);
    return arguments_number(p, f->n, arguments, fault);
}

/* Return a new program for the dtypes and shapes of x[], which the caller releases; for those of their bounds if
   `largest`. sharing: NULL, or the plans to take. NULL with the fault set on failure; NULL without a fault if the
   user's function uses tracked values. */
static struct ty_program *new_form(struct ty_function *f, ty_tensor *const *x, bool largest,
                                   const struct plan_use *sharing, struct fault *fault) {
    struct ty_program *program = NULL;
    ty_tensor **arguments = mem_array((size_t)f->n, sizeof *arguments),
              **results = mem_array((size_t)f->nresults, sizeof *results);
    ty_scope *scope = ty_open();
    bool fits = arguments && results;
    for (int i = 0; i < f->n && fits; i++) {
        arguments[i] = tensor_return(argument_new(x[i]));
        fits = ty_ok(arguments[i]);
        if (!fits) break;
        arguments[i]->varies = true;
        arguments[i]->weak = x[i]->weak;
        if (largest && !size_bounds_enlarge(&f->bounds, i, arguments[i], fault)) break;
    }
    if (!fits) fault_memory(fault, (size_t)(f->n + f->nresults) * sizeof *results);
    bool done = !fault->set && compile_form(f, arguments, results, sharing, &program, fault);
    if (!done && program) {
        program_release(program);
        program = NULL;
    }
    ty_close(scope);
    mem_free(arguments);
    mem_free(results);
    return program;
}

/* Store the program of a key, NULL if there is none, within the present limit. */
static void keep_form(struct ty_function *f, const struct lru_key *key, struct ty_program *program) {
    lru_bound(&f->forms, most_of(f));
    lru_put(&f->forms, key, program, program ? program_bytes(program) : 0);
}

/* Write the key of dtypes, shapes and settings for x[] to *t, for the bounds of sizes if `largest`. Return the key,
   which lives as long as the text. False in *known, with the fault set, if memory runs out. */
static bool make_key(const struct ty_function *f, ty_tensor *const *x, bool largest, struct text *t,
                     struct lru_key *key, struct fault *fault) {
    const void *engine = engine_of(f->n, x);
    text_add_bytes(t, &engine, sizeof engine);
    structure_add_number(t, parallel_width());
    structure_add_number(t, isa_current());
    structure_add_number(t, workspace_most());
    for (int i = 0; i < f->n; i++) {
        const struct layout *layout = &x[i]->layout;
        structure_add_number(t, x[i]->dtype);
        structure_add_number(t, x[i]->weak);
        structure_add_number(t, layout->rank);
        structure_add_number(t, (int64_t)(intptr_t)x[i]->place);
        for (int axis = 0; axis < layout->rank; axis++)
            structure_add_number(t, largest ? size_bound(&f->bounds, i, axis, layout->shape[axis])
                                            : layout->shape[axis]);
    }
    *key = (struct lru_key){t->data, t->length, hash_bytes(t->data, t->length)};
    return !t->failed || fault_memory(fault, t->length);
}

/* ---- sizes up to a bound ---- */

/* Compile the program of the largest sizes, whose plan the others share, and keep it. Its failure is none of the
   present call: the sizes then share the plans that they make. False, with the fault set, if the caller asked to
   stop. */
static bool compile_largest(struct ty_function *f, ty_tensor *const *x, const struct lru_key *key,
                            const struct plan_use *sharing, struct fault *fault) {
    struct fault why = {0};
    memory_share_note(sharing); /* once, also if it fails */
    struct ty_program *program = new_form(f, x, true, sharing, &why);
    if (program) {
        keep_form(f, key, program);
        program_release(program);
    }
    bool stopped = why.set && (why.code == E_INTERRUPTED || why.code == E_TIMEOUT);
    return !stopped || fault_copy(fault, &why);
}

/* Return a new program for the sizes of x[], some of which have bounds, as new_form does. */
static struct ty_program *new_size(struct ty_function *f, ty_tensor *const *x, struct fault *fault) {
    struct text t = {0};
    struct lru_key key;
    struct ty_program *program = NULL;
    if (make_key(f, x, true, &t, &key, fault)) {
        struct plan_use sharing = {&f->share, key.hash};
        if (size_bounds_met(&f->bounds, f->n, x) || memory_share_knows(&sharing) ||
            compile_largest(f, x, &key, &sharing, fault))
            program = new_form(f, x, false, &sharing, fault);
    }
    text_drop(&t);
    return program;
}

/* Find or compile the program for x[] by dtypes, shapes and settings. The caller releases it. NULL with the
   fault set on failure; NULL without a fault if the user's function uses tracked values. */
static struct ty_program *program_for(struct ty_function *f, ty_tensor *const *x, struct fault *fault) {
    struct text t = {0};
    struct lru_key key;
    void *found = NULL;
    if (make_key(f, x, false, &t, &key, fault) && lru_get(&f->forms, &key, &found) == LRU_UNKNOWN) {
        bool bounded = size_bounds_hold(&f->bounds, f->n, x);
        found = bounded ? new_size(f, x, fault) : new_form(f, x, false, NULL, fault);
        if (!fault->set) keep_form(f, &key, found);
    }
    text_drop(&t);
    return found;
}

/* Call the user's function on promises of x[], which replace x[], and evaluate the results, which keep their
   history, into results[]. False, with the fault set, on failure. */
static bool evaluate_body(struct ty_function *f, ty_tensor **x, ty_tensor **results, struct fault *fault) {
    for (int i = 0; i < f->n; i++) x[i] = ty_lazy(x[i]);
    if (!call_body(f, x, results, fault)) return false;
    if (ty_eval_all(f->nresults, results, results)) return true;
    for (int i = 0; i < f->nresults; i++)
        if (!ty_ok(results[i])) return fault_tensor(fault, results[i]);
    return true;
}

/* Compute results[] for x[], contiguous values, by a program, or by the user's function if there is no
   program. Results may take the memory of the operands in *handed. False, with the fault set, on failure. */
static bool run_form(struct ty_function *f, ty_tensor **x, const struct handed *handed, ty_tensor **results,
                     struct fault *fault) {
    struct ty_program *program = program_for(f, x, fault);
    if (program && !program_enter(program, NULL)) { /* it runs already: as if it could not be compiled */
        program_release(program);
        program = NULL;
    }
    if (!program) return !fault->set && evaluate_body(f, x, results, fault);
    program->handed = handed;
    bool done = program_run(program, x, results, fault);
    program_release(program);
    for (int i = 0; i < f->nresults && done; i++) results[i] = tensor_return(results[i]);
    return done;
}

/* Compute the results of a compiled function for x[] into results[]: by a program if all x[] are plain
   values, else by the user's function. Entries of x[] may be replaced by copies. False, with the fault set,
   on failure. */
static bool call(struct ty_function *f, ty_tensor **x, ty_tensor **results, struct fault *fault) {
    struct handed handed = {0};
    if (!all_plain(f->n, x)) return call_body(f, x, results, fault);
    bool done = handed_operands(&handed, f->n, x, fault);
    for (int i = 0; i < f->n && done; i++) {
        if (layout_is_contiguous(&x[i]->layout)) continue;
        x[i] = record(&op_copy, NULL, 0, 1, &x[i]);
        done = ty_ok(x[i]) || fault_tensor(fault, x[i]);
        if (done) handed_add(&handed, f->n, i, x[i]);
    }
    done = done && run_form(f, x, &handed, results, fault);
    handed_end(&handed, NULL);
    return done;
}

/* Check the numbers of operands and results, and the operands for poison. False, with the fault set, on
   failure. */
static bool check_call(const struct ty_function *f, int n, ty_tensor *const *x, int nresults,
                       struct fault *fault) {
    if (f->broken.set) return fault_copy(fault, &f->broken);
    if (n != f->n || nresults != f->nresults)
        return fault_set(fault, E_ARGUMENT, "function: got %d operands and %d results; expected %d and %d", n,
                         nresults, f->n, f->nresults);
    const ty_tensor *bad = first_poison_in("function_call", n, x);
    return !bad || fault_tensor(fault, bad);
}

bool ty_function_call(ty_function *function, int n, ty_tensor *const *x, int nresults, ty_tensor **results) {
    struct ty_function *f = (struct ty_function *)(uintptr_t)function_of(function);
    struct fault fault = {0};
    if (nresults > 0 && !results) return false; /* no place for an error message */
    ty_scope *scope = ty_open();
    bool done = check_call(f, n, x, nresults, &fault);
    ty_tensor **resolved = done ? mem_array((size_t)n, sizeof *resolved) : NULL;
    if (done && !resolved) done = fault_memory(&fault, (size_t)n * sizeof *resolved);
    for (int i = 0; i < n && done; i++) resolved[i] = tensor_resolve(x[i]);
    done = done && call(f, resolved, results, &fault);
    for (int i = 0; i < nresults; i++) {
        if (!done) results[i] = tensor_fault(&fault);
        if (scope) results[i] = ty_keep(results[i]);
    }
    mem_free(resolved);
    ty_close(scope);
    return results_settled(nresults, results) && done;
}
