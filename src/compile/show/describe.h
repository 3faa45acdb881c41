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
/* "contract + 3 f32[2,3], f32[3] -> f32[2]": by these words a profile knows kernels that are alike. */
void describe_launch(struct text *t, const struct kernel *k);
/* The operator's own words for its attributes; nothing where it has none. */
void describe_attributes(struct text *t, const struct kernel *k);
/* "%3 = mul %0 %1 f32; ... -> %3", with the core's value as %0 where there is one. */
void describe_program(struct text *t, const struct program *program);

/* What a kernel works for, where updates tell: what outputs need goes forward, what writes over a variable updates, and
   what only updates need flows back. */
enum phase { PHASE_NONE, PHASE_FORWARD, PHASE_BACKWARD, PHASE_UPDATE };
extern const char *const phase_names[]; /* "" for none */
/* Of each kernel, zeroed memory of the caller's. */
void describe_phases(const struct flow *f, unsigned char *phases);

/* "#f2c3a1": neighbours differ, in lightness by the percents. */
void describe_colour(struct text *t, int number, int lightness);
/* Adds `words` with <, >, & and quotes as XML wants them. */
void describe_xml(struct text *t, const char *words);
/* The same in quotes as JSON wants them, inside of a page of HTML too; what is no UTF-8 is made visible. */
void describe_json(struct text *t, const char *words);
/* The same of a text that was made for it, which is taken. */
void describe_json_text(struct text *t, struct text *words);
#endif
