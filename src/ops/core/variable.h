/*
 * Variables, which several threads read, assign and update at the same time.  Of an eager one (ty_track) whoever reads it
 * gets a reference to the value that it has (tensor_resolve).
 *
 * Of lazy ones (ty_var) a run takes the values of all
 * its variables at one moment, with a reference to each buffer, so that what is assigned meanwhile takes nothing from
 * under it; it claims all that it updates at the same moment, so that no two runs wait for each other.  What comes out
 * is as if runs and assignments had come one after the other:
 *
 *   - a run waits while another updates what it updates, or writes in place over what it reads;
 *   - a variable that was assigned while a run updated it keeps what was assigned, as if that had come after the run.
 */
#ifndef OPS_CORE_VARIABLE_H
#define OPS_CORE_VARIABLE_H
#include "array/tensor.h"

enum variable_claim { CLAIM_NONE, CLAIM_UPDATE, CLAIM_IN_PLACE };

/* What one run does with one leaf. */
struct variable_use {
    ty_tensor *leaf; /* a variable, or a value that stands for one */
    int block;       /* whose; the taker's */
    bool updates;
    bool in_place;         /* taken: nobody else has the buffer, so the next value may be written there */
    struct buffer *buffer; /* taken: a reference; NULL: the leaf has no value */
    char *data;            /* taken: of the first element */
    int64_t version;       /* taken: of the value */
    struct buffer *fresh;  /* the next value, unless it is written in place */
};
void variables_take(int n, struct variable_use *uses);
/* Gives all up, and where the run is `done`, hands the next values over.  Buffers that die go to *dead. */
void variables_give(int n, struct variable_use *uses, bool done, struct buffer **dead);
/* Variables of both kinds take over fresh leaves of their kind, at one moment.  Takes the references to the leaves. */
void variables_assign(int n, ty_tensor *const *variables, ty_tensor **leaves);
#endif
