/* Recording of loops: the body becomes the step of a scan. */
#include "onnx/ops/control/loops.h"
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "array/dtype.h"
#include "array/tensor.h"
#include "base/checked.h"
#include "base/context/stop.h"
#include "control/scan.h"
#include "onnx/run.h"

/* Trips are recorded one by one up to this number of nodes: kernels of different trips are fused and planned together,
   and LARGE_UNROLLED nodes take some milliseconds to compile. */
enum { LARGE_UNROLLED = 256 };
/* Loops and branches of one run that could not be recorded.  Graphs in each are executed afterwards, so without a limit n
   nested ones would be tried 2^n times. */
enum { MOST_FAILED = 32 };

bool onnx_may_record(const struct onnx_call *call) {
    return call->run->mode != ONNX_EAGER && call->run->unrecorded < MOST_FAILED;
}

bool onnx_forget(struct onnx_call *call) {
    if (stop_said(call->fault) || call->fault->code == E_MEMORY) return false;
    call->run->needs_elements = false;
    call->run->unrecorded++;
    fault_clear(call->fault);
    return true;
}

bool onnx_loop_wanted(const struct onnx_call *call, int64_t trips) {
    int64_t nodes;
    if (!onnx_may_record(call) || trips < 2) return false;
    return call->node->nbodies == 1 &&
           (!checked_mul(trips, call->node->bodies[0].weight, &nodes) || nodes > LARGE_UNROLLED);
}

bool onnx_loop_whole(const ty_tensor *x) { return dtype_is(ty_dtype_of(x), CLASS_INTEGER | CLASS_BOOL); }

/* Set the condition that the body returns: a constant one never stops the loop. */
static bool take_condition(struct onnx_loop *l, const struct onnx_value *condition, ty_step *s) {
    int n = 0;
    if (condition->kind != ONNX_TENSOR) return onnx_refuse(l->call, E_DTYPE, "the condition is no tensor");
    if (!ty_is_promise(condition->tensor)) {
        const int64_t *items = onnx_known_ints_of(l->call, condition->tensor, &n);
        return (items && n == 1 && items[0]) ||
               onnx_refuse(l->call, E_STATE, "the loop ends after its first trip");
    }
    if (l->nstacked) return onnx_refuse(l->call, E_STATE, "elements decide on the number of results");
    if (!onnx_loop_whole(condition->tensor))
        return onnx_refuse(l->call, E_DTYPE, "the condition is no truth value");
    s->stop = ty_logical_not(ty_reshape(condition->tensor, TY_SCALAR));
    return true;
}

/* Execute the body on the operands of a step. */
static bool walk_step(struct onnx_loop *l, ty_step *s) {
    struct onnx_call *call = l->call;
    bool yes = true;
    int n = 0, more = l->conditional ? 1 : 0, ninputs = 2 * more + l->ncarry + l->nx,
        nresults = more + l->ncarry + l->nstacked;
    struct onnx_value *inputs = onnx_memory(call, ninputs, sizeof *inputs);
    struct onnx_value *results = onnx_memory(call, nresults, sizeof *results);
    if (!inputs || !results) return false;
    if (more) {
        inputs[n++] = onnx_value_tensor(s->index);
        inputs[n++] = onnx_value_tensor(ty_from(TY_BOOL, TY_SCALAR, &yes));
    }
    for (int i = 0; i < l->ncarry; i++) inputs[n++] = onnx_value_tensor(s->carry[i]);
    for (int i = 0; i < l->nx; i++) inputs[n++] = onnx_value_tensor(s->x[i]);
    if (!onnx_body(call, "body", ninputs, inputs, nresults, results) ||
        (more && !take_condition(l, &results[0], s)))
        return false;
    for (int i = more; i < nresults; i++) {
        if (results[i].kind != ONNX_TENSOR)
            return onnx_refuse(call, E_DTYPE, "result %d of the graph is %s, but a tensor is expected", i,
                               onnx_kind_words(results[i].kind));
        *(i - more < l->ncarry ? &s->next[i - more] : &s->y[i - more - l->ncarry]) = results[i].tensor;
    }
    return true;
}

/* The step of the scan.  Each trip has another key of random numbers. */
static void step(void *context, ty_step *s) {
    struct onnx_loop *l = context;
    struct onnx_run *run = l->call->run;
    ty_tensor *key = run->key;
    int64_t keys = run->keys;
    run->key = ty_fold_by(ty_fold(key, (uint64_t)keys), s->index);
    run->keys = 0;
    run->whole++, run->inside++; /* a segment cannot end in a step */
    bool good = walk_step(l, s);
    run->whole--, run->inside--;
    run->key = key, run->keys = keys + 1;
    for (int i = 0; !good && i < l->ncarry; i++) s->next[i] = onnx_failed(l->call);
    for (int i = 0; !good && i < l->nstacked; i++) s->y[i] = onnx_failed(l->call);
    if (!good && !l->ncarry && !l->nstacked) s->stop = onnx_failed(l->call);
}

bool onnx_loop_record(struct onnx_loop *l) {
    struct onnx_call *call = l->call;
    ty_tensor **carry = onnx_memory(call, l->ncarry, sizeof *carry);
    if (!carry) return false;
    for (int i = 0; i < l->ncarry; i++) {
        if (l->carry[i].kind != ONNX_TENSOR) return onnx_forget(call), false;
        carry[i] = l->carry[i].tensor;
    }
    ty_scan_spec spec = {.ncarry = l->ncarry,
                         .carry = carry,
                         .nx = l->nx,
                         .x = l->x,
                         .ny = l->nstacked,
                         .length = l->length,
                         .reverse = l->reverse};
    if (scan_counted("loop", step, l, &spec, l->count, l->last, l->y, NULL)) return true;
    for (int i = 0; i < l->ncarry; i++)
        if (!ty_ok(l->last[i])) fault_tensor(call->fault, l->last[i]);
    for (int i = 0; i < l->nstacked; i++)
        if (!ty_ok(l->y[i])) fault_tensor(call->fault, l->y[i]);
    onnx_forget(call);
    return false;
}
