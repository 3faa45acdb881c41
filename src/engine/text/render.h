/* Inside of the renderer: the state of one nest's text. */
#ifndef ENGINE_TEXT_RENDER_H
#define ENGINE_TEXT_RENDER_H
#include <stdbool.h>
#include <stdint.h>

#include "engine/nest/nest.h"
#include "engine/schedule/tile.h"
#include "engine/text/rows.h"
#include "engine/text/text.h"

/* Registers are named r0, r1 ..., as vectors v0, v1 ...; indices of loops i0, i1 ...; memory of slot s with elements of
   a dtype ps_<dtype>. */
enum { RENDER_READS = 256 };
struct render {
    struct text *t;
    const struct ty_nest *nest;
    struct text_uses *uses;
    const char *index;       /* type of indices and offsets: i32 or i64 */
    bool done[RENDER_READS]; /* reads that are written: bounds of loops come before the others */
    struct tile tile;
};

/* Return the name of row `name` for a dtype and note that the program needs it. */
const char *render_row(struct render *r, enum row_id row, ty_dtype dtype, char room[64]);
/* Return the name of the function (a, b, sum) of the fold DOT. */
const char *render_dot(struct render *r, ty_dtype dtype, char room[64]);
/* Append the loop over dim d, up to its opening brace. */
void render_loop(struct render *r, int d);
/* Append reads, those that depend on FOLD dims or the others. */
void render_reads(struct render *r, bool inside);
/* Append read k, after those that its terms use, unless it is written. */
void render_read(struct render *r, int k);
/* In tiles: append vector v<k> of a read or of an operator; write k of a vector, from lane `first` on. */
void render_vector(struct render *r, int k);
void render_vector_instr(struct render *r, int reg);
/* Append array q<k>, whose entries are the vectors of the rows of a read that is turned. */
void render_turned(struct render *r, int k);
void render_vector_write(struct render *r, int k, const char *first);
/* Return the type of a register's vector, -1: of numbers; the type of its lanes in arrays. */
const char *render_vector_type(const struct render *r, int reg, char room[32]);
const char *render_lane_type(const struct render *r, int reg);
/* Return register `reg` as an operand: a vector, if there are tiles. */
const char *render_operand(const struct render *r, int reg, char room[64]);
/* True for random_bits and random_normal, which are no rows. */
bool render_is_random(const ty_nest_instr *in);
/* Append the value of `count` operators from register `first` on. */
void render_instrs(struct render *r, const ty_nest_instr *instrs, int count, int first);
void render_write(struct render *r, int k);
void render_writes(struct render *r);
void render_checks(struct render *r);

/* Append what a fold needs before its loops; an update by the present term; the end of loop `d`, which may end a
   block or a span; and its register. */
void render_fold_begin(struct render *r, int fold);
void render_fold_term(struct render *r, int fold);
void render_fold_loop_end(struct render *r, int fold, int d);
void render_fold_result(struct render *r, int fold);
/* Groups of `lanes` terms of a sum, or lanes of an extreme: their start; a term, the one of lane l; the end, where
   `terms` is their number; the end of a block. */
void render_group_begin(struct render *r, int fold);
void render_group_term(struct render *r, int fold);
void render_group_end(struct render *r, int fold, const char *terms);
void render_block_end(struct render *r, int fold);
/* Append all that happens in a tile: FOLD loops, and what follows for each element. */
void render_tile(struct render *r);
/* Return the row that joins two results of a sum or product. */
const char *fold_join_row(struct render *r, const ty_nest_fold *f, char room[64]);
/* Append a RUN loop with all that it contains. */
void render_run(struct render *r);

/* Append the parameters of the error cell, if a step has it, behind those of its slots, of which there is one. */
void render_cell(struct text *t, const struct text_kernel *k);
/* Append the return if the error cell is set, by another step than this one. */
void render_look(struct text *t, const struct text_kernel *k);

/* Append a step that is an algorithm, from its parameters on, and describe it.  False, with the fault set, if there is
   no text, or the device lacks a dtype. */
bool render_algorithm(struct text *t, const ty_nest_step *step, struct text_uses *uses,
                      struct text_device device, struct text_kernel *k, struct arena *arena,
                      struct fault *fault);
/* Append the texts of the algorithms of `uses`, behind the rows. */
void render_algorithms(struct text *t, const struct text_uses *uses);
#endif
