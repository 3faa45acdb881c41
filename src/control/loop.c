#include "control/loop.h"
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "control/many.h"

int loop_history_of(const struct loop_attr *a, int carry) {
    for (int i = 0; i < a->nhistories; i++)
        if (a->histories[i] == carry) return i;
    return -1;
}

/* ---- the operator ---- */

/* Check operand number `operand` against parameter p of the loop body; a sequence has one more axis in front,
   with an element for each step. False, with the fault set, if it does not fit. */
static bool check_operand(struct infer *in, int operand, const ty_tensor *p, bool sequence) {
    const struct loop_attr *a = in->attr;
    const ty_tensor *x = in->inputs[operand];
    char words[128];
    int rank = p->layout.rank + sequence;
    bool fits = x->dtype == p->dtype && x->layout.rank == rank &&
                (!sequence || x->layout.shape[0] == a->length) &&
                shape_equal(rank - sequence, x->layout.shape + sequence, p->layout.rank, p->layout.shape);
    return fits || infer_fault(in, E_SHAPE, "operand %d does not fit the body's parameter %s", operand,
                               tensor_describe_into(words, sizeof words, p));
}

/* True if the counts of carries, sequences, results and histories fit the parameters and outputs of the loop
   body. */
static bool counts_fit(const struct loop_attr *a) {
    int n = a->body->nparameters, nroots = a->body->nroots, before = -1;
    bool fit = a->length >= 0 && a->ncarries >= 0 && a->nsequences >= 0 && a->nstacked >= 0 &&
               a->ncarries < n && a->nsequences < n - a->ncarries && a->ncarries <= nroots &&
               a->nstacked == nroots - a->ncarries - (a->stops != 0) && a->nhistories >= 0 &&
               a->nhistories <= a->ncarries;
    for (int i = 0; fit && i < a->nhistories; i++) {
        fit = a->histories[i] > before && a->histories[i] < a->ncarries;
        before = a->histories[i];
    }
    return fit;
}

static bool is_scalar(const ty_tensor *x, ty_dtype dtype) { return x->dtype == dtype && x->layout.rank == 0; }

/* Infer the operator `loop`, a node without elements, into *in; checks its attributes and its operands.
   False, with the fault set, if one is invalid. */
static bool infer(struct infer *in) {
    const struct loop_attr *a = in->attr;
    infer_nothing(in);
    if (in->attr_bytes < sizeof *a || !counts_fit(a) || in->attr_bytes < loop_attr_bytes(a) ||
        in->ninputs != loop_operands(a) || !is_scalar(a->body->parameters[loop_index_parameter(a)], TY_I64) ||
        (a->stops && !is_scalar(a->body->roots[a->body->nroots - 1], TY_BOOL)))
        return infer_fault(in, E_SHAPE, "operands and attributes do not fit the body");
    for (int i = 0; i < loop_index_parameter(a); i++)
        if (!check_operand(in, i, a->body->parameters[i], i >= a->ncarries)) return false;
    for (int i = 0; i < loop_shared(a); i++)
        if (!check_operand(in, loop_shared_operand(a, i), a->body->parameters[loop_shared_parameter(a, i)],
                           false))
            return false;
    for (int i = 0; i < a->ncarries; i++) {
        const ty_tensor *p = a->body->parameters[i], *next = a->body->roots[i];
        if (!tensor_same_form(p, next))
            return infer_fault(in, E_DTYPE, "carry %d changes its dtype or shape", i);
    }
    const ty_tensor *count = a->counted ? in->inputs[in->ninputs - 1] : NULL;
    return !count || is_scalar(count, TY_I64) ||
           infer_fault(in, E_DTYPE, "the number of steps must be i64[]");
}

/* Append the number of steps, the direction and the numbers of operands of a loop to t. */
static void describe(const struct infer *in, struct text *t) {
    const struct loop_attr *a = in->attr;
    text_add(t, "%s%lld steps%s of body %llu: %d carried, %d sequence%s, %d shared",
             a->counted || a->stops ? "at most " : "", (long long)a->length, a->reverse ? " backwards" : "",
             (unsigned long long)a->body_id, a->ncarries, a->nsequences, a->nsequences == 1 ? "" : "s",
             loop_shared(a));
}

