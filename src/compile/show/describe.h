/* Words for kernels and blocks, shared by text and drawings. */
#ifndef COMPILE_SHOW_DESCRIBE_H
#define COMPILE_SHOW_DESCRIBE_H
#include "compile/program.h"

/* "contract + 3": the core's operator and how many elementwise ones run with it. */
void describe_kernel(struct text *t, const struct kernel *k);
/* "x", "b12", "constant 3.5". */
void describe_block(struct text *t, const struct flow *f, int block);
/* "f32[2,3]" */
void describe_operand(struct text *t, const struct operand *o);
/* "1.5 MiB" */
void describe_bytes(struct text *t, int64_t bytes);
/* Adds `words` with <, >, & and quotes as XML wants them. */
void describe_xml(struct text *t, const char *words);
#endif
