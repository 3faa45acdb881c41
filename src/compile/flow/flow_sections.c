/* The sections of a flow: order of kernels, and whose blocks are whose. */
#include <string.h>
#include "base/alloc.h"
#include "compile/flow/flow.h"

/* Replace the kernels of f: kernel number k becomes to[k] if `back`, else kernel number k is the old from[k].  False,
   with the fault set, on failure. */
static bool reorder(struct flow *f, const int *from, bool back, struct fault *fault) {
    struct kernel *kernels = mem_array((size_t)f->nkernels + 1, sizeof *kernels);
    if (!kernels) return fault_memory(fault, (size_t)f->nkernels * sizeof *kernels);
    for (int k = 0; k < f->nkernels; k++) kernels[back ? from[k] : k] = f->kernels[back ? k : from[k]];
    mem_free(f->kernels);
    f->kernels = kernels;
    f->kernel_room = f->nkernels + 1;
    return flow_index(f, fault);
}

bool sections_apply(struct flow *f, const struct sections *s, struct fault *fault) {
    if (!reorder(f, s->before, false, fault)) return false;
    f->sections = *s;
    return true;
}

bool sections_drop(struct flow *f, struct fault *fault) {
    const int *before = f->sections.before;
    bool had = f->sections.n || before;
    f->sections = (struct sections){0};
    return !had || reorder(f, before, true, fault);
}

void sections_give_up(struct flow *f, int section) {
    struct sections *s = &f->sections;
    for (int k = s->all[section].first; k < s->all[section].end; k++) s->strand_of[k] = -1;
    s->n--;
    memmove(&s->all[section], &s->all[section + 1], (size_t)(s->n - section) * sizeof *s->all);
    for (int i = section; i < s->n; i++)
        for (int j = 0; j < s->all[i].nstrands; j++) s->strands[s->all[i].strands + j].section = i;
}

int strand_of(const struct flow *f, int k) { return f->sections.n ? f->sections.strand_of[k] : -1; }

const struct section *section_of(const struct flow *f, int k) {
    int strand = strand_of(f, k);
    return strand < 0 ? NULL : &f->sections.all[f->sections.strands[strand].section];
}

/* True if kernels list[0 .. n-1] of section s are all of one strand. */
static bool all_of(const struct flow *f, const struct section *s, int strand, int n, const int *list) {
    for (int i = 0; i < n; i++)
        if (list[i] >= s->first && list[i] < s->end && f->sections.strand_of[list[i]] != strand) return false;
    return true;
}

bool strand_owns(const struct flow *f, int k, int block) {
    const struct section *s = section_of(f, k);
    if (!s) return true;
    int strand = f->sections.strand_of[k], reads = f->use_start[block], writes = f->write_start[block];
    return all_of(f, s, strand, f->use_start[block + 1] - reads, &f->use_kernel[reads]) &&
           all_of(f, s, strand, f->write_start[block + 1] - writes, &f->write_kernel[writes]);
}

int sections_block(const struct flow *f, int b) {
    return f->blocks[b].variable >= 0 ? f->blocks[b].variable : b;
}
