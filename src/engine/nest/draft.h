/* A nest in the making.  Functions that add to it return register numbers, which are final only in nest_end; the
   first failure is remembered, and makes all later calls do nothing. */
#ifndef ENGINE_NEST_DRAFT_H
#define ENGINE_NEST_DRAFT_H
#include "engine/algorithm/algorithm.h"
#include "engine/nest/lower.h"

/* State of the lowering of one kernel. */
struct lowering {
    const struct kernel *k;
    int number;           /* of the kernel inside ROWS */
    const int32_t *slots; /* of inputs, then outputs; NULL: 0, 1, 2, ... */
    struct arena *arena;
    struct fault *fault;
    bool failed;
    int nsteps, ntemporaries, noperands;
    int room_steps, room_temporaries;
    ty_nest_step *steps;
    ty_nest_temporary *temporaries;
};

/* A growing array in the arena. */
struct draft_list {
    void *items;
    int n, room;
};

/* A dim moves an axis of the outputs by `step` for each index. */
struct draft_move {
    int dim, axis;
    int64_t step;
};

/* Dims, in any order; nest_end sorts them by role, stably.  Accesses have room for `most` dims. */
struct draft {
    struct lowering *l;
    const char *name;
    int most, ndims;
    ty_nest_dim *dims;
    struct draft_list reads, before, folds, after, writes, checks;
    bool fixed; /* dims are neither merged nor dropped: folds refer to their number */
    /* The dim of each axis of the outputs' index space, -1: none, a size of 1; and the index of the axis at index 0
       of the dim, and its way from there, 1 or -1. */
    int rank, *dim_of;
    int64_t *origin, *way;
    /* If any: in place of dim_of and way, all dims that move an axis. */
    int nmoves;
    struct draft_move *moves;
};

/* ---- lists ---- */

/* Add a step, to be filled in; NULL after a failure. */
ty_nest_step *lower_step(struct lowering *l);
/* Add a temporary of `size` elements; return its slot. */
int lower_temporary(struct lowering *l, ty_dtype dtype, int64_t size);
/* Add the kernel itself as an algorithm. */
void lower_algorithm(struct lowering *l);
/* Add a call of a function of engine/algorithm/algorithms.def, for `items` work items: slots in the order of its row,
   then values. */
struct lower_call {
    enum algorithm_id function;
    ty_dtype dtype; /* of its numbers */
    int64_t items;
    const int *slots;
    int nvalues;
    const uint64_t *values;
};
void lower_call(struct lowering *l, struct lower_call call);
/* Return a slot with the elements of input i as `dtype`, dense and row-major from its element 0 on: the input itself,
   or a copy.  Axis `axis` goes last, turned round if `turned`; -1: axes keep their order. */
int lower_lines(struct lowering *l, int i, int axis, bool turned, ty_dtype dtype);
/* The same in the dtype of the input, without an axis that goes last. */
int lower_whole_input(struct lowering *l, int i);
/* The same, always a copy, which may be changed. */
int lower_copy_input(struct lowering *l, int i);
/* Set strides[] of the axes of such lines of this shape. */
void lower_line_strides(int rank, const int64_t *shape, int axis, int64_t *strides);
/* Add a nest that checks that all `n` i64 of a temporary are 0; each position refuses for itself. */
void lower_check_status(struct lowering *l, const char *name, int slot, int64_t n);
/* Return memory of the arena, zeroed; NULL after a failure. */
void *lower_room(struct lowering *l, size_t n, size_t size);
static inline int lower_input(const struct lowering *l, int i) { return l->slots ? l->slots[i] : i; }
static inline int lower_output(const struct lowering *l, int i) { return lower_input(l, l->k->ninputs + i); }

/* ---- dims ---- */

/* Begin a nest named `name`, which may have up to `most` dims beside one for each of `rank` axes; NULL after a
   failure. The first dims are PARALLEL, of sizes shape[rank]. */
struct draft *nest_begin(struct lowering *l, const char *name, int rank, const int64_t *shape, int most);
/* Begin a nest whose first dims are the axes of the kernel's outputs. */
struct draft *nest_over_outputs(struct lowering *l, const char *name, int most);
/* Add a dim; return its number. */
int nest_dim(struct draft *d, int64_t size, ty_nest_role role);
/* Complete the nest and add it as a step. */
void nest_end(struct draft *d);

/* ---- accesses ---- */

/* Accesses are changed through their pointers until nest_end.  Strides are zeros at first. */
ty_nest_access *nest_read_of(struct draft *d, int read);
/* Add a read without strides; return its register. */
int nest_read(struct draft *d, int slot, ty_dtype dtype, int64_t offset);
/* Add a read of input i of the kernel, whose axes are dims axes[]; NULL: those of the outputs' index space.  A dim
   of -1, and an axis of size 1, is not stepped along.  Guards become terms. */
