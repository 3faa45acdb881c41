/* Which kernels of an incremental program a run launches. */
#include "compile/runs/incremental.h"
#include <string.h>
#include "base/alloc.h"
#include "compile/runs/parts.h"

bool incremental_make(struct incremental *x, const struct flow *f, int nuses) {
    if (!f->classes.n) return true;
    x->versions = mem_array((size_t)nuses + 1, sizeof *x->versions);
    x->stale = mem_array((size_t)f->classes.n, sizeof *x->stale);
    x->lost = mem_array((size_t)f->nblocks + 1, sizeof *x->lost);
    x->writer = mem_array((size_t)f->nblocks + 1, sizeof *x->writer);
    x->runs = mem_array((size_t)f->nkernels + 1, sizeof *x->runs);
    x->whole = true;
    if (!x->versions || !x->stale || !x->lost || !x->writer || !x->runs) return false;
    for (int b = 0; b < f->nblocks; b++) x->writer[b] = -1;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].noutputs; i++) x->writer[f->kernels[k].outputs[i].slot] = k;
    return true;
}

void incremental_drop(struct incremental *x) {
    mem_free(x->versions);
    mem_free(x->stale);
    mem_free(x->lost);
    mem_free(x->writer);
    mem_free(x->runs);
    parts_drop(x->parts);
    *x = (struct incremental){0};
}

/* True if the sets a and b have a common label. */
static bool meets(const struct labels *a, const struct labels *b) {
    uint64_t common = 0;
    for (int i = 0; i < LABEL_WORDS; i++) common |= a->words[i] & b->words[i];
    return common != 0;
}

/* True if variable i of the program, which this run uses as *use, has changed since the last run, or is in
   memory that others may write. */
static bool has_changed(const struct incremental *x, const struct variable_use *use, int i) {
    return x->versions[i] != use->version || buffer_may_change(use->buffer);
}

void incremental_begin(struct incremental *x, const struct flow *f, int nuses,
                       const struct variable_use *uses) {
    struct labels changed = {{UINT64_C(1) << LABEL_ALWAYS}};
    if (!x->versions) return;
    x->whole = x->whole || flow_foreign(f) != f->classes.foreign;
    for (int i = 0; i < nuses; i++) {
        int label = f->classes.label[uses[i].block];
        if (uses[i].updates || !has_changed(x, &uses[i], i)) continue;
        if (label < 0) x->whole = true;
        if (label > 0) changed.words[label / 64] |= UINT64_C(1) << label % 64;
    }
    for (int c = 0; c < f->classes.n; c++) x->stale[c] = meets(&f->classes.sets[c], &changed);
    memset(x->lost, 0, (size_t)f->nblocks * sizeof *x->lost);
}

void incremental_choose(struct incremental *x, const struct flow *f, int nuses,
                        const struct variable_use *uses) {
    if (!x->versions) return;
    if (!x->whole && parts_plan(x, f, nuses, uses)) return;
    for (int k = 0; k < f->nkernels; k++)
        x->runs[k] = x->whole || x->stale[class_of(f, &f->kernels[k])] ? RUNS_WHOLE : RUNS_NOT;
}

void incremental_end(struct incremental *x, int nuses, const struct variable_use *uses, bool done) {
    for (int i = 0; x->versions && i < nuses; i++) x->versions[i] = uses[i].version;
    x->whole = !done;
}
