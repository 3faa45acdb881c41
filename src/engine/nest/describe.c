/* Lists of nests as text: a line for each loop, access, instruction and fold. */
#include "engine/nest/lower.h"

static void add_dims(const ty_nest *n, struct text *t) {
    static const char *const roles[] = {"parallel", "in order", "running", "folded"};
    for (int d = 0; d < n->ndims; d++) {
        const ty_nest_dim *dim = &n->dims[d];
        text_add(t, "%s[%d] %lld %s", d ? ", " : "  loops ", d, (long long)dim->size, roles[dim->role]);
        if (dim->begin >= 0) text_add(t, " from r%d to r%d", dim->begin, dim->end);
    }
    if (n->ndims) text_add(t, "\n");
}

/* Append `times` * name, or its negative, behind *some other summands. */
static void add_summand(struct text *t, bool *some, int64_t times, const char *name, int number) {
    const char *sign = times < 0 ? *some ? " - " : "-" : *some ? " + " : "";
    uint64_t size = times < 0 ? 0 - (uint64_t)times : (uint64_t)times;
    *some = true;
    text_add(t, "%s", sign);
    if (size != 1 || !name) text_add(t, "%llu%s", (unsigned long long)size, name ? " " : "");
    if (name) text_add(t, name, number);
}

/* Append the conditions of an access. */
static void add_conditions(const ty_nest_access *a, struct text *t) {
    for (int i = 0; i < a->nterms; i++) {
        const ty_nest_term *term = &a->terms[i];
        text_add(t, " (r%d in %lld .. %lld", term->read, term->wrap ? -(long long)term->bound : 0LL,
                 (long long)term->bound - 1);
        if (term->exact) text_add(t, ", a multiple of %lld", (long long)term->divide);
        text_add(t, ")");
    }
}

/* Append the offset, strides and terms of an access. */
static void add_place(const ty_nest *n, const ty_nest_access *a, struct text *t) {
    bool some = false;
    for (int d = 0; d < n->ndims; d++)
        if (a->strides[d]) add_summand(t, &some, a->strides[d], "[%d]", d);
    for (int i = 0; i < a->nterms; i++) {
        const ty_nest_term *term = &a->terms[i];
        if (!term->stride) continue;
        add_summand(t, &some, term->stride, "r%d", term->read);
        if (term->divide > 1) text_add(t, "/%lld", (long long)term->divide);
        if (term->modulo) text_add(t, "%%%lld", (long long)term->modulo);
    }
    if (a->offset || !some) add_summand(t, &some, a->offset, NULL, 0);
    add_conditions(a, t);
}

/* Append the name of a slot. */
static void add_slot(const ty_nests *all, int slot, struct text *t) {
    bool own = slot >= all->noperands;
    if (slot == TY_NEST_INDEX)
        text_add(t, "index ");
    else
        text_add(t, "%s %d at ", own ? "temporary" : "operand", own ? slot - all->noperands : slot);
}

static void add_read(const ty_nests *all, const ty_nest *n, int i, struct text *t) {
    const ty_nest_access *a = &n->reads[i];
    text_add(t, "  r%d = %s ", i, ty_dtype_name(a->dtype));
    if (a->slot == TY_NEST_CONSTANT) {
        text_add(t, "constant %.17g", element_number(a->dtype, element_load(a->dtype, a->constant)));
        add_conditions(a, t);
    } else {
        add_slot(all, a->slot, t);
        add_place(n, a, t);
    }
    text_add(t, a->late ? ", after the folds\n" : "\n");
}

static void add_instrs(const ty_nest_instr *instrs, int n, int first, struct text *t) {
    for (int i = 0; i < n; i++) {
        const ty_nest_instr *s = &instrs[i];
        text_add(t, "  r%d = %s %s(", first + i, ty_dtype_name(s->out), s->name);
        for (int k = 0; k < s->n; k++) text_add(t, "%sr%d", k ? ", " : "", s->from[k]);
        text_add(t, ")\n");
    }
}

