/* Takes loops out of graphs. */
#include "notation/loops.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "base/alloc.h"
#include "base/list.h"
#include "compile/passes/rewrite.h"
#include "control/loop.h"
#include "graph/rewrite.h"
#include "ops/core/operators.h"

enum {
    MOST_LOOPS = 64
}; /* loops of one formula, which is then too long to read; further ones stay operators */

void loops_drop(struct loops *l) {
    mem_free(l->stages);
    mem_free(l->series);
    mem_free(l->loops);
    mem_free(l->steps);
    map_drop(&l->known);
    arena_drop(&l->arena);
}

const struct stage *loops_stage(const struct loops *l, const ty_tensor *leaf) {
    const int64_t *number = map_find(&l->known, map_key(leaf));
    return number ? &l->stages[*number] : NULL;
}

/* ---- stages ---- */

/* Return the number of a new series; -1 after a fault. */
static int add_series(struct loops *l, const char *letters, struct fault *fault) {
    struct series s = {.letters = letters, .root = -1};
    if (list_append(l->series, l->nseries, l->series_room, s)) return l->nseries - 1;
    fault_memory(fault, sizeof s);
    return -1;
}

/* Return a leaf of a dtype and shape that stands for a stage; NULL after a fault. */
static ty_tensor *add_stage(struct loops *l, struct stage stage, const ty_tensor *like, struct fault *fault) {
    bool is_new;
    stage.leaf = parameter_new(l->nstages, like->dtype, like->layout.rank, like->layout.shape);
    if (!ty_ok(stage.leaf)) {
        fault_tensor(fault, stage.leaf);
        return NULL;
    }
    if (list_append(l->stages, l->nstages, l->stage_room, stage) &&
        map_put(&l->known, map_key(stage.leaf), l->nstages - 1, &is_new))
        return stage.leaf;
    fault_memory(fault, sizeof stage);
    return NULL;
}

/* ---- one loop ---- */

/* The opening of a loop. */
struct opening {
    struct loops *l;
    const ty_tensor *loop;
    const struct loop_attr *attr;
    const struct body *body;
    int number, at;     /* of the recurrence; of the next line among the steps */
    int *carries;       /* their series */
    ty_tensor **inside; /* what replaces the parameters of the body */
    ty_tensor **roots;  /* the body's results in terms of these */
    struct fault *fault;
};

/* Insert a line at the place of the loop. */
static bool add_step(struct opening *o, struct stage left, ty_tensor *value, bool least) {
    struct loops *l = o->l;
    left.loop = o->number;
    struct step step = {left, value, least};
    if (!list_append(l->steps, l->nsteps, l->step_room, step)) return fault_memory(o->fault, sizeof step);
    memmove(&l->steps[o->at + 1], &l->steps[o->at], (size_t)(l->nsteps - 1 - o->at) * sizeof step);
    l->steps[o->at++] = step;
    return true;
}

/* Set *stage to the element at t of a sequence.  Slices of its first axis are looked through. */
static bool element_of(struct opening *o, ty_tensor *x, struct stage *stage) {
    *stage = (struct stage){.kind = STAGE_AT, .loop = o->number};
    while (x->promise && x->op == &op_slice) {
        const struct slice_attr *slice = x->attr;
        if (slice->axis != 0 || slice->step != 1) break;
        stage->offset += slice->start;
        x = x->inputs[0];
    }
    const struct stage *known = loops_stage(o->l, x);
    if (known && known->kind == STAGE_ALL) {
        stage->series = known->series;
        return true;
    }
    for (int i = 0; i < o->l->nsteps; i++)
        if (o->l->steps[i].left.kind == STAGE_ALL && o->l->steps[i].value == x) {
            stage->series = o->l->steps[i].left.series;
            return true;
        }
    stage->series = add_series(o->l, NULL, o->fault);
    struct stage all = {.kind = STAGE_ALL, .series = stage->series};
    return stage->series >= 0 && add_step(o, all, x, false);
}

/* Return an element of a sequence whose elements are all one number; NULL if it is another. */
static ty_tensor *number_of_all(ty_tensor *sequence, const ty_tensor *like) {
    struct element e;
    if (!dtype_is(like->dtype, CLASS_FLOAT) || !constant_uniform(sequence, &e)) return NULL;
    return ty_full(like->dtype, like->layout.rank, like->layout.shape, element_number(like->dtype, e));
}

