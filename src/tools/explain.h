/* The kernels of programs as text, for people who write engines. */
#ifndef TOOLS_EXPLAIN_H
#define TOOLS_EXPLAIN_H
#include <tyto/core.h>

/* Return, for each kernel of a program, what it computes, what its engine has decided, and the kernel as nests; of a
   failed program its error.  The caller frees the text with ty_free.  NULL: out of memory. */
char *explain_program(const ty_program *program);
#endif
