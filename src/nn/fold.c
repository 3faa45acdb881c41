/*
 * Folding of batch norms for inference. There a norm is a factor and a sum per channel. If it directly follows
 * a convolution or a linear layer, its factor moves into that layer's weight. A pass over promises shows which
 * layer feeds which norm. The folded norm has deviation 1 and mean 0, so its usual formula and saved files
 * remain valid.
 */
#include "base/machine/floating.h"
#include "base/list.h"
#include "nn/model/model.h"
#include "base/alloc.h"
#include "graph/walk.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>

/* Call of a layer during the pass: first operand and first result. */
struct seen {
    ty_layer *layer;
    const ty_tensor *x, *y;
};

/* A norm and the layer before it. */
struct folded_pair {
    ty_layer *layer, *norm;
    int axis; /* axis of the weight for channels */
};

enum { FOLD_VARIABLES = 6 }; /* weight and bias of the layer; mean, variance, weight and bias of the norm */

/* State of folding one model. */
struct folding {
    struct fault fault;
    int nseen, room, npairs;
    struct seen *seen;
    struct folded_pair *pairs;
    int nvariables; /* variables of a pair to assign */
    ty_tensor *variables[FOLD_VARIABLES], *values[FOLD_VARIABLES];
};

/* Append a call of `layer` with operand x and result y to the seen ones if it may take part in folding: the
   model's watch. context is the struct folding. */
static void see(void *context, ty_layer *layer, const ty_tensor *x, const ty_tensor *y) {
    struct folding *f = context;
    if (layer->kind != &ty_kind_batch_norm && !layer->kind->channels) return;
    if (!list_append(f->seen, f->nseen, f->room, (struct seen){layer, x, y}))
        fault_memory(&f->fault, (size_t)f->nseen * sizeof *f->seen);
}

/* ---- pairs ---- */

/* Return true if x is used exactly once, as an operand in the graph of the walk or as one of the outputs
   roots[0..n). */
static bool used_once(const struct walk *w, const ty_tensor *x, int n, ty_tensor *const *roots) {
    int64_t place = walk_place(w, x), uses = 0;
    for (int i = 0; i < n; i++) uses += roots[i] == x;
    for (int64_t k = 0; place >= 0 && k < w->count; k++)
        for (int i = 0; walk_enters(w, w->nodes[k]) && i < w->nodes[k]->ninputs; i++)
            uses += walk_operand(w, k, i) == place;
    return uses == 1;
}

/* Return true if the batch norm `norm` is applied to the result of layer `from`, which can absorb it; *axis
   receives the axis of output channels in its weight. Other uses of that result are not checked. */
static bool fits(const struct seen *from, const struct seen *norm, int *axis) {
    const ty_batch_norm_layer *o = norm->layer->options;
    int along = -1, rank = ty_rank(from->y);
    if (from->y != norm->x || !from->layer->kind->channels || norm->layer->folded) return false;
    if (from->layer->calls != 1 || norm->layer->calls != 1) return false;
    *axis = from->layer->kind->channels(from->layer->options, &along);
    return *axis >= 0 && (along < 0 ? rank - 1 : along) == (o->nchw ? 1 : rank - 1);
}

/* Set f->pairs to the norms, with the layers before them, whose operand is the result of a foldable layer
   and has no other user among results[n] and their graph. False sets f's fault. */
static bool find_pairs(struct folding *f, int n, ty_tensor *const *results) {
    struct walk w = {0};
    bool walked = walk_order(&w, n, results, &f->fault);
    f->pairs = mem_array((size_t)f->nseen + 1, sizeof *f->pairs);
    if (!f->pairs) fault_memory(&f->fault, (size_t)f->nseen * sizeof *f->pairs);
    for (int i = 0; walked && f->pairs && i < f->nseen; i++) {
        int axis = -1, k = 0;
        if (f->seen[i].layer->kind != &ty_kind_batch_norm) continue;
        while (k < f->nseen && !fits(&f->seen[k], &f->seen[i], &axis)) k++;
        if (k < f->nseen && used_once(&w, f->seen[i].x, n, results))
            f->pairs[f->npairs++] = (struct folded_pair){f->seen[k].layer, f->seen[i].layer, axis};
    }
    walk_drop(&w);
    return !f->fault.set;
}

/* ---- new values ---- */

static ty_tensor *variable_of(const ty_layer *l, const char *name) {
    for (struct variable_entry *e = l->variables; e; e = e->next)
        if (!strcmp(e->name, name)) return e->variable;
    return NULL;
}

/* Return a promise of the current value of the layer's variable `name` in f64, detached; if it has no such variable,
   the number `other`, 0-d. A promise, so that no copy of a weight in f64 is ever in memory. */
static ty_tensor *value_of(const ty_layer *l, const char *name, double other) {
    ty_tensor *x = variable_of(l, name);
    return x ? ty_cast(ty_lazy(ty_detach(ty_eval(x))), TY_F64) : ty_num(other);
}

