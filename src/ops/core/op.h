/*
 * An operator: one row (elementwise.def) or one file that ends in one `const struct op`, listed in
 * operators.def.  Everything that anything in the tree knows about an operator stands in this struct.
 */
#ifndef OPS_CORE_OP_H
#define OPS_CORE_OP_H
#include "array/tensor.h"
#include "ops/core/field.h"
#include "ops/core/kernel.h"

/* What shape and dtype inference reads and fills. */
struct infer {
    const struct op *op;
    const void *attr;
    size_t attr_bytes;
    int ninputs;
    ty_tensor *const *inputs;   /* none poisoned */
    ty_dtype dtype;             /* filled */
    int rank;                   /* filled */
    int64_t shape[TY_MAX_RANK]; /* filled */
    struct fault *fault;
};

struct batch;
struct reach;
struct reach_results;
/* What x was inferred from, and its own dtype and shape.  fault may be NULL where nothing can fail. */
struct infer infer_of(const ty_tensor *x, struct fault *fault);

struct op {
    const char *name;
    enum kernel_kind kind;
    int arity; /* -1: any */
    /* Fills dtype, rank, shape; false after infer_fault. */
    bool (*infer)(struct infer *in);
    /* KERNEL_NONE views: the layout of the result over the input's memory; false: needs a copy first. */
    bool (*view)(const struct infer *in, const struct layout *x, struct layout *out);
    /* What flows to input i when g flows into y = this operator (y->inputs, y->attr).  NULL function, or
       a NULL result: nothing flows there. */
    ty_tensor *(*vjp)(ty_tensor *y, ty_tensor *g, int i);
    /* The same for all operands at once, where that is less work: out[i] of each with needed[i] (the others NULL). */
    void (*vjp_all)(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out);
    /* Of one operand x: whether x gets g itself at some places of an axis and zeros elsewhere, as vjp says too: fills g
       (as it stands there), axis and the first place, so that many of them are put together at once.  NULL: no. */
    bool (*places)(ty_tensor *y, ty_tensor **g, int *axis, int64_t *start);
    /* How y moves when its operands move by t[i] (NULL: operand i stays; one at least moves).  NULL function: as the
       transpose of vjp says (grad/forward.c); a NULL result: not at all.  Of an operator with several results, where
       wanted[k] tells of which it is asked, a set of tangents as gradients are (result.h). */
    ty_tensor *(*jvp)(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
    /* Of many examples at once (ops/core/batch.h): y on operands of which some have an axis more in front.  The result has
       one too, or, where it is the same for all examples, has y's shape.  NULL: they are computed one by one. */
    ty_tensor *(*batch)(const struct batch *b);
    /* The same of an operator with several results: fills out[i], m of them, with result which[i]; called as well where
       no operand differs, but each is another one. */
    void (*batch_results)(const struct batch *b, int m, const int *which, ty_tensor **out);
    /* Of operand i: which of its elements an element of the result depends on (ops/core/reach.h).  NULL: on all, where the
       operator has a gradient, else on none. */
    void (*reach)(ty_tensor *y, int i, struct reach *r);
    /* The same of all results of an operator with several (grad/sparse_pattern.h).  NULL, or false without a fault: each
       depends on everything. */
    bool (*reach_results)(const struct reach_results *r, ty_tensor **out);
    const char
        *no_gradient[3]; /* the reason, where nothing flows to an input (last one: all further inputs) */
    const struct attributes *attributes; /* what they are (field.h); NULL: none, or no file has them */
    int32_t variant;                     /* the value of FIELD_VARIANT among them */
    /* Adds them to a text in a notation of their own, "ab,bc->ac"; NULL: name by name. */
    void (*describe)(const struct infer *in, struct text *t);
    /* Attributes that refer to something: what another copy of them takes and what it gives up.  NULL: plain bytes. */
    void (*attr_retain)(void *attr);
    void (*attr_release)(void *attr);
    /* Of operators with bodies: the roots of body number i, and what it is told by; 0 roots after the last one. */
    int (*body)(const void *attr, int i, ty_tensor *const **roots, uint64_t *id);
    /* Of operators with several results: how many (NULL: one), and how many first operands must lie dense. */
    int (*results)(const void *attr);
    bool (*result)(const void *attr, int64_t index,
                   struct infer *in); /* its dtype and shape; false after a fault */
    int (*dense)(const void *attr);
    /* Whether a kernel with these attributes may refuse what it reads; NULL: as its kind does. */
    bool (*refuses)(const void *attr);
    int row;          /* index into elementwise.def, or -1 */
    bool lazy;        /* a promise whatever its operands are */
    bool of_values;   /* tells where a value comes from: no promise has it */
    bool inplace;     /* the output may take the place of an input of equal layout */
    const char *onnx; /* its name there, "" for none */
    const char *doc;
};

/* Every operator, elementwise rows first, NULL-terminated. */
extern const struct op *const op_table[];
const struct op *op_find(const char *name);

/* Whether launching its kernel may fail, because of values that it reads. */
static inline bool op_may_refuse(const struct op *op, const void *attr) {
    return op->refuses ? op->refuses(attr) : kernel_kind_refuses(op->kind);
}

/* Adds "op: ..." with all operands: `sum: axis 3 is outside f32[2,3]`; returns false. */
bool infer_fault(struct infer *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Records: infers, then makes a view, computes at once (values), or makes a promise.  Inputs may be
   poisoned (the first poison comes back) or eager variables (their current value is meant).  The
   result belongs to the innermost scope. */
ty_tensor *record(const struct op *op, const void *attr, size_t attr_bytes, int ninputs,
                  ty_tensor *const *inputs);
/* Told of each operator that is recorded (kernel NULL), and of each that is lowered for the current engine; NULL:
   nobody watches.  Tests find out by it what their tables reach. */
extern void (*op_watch)(const struct op *op, const struct kernel *kernel);
/* Whether operators without operands, such as iota, make promises, on this thread; returns whether they did. */
bool record_lazily(bool on);
/* Whether operators on tracked values remember how (ty_remember). */
bool record_remembers(void);
/* An eager variable's value, which lives as long as the innermost scope (or, with none open or no memory, until it is
   assigned); anything else itself. */
ty_tensor *variable_value(ty_tensor *variable);
static inline ty_tensor *tensor_resolve(const ty_tensor *x) {
    ty_tensor *seen = tensor_of(x);
    return __atomic_load_n(&seen->current, __ATOMIC_RELAXED) ? variable_value(seen) : seen;
}

/* The first poisoned one of n, shared; NULL: all are well.  Also poison: NULL among them, which is named by the public
   function this stands in, or else `name`; NULL where an array belongs; a negative n. */
#define first_poison(...) first_poison_in(public_name(__func__), __VA_ARGS__)
ty_tensor *first_poison_in(const char *name, int n, ty_tensor *const *x);

/* For functions of n tensors with n results: whether there is anything to do.  Else the results, where they have a place,
   are poison. */
#define results_given(n, x, results) results_given_in(public_name(__func__), n, x, results)
bool results_given_in(const char *name, int n, ty_tensor *const *x, ty_tensor **results);
/* Puts `bad`, a reference of the innermost scope's or the caller's, into all of n results, one reference each; false. */
bool results_poisoned(int n, ty_tensor **results, ty_tensor *bad);
/* Whether none of n results is poisoned; else all of them become the first that is. */
bool results_settled(int n, ty_tensor **results);

extern const struct op op_input;    /* leaf: a variable of the lazy kind (ty_var) */
extern const struct op op_constant; /* leaf: a promise of the value in inputs[0] (ty_lazy) */
extern const struct op op_track;    /* leaf: a tracked value */
extern const struct op op_cast, op_copy;

/* Which variable an op_track leaf is a value of. */
struct track_attr {
    uint64_t variable;
};
/* The value of a promise that function `name` needs while recording, as its result's size depends on it.
   It remembers the promise: a gradient through it is an error, and so is a promise made of it where the
   promise reads a variable.  Anything else is itself. */
ty_tensor *value_now(const char *name, ty_tensor *x);
/* Poison where numbers read from `known`, of value_now, would become fixed in a promise of the operands. */
ty_tensor *refuse_fixed(const char *name, const ty_tensor *known, int n, ty_tensor *const *operands);
/* The value of x, which remembers x: a gradient through it is an error. */
ty_tensor *evaluated(const char *name, ty_tensor *x);
/* The view that cuts gradients. */
extern const struct op op_detach;
/* A fresh tensor that looks at the value's memory and has `op` as its origin; the caller fills inputs and attributes.
   NULL: no memory. */
ty_tensor *value_from(const struct op *op, ty_tensor *value, int ninputs, size_t attr_bytes);

/* op->jvp of operators that are linear in all operands with a gradient at once (sum, concat): themselves on the tangents;
   and of those that are linear in each of them (contract): themselves with one operand after the other moved, summed. */
ty_tensor *jvp_linear(ty_tensor *y, ty_tensor *const *t, const bool *wanted);
ty_tensor *jvp_multilinear(ty_tensor *y, ty_tensor *const *t, const bool *wanted);

/* Sums g over the axes that broadcasting added, so that it has the shape of x, and casts it to x's dtype. */
ty_tensor *gradient_unbroadcast(ty_tensor *g, const ty_tensor *x);
#endif
