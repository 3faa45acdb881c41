/* Configurations as text: dimensions, loops, primitive, packing and predicted cost. */
#include <inttypes.h>
#include "array/dtype.h"
#include "contract/loops.h"

static const char type_letters[] = "CMNK";
static const char *const side_names[] = {"left", "right", "out"};
static const char *const exec_names[] = {"sequential", "shared", "primitive"};
static const char *const primitive_names[] = {"gemm", "brgemm", "lanes", "flat", "scalar"};
static const char *const packing_names[] = {"where it lies", "panels", "footprint", "panels of the whole"};

/* Append to the text `to` a table of dimensions, and the guards. */
static void describe_dims(const ty_contraction *c, struct text *to) {
    text_add(to, "  dim type         size         left        right          out\n");
    for (int i = 0; i < c->ndims; i++)
        text_add(to, "  %3d    %c %12" PRId64 " %12" PRId64 " %12" PRId64 " %12" PRId64 "\n", i,
                 type_letters[c->dims[i].type], c->dims[i].size, c->dims[i].stride[TY_LEFT],
                 c->dims[i].stride[TY_RIGHT], c->dims[i].stride[TY_OUT]);
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *g = &c->guards[i];
        text_add(to, "  %s is 0 where %" PRId64, side_names[g->side], g->low);
        for (int j = 0; j < 2; j++)
            if (g->dim[j] >= 0) text_add(to, " + %" PRId64 " * [%d]", g->coefficient[j], g->dim[j]);
        text_add(to, " is not in 0 .. %" PRId64 "\n", g->size - 1);
    }
}

/* Append to the text `to` a table of loops and the primitive with its box. */
static void describe_loops(const ty_contraction *c, struct text *to) {
    int walked = contraction_walked(c);
    if (c->nloops) text_add(to, "  loop over       step    steps  how\n");
    for (int i = 0; i < c->nloops; i++) {
        const ty_loop *loop = &c->loops[i];
        if (i == walked) text_add(to, "  %s on a box of\n", primitive_names[c->primitive]);
        text_add(to, "  %4d %c[%d] %10" PRId64, i, type_letters[c->dims[loop->dim].type], loop->dim,
                 loop->step);
        if (i < walked) text_add(to, " %8" PRId64 "  %s", contraction_trips(c, i), exec_names[loop->exec]);
        for (int side = 0; side < 2; side++)
            if (i < walked && c->packing[side].kind != TY_PACK_NONE && c->packing[side].loop == i)
                text_add(to, ", packs %s (%s)", side_names[side], packing_names[c->packing[side].kind]);
        text_add(to, "\n");
    }
    if (!c->nloops) text_add(to, "  no loops yet; primitive %s\n", primitive_names[c->primitive]);
}

/* Append to the text `to` packing, spans, the order of operands and the predicted time. */
static void describe_rest(const ty_contraction *c, struct text *to) {
    for (int side = 0; side < 2; side++)
        text_add(to, "  %s: %s%s\n", side_names[side], packing_names[c->packing[side].kind],
                 c->packing[side].kind == TY_PACK_WHOLE && c->constant[side]          ? ", once for all runs"
                 : c->packing[side].kind != TY_PACK_NONE && c->packing[side].loop < 0 ? ", once"
                                                                                      : "");
    if (c->swapped) text_add(to, "  sides are swapped: left is the caller's right operand\n");
    if (c->spans > 1) text_add(to, "  K in %" PRId64 " spans, added up in order\n", c->spans);
    if (c->bypass) text_add(to, "  out goes past the caches\n");
    text_add(to, "  %.4g flops, %.4g bytes at least", c->flops, c->bytes);
    if (c->seconds > 0)
        text_add(to, ", %.4g seconds predicted (%.3g GFLOP/s)", c->seconds, c->flops / c->seconds * 1e-9);
    text_add(to, "\n");
}

void contraction_describe(const ty_contraction *c, struct text *to) {
    text_add(to, "  %s, %s -> %s, sums in %s\n", ty_dtype_name(c->dtype[TY_LEFT]),
             ty_dtype_name(c->dtype[TY_RIGHT]), ty_dtype_name(c->dtype[TY_OUT]), ty_dtype_name(c->sums));
    describe_dims(c, to);
    describe_loops(c, to);
    describe_rest(c, to);
}
