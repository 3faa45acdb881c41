/* Descriptions of kernels and blocks, shared by text and drawings. Each function appends to t. */
#ifndef COMPILE_SHOW_DESCRIBE_H
#define COMPILE_SHOW_DESCRIBE_H
#include "base/for_command.h"
#include "compile/program.h"

/* Append to t, e.g., "contract + 3": the core's operator and the number of elementwise ones fused with it. */
void describe_kernel(struct text *t, const struct kernel *k);
/* Append to t a name of the block, e.g., "x", "b12" or "3.5" for a scalar constant. */
void describe_block(struct text *t, const struct flow *f, int block);
/* Append to t the dtype and shape of o, e.g., "f32[2,3]", and its guard if it has one. */
void describe_operand(struct text *t, const struct operand *o);
/* Append to t a number of bytes, e.g., "1.5 MiB". */
void describe_bytes(struct text *t, int64_t bytes);
/* Append to t, e.g., "contract + 3 f32[2,3], f32[3] -> f32[2]"; profiles identify kernels by this text. */
void describe_launch(struct text *t, const struct kernel *k) FOR_COMMAND(describe_launch);
/* Append to t the operator's description of the attributes of k, if any. */
void describe_attributes(struct text *t, const struct kernel *k);
/* Append to t, e.g., "%3 = mul %0 %1 f32; ... -> %3"; %0 is the core's value if there is a core. */
void describe_program(struct text *t, const struct program *program);

/* Phase of a kernel in a program with updates. FORWARD: an output needs it; UPDATE: it writes over a
   variable; BACKWARD: only updates need it. */
enum phase { PHASE_NONE, PHASE_FORWARD, PHASE_BACKWARD, PHASE_UPDATE };
extern const char *const phase_names[]; /* "" for PHASE_NONE */
/* Set phases[k] for each kernel k of f; the caller provides zeroed memory. Without updates nothing is set. */
void describe_phases(const struct flow *f, unsigned char *phases);

/* Append to t a colour such as "#f2c3a1"; colours of neighbouring numbers differ. lightness: in percent. */
void describe_colour(struct text *t, int number, int lightness);
/* Append `words` to t with <, >, & and quotes escaped for XML. */
void describe_xml(struct text *t, const char *words);
/* Append `words` to t as a JSON string that is safe inside HTML. Invalid UTF-8 is made visible. */
void describe_json(struct text *t, const char *words);
/* Append the text of `words` to t as describe_json does, and free it. */
void describe_json_text(struct text *t, struct text *words);
#endif
