/*
 * Prepared einsums. A plan is a compiled program over variables, one for each operand that changes. Values
 * that depend on constant operands alone are computed once. Operands are permuted to the order in which their
 * step reads them (a right operand has summed axes first). They are contracted with each other if the path
 * says so, and kept.
 */
#include <tyto/create.h>
#include <tyto/graph.h>
#include "base/options.h"
#include "base/alloc.h"
#include "array/progress.h"
#include "base/machine/floating.h"
#include "compile/program.h"
#include "ops/einsum/einsum.h"

/* A plan; owns all members. */
struct ty_einsum_plan {
    struct fault broken;
    struct einsum *e;
    ty_tensor **kept;      /* n + nsteps values computed from constants, or NULL */
    ty_tensor **variables; /* n placeholders, NULL for constants */
    ty_program *program;
};

/* ---- constants ---- */

static ty_tensor *keep(ty_tensor *x) { return ty_ok(x) ? ty_retain(x) : NULL; }

/* Compute the permuted constant operands into p->kept. False, with the fault set, on failure. */
static bool keep_leaves(ty_einsum_plan *p, const ty_einsum_operand *operands, struct fault *fault) {
    const struct einsum *e = p->e;
    for (int i = 0; i < e->n; i++) {
        if (!operands[i].constant) continue;
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_eval(ty_detach(ty_cast(operands[i].constant, e->dtype)));
        x = einsum_prepare(e, i, x);
        p->kept[i] = keep(x);
        if (!p->kept[i]) fault_tensor(fault, x);
        ty_close(scope);
        if (!p->kept[i]) return false;
    }
    return true;
}

/* Compute the steps on constants alone into p->kept. False, with the fault set, on failure. */
static bool keep_steps(ty_einsum_plan *p, struct fault *fault) {
    ty_scope *scope = ty_open();
    ty_tensor *bad = einsum_run_constant(p->e, p->kept);
    if (bad) fault_tensor(fault, bad);
    ty_close(scope);
    return !bad;
}

/* ---- the program ---- */

/* Make a placeholder variable, owned by the plan, for each operand that is not constant, into p->variables[].
   False, with the fault set, on failure. */
static bool make_variables(ty_einsum_plan *p, const ty_einsum_operand *operands, struct fault *fault) {
    for (int i = 0; i < p->e->n; i++) {
        if (operands[i].constant) continue;
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_var(ty_empty(p->e->dtype, operands[i].rank, operands[i].shape), NULL);
        p->variables[i] = keep(x);
        if (!p->variables[i]) fault_tensor(fault, x);
        ty_close(scope);
        if (!p->variables[i]) return false;
    }
    return true;
}

/* Record the plan's contraction on its variables and compile it into p->program. False, with the fault set,
   on failure. */
static bool compile(ty_einsum_plan *p, struct fault *fault) {
    ty_scope *scope = ty_open();
    ty_tensor *y = ty_lazy(einsum_run(p->e, p->variables, p->kept, NULL));
    if (ty_ok(y))
        p->program = ty_compile(1, &y, (ty_compile_options){0});
    else
        fault_tensor(fault, y);
    ty_close(scope);
    if (!p->program) return false;
    if (p->program->broken.set) return fault_copy(fault, &p->program->broken);
    for (int b = 0; b < p->program->flow.nblocks; b++)
        for (int i = 0; i < p->e->n; i++)
            if (p->variables[i] && p->program->flow.blocks[b].leaf == p->variables[i])
                p->program->flow.blocks[b].argument = i;
    return true;
}

/* ---- construction ---- */

/* Check operand i of a plan (the number is for messages): a constant must be valid and fit into `dtype`;
   without one, the rank must be valid and the shape not NULL. Sizes are not checked. False, with the fault
   set, if it is invalid. */
static bool check_operand(int i, ty_dtype dtype, const ty_einsum_operand *o, struct fault *fault) {
    char which[NAME_ROOM];
    if (o->constant && !ty_ok(o->constant)) return fault_tensor(fault, o->constant);
    if (o->constant && ty_promote(ty_dtype_of(o->constant), dtype) != dtype)
        return fault_set(fault, E_DTYPE, "the %s operand is %s, which %s cannot hold", ordinal(i, which),
                         ty_dtype_name(ty_dtype_of(o->constant)), ty_dtype_name(dtype));
    if (!o->constant && (o->rank < 0 || o->rank > TY_MAX_RANK))
        return fault_set(fault, E_ARGUMENT, "the %s operand has rank %d; expected 0 to %d", ordinal(i, which),
                         o->rank, TY_MAX_RANK);
    if (!o->constant && o->rank && !o->shape)
        return fault_set(fault, E_ARGUMENT, "the shape of the %s operand is NULL", ordinal(i, which));
    return true;
}

