/* Public functions on configurations. Error messages are stored in the configuration. */
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "base/threads/workers.h"
#include "contract/equation.h"

/* A prepared configuration; owns its arena. */
struct ty_contraction_plan {
    ty_contraction c;
    const struct contraction_runner *runner;
    void *prepared;
    int64_t workspace;
    struct arena arena;
    struct fault broken; /* why it cannot run */
    struct fault fault;  /* of the last run */
};

#define NULL_CONFIGURATION "contraction: the configuration is NULL"

/* Set c->error and c->code to the fault's, or to none if ok. Return ok. */
static bool finish(ty_contraction *c, bool ok, const struct fault *fault) {
    snprintf(c->error, sizeof c->error, "%s", ok ? "" : fault->text);
    c->code = ok ? E_NONE : fault->code;
    return ok;
}

const struct contraction_runner *contraction_runner_current(void) {
    for (int i = 0; contraction_runners[i]; i++)
        if (strcmp(contraction_runners[i]->engine, engine_current()->name) == 0)
            return contraction_runners[i];
    return contraction_runners[0];
}

/* Make the contraction of an equation on left, right and out (NULL: row-major) in *c, and check it; of several
   parts it is the first. False with the fault set on error. */
static bool make(ty_contraction *c, const char *equation, const ty_contraction_operand *left,
                 const ty_contraction_operand *right, const ty_contraction_operand *out, struct arena *arena,
                 struct fault *fault) {
    struct contract_equation *e = arena_alloc(arena, sizeof *e);
    struct contraction_parts parts;
    if (!e) return fault_memory(fault, sizeof *e);
    if (!contract_equation_read(e, equation, left, right, out, arena, fault)) return false;
    if (!contraction_lower(&parts, &e->attr, e->operands, arena, fault)) return false;
    *c = parts.items[0];
    return contraction_check(c, fault);
}

bool contraction_from(ty_contraction *c, const char *equation, const ty_contraction_operand *left,
                      const ty_contraction_operand *right, const ty_contraction_operand *out) {
    FLOATING_DEFAULT;
    struct arena arena = {0};
    struct fault fault = {0};
    if (!c) return false;
    memset(c, 0, sizeof *c);
    c->ndims = -1; /* a failed result must not be valid, and all zeros would be */
    bool ok = equation && left && right
                  ? make(c, equation, left, right, out, &arena, &fault)
                  : fault_set(&fault, E_ARGUMENT, "contraction: the equation or an operand is NULL");
    arena_drop(&arena);
    return finish(c, ok, &fault);
}

/* Returned if there is no memory for a configuration; nothing changes it. */
static ty_contraction no_memory = {
    .ndims = -1, .code = E_MEMORY, .error = "out of memory: a configuration could not be allocated"};

ty_contraction *contraction_empty(void) {
    ty_contraction *c = mem_alloc(sizeof *c);
    return c ? c : &no_memory;
}

ty_contraction *ty_contraction_new(const char *equation, const ty_contraction_operand *left,
                                   const ty_contraction_operand *right, const ty_contraction_operand *out) {
    ty_contraction *c = contraction_empty();
    if (c != &no_memory) contraction_from(c, equation, left, right, out);
    return c;
}

void ty_contraction_free(ty_contraction *c) {
    if (c != &no_memory) mem_free(c);
}

bool contraction_is_static(const ty_contraction *c) { return c == &no_memory; }

const char *ty_contraction_error(const ty_contraction *c) { return c ? c->error : NULL_CONFIGURATION; }
ty_tensor *ty_contraction_failure(const ty_contraction *c) {
    struct fault fault = {0};
    if (!c || c->error[0]) fault_set(&fault, c ? c->code : E_ARGUMENT, "%s", ty_contraction_error(c));
    return tensor_failure(&fault);
}
double ty_contraction_flops(const ty_contraction *c) { return c && !c->error[0] ? c->flops : 0; }
double ty_contraction_seconds(const ty_contraction *c) { return c && !c->error[0] ? c->seconds : 0; }

