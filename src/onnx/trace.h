/*
 * Compiled runs of a model for inputs of given shapes.
 *
 * A trace is made by walking the model with variables in place of tensors: rows record promises.  A row that needs
 * elements of a promise ends a segment: all promises that are still needed become outputs of a program, which runs;
 * then the node is run on their values, and its results are variables for the next segment.  If the node chooses one of
 * its graphs, only its condition is read, and nodes of the chosen graph are recorded.  A later run with inputs of the
 * same shapes needs no walk: it runs programs and these nodes in order.
 *
 * If such a node gives results of other shapes, or a condition has another value, the run continues from that node by
 * another chain of segments.  If the node is in a body or a function, it continues from the last such node of the model's
 * graph.  A chain is made when a run differs as the one before did; the first time, the rest runs node by node.
 */
#ifndef ONNX_TRACE_H
#define ONNX_TRACE_H
#include "base/map.h"
#include "onnx/run.h"

/* A tensor that changes from run to run: a variable in the recorded graphs, and its present value. */
struct cell {
    ty_tensor *leaf, *value; /* owned */
};

/* Dtypes and shapes of values, as a list of numbers. */
struct forms {
    int64_t *items;
    int n, capacity;
};

/* A slot and its value, with leaves for tensors that change. */
struct held {
    int32_t slot;
    struct onnx_value value;
};

/* A program, and the node that runs on values after it. */
struct segment {
    int number;                   /* in the trace */
    ty_program *program;          /* NULL: nothing to compute */
    int ncells, *cells;           /* of its outputs */
    const struct onnx_node *node; /* NULL: the last segment */
    struct onnx_scope scope;
    bool scoped, chooses;
    const struct onnx_value *inputs;          /* with leaves for tensors that change */
    const struct onnx_value *const *captured; /* the same, of each body */
    const struct onnx_value *outputs;
    struct forms forms;         /* of the outputs; the condition of a node that chooses */
    int first_result, nresults; /* cells of the tensors of the outputs */
    int nheld;
    struct held *held;     /* slots of the model's graph before the node; NULL: it is inside of another */
    struct chain *others;  /* that begin at the node */
    struct forms differed; /* of the outputs in the last run that left the chain here */
};

/* Segments that run in order. */
struct chain {
    struct chain *next;    /* of the trace, in the order in which they were made */
    struct chain *sibling; /* another one that begins at the same place */
    struct segment *segments;
    int number, nsegments, segments_capacity;
    const struct onnx_value *outputs;
};

struct onnx_trace {
    struct onnx_trace *next; /* older one */
    struct arena arena;
    struct forms key;
    bool failed; /* such inputs run node by node */
    struct cell *cells;
    int ncells, cells_capacity,
        ninputs;        /* the first cells are those of the inputs and the key of random numbers */
    struct map by_leaf; /* address of a leaf -> cell */
    const struct onnx_value *inputs; /* with leaves */
    struct chain *chains, *making;   /* the first one begins with the inputs; the one that is recorded now */
    int nchains, nsegments;
    int64_t nslots; /* that the ends of segments have looked through */
    bool assumed;   /* made for values that stand for others: the next run that differs makes a chain */
    bool closed;    /* a chain could not be made: no other is tried */
    bool worn; /* it has MOST_CHAINS, and a run would make another one: the next run begins a new trace */
    int noutputs;
};

/* Return the trace for inputs; without one, add an empty one and set *is_new.  NULL, with the fault set, if memory runs
   out. */
struct onnx_trace *trace_for(struct ty_onnx *model, const struct onnx_value *inputs, bool *is_new,
                             struct fault *fault);
/* Make a trace, and set the outputs of this run.  False, with the fault set. */
bool trace_make(struct ty_onnx *model, struct onnx_trace *trace, const struct onnx_value *inputs,
                struct onnx_value *outputs, struct fault *fault);
/* Make a chain from the node of a segment on, NULL: from the inputs on, for present values, and set the outputs of this
   run.  False, with the fault set. */
bool chain_make(struct ty_onnx *model, struct onnx_trace *trace, struct segment *from,
                struct onnx_value *outputs, struct fault *fault);
/* Run a trace.  If it differs, the rest runs node by node; if it cannot, *differs is set, and false returned without a
   fault. */
bool trace_run(struct ty_onnx *model, struct onnx_trace *trace, const struct onnx_value *inputs,
               struct arena *arena, struct onnx_value *outputs, bool *differs, struct fault *fault);
/* End a segment at a node of the frame, run the node on values, and set its outputs, which have leaves. */
bool trace_cut(struct onnx_run *run, const struct onnx_node *node, const struct onnx_scope *scope,
               struct onnx_frame *frame, struct onnx_value *outputs);
/* Keep the slots of the model's graph before the node of a segment.  False, with the fault set. */
bool trace_hold(struct onnx_trace *trace, struct segment *segment, const struct onnx_frame *frame,
                struct fault *fault);
void trace_unhold(struct segment *segment);
/* Run node by node from the node of a segment whose slots are kept, and set the outputs. */
bool trace_resume(struct ty_onnx *model, struct onnx_trace *trace, const struct segment *from,
                  struct arena *arena, struct onnx_value *outputs, struct fault *fault);
/* Fill the slots of the model's graph before the node of a segment: with leaves, or with present values from the arena.
   False, with the fault set: the slots are empty. */
bool trace_unfold(const struct onnx_trace *trace, const struct segment *from, struct arena *arena,
                  bool leaves, struct onnx_frame *frame, struct fault *fault);
/* Run the node of a segment on present values, set its outputs, and append their forms; of a node that chooses, read the
   condition alone. */
bool segment_answer(struct ty_onnx *model, struct onnx_trace *trace, const struct segment *segment,
                    struct arena *arena, struct onnx_value *outputs, struct forms *forms,
                    struct fault *fault);
/* Call f for each program of a trace. */
void trace_programs(const struct onnx_trace *trace, void (*f)(struct ty_onnx *model, ty_program *program),
                    struct ty_onnx *model);
/* Free a trace that could not be made.  forever: its key is kept, and its inputs run node by node; otherwise the next
   run tries again. */
void trace_give_up(struct ty_onnx *model, struct onnx_trace *trace, bool forever);
/* Free all traces of a model. */
void traces_drop(struct ty_onnx *model);

/* ---- cells and forms ---- */

/* Add a cell of a value, which is retained; its leaf is a new variable.  -1, with the fault set. */
int trace_cell(struct onnx_trace *trace, ty_tensor *value, struct fault *fault);
/* Return the cell of a leaf; -1 for another tensor. */
int trace_find(const struct onnx_trace *trace, const ty_tensor *leaf);
/* Copy a value with present values in place of leaves.  False, with the fault set. */
bool trace_values(const struct onnx_trace *trace, struct arena *arena, const struct onnx_value *value,
                  struct onnx_value *out, struct fault *fault);
/* Append the form of a value.  False, with the fault set. */
bool forms_add(struct forms *forms, const struct onnx_value *value, struct fault *fault);
/* Append a condition: 1 if the only element of x is true, else 0. */
bool forms_add_truth(struct forms *forms, ty_tensor *x, struct fault *fault);
/* True if both have the same numbers. */
bool forms_equal(const struct forms *a, const struct forms *b);
/* True if a value contains strings, which no trace depends on. */
bool forms_have_strings(const struct onnx_value *value);
#endif