/* Check the n operands and parse the equation `text` into p->e. False, with the fault set, on failure. */
static bool understand(ty_einsum_plan *p, const char *text, ty_dtype dtype, int n,
                       const ty_einsum_operand *operands, ty_einsum_options options, struct fault *fault) {
    struct arena arena = {0};
    int *ranks = arena_array(&arena, (size_t)n, sizeof *ranks);
    const int64_t **shapes = arena_array(&arena, (size_t)n, sizeof *shapes);
    bool *constant = arena_array(&arena, (size_t)n, sizeof *constant), well = ranks && shapes && constant;
    if (!well) fault_memory(fault, (size_t)n);
    for (int i = 0; i < n && well; i++) {
        const ty_einsum_operand *o = &operands[i];
        well = check_operand(i, dtype, o, fault);
        constant[i] = o->constant != NULL;
        ranks[i] = constant[i] ? ty_rank(o->constant) : o->rank;
        shapes[i] = constant[i] ? ty_shape(o->constant) : o->shape;
    }
    struct einsum_request request = {text, n, dtype, ranks, shapes, constant, options};
    p->e = well ? einsum_make(&request, fault) : NULL;
    arena_drop(&arena);
    return p->e != NULL;
}

/* Fill the plan: check the arguments, parse, compute the constant part and compile. False, with the fault
   set, on failure. */
static bool make(ty_einsum_plan *p, const char *text, ty_dtype dtype, int n,
                 const ty_einsum_operand *operands, ty_einsum_options options, struct fault *fault) {
    char words[160];
    if (!text) return fault_set(fault, E_ARGUMENT, "the equation is NULL");
    if (n < 1 || n > PATH_OPERANDS)
        return fault_set(fault, E_ARGUMENT, "%d operands; expected 1 to %d", n, PATH_OPERANDS);
    if (!operands) return fault_set(fault, E_ARGUMENT, "the array of %d operands is NULL", n);
    if (!dtype_valid(dtype)) {
        dtype_refusal(words, sizeof words, (int)dtype);
        return fault_set(fault, E_ARGUMENT, "%s", words);
    }
    if (!understand(p, text, dtype, n, operands, options, fault)) return false;
    p->kept = mem_array(2 * (size_t)n, sizeof *p->kept);
    p->variables = mem_array((size_t)n, sizeof *p->variables);
    if (!p->kept || !p->variables) return fault_memory(fault, 3 * (size_t)n * sizeof *p->kept);
    return keep_leaves(p, operands, fault) && keep_steps(p, fault) && make_variables(p, operands, fault) &&
           compile(p, fault);
}

static ty_einsum_plan no_memory = {
    .broken = {true, E_MEMORY, "einsum: out of memory: a plan could not be allocated"}};
/* stands for a NULL plan */
static ty_einsum_plan null_plan = {.broken = {true, E_ARGUMENT, "einsum plan: the plan is NULL"}};
static ty_einsum_plan *plan_of(const ty_einsum_plan *p) {
    return p ? (ty_einsum_plan *)(uintptr_t)p : &null_plan;
}

ty_einsum_plan *ty_einsum_plan_new_sized(const char *equation, ty_dtype dtype, int n,
                                         const ty_einsum_operand *operands, const ty_einsum_options *given,
                                         size_t given_size) {
    ty_einsum_options options;
    FLOATING_DEFAULT;
    PROGRESS_NAMED("plan");
    struct fault fault = {0};
    char name[EINSUM_NAME];
    ty_einsum_plan *p = mem_alloc(sizeof *p);
    if (!p) return &no_memory;
    if (!OPTIONS_READ(options, given, given_size, &fault) ||
        !make(p, equation, dtype, n, operands, options, &fault))
        fault_set(&p->broken, fault.code, "%s: %s", einsum_name(equation ? equation : "", name), fault.text);
    return p;
}