/* Make the leaves that replace the parameters of the body, and the lines of first values. */
static bool enter_body(struct opening *o) {
    const struct loop_attr *a = o->attr;
    bool done = true;
    for (int i = 0; i < o->body->nparameters && done; i++) {
        const ty_tensor *like = o->body->parameters[i];
        struct stage stage = {.kind = STAGE_AT, .loop = o->number, .offset = a->reverse != 0};
        if (i < a->ncarries) {
            o->carries[i] = stage.series = add_series(o->l, "hsgz", o->fault);
            struct stage first = stage;
            first.kind = a->reverse ? STAGE_LAST : STAGE_FIRST;
            done = stage.series >= 0 && add_step(o, first, o->loop->inputs[i], false);
        } else if (i < loop_index_parameter(a)) {
            o->inside[i] = number_of_all(o->loop->inputs[i], like);
            done = o->inside[i] ? ty_ok(o->inside[i]) || fault_tensor(o->fault, o->inside[i])
                                : element_of(o, o->loop->inputs[i], &stage);
        } else {
            stage.kind = STAGE_INDEX;
        }
        if (i > loop_index_parameter(a))
            o->inside[i] = o->loop->inputs[loop_shared_operand(a, i - loop_index_parameter(a) - 1)];
        else if (done && !o->inside[i])
            done = (o->inside[i] = add_stage(o->l, stage, like, o->fault)) != NULL;
    }
    for (int i = 0; i < o->body->nroots; i++) o->roots[i] = o->body->roots[i];
    return done && substitute(0, o->body->nparameters, o->body->parameters, o->inside, o->body->nroots,
                              o->roots, o->fault);
}

/* Return true if a graph has a leaf of the step: an element at t, or t. */
static bool uses_step(const struct opening *o, ty_tensor *root) {
    struct walk w = {0};
    bool uses = !walk_order(&w, 1, &root, o->fault);
    for (int64_t k = 0; k < w.count && !uses; k++) {
        const struct stage *s = loops_stage(o->l, w.nodes[k]);
        uses = s && s->loop == o->number && (s->kind == STAGE_AT || s->kind == STAGE_INDEX);
    }
    walk_drop(&w);
    return uses;
}

/* Write the next values of carries in `*root` as their stages, h_t+1: all, or those alone that are computed.  The stages
   have kind STAGE_ALL, and begin with number *first. */
static bool use_next(struct opening *o, bool computed, ty_tensor **root, int *first) {
    int n = o->attr->ncarries, found = 0;
    ty_tensor **from = arena_array(&o->l->arena, 2 * (size_t)n + 1, sizeof *from), **to = from + n;
    if (!from) return fault_memory(o->fault, (size_t)n * sizeof *from);
    *first = o->l->nstages;
    for (int i = 0; i < n; i++) {
        ty_tensor *next = o->roots[i];
        struct stage stage = {.kind = STAGE_ALL, .loop = o->number, .series = o->carries[i]};
        if (computed && !(next->promise && next->ninputs > 0)) continue;
        from[found] = next;
        if (!(to[found++] = add_stage(o->l, stage, next, o->fault))) return false;
    }
    return substitute(0, found, from, to, 1, root, o->fault);
}

/* Let the stages from number `first` on be elements at t + offset. */
static void place_stages(struct loops *l, int first, int64_t offset) {
    for (int i = first; i < l->nstages; i++) l->stages[i].kind = STAGE_AT, l->stages[i].offset = offset;
}

/* Add the line of the number of steps: the least t + 1 of which the condition to stop holds after step t.  That of a loop
   with a number of steps, as ty_while makes, is asked of the first values, too: the least t, if it needs carries alone. */
static bool add_count(struct opening *o) {
    const struct loop_attr *a = o->attr;
    struct stage left = {.kind = STAGE_COUNT};
    int first;
    if (!a->stops) return !a->counted || add_step(o, left, o->loop->inputs[loop_operands(a) - 1], false);
    ty_tensor *stop = o->roots[o->body->nroots - 1];
    if (!use_next(o, false, &stop, &first)) return false;
    left.offset = !a->counted || uses_step(o, stop);
    if (o->fault->set) return false; /* of the walk */
    place_stages(o->l, first, left.offset);
    return add_step(o, left, stop, true);
}

/* Add the lines of the body's results, and set stacked[] to the series of its stacked results. */
static bool leave_body(struct opening *o, int *stacked) {
    const struct loop_attr *a = o->attr;
    bool done = true;
    for (int i = 0; i < a->ncarries + a->nstacked && done; i++) {
        struct stage left = {.kind = STAGE_AT, .offset = i < a->ncarries && !a->reverse};
        ty_tensor *root = o->roots[i];
        int first;
        if (i < a->ncarries) {
            left.series = o->carries[i];
        } else {
            left.series = stacked[i - a->ncarries] = add_series(o->l, "yqr", o->fault);
            done = left.series >= 0 && use_next(o, true, &root, &first);
            if (done) place_stages(o->l, first, !a->reverse);
        }
        done = done && add_step(o, left, root, false);
    }
    return done && add_count(o);
}

