/* The box of pass split: what its parts share (split_box.c, split_product.c, pass_split.c). */
#ifndef CONTRACT_SPLIT_H
#define CONTRACT_SPLIT_H
#include "base/number.h"
#include "contract/passes.h"

/* How far a box may grow: elements of each type, and of a product all in all (`room`), where a row brings so
   many elements of left and a column so many of right, or, read in slivers, `sliver`.  Right may have a room
   of its own: `reach`. */
struct limits {
    int64_t most[4], room, reach, row, column, sliver;
    int64_t depth, held; /* of K; of right's copy a column */
};

/* The box so far: a step of each dimension. */
struct splitting {
    ty_contraction *c;
    const struct contract_machine *m;
    int64_t step[TY_CONTRACTION_DIMS], line;
    bool needs_line[TY_CONTRACTION_DIMS];
    bool streams;       /* right comes from memory, box after box */
    bool roomy;         /* which may take more of L2 then */
    struct limits room; /* of a product's box, which it was chosen for */
    double bytes[3];    /* of all of a side (split_measure) */
};

/* ---- split_box.c ---- */

/* Elements of the box, and of all, along a type. */
int64_t split_size(const struct splitting *s, ty_dim_type type);
int64_t split_total(const struct splitting *s, ty_dim_type type);
/* Even steps of about `most` at most, multiples of `unit` where there is room for one: half a line, a tile
   that is not full or the end of a panel cost as much as whole ones. */
int64_t split_evenly(int64_t size, int64_t most, int64_t unit);
/* Bytes of a side that lie together in the box; *next: the dimension along which they would go on, -1: none.
 */
double split_run_bytes(const struct splitting *s, int side, int *next);
/* Whether right's columns lie side by side, in whole slivers: it is read by the kernel that multiplies the first
   rows. */
bool split_in_slivers(const struct splitting *s);
/* Whether there are rows enough to ask for the lines of the next box of right meanwhile. */
bool split_asked(const struct splitting *s);
/* Whether a box of these steps fits the room. */
bool split_fits(const struct splitting *s, const struct limits *limits);
/* Fills in what does not depend on the box; anew where sides change. */
void split_measure(struct splitting *s);
/* Seconds of bringing a side once, boxes of these steps at a time. */
double split_bring(const struct splitting *s, ty_side side);
/* Seconds of arithmetic and of bringing each side once; of copying right, where it streams and is not carried. */
double split_predict(const struct splitting *s);
/* Longer runs, while there is room and they save time: the dimension that saves most is doubled.  A side that
   is brought from memory outweighs one that stays in a cache, and one of many bytes one of few. */
void split_lengthen(struct splitting *s, const struct limits *limits);
/* Grows the box along a type's dimensions to about `target` elements; whole up to `slack` times that. */
int64_t split_grow(struct splitting *s, ty_dim_type type, int64_t target, double slack, int64_t unit);
/* Makes a dimension's step so many times as long, or about. */
void split_rescale(struct splitting *s, int dim, double times);
/* The side that windows step over; -1: none. */
int split_window(const ty_contraction *c);

/* ---- pass_split.c ---- */

/* Seconds that loops over this box, in the order which the next pass finds, are predicted to take.  Of sizes,
   dtypes and instruction set alone, as sums' bits may follow from it: with one thread, the usual workspace,
   no epilogue. */
double split_cost(const struct splitting *s);

/* ---- split_search.c ---- */

/* Longer runs along one dimension of a type, where they are short, for shorter ones along another. */
void split_exchange_runs(struct splitting *s, ty_dim_type type);
/* Other boxes of a large product that fit its room; with K as well, or rows and columns alone. */
void split_refine(struct splitting *s, bool deep);
/* More columns for less depth, or the other way round, of a box that was changed already, whatever it saves.
 */
void split_refine_columns(struct splitting *s);

/* ---- split_product.c ---- */

/* The box of a matrix product. */
void split_product(struct splitting *s);
#endif
