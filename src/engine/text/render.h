/* Inside of the renderer: the state of one nest's text. */
#ifndef ENGINE_TEXT_RENDER_H
#define ENGINE_TEXT_RENDER_H
#include <stdbool.h>
#include <stdint.h>

#include "engine/nest/nest.h"
#include "engine/text/rows.h"
#include "engine/text/text.h"
#include "engine/text/tile.h"

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

/* Return the number of the first register of each group. */
static inline int first_before(const ty_nest *n) { return n->nreads; }
static inline int first_fold(const ty_nest *n) { return n->nreads + n->nbefore; }
static inline int first_after(const ty_nest *n) { return n->nreads + n->nbefore + n->nfolds; }
/* Return the number of dims before the FOLD dims. */
static inline int outer_dims(const ty_nest *n) {
    int d = n->ndims;
    while (d > 0 && n->dims[d - 1].role == TY_NEST_FOLD) d--;
    return d;
}

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
/* Append vector v<k>: read k in all lanes, which is direct (tile.h). */
void render_vector(struct render *r, int k);
/* Return the type of vectors of lanes. */
const char *render_vector_type(const struct render *r, char room[16]);
/* True for random_bits and random_normal, which are no rows. */
bool render_is_random(const ty_nest_instr *in);
/* Append the value of `count` operators from register `first` on. */
void render_instrs(struct render *r, const ty_nest_instr *instrs, int count, int first);
void render_writes(struct render *r);
void render_checks(struct render *r);

/* Append what a fold needs before its loops; an update by the present term; the end of loop `d`, which may end a
   block or a span; and its register. */
void render_fold_begin(struct render *r, int fold);
void render_fold_term(struct render *r, int fold);
void render_fold_loop_end(struct render *r, int fold, int d);
void render_fold_result(struct render *r, int fold);
/* Append all that happens in a tile: FOLD loops, and what follows for each element. */
void render_tile(struct render *r);
/* Return the row that joins two results of a sum or product. */
const char *fold_join_row(struct render *r, const ty_nest_fold *f, char room[64]);
/* Append a RUN loop with all that it contains. */
void render_run(struct render *r);

/* Append what a program lacks to call a step that is an algorithm, and set its kernel.  Steps of one function and dtype
   share a function of the program.  False, with the fault set, if there is no text, or the device lacks a dtype. */
bool render_algorithm(struct text *t, const ty_nest_step *step, struct text_uses *uses,
                      struct text_device device, struct text_kernel *k, struct arena *arena,
                      struct fault *fault);
#endif