ATTRIBUTES(attributes, sizeof(struct loop_attr),
           {.name = "body",
            .type = FIELD_BODY,
            .offset = offsetof(struct loop_attr, body),
            .size = sizeof(struct body_place)},
           FIELD(struct loop_attr, length, LONG), FIELD_AT(struct loop_attr, ncarries, "carries", FIELD_INT),
           FIELD_AT(struct loop_attr, nsequences, "sequences", FIELD_INT),
           FIELD_AT(struct loop_attr, nstacked, "stacked", FIELD_INT), FIELD(struct loop_attr, reverse, FLAG),
           FIELD(struct loop_attr, counted, FLAG), FIELD(struct loop_attr, stops, FLAG),
           FIELD(struct loop_attr, frugal, FLAG),
           FIELD_TAIL(struct loop_attr, histories, INT, .many = FIELD_COUNTED,
                      .counter = offsetof(struct loop_attr, nhistories)));

static void retain(void *attr) { body_retain(((struct loop_attr *)attr)->body); }
static void release(void *attr) { body_release(((struct loop_attr *)attr)->body); }
/* Set *roots to the outputs and *id to the id of the loop's body, whatever i is. Return the number of outputs
   for i = 0, else 0: a loop has one body. */
static int body(const void *attr, int i, ty_tensor *const **roots, uint64_t *id) {
    const struct body *b = ((const struct loop_attr *)attr)->body;
    *roots = b->roots;
    *id = b->id;
    return i == 0 ? b->nroots : 0;
}

static int results(const void *attr) { return loop_results(attr); }

/* Set dtype and shape in *in to those of n stacked x: [n, shape of x]. False, with the fault set, if x has
   too many axes. */
static bool stacked(struct infer *in, const ty_tensor *x, int64_t n) {
    infer_like(in, x);
    if (in->rank == TY_MAX_RANK)
        return infer_fault(in, E_LIMIT, "results of %d axes cannot be stacked; expected at most %d axes",
                           TY_MAX_RANK, TY_MAX_RANK);
    memmove(in->shape + 1, in->shape, sizeof *in->shape * (size_t)in->rank++);
    in->shape[0] = n;
    return true;
}

/* Set dtype and shape in *in to those of result number `index`, from 0, of a loop; an index past the
   histories is that of the number of steps. False, with the fault set, if the result would have too many axes
   or steps. */
static bool result(const void *attr, int64_t index, struct infer *in) {
    const struct loop_attr *a = attr;
    int64_t stack = index - a->ncarries, history = stack - a->nstacked;
    if (history >= a->nhistories) {
        in->dtype = TY_I64;
        in->rank = 0;
    } else if (stack < 0) {
        infer_like(in, a->body->parameters[index]);
    } else if (history < 0) {
        return stacked(in, a->body->roots[index], a->length);
    } else {
        return checked_add(a->length, 1, &stack)
                   ? stacked(in, a->body->parameters[a->histories[history]], stack)
                   : infer_fault(in, E_LIMIT, "the history has too many steps");
    }
    return true;
}

static int dense(const void *attr) { return ((const struct loop_attr *)attr)->ncarries; }
static bool refuses(const void *attr) { return ((const struct loop_attr *)attr)->body->refuses; }

const struct op op_loop = {.name = "loop",
                           .kind = KERNEL_LOOP,
                           .arity = -1,
                           .infer = infer,
                           .vjp_all = loop_vjp,
                           .jvp = loop_jvp,
                           .batch_results = loop_batch,
                           .reach_results = loop_reach,
                           .attributes = &attributes,
                           .describe = describe,
                           .attr_retain = retain,
                           .attr_release = release,
                           .refuses = refuses,
                           .body = body,
                           .results = results,
                           .result = result,
                           .dense = dense,
                           .row = -1,
                           .lazy = true,
                           .onnx = "Loop",
                           .doc = "steps of a body one after the other: scan, while, and their gradients"};

/* ---- histories ---- */

/* Return elements first .. first + length - 1 along axis 0 of a history, where length is the number of steps
   of the loop. */
static ty_tensor *rows(const struct loop_attr *a, ty_tensor *history, int64_t first) {
    return ty_slice(history, 0, first, first + a->length, 1);
}
ty_tensor *loop_before_steps(const struct loop_attr *a, ty_tensor *history) {
    return rows(a, history, a->reverse ? 1 : 0);
}
ty_tensor *loop_after_steps(const struct loop_attr *a, ty_tensor *history) {
    return rows(a, history, a->reverse ? 0 : 1);
}
