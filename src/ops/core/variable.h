/*
 * Variables, which several threads may read, assign and update at the same time.  A reader of an eager variable
 * (ty_track) gets a reference to its current value (tensor_resolve).
 *
 * A run takes the values of all its lazy variables (ty_var) at one moment, with a reference to each buffer, so that
 * assignments do not affect it.  At the same moment it claims all that it updates, so runs do not deadlock.  The
 * outcome equals some sequential order of runs and assignments:
 *
 *   - a run waits while another one updates what it updates, or writes in place over what it reads;
 *   - a variable assigned while a run updates it keeps the assigned value, as if assigned after the run.
 */
#ifndef OPS_CORE_VARIABLE_H
#define OPS_CORE_VARIABLE_H
#include "array/box.h"
#include "array/tensor.h"

enum variable_claim { CLAIM_NONE, CLAIM_UPDATE, CLAIM_IN_PLACE };

/* Use of one leaf by one run. */
struct variable_use {
    ty_tensor *leaf; /* a variable, or a value in its place */
    int block;       /* block of the program, for the caller */
    bool updates;
    bool in_place;         /* set by variables_take: the buffer is unshared, so the new value may be
                              written to it */
    struct buffer *buffer; /* set by variables_take: a reference; NULL: the leaf has no value */
    int64_t offset;        /* set by variables_take: bytes from the buffer's start to the first element */
    char *data;      /* set by variables_take: its address in the host's memory; NULL: it is not valid there
                              (array/remote.h) */
    int64_t version; /* set by variables_take: version of the value */
    struct buffer *fresh; /* new value, unless it is written in place */
};
/* Take the buffers of n leaves and claim those with `updates`, at one moment; waits for conflicting runs.
   Sets the fields of uses[] marked so.  False, and nothing is taken, if it would wait while a run of this thread claims
   variables: that may be the run to wait for, or one that waits for this thread's. */
bool variables_take(int n, struct variable_use *uses);
/* End the n uses that variables_take began: drop all claims and, if `done`, store the new values. Buffers
   that die join the list *dead, for buffers_end. */
void variables_give(int n, struct variable_use *uses, bool done, struct buffer **dead);
/* As variables_take of one use, which updates, to change a part of the variable.  On a thread inside a run it does not
   wait, since the run might hold the variable: false, with nothing taken. */
bool variables_take_part(struct variable_use *use);
/* As variables_give of that use; if `done`, record that box b of the variable changed.  b NULL: all of it may have. */
void variables_give_part(struct variable_use *use, bool done, const struct box *b, struct buffer **dead);
/* Add the boxes of a lazy variable that changed after version `seen` to *to, which is empty; perhaps also later changes
   than a run has taken.  False if other elements may have changed, too. */
bool variable_changes(const ty_tensor *variable, int64_t seen, struct boxes *to);
/* Replace the values of n variables, lazy or eager, by the new leaves[], at one moment. Consumes the
   references to the leaves. */
void variables_assign(int n, ty_tensor *const *variables, ty_tensor **leaves);
#endif
