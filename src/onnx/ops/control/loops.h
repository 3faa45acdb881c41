/* Loop and Scan as one loop of the graph that is recorded. */
#ifndef ONNX_OPS_CONTROL_LOOPS_H
#define ONNX_OPS_CONTROL_LOOPS_H
#include "onnx/call.h"

/* A loop whose graph "body" is recorded once. */
struct onnx_loop {
    struct onnx_call *call;
    int ncarry, nx, nstacked;
    const struct onnx_value *carry; /* ncarry values */
    ty_tensor *const *x;            /* nx sequences along their first axis */
    int64_t length;                 /* most trips */
    ty_tensor *count;               /* trips of this run, i64[]; NULL: length */
    bool reverse;          /* the first trip reads the last elements, and gives the last stacked results */
    bool conditional;      /* the body gets a trip's number and a condition, and returns a condition first */
    ty_tensor **last, **y; /* to fill: ncarry last carries, nstacked results along a new first axis */
};

/* True if the dtype of x is that of a condition or a number of trips: runs on values refuse others. */
bool onnx_loop_whole(const ty_tensor *x);
/* True if the row should record a loop of `trips` trips as one loop: the run records, the trips are many, and few loops
   of this run could not be recorded. */
bool onnx_loop_wanted(const struct onnx_call *call, int64_t trips);
/* True if the row should try to record graphs of its node as parts of one graph: the run records, and few loops and
   branches of this run could not be recorded. */
bool onnx_may_record(const struct onnx_call *call);
/* Forget a failure to record, so that the row goes on in another way.  False if it ends the run: the fault stays. */
bool onnx_forget(struct onnx_call *call);
/* Record a loop.  False, without a fault, if the graph cannot be one: a carry changes its shape or is no tensor,
   elements are needed, the number of stacked results is not known. The caller may then execute the trips one by one.
   False with the fault set if memory runs out, or the run has to stop. */
bool onnx_loop_record(struct onnx_loop *loop);
#endif
