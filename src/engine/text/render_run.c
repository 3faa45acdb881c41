/* RUN loops as text: scans, in the order that a fold carries.  Names are those of render_fold.c; level, all, total and
   before hold results of the present group, of earlier groups of the part, of the part, and of earlier parts. */
#include <inttypes.h>

#include "base/text.h"
#include "engine/text/render.h"

static bool has_tree(const ty_nest_fold *f) {
    return nest_rounds(f) && f->kind != TY_NEST_LINEAR && (f->lanes > 1 || f->block > 0);
}
static int levels_of(const ty_nest_fold *f) {
    int levels = 1;
    while (1 << levels < f->lanes) levels++;
    return levels;
}
static void add_begin(struct render *r, int fold) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    int k = first_fold(r->nest) + fold;
    const char *type = text_type(f->dtype);
    render_fold_begin(r, fold);
    if (nest_adds(f) && f->kind != TY_NEST_LINEAR) text_add(r->t, "int n%d = 0;\n", k);
    if (has_tree(f))
        text_add(
            r->t,
            "%s level%d[%d], all%d = f%d, total%d = f%d, before%d = f%d;\nint some%d = 0, parted%d = 0;\n",
            type, k, levels_of(f), k, k, k, k, k, k, k, k);
}
static void add_tree_step(struct render *r, const ty_nest_fold *f, int k) {
    char room[64];
    fold_join_row(r, f, room);
    if (f->block)
        text_add(r->t,
                 "if (n%d == %" PRId64 ") {\nbefore%d = parted%d ? %s(before%d, total%d) : total%d;\n"
                 "parted%d = 1, some%d = 0, n%d = 0;\n}\n",
                 k, f->block, k, k, room, k, k, k, k, k, k);
    text_add(r->t, "{\n%s v = r%d;\nconst int l = n%d++ %% %d;\n", text_type(f->dtype), f->value, k,
             f->lanes);
    text_add(
        r->t,
        "for (int b = 0; 1 << b < %d; b++)\nif (l >> b & 1) v = %s(level%d[b], v);\nelse level%d[b] = v;\n",
        f->lanes, room, k, k);
    text_add(r->t, "total%d = some%d ? %s(all%d, v) : v;\n", k, k, room, k);
    text_add(r->t, "f%d = parted%d ? %s(before%d, total%d) : total%d;\n", k, k, room, k, k, k);
    text_add(r->t, "if (l == %d) all%d = total%d, some%d = 1;\n}\n", f->lanes - 1, k, k, k);
}
static void add_step(struct render *r, int fold) {
    const ty_nest_fold *f = &r->nest->folds[fold];
    int k = first_fold(r->nest) + fold;
    bool place = nest_is_place(f);
    const char *type = place ? "i64" : text_type(f->dtype), *value = place ? "place" : "f";
    char room[64];
    if (f->exclusive) text_add(r->t, "const %s r%d = %s%d;\n", type, k, value, k);
    if (has_tree(f))
        add_tree_step(r, f, k);
    else if (f->kind == TY_NEST_LINEAR)
        text_add(r->t, "f%d = %s(r%d, f%d, r%d);\n", k, render_row(r, ROW_fma, f->dtype, room), f->value, k,
                 f->second);
    else if (nest_adds(f))
        text_add(r->t, "f%d = n%d ? %s(f%d, r%d) : r%d;\nn%d = 1;\n", k, k, fold_join_row(r, f, room), k,
                 f->value, f->value, k);
    else
        render_fold_term(r, fold);
    if (!f->exclusive) text_add(r->t, "const %s r%d = %s%d;\n", type, k, value, k);
}
void render_run(struct render *r) {
    const ty_nest *n = r->nest;
    for (int f = 0; f < n->nfolds; f++) add_begin(r, f);
    render_loop(r, n->ndims - 1);
    render_reads(r, false);
    render_instrs(r, n->before, n->nbefore, first_before(n));
    for (int f = 0; f < n->nfolds; f++) add_step(r, f);
    render_instrs(r, n->after, n->nafter, first_after(n));
    render_writes(r);
    text_add(r->t, "}\n");
}