/* Return the leaf of a result of the loop; NULL after a fault. */
static ty_tensor *result_leaf(struct opening *o, const ty_tensor *y, const int *stacked) {
    const struct loop_attr *a = o->attr;
    int i = (int)result_index(y);
    struct stage stage = {.kind = STAGE_ALL, .loop = o->number};
    if (i < a->ncarries) {
        stage.kind = a->reverse ? STAGE_FIRST : STAGE_LAST;
        stage.series = o->carries[i];
    } else if (i < a->ncarries + a->nstacked) {
        stage.series = stacked[i - a->ncarries];
    } else if (i < loop_count_result(a)) {
        stage.series = o->carries[a->histories[i - a->ncarries - a->nstacked]];
    } else {
        stage.kind = STAGE_COUNT;
    }
    return add_stage(o->l, stage, y, o->fault);
}

/* Replace the results of the loop, node k of a walk, in the values of all steps and in n results. */
static bool replace_results(struct opening *o, const struct walk *w, const int *stacked, int n,
                            ty_tensor **results) {
    size_t room = (size_t)w->count + 1;
    ty_tensor **from = arena_array(&o->l->arena, room, sizeof *from),
              **to = arena_array(&o->l->arena, room, sizeof *to);
    int all = o->l->nsteps + n, found = 0;
    ty_tensor **roots = arena_array(&o->l->arena, (size_t)all + 1, sizeof *roots);
    if (!from || !to || !roots) return fault_memory(o->fault, room * sizeof *from);
    for (int64_t k = 0; k < w->count; k++) {
        if (!is_result(w->nodes[k]) || w->nodes[k]->inputs[0] != o->loop) continue;
        from[found] = w->nodes[k];
        if (!(to[found++] = result_leaf(o, w->nodes[k], stacked))) return false;
    }
    for (int i = 0; i < all; i++)
        roots[i] = i < o->l->nsteps ? o->l->steps[i].value : results[i - o->l->nsteps];
    if (!substitute(0, found, from, to, all, roots, o->fault)) return false;
    for (int i = 0; i < all; i++)
        *(i < o->l->nsteps ? &o->l->steps[i].value : &results[i - o->l->nsteps]) = roots[i];
    return true;
}

/* Take loop `loop` of the walk, first reached from root number `root` of all, out of the graph. */
static bool open_loop(struct loops *l, const struct walk *w, const ty_tensor *loop, int root, int n,
                      ty_tensor **results, struct fault *fault) {
    struct opening o = {.l = l, .loop = loop, .attr = loop->attr, .number = l->nloops, .fault = fault};
    const struct loop_attr *a = o.attr;
    o.body = a->body;
    o.at = root < l->nsteps ? root : l->nsteps;
    struct recurrence r = {
        .length = a->length, .counted = a->stops || a->counted, .reverse = a->reverse, .outer = -1};
    if (root < l->nsteps && l->steps[root].left.kind == STAGE_AT) r.outer = l->steps[root].left.loop;
    int *stacked = arena_array(&l->arena, (size_t)a->nstacked + 1, sizeof *stacked);
    o.carries = arena_array(&l->arena, (size_t)a->ncarries + 1, sizeof *o.carries);
    o.inside = arena_array(&l->arena, (size_t)a->body->nparameters + 1, sizeof *o.inside);
    o.roots = arena_array(&l->arena, (size_t)a->body->nroots + 1, sizeof *o.roots);
    bool room =
        stacked && o.carries && o.inside && o.roots && list_append(l->loops, l->nloops, l->loop_room, r);
    if (!room) return fault_memory(fault, sizeof r);
    return enter_body(&o) && leave_body(&o, stacked) && replace_results(&o, w, stacked, n, results);
}

/* ---- all loops ---- */

/* Open the first loop of the graph of all steps and results; *more becomes false if there is none. */
static bool open_first(struct loops *l, int n, ty_tensor **results, bool *more, struct fault *fault) {
    struct walk w = {0};
    int all = l->nsteps + n, root = 0;
    ty_tensor **roots = arena_array(&l->arena, (size_t)all + 1, sizeof *roots);
    bool done = roots || fault_memory(fault, sizeof *roots);
    for (int i = 0; i < all && done; i++)
        roots[i] = i < l->nsteps ? l->steps[i].value : results[i - l->nsteps];
    done = done && walk_order(&w, all, roots, fault);
    int64_t k = 0;
    while (done && k < w.count && !(w.nodes[k]->promise && w.nodes[k]->op == &op_loop)) k++;
    *more = done && k < w.count && l->nloops < MOST_LOOPS;
    while (*more && root < all - 1 && walk_place(&w, tensor_resolve(roots[root])) < k) root++;
    if (*more) done = open_loop(l, &w, w.nodes[k], root, n, results, fault);
    walk_drop(&w);
    return done;
}

bool loops_open(struct loops *l, int n, ty_tensor **results, struct fault *fault) {
    bool done = true, more = true;
    while (done && more) done = open_first(l, n, results, &more, fault);
    return done;
}
