/* Which indices of a kernel's operands its outputs read, axis by axis, for runs that recompute parts. */
#ifndef OPS_CORE_KERNEL_LINK_H
#define OPS_CORE_KERNEL_LINK_H
#include "array/box.h"
#include "ops/core/kernel/kernel.h"

/* The links of kinds (struct kernel_row): how `axis` of core input i moves with the outputs. */
void link_contract(const struct kernel *k, int i, int axis, struct axis_link *link);
void link_gather(const struct kernel *k, int i, int axis, struct axis_link *link);
void link_concat(const struct kernel *k, int i, int axis, struct axis_link *link);
void link_rows(const struct kernel *k, int i, int axis, struct axis_link *link);

/* The function `recut` of CONCAT. */
bool recut_concat(struct kernel *cut, const struct kernel *k, const struct box *b, struct arena *arena);

/* True if the kernel can be cut: operands narrowed to the part that a box of the outputs needs, with equal bits. */
bool kernel_can_be_cut(const struct kernel *k);
/* Enlarge boxes of the outputs of a kernel that can be cut to boxes at which it can be: all indices of axes that are no
   rows. */
void kernel_round(const struct kernel *k, struct boxes *boxes);
/* Compute the box of the outputs that may depend on box `in` of input i's indices, into *out, a box of the outputs'
   rank. False: no output element does. */
bool kernel_reached(const struct kernel *k, int i, const struct box *in, struct box *out);
/* Compute the box of input i's indices that box `out` of the outputs reads, into *in. False: it reads none. */
bool kernel_needed(const struct kernel *k, int i, const struct box *out, struct box *in);
/* True if output i of the kernel has the index space of output 0, or only shares its rows, as outputs of ROWS do. */
bool kernel_agrees(const struct kernel *k, int i);
/* Compute the indices of output `to` that belong to box `in` of output `from`, into *out; both agree with output 0. */
void kernel_output_box(const struct kernel *k, int from, const struct box *in, int to, struct box *out);
#endif
