/* Variables without a value, in whose place a run is given what it reads (program_run's arguments). */
#ifndef COMPILE_ARGUMENTS_H
#define COMPILE_ARGUMENTS_H
#include "compile/program.h"

/* One of the leaf's dtype, layout and name; one reference, NULL: no memory. */
ty_tensor *argument_new(const ty_tensor *leaf);
/* Tells the program which block reads which of n arguments; nothing of them stays with it.  False after a fault. */
bool arguments_number(struct ty_program *program, int n, ty_tensor *const *arguments, struct fault *fault);
#endif
