#include "ops/core/result.h"
#include "base/alloc.h"

void infer_nothing(struct infer *in) {
    in->dtype = TY_U8;
    in->rank = 1;
    in->shape[0] = 0;
}

/* ---- one result ---- */

/* Set dtype and shape in *in to those of the one result, of an operator with several results, that the
   attributes name. False, with the fault set, if the operator has no such result, or it is for storage alone: kernels
   write elements of whole bytes. */
static bool infer(struct infer *in) {
    const ty_tensor *x = in->inputs[0];
    int64_t index = ((const struct result_attr *)in->attr)->index;
    if (!x->op || !x->op->result) return infer_fault(in, E_ARGUMENT, "the operand has no results");
    int n = x->op->results(x->attr);
    if (index < 0 || index >= n)
        return infer_fault(in, E_INDEX, "result %lld is out of bounds for %d results", (long long)index, n);
    if (!x->op->result(x->attr, index, in)) return false;
    return !dtype_stored(in->dtype) ||
           infer_fault(in, E_DTYPE, "%s is for storage alone: ty_cast it before it becomes a result",
                       ty_dtype_name(in->dtype));
}

ATTRIBUTES(attributes, sizeof(struct result_attr), FIELD(struct result_attr, index, LONG));

/* A set of gradients.  Its operands are the gradients, in ascending order of index. */
static const struct op op_gradients = {.name = "gradients", .arity = -1, .row = -1};

bool is_gradients(const ty_tensor *x) { return x->op == &op_gradients; }
static int64_t *indices(const ty_tensor *set) { return set->attr; }

static ty_tensor *set_new(int n) {
    ty_tensor *set = tensor_new(TY_U8, 0, n, (size_t)n * sizeof(int64_t));
    if (set) set->op = &op_gradients;
    return set;
}

/* Gradient rule of a result of an operator with several: return a set of gradients with only g in it, at the
   index of result y. i is ignored. Poison if memory runs out. */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    ty_tensor *set = set_new(1);
    if (!set) return tensor_out_of_memory();
    tensor_set_input(set, 0, g);
    indices(set)[0] = result_index(y);
    return tensor_return(set);
}

static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)wanted;
    return gradients_of(t[0], ((const struct result_attr *)y->attr)->index);
}

const struct op op_result = {.name = "result",
                             .kind = KERNEL_NONE,
                             .arity = 1,
                             .infer = infer,
                             .vjp = vjp,
                             .jvp = jvp,
                             .attributes = &attributes,
                             .row = -1,
                             .lazy = true,
                             .onnx = "",
                             .doc = "one of the results of an operator that has several"};

ty_tensor *result_of(ty_tensor *several, int64_t index) {
    return record(&op_result, &(struct result_attr){index}, sizeof(struct result_attr), 1, &several);
}

/* ---- sets of gradients ---- */

ty_tensor *gradients_of(const ty_tensor *set, int64_t index) {
    for (int i = 0; i < set->ninputs; i++)
        if (indices(set)[i] == index) return set->inputs[i];
    return NULL;
}

/* Merge one step of two sets of gradients, ordered by index: take the lowest index at or after position *i in
   a and *j in b. Return its gradient from a or b, or add() of both. Advance the positions used, and set
   *index. One set must have elements left. */
static ty_tensor *merge_next(const ty_tensor *a, int *i, const ty_tensor *b, int *j, int64_t *index,
                             ty_tensor *(*add)(ty_tensor *, ty_tensor *)) {
    bool left = *i < a->ninputs && (*j == b->ninputs || indices(a)[*i] <= indices(b)[*j]);
    bool right = *j < b->ninputs && (*i == a->ninputs || indices(b)[*j] <= indices(a)[*i]);
    ty_tensor *x = left ? a->inputs[*i] : NULL, *y = right ? b->inputs[*j] : NULL;
    *index = left ? indices(a)[*i] : indices(b)[*j];
    *i += left;
    *j += right;
    return x && y ? add(x, y) : x ? x : y;
}

ty_tensor *gradients_new(int n, const int *index, ty_tensor *const *g) {
    ty_tensor *set = set_new(n);
    if (!set) return tensor_out_of_memory();
    for (int i = 0; i < n; i++) {
        tensor_set_input(set, i, g[i]);
        indices(set)[i] = index[i];
    }
    return tensor_return(set);
}

ty_tensor *gradients_add(ty_tensor *a, ty_tensor *b, ty_tensor *(*add)(ty_tensor *, ty_tensor *)) {
    ty_tensor *set = set_new(a->ninputs + b->ninputs);
    if (!set) return tensor_out_of_memory();
    int n = 0, i = 0, j = 0;
    while (i < a->ninputs || j < b->ninputs) {
        ty_tensor *sum = merge_next(a, &i, b, &j, &indices(set)[n], add);
        if (!ty_ok(sum)) {
            set->ninputs = n;
            tensor_free_one_reference(set);
            return sum;
        }
        tensor_set_input(set, n++, sum);
    }
    set->ninputs = n;
    return tensor_return(set);
}