/* Add to f's assignments that the layer's variable `name` becomes `value`, broadcast and cast to it.
   Without such a variable nothing is added. Failures set f's fault. */
static void give(struct folding *f, const ty_layer *l, const char *name, ty_tensor *value) {
    ty_tensor *x = variable_of(l, name);
    if (!x) return;
    value = ty_eval(ty_cast(ty_broadcast(value, ty_rank(x), ty_shape(x)), ty_dtype_of(x)));
    model_check(&f->fault, ty_name(x), value);
    f->variables[f->nvariables] = x;
    f->values[f->nvariables++] = value;
}

/* Collect the assignments that multiply a batch norm into the weight and bias of the layer before it, and that
   leave the norm only its shift. */
static void fold(struct folding *f, const struct folded_pair *p) {
    const ty_batch_norm_layer *o = p->norm->options;
    double epsilon = o->epsilon > 0 ? o->epsilon : 1e-5;
    ty_tensor *variance = value_of(p->norm, "running_var", 1), *factor, *wide, *shift;
    factor = ty_eval(ty_mul(ty_rsqrt(ty_add(variance, ty_num(epsilon))), value_of(p->norm, "weight", 1)));
    wide = factor;
    for (int i = ty_rank(variable_of(p->layer, "weight")) - 1; i > p->axis; i--) wide = ty_expand(wide, -1);
    give(f, p->layer, "weight", ty_mul(value_of(p->layer, "weight", 0), wide));
    give(f, p->layer, "bias", ty_mul(value_of(p->layer, "bias", 0), factor));
    shift = ty_sub(value_of(p->norm, "bias", 0), ty_mul(value_of(p->norm, "running_mean", 0), factor));
    give(f, p->norm, "running_mean", o->no_shift ? ty_neg(shift) : ty_num(0));
    give(f, p->norm, "running_var", ty_num(1 - epsilon));
    give(f, p->norm, "weight", ty_num(1));
    give(f, p->norm, "bias", shift);
}

/* Fold one pair and assign its variables at once. False sets f's fault, and nothing of the pair is assigned. */
static bool fold_pair(struct folding *f, const struct folded_pair *p) {
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    f->nvariables = 0;
    fold(f, p);
    bool done = !f->fault.set && (ty_assign_all(f->nvariables, f->variables, f->values, &error) ||
                                  fault_set(&f->fault, error ? ty_error_code(error) : E_INTERNAL, "%s",
                                            error ? ty_error(error) : "fold"));
    ty_close(scope);
    return done;
}

/* Fold pair by pair, so that memory holds one layer besides the model. Each pair leaves a model with the same results,
   as does the first of several pairs. False sets f's fault; pairs before stay folded. */
static bool fold_pairs(struct folding *f, ty_model *m) {
    for (int i = 0; i < f->npairs; i++) {
        if (!fold_pair(f, &f->pairs[i])) return false;
        f->pairs[i].norm->folded = true;
        m->folded = true;
        ty_function_free(m->predictor); /* it was compiled with the unfolded norms */
        m->predictor = NULL;
    }
    return true;
}

/* ---- folding ---- */

/* Call the model for inference on n promises shaped like x[], recording calls of layers in f->seen; y[]
   receives the model's results. False sets the fault. */
static bool look(struct folding *f, ty_model *m, int n, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *forms[TY_MAX_RANK];
    for (int i = 0; i < n; i++) {
        if (!model_check(&f->fault, "fold", x[i])) return false;
        forms[i] = ty_lazy(ty_broadcast(ty_scalar(ty_dtype_of(x[i]), 0), ty_rank(x[i]), ty_shape(x[i])));
    }
    m->watch = see;
    m->watcher = f;
    ty_model_call(m, NULL, n, forms, y);
    m->watch = NULL;
    return model_check(&f->fault, "fold", y[0]);
}

/* Set f->pairs to the norms of the model that can be folded. The recorded graph holds the present weights as constants,
   so it ends here. False sets the fault. */
static bool find(struct folding *f, ty_model *m, int n, ty_tensor *const *x) {
    ty_tensor *y[TY_MAX_RANK];
    ty_scope *scope = ty_open();
    bool done = look(f, m, n, x, y) && find_pairs(f, m->options.results, y);
    ty_close(scope);
    return done;
}

int ty_model_fold(ty_model *m, int n, ty_tensor *const *x, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct folding f = {0};
    m = model_of(m);
    if (m->fault.set)
        fault_copy(&f.fault, &m->fault);
    else if (n != m->options.inputs || (n && !x))
        fault_set(&f.fault, E_ARGUMENT, "fold: called on %d tensors, expected %d", x ? n : 0,
                  m->options.inputs);
    if (!f.fault.set && find(&f, m, n, x)) fold_pairs(&f, m);
    mem_free(f.seen);
    mem_free(f.pairs);
    return model_tell(&f.fault, error) ? f.npairs : -1;
}
