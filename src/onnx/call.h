/*
 * One call of an operator, as the functions of rows of ops/operators.def get it.
 *
 *   static bool gather(struct onnx_call *call) {
 *       ty_tensor *x = onnx_input(call, 0), *index = onnx_input(call, 1);
 *       return onnx_output(call, 0, ty_take(x, index, onnx_axis(call, "axis", 0, x)));
 *   }
 *
 * Operands are values or promises.  For missing or wrong operands and attributes, functions below return poison or a
 * default, and set the fault of the call.  So a row continues, and ends with onnx_output, which returns false then.
 * Results and temporaries belong to the scope of the call.  A row keeps no state; memory of onnx_memory and of the
 * getters lives until the call ends.
 *
 * Elements.  A row that needs elements, not only dtypes and shapes, asks by onnx_known, onnx_known_ints, ...  These
 * fail for a promise of a graph that is being recorded.  The walk then compiles and runs the recorded graph, and calls
 * the row again with values.  So a row asks for elements first, and has no other effects before.
 */
#ifndef ONNX_CALL_H
#define ONNX_CALL_H
#include "onnx/value.h"

struct onnx_node;
struct onnx_row;
struct onnx_run;

/* Attributes of a call: those of the node; inside a function of the model also those of the call of the function. */
struct onnx_scope {
    const struct proto_node *node;
    const struct proto_function *function; /* whose body contains the node; NULL: none */
    const struct onnx_scope *outer;        /* of the call of this function */
};

struct onnx_call {
    const struct onnx_row *row;
    struct onnx_scope scope;
    int64_t opset; /* version of the operator's domain that the model imports */
    int ninputs, noutputs;
    const struct onnx_value *inputs;
    struct onnx_value *outputs; /* to fill */
    const struct onnx_node *node;
    const struct onnx_value *const
        *captured; /* of each body: the values that it sees of the graph around it */
    struct onnx_run *run;
    struct arena *arena;   /* of lists and strings of results */
    struct arena *scratch; /* freed when the call ends */
    struct fault *fault;
};

/* Kinds of rows. */
enum onnx_row_kind {
    ONNX_PLAIN,
    ONNX_MOVES,   /* f moves elements and reads none of its data: it takes strings, too (ops/moved.c) */
    ONNX_VIEWS,   /* moves, and the first result has the elements of the first input in their order */
    ONNX_CHOOSES, /* the first input, a truth value, decides which of its graphs the node runs */
    ONNX_RETRACES /* the graph "y" inside the node has the nodes that lead to the attribute y (retrace.c) */
};
/* A row of the table. */
struct onnx_row {
    const char *domain, *name; /* "" is ai.onnx */
    int first, last;           /* opsets of the domain in which the row holds */
    bool (*f)(struct onnx_call *call);
    /* Instead of f: a function of one, two or three tensors with one result. */
    ty_tensor *(*f1)(ty_tensor *x);
    ty_tensor *(*f2)(ty_tensor *a, ty_tensor *b);
    ty_tensor *(*f3)(ty_tensor *a, ty_tensor *b, ty_tensor *c);
    enum onnx_row_kind kind;
};
/* Return the row of an operator in an opset; NULL if there is none.  Rows of operators.def come before those that follow
   from the elementwise operators. */
const struct onnx_row *onnx_row_find(const char *domain, const char *name, int64_t opset);
/* Run a row: its function, checks of the number of inputs of f1 .. f3, and that no result is poisoned or missing. */
bool onnx_row_run(const struct onnx_row *row, struct onnx_call *call);

/* ---- inputs ---- */

/* True if input i is given. */
bool onnx_has(const struct onnx_call *call, int i);
/* Return input i, a tensor.  Poison if it is absent or no tensor, with the fault set. */
ty_tensor *onnx_input(struct onnx_call *call, int i);
/* Return input i, a tensor, or `otherwise` (which may be NULL) if it is absent. */
ty_tensor *onnx_input_or(struct onnx_call *call, int i, ty_tensor *otherwise);
/* Return input i as strings, or the list of a sequence, an optional or a map.  NULL if it is absent or another kind, with
   the fault set. */
const struct onnx_strings *onnx_strings(struct onnx_call *call, int i);
const struct onnx_list *onnx_list(struct onnx_call *call, int i, enum onnx_kind kind);

/* ---- elements of inputs ---- */

/* Return x with its elements: x itself if it is a value.  Poison, with the fault set, if it cannot be known now. */
ty_tensor *onnx_known(struct onnx_call *call, ty_tensor *x);
/* Get the integers of input i, of any integer dtype and rank, in row-major order: *n of them.  NULL, with the fault set, if
   it is absent, no integer tensor, or cannot be known now. */
const int64_t *onnx_known_ints(struct onnx_call *call, int i, int *n);
/* Get the elements of a tensor x as integers, or real numbers; NULL, with the fault set, as above. */
const int64_t *onnx_known_ints_of(struct onnx_call *call, ty_tensor *x, int *n);
const double *onnx_known_reals_of(struct onnx_call *call, ty_tensor *x, int *n);
/* Return the only element of input i; `otherwise` if the input is absent. */
int64_t onnx_known_int(struct onnx_call *call, int i, int64_t otherwise);
double onnx_known_real(struct onnx_call *call, int i, double otherwise);