bool ty_contraction_optimise(ty_contraction *c, int threads) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct contract_machine machine;
    if (!c || c->error[0]) return false;
    bool ok = contraction_check(c, &fault);
    if (ok) {
        threads = threads <= 0 ? parallel_width() : threads < WORKERS_MOST ? threads : WORKERS_MOST + 1;
        contraction_runner_current()->machine(c, threads, &machine);
        ok = contraction_optimise(c, &machine, &fault);
    }
    return finish(c, ok, &fault);
}

bool ty_contraction_check(ty_contraction *c, const int64_t bytes[3]) {
    struct fault fault = {0};
    if (!c || c == &no_memory) return false;
    bool ok = contraction_check(c, &fault);
    if (ok && bytes) {
        const int64_t own[3] = {bytes[c->swapped], bytes[!c->swapped], bytes[TY_OUT]};
        ok = contraction_check_buffers(c, own, &fault);
    }
    return finish(c, ok, &fault);
}

char *ty_contraction_text(const ty_contraction *c) {
    FLOATING_DEFAULT;
    struct text text = {0};
    struct fault fault = {0};
    if (!c)
        text_add(&text, "error: " NULL_CONFIGURATION "\n");
    else if (c->error[0])
        text_add(&text, "error: %s\n", c->error);
    else if (!contraction_check(c, &fault))
        text_add(&text, "error: %s\n", fault.text);
    else
        contraction_describe(c, &text);
    return text_take(&text);
}

ty_contraction_plan *ty_contraction_compile(const ty_contraction *c) {
    FLOATING_DEFAULT;
    ty_contraction_plan *plan = mem_alloc(sizeof *plan);
    if (!plan) return NULL;
    if (c) plan->c = *c;
    plan->runner = contraction_runner_current();
    if (!c)
        fault_set(&plan->broken, E_ARGUMENT, NULL_CONFIGURATION);
    else if (c->error[0])
        fault_set(&plan->broken, c->code ? c->code : E_ARGUMENT, "%s", c->error);
    else if (contraction_check(&plan->c, &plan->broken))
        plan->runner->prepare(&plan->c, &plan->prepared, &plan->workspace, &plan->arena, &plan->broken);
    return plan;
}

static const struct fault *fault_of(const ty_contraction_plan *plan) {
    return plan->broken.set ? &plan->broken : &plan->fault;
}

const char *ty_contraction_plan_error(const ty_contraction_plan *plan) {
    return plan ? fault_of(plan)->text : "out of memory: a plan could not be allocated";
}

ty_tensor *ty_contraction_plan_failure(const ty_contraction_plan *plan) {
    return plan ? tensor_failure(fault_of(plan)) : tensor_out_of_memory();
}

int64_t ty_contraction_plan_workspace(const ty_contraction_plan *plan) { return plan ? plan->workspace : 0; }

/* True if there is nothing to compute, as a dimension is empty; then NULL operands are allowed. */
static bool is_empty(const ty_contraction *c) {
    bool empty = false;
    for (int i = 0; i < c->ndims; i++) empty = empty || c->dims[i].size == 0;
    return empty;
}

bool ty_contraction_run(ty_contraction_plan *plan, const void *left, const void *right, void *out) {
    FLOATING_DEFAULT;
    if (!plan || plan->broken.set) return false;
    fault_clear(&plan->fault);
    if (!(left && right && out) && !is_empty(&plan->c))
        return fault_set(&plan->fault, E_ARGUMENT, "contraction: %s is NULL",
                         !left    ? "left"
                         : !right ? "right"
                                  : "out");
    if (!stop_check(&plan->fault)) return false;
    bool swapped = plan->c.swapped;
    bool done =
        plan->runner->run(plan->prepared, swapped ? right : left, swapped ? left : right, out, &plan->fault);
    return stop_end(&plan->fault) && done;
}

void ty_contraction_plan_release(ty_contraction_plan *plan) {
    if (!plan) return;
    arena_drop(&plan->arena);
    mem_free(plan);
}
