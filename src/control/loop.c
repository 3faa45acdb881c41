#include "control/loop.h"
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/alloc.h"

int loop_history_of(const struct loop_attr *a, int carry) {
    for (int i = 0; i < a->nhistories; i++)
        if (a->histories[i] == carry) return i;
    return -1;
}

/* ---- the operator ---- */

static bool check_operand(struct infer *in, int operand, const ty_tensor *p, bool sequence) {
    const struct loop_attr *a = in->attr;
    const ty_tensor *x = in->inputs[operand];
    char words[128];
    int rank = p->layout.rank + sequence;
    bool fits = x->dtype == p->dtype && x->layout.rank == rank &&
                (!sequence || x->layout.shape[0] == a->length) &&
                shape_equal(rank - sequence, x->layout.shape + sequence, p->layout.rank, p->layout.shape);
    return fits || infer_fault(in, "operand %d does not fit the body's parameter %s", operand,
                               tensor_describe_into(words, sizeof words, p));
}

static bool infer(struct infer *in) {
    const struct loop_attr *a = in->attr;
    infer_nothing(in);
    if (in->attr_bytes < sizeof *a || in->attr_bytes < loop_attr_bytes(a) || a->length < 0 ||
        loop_shared(a) < 0 || in->ninputs != loop_operands(a) ||
        a->body->nroots != a->ncarries + a->nstacked + (a->stops != 0))
        return infer_fault(in, "operands and attributes do not fit the body");
    for (int i = 0; i < loop_index_parameter(a); i++)
        if (!check_operand(in, i, a->body->parameters[i], i >= a->ncarries)) return false;
    for (int i = 0; i < loop_shared(a); i++)
        if (!check_operand(in, loop_shared_operand(a, i), a->body->parameters[loop_shared_parameter(a, i)],
                           false))
            return false;
    for (int i = 0; i < a->ncarries; i++) {
        const ty_tensor *p = a->body->parameters[i], *next = a->body->roots[i];
        if (!tensor_same_form(p, next)) return infer_fault(in, "carry %d changes its dtype or shape", i);
    }
    const ty_tensor *count = a->counted ? in->inputs[in->ninputs - 1] : NULL;
    return !count || (count->dtype == TY_I64 && count->layout.rank == 0) ||
           infer_fault(in, "the number of steps must be i64[]");
}

static void describe(const struct infer *in, struct text *t) {
    const struct loop_attr *a = in->attr;
    text_add(t, "%s%lld steps%s of body %llu: %d carried, %d sequence%s, %d shared",
             a->counted || a->stops ? "at most " : "", (long long)a->length, a->reverse ? " backwards" : "",
             (unsigned long long)a->body_id, a->ncarries, a->nsequences, a->nsequences == 1 ? "" : "s",
             loop_shared(a));
}

static void retain(void *attr) { body_retain(((struct loop_attr *)attr)->body); }
static void release(void *attr) { body_release(((struct loop_attr *)attr)->body); }
static int body(const void *attr, int i, ty_tensor *const **roots, uint64_t *id) {
    const struct body *b = ((const struct loop_attr *)attr)->body;
    *roots = b->roots;
    *id = b->id;
    return i == 0 ? b->nroots : 0;
}

static int results(const void *attr) { return loop_results(attr); }
static int dense(const void *attr) { return ((const struct loop_attr *)attr)->ncarries; }
static bool refuses(const void *attr) { return ((const struct loop_attr *)attr)->body->refuses; }

const struct op op_loop = {.name = "loop",
                           .kind = KERNEL_LOOP,
                           .arity = -1,
                           .infer = infer,
                           .vjp_all = loop_vjp,
                           .describe = describe,
                           .attr_retain = retain,
                           .attr_release = release,
                           .refuses = refuses,
                           .body = body,
                           .results = results,
                           .dense = dense,
                           .row = -1,
                           .lazy = true,
                           .onnx = "Loop",
                           .doc = "steps of a body one after the other: scan, while, and their gradients"};

/* ---- its results ---- */

static ty_tensor *rows(const struct loop_attr *a, ty_tensor *history, int64_t first) {
    return ty_slice(history, 0, first, first + a->length, 1);
}
ty_tensor *loop_before_steps(const struct loop_attr *a, ty_tensor *history) {
    return rows(a, history, a->reverse ? 1 : 0);
}
ty_tensor *loop_after_steps(const struct loop_attr *a, ty_tensor *history) {
    return rows(a, history, a->reverse ? 0 : 1);
}

static ty_tensor *stacked(ty_tensor *loop, int index, const ty_tensor *one, int64_t n) {
    int64_t shape[TY_MAX_RANK] = {n};
    if (one->layout.rank == TY_MAX_RANK)
        return ty_poison("loop: results of %d axes cannot be stacked; %d is the most", TY_MAX_RANK,
                         TY_MAX_RANK);
    memcpy(shape + 1, one->layout.shape, sizeof *shape * (size_t)one->layout.rank);
    return result_of(loop, index, one->dtype, one->layout.rank + 1, shape);
}

ty_tensor *loop_result(ty_tensor *loop, int index) {
    if (!ty_ok(loop)) return tensor_share(loop);
    const struct loop_attr *a = loop->attr;
    int stack = index - a->ncarries, history = stack - a->nstacked;
    if (stack < 0) {
        const ty_tensor *one = a->body->parameters[index];
        return result_of(loop, index, one->dtype, one->layout.rank, one->layout.shape);
    }
    if (history < 0) return stacked(loop, index, a->body->roots[index], a->length);
    if (history < a->nhistories)
        return stacked(loop, index, a->body->parameters[a->histories[history]], a->length + 1);
    return result_of(loop, index, TY_I64, 0, NULL);
}