void ty_einsum_plan_free(ty_einsum_plan *p) {
    if (!p || p == &no_memory) return;
    ty_program_free(p->program);
    for (int i = 0; p->kept && i < p->e->n + p->e->nsteps; i++)
        if (p->kept[i]) ty_release(p->kept[i]);
    for (int i = 0; p->variables && i < p->e->n; i++)
        if (p->variables[i]) ty_release(p->variables[i]);
    mem_free(p->kept);
    mem_free(p->variables);
    if (p->e) einsum_release(p->e);
    mem_free(p);
}

/* ---- running ---- */

const char *ty_einsum_plan_error(const ty_einsum_plan *p) {
    return plan_of(p)->broken.set ? plan_of(p)->broken.text : "";
}
ty_tensor *ty_einsum_plan_failure(const ty_einsum_plan *p) { return tensor_failure(&plan_of(p)->broken); }

/* Check the n operands x[] of a run. Return poison if one does not match the plan, else NULL. *recorded is
   set to true if an operand is a promise or tracked, and else left as it is. */
static ty_tensor *check_run(const ty_einsum_plan *p, int n, ty_tensor *const *x, bool *recorded) {
    char is[96], wanted[96], which[NAME_ROOM];
    if (n > 0 && !x) return first_poison(n, x);
    if (n != p->e->n)
        return ty_poison_code(E_ARGUMENT, "einsum plan: got %d operands; the plan expects %d", n, p->e->n);
    for (int i = 0; i < n; i++) {
        const ty_tensor *v = p->variables[i];
        if (!v) continue;
        if (!ty_ok(x[i])) return tensor_share(x[i]);
        if (ty_dtype_of(x[i]) != p->e->dtype ||
            !shape_equal(ty_rank(x[i]), ty_shape(x[i]), ty_rank(v), ty_shape(v)))
            return ty_poison_code(E_ARGUMENT, "einsum plan: the %s operand is %s; the plan expects %s",
                                  ordinal(i, which), tensor_describe_into(is, sizeof is, x[i]),
                                  tensor_describe_into(wanted, sizeof wanted, v));
        const ty_tensor *value = tensor_resolve(x[i]);
        *recorded = *recorded || value->promise || (value->tracked && record_remembers());
    }
    return NULL;
}

/* Run the plan's program on the operands x[], which are values, and return the result, owned by the innermost
   scope. If it runs already (program_enter), run the steps one by one. Poison on failure. */
static ty_tensor *run_program(ty_einsum_plan *p, ty_tensor *const *x) {
    struct fault fault = {0};
    ty_tensor *y = NULL, *bad = NULL, **dense = mem_array((size_t)p->e->n, sizeof *dense);
    if (!dense) return tensor_out_of_memory();
    for (int i = 0; i < p->e->n && !bad; i++) {
        if (!p->variables[i]) continue;
        dense[i] = ty_contiguous(tensor_resolve(x[i]));
        if (!ty_ok(dense[i])) bad = dense[i];
    }
    bool entered = !bad && program_enter(p->program, NULL);
    if (entered && !program_run(p->program, dense, &y, &fault)) bad = tensor_fault(&fault);
    mem_free(dense);
    if (bad) return bad;
    return entered ? tensor_return(y) : einsum_run(p->e, x, p->kept, NULL);
}

ty_tensor *ty_einsum_plan_run(ty_einsum_plan *p, int n, ty_tensor *const *operands) {
    bool recorded = false;
    p = plan_of(p);
    if (p->broken.set) return tensor_fault(&p->broken);
    ty_tensor *bad = check_run(p, n, operands, &recorded);
    if (bad) return bad;
    if (recorded) return einsum_run(p->e, operands, p->kept, NULL);
    ty_scope *scope = ty_open();
    return leave(scope, run_program(p, operands));
}

void ty_einsum_plan_report_sized(const ty_einsum_plan *p, ty_einsum_report *told, size_t size) {
    p = plan_of(p);
    ty_einsum_report report = p->e ? p->e->report : (ty_einsum_report){0};
    if (p->program) report.workspace = (double)p->program->report.workspace_bytes;
    options_write(told, size, &report, sizeof report);
}

char *ty_einsum_plan_text(const ty_einsum_plan *p) {
    FLOATING_DEFAULT;
    struct text t = {0};
    p = plan_of(p);
    if (p->broken.set)
        text_add(&t, "error: %s\n", p->broken.text);
    else
        einsum_text(p->e, &t);
    return text_take(&t);
}
