/* If: both branches as one branch of the graph, or the chosen one alone. */
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/control/loops.h"
#include "onnx/ops/operators.h"
#include "onnx/run.h"

/* Record a branch for ty_cond, which takes tensors alone.  A segment cannot end in it. */
static void branch(struct onnx_call *call, const char *name, ty_tensor **results) {
    int n = call->noutputs;
    struct onnx_value *values = onnx_memory(call, n, sizeof *values);
    call->run->whole++, call->run->inside++;
    bool good = values && onnx_body(call, name, 0, NULL, n, values);
    call->run->whole--, call->run->inside--;
    for (int i = 0; i < n; i++) {
        good = good && (values[i].kind == ONNX_TENSOR ||
                        onnx_refuse(call, E_DTYPE, "result %d is %s, but a tensor is expected", i,
                                    onnx_kind_words(values[i].kind)));
        results[i] = good ? values[i].tensor : onnx_failed(call);
    }
}
static void then_branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)x;
    branch(context, "then_branch", results);
}
static void else_branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)x;
    branch(context, "else_branch", results);
}

/* Record both branches, since the condition is known in runs only. */
static bool record_both(struct onnx_call *call, ty_tensor *condition) {
    int n = call->noutputs;
    ty_tensor **results = onnx_memory(call, n, sizeof *results);
    if (!results) return false;
    condition = ty_reshape(condition, TY_SCALAR);
    if (!ty_cond(condition, then_branch, else_branch, call, 0, NULL, n, results) && call->fault->set)
        return false;
    for (int i = 0; i < n; i++)
        if (!onnx_output(call, i, results[i])) return false;
    return true;
}

bool onnx_op_if(struct onnx_call *call) {
    ty_tensor *given = onnx_input(call, 0);
    bool chosen = call->run->mode != ONNX_RECORD && !call->run->inside; /* one branch alone may be recorded */
    if (call->run->mode != ONNX_EAGER && ty_is_promise(given) && (!chosen || onnx_may_record(call))) {
        if (record_both(call, given) || !chosen) return !call->fault->set;
        if (!onnx_forget(call)) return false;
    }
    int64_t condition = onnx_known_int(call, 0, 0);
    if (call->fault->set) return false;
    return onnx_body(call, condition ? "then_branch" : "else_branch", 0, NULL, call->noutputs, call->outputs);
}
