/* An operator is one entry of elementwise.def, or one file that defines a `const struct op` listed in
   operators.def.  This struct contains everything that the library knows about an operator. */
#ifndef OPS_CORE_OP_H
#define OPS_CORE_OP_H
#include "array/tensor.h"
#include "ops/core/field.h"
#include "ops/core/kernel/kernel.h"

/* Input and output of shape and dtype inference. */
struct infer {
    const struct op *op;
    const void *attr;
    size_t attr_bytes;
    int ninputs;
    ty_tensor *const *inputs;   /* none poisoned */
    ty_dtype dtype;             /* output */
    int rank;                   /* output */
    int64_t shape[TY_MAX_RANK]; /* output */
    struct fault *fault;
};

struct batch;
struct reach;
struct reach_results;
/* Return a struct infer filled with x's operator, operands, attributes, dtype and shape. `fault` receives
   errors of functions called on it, and may be NULL if none of them can fail. */
struct infer infer_of(const ty_tensor *x, struct fault *fault);

struct op {
    const char *name;
    enum kernel_kind kind;
    int arity; /* number of operands; -1: any */
    /* Infer dtype, rank and shape of the result.  False after infer_fault. */
    bool (*infer)(struct infer *in);
    /* View operators (KERNEL_NONE): compute the layout of the result over x's memory.  False: x must be copied
       first. */
    bool (*view)(const struct infer *in, const struct layout *x, struct layout *out);
    /* Gradient rule: return the gradient of input i, given the gradient g of y, a tensor of this operator.  A NULL
       function or result: there is no gradient. */
    ty_tensor *(*vjp)(ty_tensor *y, ty_tensor *g, int i);
    /* The gradients of all inputs at once, if that is cheaper: sets out[i] for each needed[i], and NULL for the
       others. */
    void (*vjp_all)(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
    /* For operators with one input whose gradient is g at some indices of an axis and zero elsewhere (as vjp says
       too): sets *g, the axis and the first index, so that many such gradients are assembled at once.  False or
       NULL: not of this kind. */
    bool (*places)(ty_tensor *y, ty_tensor **g, int *axis, int64_t *start);
    /* Tangent rule: return the tangent of y for tangents t[i] of its inputs (NULL: zero; at least one is not).  A
       NULL function: by transposing vjp (grad/forward.c).  A NULL result: zero.  For several results: a set of
       tangents (result.h) of those with wanted[k]. */
    ty_tensor *(*jvp)(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
    /* Batch rule (ops/core/batch.h): return y on operands of which some have an additional leading axis.  The
       result has one too, or y's shape if it is equal for all examples.  NULL: examples are computed one by one. */
    ty_tensor *(*batch)(const struct batch *b);
    /* Batch rule for operators with several results: sets out[i], i < m, to the batched result which[i].  Also
       called if no operand has the additional axis but operands were replaced. */
    void (*batch_results)(const struct batch *b, int m, const int *which, ty_tensor **out);
    /* Describe the elements of operand i that an element of the result depends on (ops/core/reach.h).  NULL: all
       elements if the operator has a gradient, else none. */
    void (*reach)(ty_tensor *y, int i, struct reach *r);
    /* Dependencies of all results of an operator with several results (grad/sparse_pattern.h).  NULL, or false
       without a fault: each depends on everything. */
    bool (*reach_results)(const struct reach_results *r, ty_tensor **out);
    const char *no_gradient[3];          /* why there is no gradient for input 0, 1, and all further ones */
    const struct attributes *attributes; /* description of the attributes (field.h); NULL: none, or not
                                            saved in files */
    int32_t variant;                     /* value of the FIELD_VARIANT attribute */
    /* Append the attributes to a text in a special notation, such as "ab,bc->ac".  NULL: field by field. */
    void (*describe)(const struct infer *in, struct text *t);
    /* For attributes with references: add or drop a reference when they are copied or freed.  NULL: plain bytes. */
    void (*attr_retain)(void *attr);
    void (*attr_release)(void *attr);
    /* Operators with subgraphs: return the number of outputs of subgraph i, its outputs and id; 0 past the last
       subgraph. */
    int (*body)(const void *attr, int i, ty_tensor *const **roots, uint64_t *id);
    /* Operators with several results: return their number.  NULL: one result. */
    int (*results)(const void *attr);
    /* Infer dtype and shape of result `index` into *in.  False and fault set if the attributes are invalid. */
    bool (*result)(const void *attr, int64_t index, struct infer *in);
    /* Return how many leading operands must be dense.  NULL: none. */
    int (*dense)(const void *attr);
    /* For kinds that refuse (kernels.def): false if no launch of a kernel with these attributes can fail because of
       values that it reads.  NULL: it can. */
    bool (*refuses)(const void *attr);
    /* Operators that may have effects: return the number in the order of recording of a node with effects, from 1; 0
       for a node without.  NULL: none has effects. */
    int64_t (*serial)(const void *attr);
    /* Return true if the attributes have objects to free with the last tensor, so that no cache may keep them.  NULL:
       they have none. */
    bool (*owns)(const void *attr);
    /* Return the device that the operator chooses for its result.  NULL: that of the operands. */
    struct device *(*place)(const void *attr);
    int row;          /* index into elementwise.def, or -1 */
    bool lazy;        /* the result is always a promise */
    bool of_values;   /* records the origin of a value; no promise has it */
    bool stores;      /* takes operands of dtypes for storage */
    bool inplace;     /* the output may alias an input of equal layout */
    const char *onnx; /* ONNX name, "" for none */
    const char *doc;
};

/* All operators, elementwise ones first, NULL-terminated. */
extern const struct op *const op_table[];
/* Return the operator of this name, NULL if there is none. */
const struct op *op_find(const char *name);

/* True if a launch of a kernel of `op`, with attributes *attr, can fail because of values that it reads, such
   as indices out of bounds. */
static inline bool op_may_refuse(const struct op *op, const void *attr) {
    return kernel_table[op->kind].refuses && (!op->refuses || op->refuses(attr));
}

/* Return the number, in the order of recording, of a node with effects; 0 for a node without. */
static inline int64_t op_serial(const struct op *op, const void *attr) {
    return op && op->serial ? op->serial(attr) : 0;
}

/* Set a fault that names the operator and all operands: `sum of f32[2,3]: axis 3 is outside -2..1`, where the
   format gives the reason. Always return false. */
bool infer_fault(struct infer *in, ty_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Record an operator: infer its result, then make a view, compute a value at once, or make a promise. attr
   (attr_bytes bytes) is copied. Eager variables stand for their current value. The first poisoned input is
   the result; other failures are poison, too. The result belongs to the innermost scope. */
ty_tensor *record(const struct op *op, const void *attr, size_t attr_bytes, int ninputs,
                  ty_tensor *const *inputs);
/* Test hook, called for each recorded operator (kernel NULL) and for each one lowered for the current engine; NULL:
   off. */
extern void (*op_watch)(const struct op *op, const struct kernel *kernel);
/* Set whether operators without operands, such as iota, make promises on this thread. Return the previous
   setting. */
bool record_lazily(bool on);
/* True if this thread records the history of operators on tracked values (ty_set_history). */
bool record_remembers(void);
/* Return the current value of an eager variable. The innermost scope holds it; with no scope open or no
   memory, it lives only until the next assignment. */
ty_tensor *variable_value(ty_tensor *variable);
/* Return the tensor behind a handle: the value of an eager variable, the NULL tensor for NULL, otherwise x. */
static inline ty_tensor *tensor_resolve(const ty_tensor *x) {
    ty_tensor *seen = tensor_of(x);
    return __atomic_load_n(&seen->current, __ATOMIC_RELAXED) ? variable_value(seen) : seen;
}

/* Return the first poisoned tensor of n, with a new reference; NULL if none is poisoned.  A NULL operand, a NULL
   array and a negative n are poison, too, named by the enclosing public function, else `name`. */
#define first_poison(...) first_poison_in(public_name(__func__), __VA_ARGS__)
ty_tensor *first_poison_in(const char *name, int n, ty_tensor *const *x);

/* Check the arrays of a function of n tensors with n results.  True if it should proceed; else results, if any, are
   poisoned. */
#define results_given(n, x, results) results_given_in(public_name(__func__), n, x, results)
bool results_given_in(const char *name, int n, ty_tensor *const *x, ty_tensor **results);
/* Set all n results to `bad`, a poisoned tensor owned by the innermost scope or the caller; each further one
   gets a reference of its own. results NULL: do nothing. Always return false. */
bool results_poisoned(int n, ty_tensor **results, ty_tensor *bad);
/* True if none of n results is poisoned. Otherwise all are set to the first poisoned one, in the innermost
   scope, and the result is false. */
bool results_settled(int n, ty_tensor **results);

extern const struct op op_input;    /* leaf: a lazy variable (ty_var) */
extern const struct op op_constant; /* leaf: a promise of the value inputs[0] (ty_lazy) */
extern const struct op op_track;    /* leaf: a tracked value */
extern const struct op op_cast, op_copy;

/* Identifies the variable whose value an op_track leaf is. */
struct track_attr {
    uint64_t variable;
};
/* Return the value of promise x, which function `name` needs while recording, because it determines the
   result's size; a poisoned tensor on failure. The value remembers the promise: a gradient through it is an
   error, and so is a promise made of it if x reads a variable. Other tensors are returned unchanged. */
ty_tensor *value_now(const char *name, ty_tensor *x);
/* Return poison if integers read from `known` (a result of value_now) depend on a variable and would be fixed
   in a promise on the n operands; NULL if not. `name` is the public function. */
ty_tensor *refuse_fixed(const char *name, const ty_tensor *known, int n, ty_tensor *const *operands);
/* Return the value of x for function `name`; it remembers x, so that a gradient through it is an error.
   Poison on failure. */
ty_tensor *evaluated(const char *name, ty_tensor *x);
/* A view that blocks gradients. */
extern const struct op op_detach;
/* Make a tensor that shares the memory of `value` and has `op` as its origin. The caller owns it, and fills
   in the ninputs operands and attr_bytes of attributes. NULL if memory runs out. */
ty_tensor *value_from(const struct op *op, ty_tensor *value, int ninputs, size_t attr_bytes);

/* Tangent rule (op->jvp) for operators that are linear in all differentiable operands together, such as sum
   and concat: the operator itself on the tangents t[]. NULL if no operand has a tangent. */
ty_tensor *jvp_linear(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
/* Tangent rule (op->jvp) for operators that are linear in each operand, such as contract: the sum over
   operands of the operator with that operand replaced by its tangent t[i]. NULL if no operand has a tangent. */
ty_tensor *jvp_multilinear(ty_tensor *y, ty_tensor *const *t, const bool *wanted);

/* Return g summed over the axes that broadcasting added to x, so that it has the shape of x, and cast to x's
   dtype. A g that is smaller than x is broadcast. Poison stays poison. */
ty_tensor *gradient_unbroadcast(ty_tensor *g, const ty_tensor *x);
#endif
