/* Counting the operations of a model. */
#ifndef TOOLS_ONNX_FLOPS_H
#define TOOLS_ONNX_FLOPS_H
#include <tyto/onnx.h>
#include "tools/command.h"

/* Print the arithmetic operations of a run on drawn inputs, of which open sizes are given as NAME=SIZE, by operators: a
   multiplication with an addition counts two, and moves of elements none.  Print which sizes are needed if one is not
   given.  A run stops after `seconds`: a loop may have no end.  If it ends in time, also print the programs of a compiled
   run (programs.h).  False after a message on stderr. */
bool flops_print(ty_onnx *model, const struct option_list *sizes, double seconds);
#endif
