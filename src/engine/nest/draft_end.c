/* Completing nests: dims sorted by role, those of size 1 dropped, neighbours merged; registers numbered. */
#include "engine/nest/draft.h"
#include "engine/nest/registers.h"

static ty_nest_access *reads_of(const struct draft *d) { return d->reads.items; }
static ty_nest_write *writes_of(const struct draft *d) { return d->writes.items; }

/* Return access i of all: reads, then the targets of writes. */
static ty_nest_access *access_of(const struct draft *d, int i) {
    return i < d->reads.n ? &reads_of(d)[i] : &writes_of(d)[i - d->reads.n].to;
}
static int accesses(const struct draft *d) { return d->reads.n + d->writes.n; }

static int64_t *strides_of(const struct draft *d, int i) { return (int64_t *)access_of(d, i)->strides; }

/* Keep dims order[0 .. n) in this order. */
static void take_dims(struct draft *d, int n, const int *order, ty_nest_dim *dims, int64_t *strides) {
    for (int i = 0; i < n; i++) dims[i] = d->dims[order[i]];
    memcpy(d->dims, dims, (size_t)n * sizeof *dims);
    for (int a = 0; a < accesses(d); a++) {
        int64_t *own = strides_of(d, a);
        for (int i = 0; i < n; i++) strides[i] = own[order[i]];
        memcpy(own, strides, (size_t)n * sizeof *own);
    }
    d->ndims = n;
}

static bool is_ragged(const ty_nest_dim *dim) { return dim->begin >= 0; }

/* Return true if dim i says nothing: of size 1, and no fold counts dims. */
static bool is_idle(const struct draft *d, int i) {
    const ty_nest_dim *dim = &d->dims[i];
    return dim->size == 1 && !is_ragged(dim) && dim->role != TY_NEST_RUN &&
           !(d->fixed && dim->role == TY_NEST_FOLD);
}

/* Sort dims by role, without idle ones. */
static void sort_dims(struct draft *d, int *order, ty_nest_dim *dims, int64_t *strides) {
    int n = 0;
    for (int role = TY_NEST_PARALLEL; role <= TY_NEST_FOLD; role++)
        for (int i = 0; i < d->ndims; i++)
            if (d->dims[i].role == role && !is_idle(d, i)) order[n++] = i;
    take_dims(d, n, order, dims, strides);
}

/* Return true if dim i + 1 continues dim i in all accesses. */
static bool continues(const struct draft *d, int i) {
    const ty_nest_dim *a = &d->dims[i], *b = &d->dims[i + 1];
    if (a->role != b->role || a->role == TY_NEST_RUN || is_ragged(a) || is_ragged(b)) return false;
    if (d->fixed && a->role == TY_NEST_FOLD) return false;
    for (int k = 0; k < accesses(d); k++)
        if (strides_of(d, k)[i] != strides_of(d, k)[i + 1] * b->size) return false;
    return true;
}

static void merge_dims(struct draft *d, int *order, ty_nest_dim *dims, int64_t *strides) {
    for (int i = d->ndims - 2; i >= 0; i--) {
        if (!continues(d, i)) continue;
        d->dims[i + 1].size *= d->dims[i].size;
        int n = 0;
        for (int k = 0; k < d->ndims; k++)
            if (k != i) order[n++] = k;
        take_dims(d, n, order, dims, strides);
    }
}

/* ---- registers ---- */

/* Return the final number of register r of the draft. */
static uint16_t number_of(const struct draft *d, uint16_t r) {
    int before[] = {0, d->reads.n, d->reads.n + d->before.n, d->reads.n + d->before.n + d->folds.n};
    return r == TY_NEST_ALWAYS ? r : (uint16_t)(before[REGISTER_CLASS(r)] + REGISTER_INDEX(r));
}

/* Mark a read that register r of the draft is, and the reads of its terms, as late (or not). */
static void mark(const struct draft *d, uint16_t r, bool *marks) {
    if (r == TY_NEST_ALWAYS || REGISTER_CLASS(r) != OF_READ) return;
    const ty_nest_access *read = &reads_of(d)[r];
    marks[r] = true;
    for (int i = 0; i < read->nterms; i++) mark(d, (uint16_t)read->terms[i].read, marks);
}

