/* Which groups may be merged: shapes, limits of programs, and levels (fuse.h). */
#include "compile/passes/fuse.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"

enum {
    MOST_USES = 256 /* values with more readers are not fused, as examining all of them would be quadratic */
};

int fuse_group(struct fuse *f, int k) {
    while (f->parent[k] != k) {
        f->parent[k] = f->parent[f->parent[k]]; /* path halving */
        k = f->parent[k];
    }
    return k;
}

/* True if layouts x and y have the same strides and offset; strides of axes of size 1 are ignored. */
static bool same_steps(const struct layout *x, const struct layout *y) {
    if (x->offset != y->offset || x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (x->shape[i] > 1 && x->strides[i] != y->strides[i]) return false;
    return true;
}

int fuse_find(const struct operand *x, int n, const struct operand *among) {
    for (int i = 0; i < n; i++)
        if (among[i].slot == x->slot && same_steps(&among[i].layout, &x->layout) &&
            guard_equal(x->layout.rank, among[i].guard, x->guard))
            return i;
    return -1;
}

bool fuse_reshaped(struct fuse *f, const struct operand *x, int rank, const int64_t *shape,
                   struct operand *out) {
    *out = *x;
    if (shape_equal(rank, shape, x->layout.rank, x->layout.shape)) return true;
    struct layout_room room;
    struct layout *layout = layout_room_init(&room, rank);
    int64_t ends[2][TY_MAX_RANK];
    struct guard guard = {.low = ends[0], .high = ends[1]};
    if (!layout_reshape(&x->layout, rank, shape, layout) ||
        (x->guard && !guard_reshape(x, rank, shape, &guard)))
        return false;
    bool done = layout_copy(&out->layout, layout, &f->flow->arena);
    if (done && x->guard) done = (out->guard = guard_copy(rank, NULL, &guard, &f->flow->arena));
    return done || fault_memory(f->fault, sizeof room);
}

/* Return the reason why groups a and b run apart: in other runs of an incremental program (struct classes), or on
   other devices.  NULL: there is none. */
static const char *run_apart(const struct fuse *f, int a, int b) {
    if (!same_class(f->flow, f->made[a], f->made[b]))
        return "they depend on different variables of an incremental program";
    return f->flow->kernels[a].device != f->flow->kernels[b].device ? "they run on different devices" : NULL;
}

/* Set f->reason to `reason`, why groups are not merged, and return false. */
static bool refuse(struct fuse *f, const char *reason) {
    f->reason = reason;
    return false;
}

void fuse_note(struct fuse *f, int block, const char *reason) {
    if (f->apart[f->current] || !reason) return;
    f->apart[f->current] = reason;
    f->apart_from[f->current] = block;
}

/* ---- levels ---- */

/* Return the group that writes a block, or -1 if none does. */
static int producer_group(struct fuse *f, int block) {
    int writer = f->writer[block];
    return writer < 0 ? -1 : fuse_group(f, writer);
}

/* Return the maximum of `level` and 1 + the levels of the groups that produce the n operands; groups a and b
   do not count. */
static int level_above(struct fuse *f, int a, int b, int n, const struct operand *operands, int level) {
    for (int i = 0; i < n; i++) {
        int g = producer_group(f, operands[i].slot);
        if (g >= 0 && g != a && g != b && f->level[g] >= level) level = f->level[g] + 1;
    }
    return level;
}

/* Check that all readers of `block` outside of groups a and b are above `level`. *outside is set to true if
   there are such readers or the block is kept, else to false. *looks grows by the number of readers. False,
   with f->reason set, if one is not above or there are too many. */
static bool readers_allow(struct fuse *f, int block, int a, int b, int level, int *looks, bool *outside) {
    const struct flow *flow = f->flow;
    *outside = flow->blocks[block].kept;
    for (int u = flow->use_start[block]; u < flow->use_start[block + 1]; u++) {
        int reader = flow->use_kernel[u], g = reader <= f->current ? fuse_group(f, reader) : -1;
        if (++*looks > MOST_USES) return refuse(f, "their results have too many readers to check");
        if (g >= 0 && (g == a || g == b)) continue;
        *outside = true;
        if (g >= 0 && f->level[g] <= level) return refuse(f, "another kernel must run between them");
    }
    return true;
}

/* Check the readers of all values of group g, when a and b are merged at `level`. Add to *stored the number
   of values that must be stored, to *looks that of readers. False, with f->reason set, if they may not be
   merged. */
static bool body_allows(struct fuse *f, int g, int a, int b, int level, int *looks, int *stored) {
    int anchor = f->groups[g].anchor;
    bool outside;
    for (int k = anchor >= 0 ? anchor : f->groups[g].first; k >= 0;) {
        if (!readers_allow(f, f->made[k], a, b, level, looks, &outside)) return false;
        *stored += outside;
        k = k == anchor ? f->groups[g].first : f->next[k];
    }
    return *stored <= PROGRAM_MAX_OUTPUTS || refuse(f, "the fused kernel would have too many results");
}

/* ---- merging ---- */

/* Append the operands of group g, in the shape of group `as`, to f->scratch[], of *n operands, which grows to
   at most `limit`. Values of a and b are no operands any more, but must be read elementwise. False, with
   f->reason set, if one cannot be read so. */
static bool gather_extras(struct fuse *f, int g, int as, int a, int b, int limit, int *n) {
    const struct group *from = &f->groups[g], *to = &f->groups[as];
    for (int i = 0; i < from->nextras; i++) {
        const struct operand *x = &from->extras[i];
        int producer = producer_group(f, x->slot);
        if (producer >= 0 && (producer == a || producer == b)) {
            if (!operand_is_whole(f->flow, x)) return refuse(f, "it is read in another order, or partly");
            continue;
        }
        struct operand seen;
        if (!fuse_reshaped(f, x, to->rank, to->shape, &seen))
            return refuse(f, "an operand cannot be read in the other kernel's shape");
        if (fuse_find(&seen, *n, f->scratch) >= 0) continue;
        if (*n == limit) return refuse(f, "the fused kernel would have too many operands");
        f->scratch[(*n)++] = seen;
    }
    return true;
}

/* True if no core operand of group g is made by group a or b. */
static bool core_is_free(struct fuse *f, int g, int a, int b) {
    for (int i = 0; i < f->groups[g].ncore; i++) {
        int producer = producer_group(f, f->groups[g].core[i].slot);
        if (producer >= 0 && (producer == a || producer == b)) return false;
    }
    return true;
}

/* Merge group `from` into `into`, at `level`, with the operands in f->scratch[nextras]. False, with the fault
   set, on failure. */
static bool commit(struct fuse *f, int into, int from, int nextras, int level) {
    struct group *x = &f->groups[into], *y = &f->groups[from];
    struct operand *extras = arena_copy(&f->flow->arena, f->scratch, sizeof *extras * (size_t)nextras);
    if (!extras) return fault_memory(f->fault, sizeof *extras * (size_t)nextras);
    f->attempt++;
    f->parent[from] = into;
    if (x->first < 0)
        x->first = y->first;
    else
        f->next[x->last] = y->first;
    if (y->first >= 0) x->last = y->last;
    x->newest = x->newest > y->newest ? x->newest : y->newest;
    x->ninstrs += y->ninstrs;
    x->extras = extras;
    x->nextras = nextras;
    f->level[into] = level;
    return true;
}

/* Merge group `from` into `into` if allowed. False with f->reason set if it is not allowed, or with the fault
   set. */
static bool merge_into(struct fuse *f, int into, int from) {
    const struct group *x = &f->groups[into];
    int limit = PROGRAM_MAX_INPUTS - (x->anchor >= 0), n = 0, looks = 0, stored = 0;
    if (!gather_extras(f, into, into, into, from, limit, &n) ||
        !gather_extras(f, from, into, into, from, limit, &n))
        return false;
    int level = level_above(f, into, from, n, f->scratch, 1);
    level = level_above(f, into, from, x->ncore, x->core, level);
    if (!body_allows(f, into, into, from, level, &looks, &stored) ||
        !body_allows(f, from, into, from, level, &looks, &stored))
        return false;
    return commit(f, into, from, n, level);
}

bool fuse_merge(struct fuse *f, int a, int b) {
    if (a == b || f->tried[a] == f->attempt) return false;
    const struct group *x = &f->groups[a], *y = &f->groups[b];
    f->tried[a] = f->attempt;
    f->reason = NULL;
    if (f->fault->set) return false;
    if (x->closed || y->closed) return refuse(f, "a loop or branch has no epilogue");
    if (x->size != y->size) return refuse(f, "they have different numbers of elements");
    if (x->anchor >= 0 && y->anchor >= 0) return refuse(f, "neither is purely elementwise");
    if (x->ninstrs + y->ninstrs > PROGRAM_MAX_INSTRS)
        return refuse(f, "the fused kernel would have too many operators");
    if (run_apart(f, a, b)) return refuse(f, run_apart(f, a, b));
    if (f->last[a] != f->last[b])
        return refuse(f, "only one of them serves updates alone, and those run last");
    if (!core_is_free(f, a, a, b) || !core_is_free(f, b, a, b))
        return refuse(f, "its core, which is not elementwise, reads it");
    if (x->anchor >= 0) return merge_into(f, a, b);
    return merge_into(f, b, a) || (y->anchor < 0 && merge_into(f, a, b));
}

/* ---- new groups ---- */

/* True if only kernel k and kernels of group g read the values of group g. */
static bool read_only_by(struct fuse *f, int g, int k) {
    const struct flow *flow = f->flow;
    for (int j = f->groups[g].first; j >= 0; j = f->next[j]) {
        int block = f->made[j];
        if (flow->blocks[block].kept) return false;
        for (int u = flow->use_start[block]; u < flow->use_start[block + 1]; u++) {
            int reader = flow->use_kernel[u];
            if (reader != k && (reader > f->current || fuse_group(f, reader) != g)) return false;
        }
    }
    return true;
}

/* Make an elementwise group that only the current kernel, a reduction, reads the prologue of its group x.
   False if that is not possible (the reason is recorded), or with the fault set. */
static bool take_prologue(struct fuse *f, struct group *x) {
    const struct kernel *k = &f->flow->kernels[f->current];
    const struct layout *seen = &k->inputs[0].layout;
    int g = producer_group(f, k->inputs[0].slot);
    struct group *body = &f->groups[g < 0 ? 0 : g];
    const char *reason = !kernel_table[k->kind].prologue ? "only reductions compute their inputs"
                         : g < 0                         ? NULL
                         : body->anchor >= 0             ? "neither is purely elementwise"
                         : !operand_is_whole(f->flow, &k->inputs[0])
                             ? "it is read in another order, or partly"
                         : !read_only_by(f, g, f->current) ? "other kernels read it too"
                                                           : run_apart(f, g, f->current);
    if (g >= 0) fuse_note(f, k->inputs[0].slot, reason);
    if (g < 0 || reason) return false;
    struct operand *core = arena_array(&f->flow->arena, (size_t)body->nextras, sizeof *core);
    if (!core) return fault_memory(f->fault, sizeof *core);
    for (int i = 0; i < body->nextras; i++)
        if (!fuse_reshaped(f, &body->extras[i], seen->rank, seen->shape, &core[i])) return false;
    x->core = core;
    x->ncore = body->nextras;
    x->prologue_first = body->first;
    f->parent[g] = f->current;
    return true;
}

bool fuse_begin(struct fuse *f) {
    const struct kernel *k = &f->flow->kernels[f->current];
    bool map = k->kind == KERNEL_MAP;
    const struct layout *out = &k->outputs[0].layout;
    struct group *x = &f->groups[f->current];
    f->parent[f->current] = f->current;
    *x = (struct group){.anchor = map ? -1 : f->current,
                        .first = map ? f->current : -1,
                        .last = map ? f->current : -1,
                        .prologue_first = -1,
                        .newest = f->current,
                        .closed = k->results != NULL,
                        .ninstrs = map,
                        .rank = out->rank,
                        .shape = out->shape,
                        .size = shape_size(out->rank, out->shape)};
    f->next[f->current] = -1;
    f->attempt++;
    x->extras = x->core = k->inputs;
    *(map ? &x->nextras : &x->ncore) = k->ninputs;
    if (!map) take_prologue(f, x);
    int level = level_above(f, f->current, f->current, x->ncore, x->core, 1);
    f->level[f->current] = level_above(f, f->current, f->current, x->nextras, x->extras, level);
    return !f->fault->set;
}