/* ---- attributes ---- */

/* Return the attribute of this name, also of an enclosing call if it refers to one; NULL: absent. */
const struct proto_attribute *onnx_attribute(struct onnx_call *call, const char *name);
/* Return an attribute, or `otherwise` if it is absent.  Sets the fault if it has another type. */
int64_t onnx_int(struct onnx_call *call, const char *name, int64_t otherwise);
double onnx_float(struct onnx_call *call, const char *name, double otherwise);
/* The text ends with a zero, and lives until the call ends. */
const char *onnx_text(struct onnx_call *call, const char *name, const char *otherwise);
/* Return the number, from 0, of the attribute's text in words[], which ends with NULL; of `otherwise` if the attribute is
   absent.  Sets the fault and returns 0 if it is another word. */
int onnx_word(struct onnx_call *call, const char *name, const char *otherwise, const char *const *words);
/* Return the items of a list, and their number in *n.  NULL and 0 if it is absent or, with the fault set, another type. */
const int64_t *onnx_ints(struct onnx_call *call, const char *name, int *n);
const float *onnx_floats(struct onnx_call *call, const char *name, int *n);
const struct wire_bytes *onnx_texts(struct onnx_call *call, const char *name, int *n);
/* Return an attribute that is a tensor; NULL if it is absent or, with the fault set, wrong. */
ty_tensor *onnx_tensor(struct onnx_call *call, const char *name);
/* Return the axis of an attribute, from 0, of a tensor x.  Sets the fault and returns 0 if it is outside. */
int onnx_axis(struct onnx_call *call, const char *name, int64_t otherwise, const ty_tensor *x);
/* Return an axis, from 0, of `rank` axes; sets the fault and returns 0 if it is outside of -rank .. rank - 1. */
int onnx_axis_of(struct onnx_call *call, int64_t axis, int rank);
/* Return the dtype of an attribute, or `otherwise` if it is absent.  Sets the fault for one that Tyto lacks. */
ty_dtype onnx_dtype(struct onnx_call *call, const char *name, ty_dtype otherwise);

/* ---- results ---- */

/* Set output i.  False, with the fault set, if the call has failed before, or the tensor is poisoned.  An output that the
   node leaves out is dropped. */
bool onnx_output(struct onnx_call *call, int i, ty_tensor *x);
bool onnx_output_value(struct onnx_call *call, int i, struct onnx_value value);
/* Set output i to n values, copied, of a kind; or to strings of a shape, copied with their bytes. */
bool onnx_output_list(struct onnx_call *call, int i, enum onnx_kind kind, int64_t n,
                      const struct onnx_value *items);
bool onnx_output_strings(struct onnx_call *call, int i, int rank, const int64_t *shape,
                         const struct wire_bytes *items);
/* Set output i to a sequence of the items of a list and another one. */
bool onnx_output_longer(struct onnx_call *call, int i, const struct onnx_list *list,
                        const struct onnx_value *item);
/* True if the node has output i. */
bool onnx_wants(const struct onnx_call *call, int i);

/* ---- failure, memory, keys ---- */

/* Set the fault: "Conv "node name": ..." with what was found and what is expected.  Always return false. */
bool onnx_refuse(struct onnx_call *call, ty_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Return poison with the fault of the call, which is set. */
ty_tensor *onnx_failed(struct onnx_call *call);
/* Return n * size zeroed bytes that live until the call ends; NULL, with the fault set, without memory. */
void *onnx_memory(struct onnx_call *call, int64_t n, size_t size);
/* Return a key of random numbers, another one for each node, trip of a loop and run.  An attribute `seed` of the node, if
   there is one, chooses it alone. */
ty_tensor *onnx_key(struct onnx_call *call);

/* ---- graphs inside nodes (If, Loop, Scan, SequenceMap) ---- */

/* Run the graph of an attribute on ninputs values; it sees those of the graphs around it.  noutputs results are set.
   False, with the fault set, on failure, also if it has another number of inputs or outputs. */
bool onnx_body(struct onnx_call *call, const char *name, int ninputs, const struct onnx_value *inputs,
               int noutputs, struct onnx_value *outputs);
/* Return the number of outputs of the graph of an attribute; -1 and the fault if there is none. */
int onnx_body_outputs(struct onnx_call *call, const char *name);
/* Return an empty tensor for output i of a graph that never ran, stacked along a new axis of size 0: of its declared dtype
   and sizes, 0 for those that are not declared. */
ty_tensor *onnx_body_nothing(struct onnx_call *call, const char *name, int i, int64_t axis);
/* True if the row may run bodies `trips` times now.  False, with the fault set, while tracing, if this would record too
   many nodes: the row is called again with values. */
bool onnx_body_repeats(struct onnx_call *call, const char *name, int64_t trips);
#endif