/* Set `late` of reads used behind the folds.  False if one is also used before. */
static bool set_late(struct draft *d, bool *early, bool *late) {
    const ty_nest_instr *before = d->before.items, *after = d->after.items;
    const ty_nest_fold *folds = d->folds.items;
    for (int i = 0; i < d->before.n; i++)
        for (int k = 0; k < before[i].n; k++) mark(d, before[i].from[k], early);
    for (int i = 0; i < d->folds.n; i++) {
        mark(d, folds[i].value, early);
        mark(d, folds[i].second, early);
        mark(d, folds[i].when, early);
    }
    for (int i = 0; i < d->ndims; i++)
        if (is_ragged(&d->dims[i])) early[d->dims[i].begin] = early[d->dims[i].end] = true;
    for (int i = 0; i < d->after.n; i++)
        for (int k = 0; k < after[i].n; k++) mark(d, after[i].from[k], late);
    for (int i = 0; i < d->writes.n; i++) {
        const ty_nest_write *write = &writes_of(d)[i];
        mark(d, write->value, late);
        mark(d, write->when, late);
        mark(d, write->second, late);
        for (int k = 0; k < write->to.nterms; k++) mark(d, (uint16_t)write->to.terms[k].read, late);
    }
    for (int i = 0; i < d->reads.n; i++) {
        reads_of(d)[i].late = late[i];
        if (early[i] && late[i]) return false;
    }
    return true;
}

static void number_registers(struct draft *d) {
    ty_nest_instr *instrs[] = {d->before.items, d->after.items};
    ty_nest_fold *folds = d->folds.items;
    ty_nest_check *checks = d->checks.items;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? d->after.n : d->before.n); i++)
            for (int s = 0; s < 3; s++)
                instrs[k][i].from[s] = s < instrs[k][i].n ? number_of(d, instrs[k][i].from[s]) : 0;
    for (int i = 0; i < d->folds.n; i++) {
        folds[i].value = number_of(d, folds[i].value);
        folds[i].second = number_of(d, folds[i].second);
        folds[i].when = number_of(d, folds[i].when);
    }
    for (int i = 0; i < d->checks.n; i++) {
        checks[i].value = number_of(d, checks[i].value);
        checks[i].position = number_of(d, checks[i].position);
        checks[i].when = number_of(d, checks[i].when);
    }
    for (int i = 0; i < d->writes.n; i++) {
        writes_of(d)[i].value = number_of(d, writes_of(d)[i].value);
        writes_of(d)[i].when = number_of(d, writes_of(d)[i].when);
        writes_of(d)[i].second = number_of(d, writes_of(d)[i].second);
    }
}

void nest_end(struct draft *d) {
    if (!d || d->l->failed) return;
    struct lowering *l = d->l;
    int *order = lower_room(l, (size_t)d->most, sizeof *order);
    ty_nest_dim *dims = lower_room(l, (size_t)d->most, sizeof *dims);
    int64_t *strides = lower_room(l, (size_t)d->most, sizeof *strides);
    bool *early = lower_room(l, (size_t)d->reads.n, 1), *late = lower_room(l, (size_t)d->reads.n, 1);
    ty_nest *nest = lower_room(l, 1, sizeof *nest);
    if (!nest || !late || !early || !strides) return;
    sort_dims(d, order, dims, strides);
    merge_dims(d, order, dims, strides);
    if (d->folds.n && !set_late(d, early, late)) {
        l->failed =
            !fault_set(l->fault, E_INTERNAL, "%s: a read is used before and behind the folds", d->name);
        return;
    }
    number_registers(d);
    *nest = (ty_nest){.name = d->name,
                      .ndims = d->ndims,
                      .nreads = d->reads.n,
                      .nbefore = d->before.n,
                      .nfolds = d->folds.n,
                      .nafter = d->after.n,
                      .nwrites = d->writes.n,
                      .nchecks = d->checks.n,
                      .dims = d->dims,
                      .reads = d->reads.items,
                      .before = d->before.items,
                      .after = d->after.items,
                      .folds = d->folds.items,
                      .writes = d->writes.items,
                      .checks = d->checks.items};
    ty_nest_step *step = lower_step(l);
    if (step) step->nest = nest;
}