static void add_fold(const ty_nest_fold *f, int r, struct text *t) {
    static const char *const kinds[] = {"sum",    "product", "maximum", "minimum",
                                        "argmax", "argmin",  "dot",     "linear"};
    static const char *const joins[] = {"halves", "chain", "dots", "neighbours"};
    bool two = f->kind >= TY_NEST_ARGMAX;
    text_add(t, "  r%d = %s %s of r%d", r, ty_dtype_name(f->dtype), kinds[f->kind], f->value);
    if (two) text_add(t, " and r%d", f->second);
    if (f->when != TY_NEST_ALWAYS) text_add(t, " if r%d", f->when);
    if (f->exclusive) text_add(t, ", before each step");
    if (f->lanes > 1) text_add(t, ", %d lanes joined by %s", f->lanes, joins[f->join]);
    if (f->block) text_add(t, ", blocks of %lld", (long long)f->block);
    if (f->inner) text_add(t, ", a block for the last %d loops", f->inner);
    if (f->spans) text_add(t, ", spans along the first %d", f->spans);
    text_add(t, "\n");
}

static void add_writes(const ty_nests *all, const ty_nest *n, struct text *t) {
    static const char *const stores[] = {"=", "+=", "*=", "least", "greatest", "+="};
    for (int i = 0; i < n->nwrites; i++) {
        const ty_nest_write *w = &n->writes[i];
        text_add(t, "  ");
        add_slot(all, w->to.slot, t);
        add_place(n, &w->to, t);
        text_add(t, " %s r%d", stores[w->store], w->value);
        if (w->store == TY_NEST_MADD) text_add(t, " * r%d", w->second);
        if (w->when != TY_NEST_ALWAYS) text_add(t, " if r%d", w->when);
        text_add(t, "\n");
    }
    for (int i = 0; i < n->nchecks; i++)
        text_add(t, "  refuse r%d outside of %lld .. %lld, at r%d\n", n->checks[i].value,
                 (long long)n->checks[i].low, (long long)n->checks[i].high - 1, n->checks[i].position);
}

/* Append a step that is an algorithm: its work items and memory. */
static void add_algorithm(const ty_nests *all, int i, struct text *t) {
    const ty_nest_step *step = &all->steps[i];
    text_add(t, "step %d: algorithm %s", i, step->algorithm);
    for (int s = 0; step->items >= 0 && s < step->nslots; s++) {
        bool own = step->slots[s] >= all->noperands;
        text_add(t, "%s%s %d", s ? ", " : " of ", own ? "temporary" : "operand",
                 own ? step->slots[s] - all->noperands : step->slots[s]);
    }
    if (step->items >= 0) text_add(t, ", %lld parallel", (long long)step->items);
    text_add(t, "\n");
}

void nests_describe(const ty_nests *nests, struct text *t) {
    for (int i = 0; i < nests->ntemporaries; i++)
        text_add(t, "temporary %d: %lld %s\n", i, (long long)nests->temporaries[i].size,
                 ty_dtype_name(nests->temporaries[i].dtype));
    for (int i = 0; i < nests->nsteps; i++) {
        const ty_nest *n = nests->steps[i].nest;
        if (!n) {
            add_algorithm(nests, i, t);
            continue;
        }
        int folds = n->nreads + n->nbefore;
        text_add(t, "step %d: %s\n", i, n->name);
        add_dims(n, t);
        for (int k = 0; k < n->nreads; k++) add_read(nests, n, k, t);
        add_instrs(n->before, n->nbefore, n->nreads, t);
        for (int k = 0; k < n->nfolds; k++) add_fold(&n->folds[k], folds + k, t);
        add_instrs(n->after, n->nafter, folds + n->nfolds, t);
        add_writes(nests, n, t);
    }
}