int nest_read_input(struct draft *d, int i, const int *axes);
/* Add an INDEX: offset + stride * index of dim.  dim -1: only the offset. */
int nest_index(struct draft *d, int64_t offset, int dim, int64_t stride);
/* Return the register of an axis of the outputs' index space, an index, plus `offset`. */
int nest_axis(struct draft *d, int axis, int64_t offset);
/* Return the register of the row-major index of axes `from` .. `to`-1 of a shape in the outputs' index space. */
int nest_place(struct draft *d, int from, int to, const int64_t *shape);
/* Add a constant of a dtype: the number `value`, rounded; or, of an integer dtype, the bits. */
int nest_constant(struct draft *d, ty_dtype dtype, double value);
int nest_bits(struct draft *d, ty_dtype dtype, uint64_t value);
/* Add a term to an access: value of register `read`, a read. */
void nest_term(struct draft *d, ty_nest_access *to, ty_nest_term term);
/* Return a bool register that is true where an access with these n terms would be inside. */
int nest_inside(struct draft *d, int n, const ty_nest_term *terms);
/* Add strides of `layout` (axes as in nest_read_input) and its offset to an access. */
void nest_along(const struct draft *d, ty_nest_access *to, const struct layout *layout, const int *axes);
/* Add a stride along a dim; dim -1: nothing. */
void nest_step(ty_nest_access *to, int dim, int64_t stride);

/* ---- computing ---- */

enum { NEST_NONE = -1 };
/* Add an instruction named `name` on up to three registers (NEST_NONE: fewer); return its register.  `after`: behind
   the folds. */
int nest_op(struct draft *d, bool after, const char *name, ty_dtype in, ty_dtype out, int a, int b, int c);
/* Return register x of dtype `from` as dtype `to`: x itself if they are equal. */
int nest_cast(struct draft *d, bool after, int x, ty_dtype from, ty_dtype to);
/* Add a program on registers inputs[]; return the register of its output `output` through *out for each. */
void nest_program(struct draft *d, bool after, const struct program *p, const int *inputs, int *outputs);
/* Add a fold; return its register. `fold` has registers in int fields of the draft: value, second, when (NEST_NONE).
   */
int nest_fold(struct draft *d, ty_nest_fold fold, int value, int second, int when);
/* Add a write of register `value`, without strides; return it for changes. */
ty_nest_write *nest_write(struct draft *d, int slot, ty_dtype dtype, int64_t offset, int value);
/* Add a write of register `value` to output i, over the outputs' index space. */
void nest_output(struct draft *d, int i, int value);
/* Add the fold of products of registers a and b, and the write that adds such a product.  Complex products are rounded
   before they are added, as these kinds do on `cpu`; products of reals are not. */
int nest_products(struct draft *d, ty_dtype dtype, int a, int b, int when);
/* The same in the order of `fold`, whose kind it sets, without a condition. */
int nest_products_by(struct draft *d, ty_nest_fold fold, int a, int b);
ty_nest_write *nest_add_product(struct draft *d, int slot, ty_dtype dtype, int64_t offset, int a, int b);
/* Add a check of register `value`. */
void nest_check(struct draft *d, int value, int position, int64_t low, int64_t high);
/* Deliver the core's value, register `core` of the kernel's core dtype, to the kernel's outputs through its program.
    Dims of the outputs' axes are d->dim_of. */
void nest_deliver(struct draft *d, int core);
/* The same for a core that lies in temporary `slot`, dense, of a dtype; adds a nest. */
void lower_deliver(struct lowering *l, int slot, ty_dtype dtype);

/* Add a nest that checks that input `input` is in low .. high-1, at its row-major position. */
void lower_check_input(struct lowering *l, int input, int64_t low, int64_t high);
/* Choose memory for results of dtype `dtype` that are joined one by one: the output, or, if the kernel has a program
   or another dtype, a temporary, which must then be delivered.  Set its slot and layout.  True for a temporary. */
bool lower_whole(struct lowering *l, ty_dtype dtype, int *slot, struct layout *out);
/* Add a nest that fills memory with zeros. */
void lower_fill_zero(struct lowering *l, int slot, ty_dtype dtype, const struct layout *out);

/* Add the steps of l->k. */
void lower_kernel(struct lowering *l);

/* ---- kinds: each adds the steps of l->k ---- */
#define NEST_KIND(name) void lower_##name(struct lowering *l);
NEST_KIND(map)
NEST_KIND(copy)
NEST_KIND(iota)
NEST_KIND(pad)
NEST_KIND(place)
NEST_KIND(concat)
NEST_KIND(reduce)
NEST_KIND(scan)
NEST_KIND(gather)
NEST_KIND(scatter)
NEST_KIND(contract)
NEST_KIND(pool)
NEST_KIND(unpool)
NEST_KIND(pool_take)
NEST_KIND(window_add)
NEST_KIND(resample)
NEST_KIND(random)
NEST_KIND(sparse)
NEST_KIND(few_bits)
NEST_KIND(rows)
NEST_KIND(sort)
NEST_KIND(search)
NEST_KIND(nonzero)
NEST_KIND(matrix)
NEST_KIND(fft)
NEST_KIND(sample)
NEST_KIND(suppress)
#undef NEST_KIND
#endif
