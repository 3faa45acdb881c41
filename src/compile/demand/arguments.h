/* Placeholders for the arguments of a program: variables without a value, in whose place a run reads the
   arguments that the caller gives (program_run). */
#ifndef COMPILE_DEMAND_ARGUMENTS_H
#define COMPILE_DEMAND_ARGUMENTS_H
#include "compile/program.h"

/* Return a placeholder with the dtype, layout and name of leaf. The caller releases it. NULL: no memory. */
ty_tensor *argument_new(const ty_tensor *leaf);
/* Set block->argument, for each block of the program that reads one of n placeholders, to the placeholder's
   index from 0. The placeholders are not retained. False after a fault. */
bool arguments_number(struct ty_program *program, int n, ty_tensor *const *arguments, struct fault *fault);
#endif
