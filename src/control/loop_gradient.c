/*
 * The gradient of a loop is a loop in the opposite direction whose body is the gradient of the first body.
 * Its carries are the gradients of the carries and the sums of those of shared operands. It reads carries
 * before each step (histories) and values chosen by loop_save.c as sequences. For that the first loop is
 * recorded again with these as additional results. Other values are computed again. pass_loops merges the two
 * recordings when the graph is compiled.
 */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "control/loop_gradient.h"
#include "control/recorder.h"
#include "control/results.h"
#include "control/scan.h"
#include "ops/contract/contract.h"
#include "ops/core/operators.h"
#include "grad/reverse.h"

/* ---- the gradient of one step, on the parameters of the body ---- */

/* Return the incoming gradient of the last value of carry i; NULL if it is 0. */
static ty_tensor *from_last(const struct back *b, int i) { return gradients_of(b->g, i); }
/* Return the incoming gradient of the history of carry i; NULL if it is 0 or there is no history. */
static ty_tensor *from_history(const struct back *b, int i) {
    int history = loop_history_of(b->attr, i);
    return history < 0 ? NULL : gradients_of(b->g, loop_history_result(b->attr, history));
}

/* List in b->y the outputs of the loop body with an incoming gradient: active carries, and stacked results
   that have one. List in b->seed a seed parameter, which stands for that gradient, for each. False, with the
   fault set, on failure. */
static bool find_roots(struct back *b) {
    const struct loop_attr *a = b->attr;
    b->nroots = 0;
    for (int i = 0; i < a->ncarries + a->nstacked; i++) {
        ty_tensor *root = a->body->roots[i];
        bool flows = i < a->ncarries ? b->active[i] : gradients_of(b->g, i) != NULL;
        if (!flows || !has_gradient(root)) continue;
        b->root[b->nroots] = i;
        b->y[b->nroots] = root;
        if (!b->seeds[i])
            b->seeds[i] = parameter_new(-1 - i, root->dtype, root->layout.rank, root->layout.shape);
        if (!ty_ok(b->seeds[i])) return fault_tensor(&b->fault, b->seeds[i]);
        b->seed[b->nroots++] = b->seeds[i];
    }
    return true;
}

/* Record the gradient of one step, into b->gradients: for all carries, and for sequences and shared
   parameters that need one. False, with the fault set, on failure. */
static bool step_back(struct back *b) {
    const struct loop_attr *a = b->attr;
    b->nx = 0;
    for (int i = 0; i < a->body->nparameters; i++) {
        int operand = i < loop_index_parameter(a) ? i : i - 1;
        bool wanted = has_gradient(a->body->parameters[i]) && (i < a->ncarries || b->needed[operand]);
        if (!wanted) continue;
        b->parameter[b->nx] = i;
        b->x[b->nx++] = a->body->parameters[i];
    }
    return find_roots(b) && reverse_all(0, b->nroots, b->y, b->seed, b->nx, b->x, b->gradients, &b->fault);
}

/* Mark the carries that receive a gradient, from outside or through other carries, by fixed-point iteration.
   False, with the fault set, on failure. */
static bool find_active(struct back *b) {
    const struct loop_attr *a = b->attr;
    for (int i = 0; i < a->ncarries; i++)
        b->active[i] = has_gradient(a->body->parameters[i]) && (from_last(b, i) || from_history(b, i));
    for (bool changed = true; changed;) {
        changed = false;
        if (!step_back(b)) return false;
        for (int i = 0; i < b->nx; i++) {
            int carry = b->parameter[i];
            if (carry >= a->ncarries || !b->gradients[i] || b->active[carry]) continue;
            b->active[carry] = changed = true;
        }
    }
    return true;
}

/* ---- the first loop with additional results ---- */

static bool is_demanded(const struct back *b, int parameter) { return b->save.parameters[parameter]; }

/* Return attributes of the first loop with stored values and histories added, in the arena; *bytes is set to
   their size. NULL if memory runs out. */
static struct loop_attr *extended_attr(struct back *b, size_t *bytes) {
    const struct loop_attr *a = b->attr;
    struct loop_attr *e = arena_alloc(&b->arena, sizeof *e + (size_t)a->ncarries * sizeof(int32_t));
    if (!e) return NULL;
    *e = *a;
    e->nhistories = 0;
    e->nstacked += b->save.count;
    for (int i = 0; i < a->ncarries; i++)
        if (loop_history_of(a, i) >= 0 || is_demanded(b, i)) e->histories[e->nhistories++] = i;
    *bytes = loop_attr_bytes(e);
    return e;
}

/* Return the first loop's body with stored values as additional results and their captures as additional
   parameters; these are added to *c. The caller releases it. NULL, with the fault set, on failure. */
static struct body *extended_body(struct back *b, struct captures *c) {
    const struct loop_attr *a = b->attr;
    struct body *f = a->body;
    int first = a->ncarries + a->nstacked, n = f->nparameters, nroots = f->nroots + b->save.count;
    ty_tensor **roots = arena_array(&b->arena, (size_t)nroots + 1, sizeof *roots);
    if (!roots) {
        fault_memory(&b->fault, sizeof *roots);
        return NULL;
    }
    for (int i = 0; i < first; i++) roots[i] = f->roots[i];
    for (int i = 0; i < b->save.count; i++) roots[first + i] = b->save.nodes[i];
    if (a->stops) roots[nroots - 1] = f->roots[first];
    if (!captures_add(c, 0, true, n, f->parameters, nroots, roots, &b->fault)) return NULL;
    ty_tensor **parameters = arena_array(&b->arena, (size_t)n + (size_t)c->count + 1, sizeof *parameters);
    if (!parameters) {
        fault_memory(&b->fault, sizeof *parameters);
        return NULL;
    }
    for (int i = 0; i < n; i++) parameters[i] = f->parameters[i];
    for (int i = 0; i < c->count; i++) {
        const ty_tensor *x = c->tensors[i];
        parameters[n + i] = parameter_new(n + i, x->dtype, x->layout.rank, x->layout.shape);
        if (ty_ok(parameters[n + i])) continue;
        fault_tensor(&b->fault, parameters[n + i]);
        return NULL;
    }
    if (!substitute(0, c->count, c->tensors, parameters + n, nroots, roots, &b->fault)) return NULL;
    struct body_kinds kinds = {a->ncarries, a->nsequences};
    return body_make(n + c->count, parameters, nroots, roots, &(struct extension){f, kinds, kinds},
                     &b->fault);
}

/* Record the first loop again, with the values that its gradient reads as further results, as b->extended.
   False, with the fault set, on failure. */
static bool extend(struct back *b) {
    struct captures c = {0};
    size_t bytes = sizeof(struct loop_attr);
    struct loop_attr *e = extended_attr(b, &bytes);
    struct body *body = e ? b->save.count ? extended_body(b, &c) : body_retain(b->attr->body) : NULL;
    int n = loop_shared_operand(b->attr, loop_shared(b->attr));
    ty_tensor **operands = arena_array(&b->arena, (size_t)n + (size_t)c.count + 2, sizeof *operands);
    if (body && operands) {
        e->body = body;
        e->body_id = body->id;
        for (int i = 0; i < n; i++) operands[i] = b->loop->inputs[i];
        for (int i = 0; i < c.count; i++) operands[n++] = c.tensors[i];
        if (e->counted) operands[n++] = b->loop->inputs[b->loop->ninputs - 1];
        b->extended = record(&op_loop, e, bytes, n, operands);
        if (!ty_ok(b->extended)) fault_tensor(&b->fault, b->extended);
    } else {
        fault_memory(&b->fault, bytes);
    }
    if (body) body_release(body);
    captures_drop(&c);
    return !b->fault.set;
}

/* ---- sequences of the new loop ---- */

static void add_sequence(struct back *b, ty_tensor *stands_for, ty_tensor *sequence) {
    b->stands_for[b->nsequences] = stands_for;
    b->sequences[b->nsequences++] = sequence;
}

/* Read histories, stored values and, if it may stop, the step count of the extended loop, and list them as
   sequences of the new loop; set b->count. In eager mode they are computed now. False, with the fault set, on
   failure. */
static bool read_extended(struct back *b) {
    const struct loop_attr *a = b->attr, *e = b->extended->attr;
    size_t most = (size_t)a->ncarries + (size_t)a->nstacked + (size_t)b->save.count + 1;
    int n = 0, *which = arena_array(&b->arena, most, sizeof *which);
    ty_tensor **results = arena_array(&b->arena, most, sizeof *results);
    if (!which || !results) return fault_memory(&b->fault, most * sizeof *results);
    for (int i = 0; i < a->ncarries; i++)
        if (is_demanded(b, i)) which[n++] = loop_history_result(e, loop_history_of(e, i));
    for (int i = a->ncarries; i < a->ncarries + a->nstacked; i++)
        if (b->save.roots[i]) which[n++] = i;
    for (int i = 0; i < b->save.count; i++) which[n++] = a->ncarries + a->nstacked + i;
    if (a->stops) which[n++] = loop_count_result(e);
    if (n && !results_of(b->extended, n, which, results))
        for (int i = 0; i < n; i++)
            if (!ty_ok(results[i]))
                return fault_set(&b->fault, ty_error_code(results[i]), "gradient of a loop: %s",
                                 ty_error(results[i]));
    n = 0;
    for (int i = 0; i < a->ncarries; i++) {
        if (!is_demanded(b, i)) continue;
        add_sequence(b, a->body->parameters[i], loop_before_steps(a, results[n]));
        if (b->save.roots[i]) add_sequence(b, a->body->roots[i], loop_after_steps(a, results[n]));
        n++;
    }
    for (int i = a->ncarries; i < a->ncarries + a->nstacked; i++)
        if (b->save.roots[i]) add_sequence(b, a->body->roots[i], results[n++]);
    for (int i = 0; i < b->save.count; i++) add_sequence(b, b->save.nodes[i], results[n++]);
    b->count = a->stops ? results[n] : a->counted ? b->loop->inputs[b->loop->ninputs - 1] : NULL;
    return true;
}

/* List all sequences of the new loop: stored values, sequences of the first loop and incoming gradients.
   False, with the fault set, on failure. */
static bool find_sequences(struct back *b) {
    const struct loop_attr *a = b->attr;
    if (!read_extended(b)) return false;
    for (int i = a->ncarries; i < loop_index_parameter(a); i++)
        if (is_demanded(b, i)) add_sequence(b, a->body->parameters[i], b->loop->inputs[i]);
    for (int i = a->ncarries; i < a->ncarries + a->nstacked; i++)
        if (b->seeds[i]) add_sequence(b, b->seeds[i], gradients_of(b->g, i));
    for (int i = 0; i < a->ncarries; i++)
        if (b->active[i] && from_history(b, i))
            add_sequence(b, NULL, loop_before_steps(a, from_history(b, i)));
    return true;
}

/* ---- the new loop ---- */

/* Return the incoming gradient of active carry i after the last step: the sum of that of its last value and
   that of its history's last element. */
static ty_tensor *flow_at_end(const struct back *b, int i) {
    const struct loop_attr *a = b->attr;
    ty_tensor *last = from_last(b, i), *history = from_history(b, i);
    if (!last) last = reverse_zeros(a->body->parameters[i]);
    if (!history) return last;
    ty_tensor *row = a->reverse ? ty_int(0) : b->count ? b->count : ty_int(a->length);
    ty_tensor *end = ty_gather(history, ty_reshape(ty_cast(row, TY_I64), 1, (int64_t[]){1}), 0);
    return ty_add(last, ty_reshape(end, last->layout.rank, last->layout.shape));
}

/* ---- sums of products ---- */

/* True if b->x[i] is the parameter for an element of a sequence. */
static bool is_element(const struct back *b, int i) {
    return b->parameter[i] >= b->attr->ncarries && b->parameter[i] < loop_index_parameter(b->attr);
}
/* True if b->x[i] is a parameter that all steps share. */
static bool is_shared(const struct back *b, int i) { return b->parameter[i] > loop_index_parameter(b->attr); }

/* Set p->sequence[k] or p->result[k] to the index of x, operand k of product *p, among the new loop's
   sequences and results (-1: it is none). If it is neither it becomes an additional result, and *added is
   counted up. */
static void find_operand(const struct back *b, struct product *p, const ty_tensor *x, int k, int *added) {
    int y = 0;
    p->sequence[k] = p->result[k] = -1;
    for (int i = 0; i < b->nsequences; i++)
        if (b->stands_for[i] == x) p->sequence[k] = i;
    for (int i = 0; i < b->nx; i++) {
        if (!is_element(b, i)) continue;
        if (b->gradients[i] == x) p->result[k] = y;
        y++;
    }
    p->added[k] = p->sequence[k] < 0 && p->result[k] < 0;
    if (p->added[k]) p->result[k] = y + (*added)++;
}

/* True if g, the product *p of each step, summed over all steps, should become one contraction. The operands
   to stack must have at most half the elements of the sum (none for a frugal loop), and the number of steps
   must be fixed. One operand must belong to the first loop alone, so that the product's own gradient does not
   need this loop. */
static bool pays(const struct back *b, const struct product *p, const ty_tensor *g) {
    int64_t added = 0;
    bool splits = false;
    for (int k = 0; k < 2; k++) {
        if (p->added[k]) added += tensor_size(g->inputs[k]);
        const ty_tensor *stands_for = p->sequence[k] < 0 ? NULL : b->stands_for[p->sequence[k]];
        splits = splits || (stands_for && (!is_parameter(stands_for) || parameter_number(stands_for) >= 0));
    }
    if (!splits) return false;
    return !b->count && added <= (b->attr->frugal ? 0 : tensor_size(g) / 2);
}

/* Fill b->products with those gradients of shared parameters that become contractions after the loop. Return
   the number of additional results that they need. */
static int find_products(struct back *b) {
    int added = 0;
    for (int i = 0; i < b->nx; i++) {
        const ty_tensor *g = b->gradients[i];
        struct product *p = &b->products[i];
        *p = (struct product){.is = false};
        if (!is_shared(b, i) || !g || g->op != &op_contract) continue;
        const struct contract_attr *attr = g->attr;
        if (attr->nwindows || attr->sums || attr->ra >= TY_MAX_RANK || attr->rb >= TY_MAX_RANK) continue;
        if (is_parameter(g->inputs[0]) && is_parameter(g->inputs[1])) continue;
        int before = added;
        for (int k = 0; k < 2; k++) find_operand(b, p, g->inputs[k], k, &added);
        p->is = pays(b, p, g);
        if (!p->is) added = before;
    }
    return added;
}

/* Return gradient i, a product, as a contraction over all steps: both operands have one more label, which is
   summed. Poison on failure. */
static ty_tensor *product_of(const struct back *b, int i) {
    const struct product *p = &b->products[i];
    const struct contract_attr *attr = b->gradients[i]->attr;
    const uint8_t *labels[] = {attr->labels, attr->labels + attr->ra, attr->labels + attr->ra + attr->rb};
    int ranks[] = {attr->ra, attr->rb};
    struct labelled all[2];
    uint8_t step = 0;
    while (memchr(attr->labels, step, (size_t)(attr->ra + attr->rb + attr->ro))) step++;
    for (int k = 0; k < 2; k++) {
        all[k].x = p->sequence[k] >= 0 ? b->sequences[p->sequence[k]] : b->stacked[p->result[k]];
        all[k].labels[0] = step;
        memcpy(all[k].labels + 1, labels[k], (size_t)ranks[k]);
    }
    return contract(all[0], all[1], attr->ro, labels[2]);
}

/* Step of the new loop, whose context is a struct back: set its results to the recorded gradient of a step,
   with the operands of this step substituted. Results are poison on failure. */
static void new_step(void *context, ty_step *s) {
    struct back *b = context;
    const struct loop_attr *a = b->attr;
    const struct body *f = a->body;
    int n = 0, carry = 0, y = 0, history = b->nsequences;
    for (int i = 0; i < loop_shared(a); i++, n++) {
        b->originals[n] = f->parameters[loop_shared_parameter(a, i)];
        b->replacements[n] = b->loop->inputs[loop_shared_operand(a, i)];
    }
    b->originals[n] = f->parameters[loop_index_parameter(a)];
    b->replacements[n++] = s->index;
    for (int i = 0; i < a->ncarries; i++) {
        if (!b->active[i]) continue;
        b->originals[n] = b->seeds[i];
        b->replacements[n++] = s->carry[carry++];
        history -= from_history(b, i) != NULL;
    }
    for (int i = 0; i < b->nsequences; i++) {
        if (!b->stands_for[i]) continue;
        b->originals[n] = b->stands_for[i];
        b->replacements[n++] = s->x[i];
    }
    for (int i = 0; i < b->nx; i++) b->made[i] = b->gradients[i] ? b->gradients[i] : reverse_zeros(b->x[i]);
    bool done = substitute(0, n, b->originals, b->replacements, b->nx, b->made, &b->fault);
    ty_tensor *bad = done ? NULL : tensor_fault(&b->fault);
    int next = 0;
    for (int i = 0; i < b->nx; i++) {
        int p = b->parameter[i];
        ty_tensor *g = done ? b->made[i] : bad;
        if (p < a->ncarries) {
            if (!b->active[p]) continue;
            s->next[next++] = from_history(b, p) ? ty_add(g, s->x[history++]) : g;
        } else if (p < loop_index_parameter(a)) {
            s->y[y++] = g;
        } else if (b->products[i].is) {
            for (int k = 0; k < 2; k++)
                if (b->products[i].added[k]) s->y[b->products[i].result[k]] = done ? g->inputs[k] : bad;
        } else {
            s->next[carry] = ty_add(s->carry[carry], g);
            carry++;
        }
    }
}

/* Record the new loop, which runs the other way, and write the gradients of the needed operands to out[], an
   entry for each operand. False, with the fault set, on failure. */
static bool run_back(struct back *b, ty_tensor **out) {
    const struct loop_attr *a = b->attr;
    ty_scan_spec loop = {.carry = b->first,
                         .x = b->sequences,
                         .nx = b->nsequences,
                         .length = a->length,
                         .reverse = !a->reverse,
                         .ny = find_products(b)};
    for (int i = 0; i < a->ncarries; i++)
        if (b->active[i]) b->first[loop.ncarry++] = flow_at_end(b, i);
    for (int i = 0; i < b->nx; i++) {
        if (is_element(b, i)) loop.ny++;
        if (is_shared(b, i) && !b->products[i].is) b->first[loop.ncarry++] = reverse_zeros(b->x[i]);
    }
    if (!scan_counted("gradient of a loop", new_step, b, &loop, b->count, b->last, b->stacked, NULL))
        return fault_tensor(&b->fault, loop.ncarry ? b->last[0] : b->stacked[0]);
    int carry = 0, shared = 0, y = 0;
    for (int i = 0; i < a->ncarries; i++) shared += b->active[i];
    for (int i = 0; i < b->nx; i++) {
        int p = b->parameter[i], operand = p < loop_index_parameter(a) ? p : p - 1;
        if (p < a->ncarries && !b->active[p]) continue;
        ty_tensor *g = p < a->ncarries               ? b->last[carry++]
                       : p < loop_index_parameter(a) ? b->stacked[y++]
                       : b->products[i].is           ? product_of(b, i)
                                                     : b->last[shared++];
        if (b->needed[operand]) out[operand] = g;
    }
    return true;
}

/* Allocate the tables of carries, outputs and parameters. False, with the fault set, on failure. */
static bool make_room(struct back *b) {
    const struct loop_attr *a = b->attr;
    size_t roots = (size_t)a->ncarries + (size_t)a->nstacked + 1,
           parameters = (size_t)a->body->nparameters + 1;
    size_t all = roots + 2 * parameters + (size_t)a->ncarries;
    b->active = arena_array(&b->arena, roots, sizeof *b->active);
    b->root = arena_array(&b->arena, roots, sizeof *b->root);
    b->parameter = arena_array(&b->arena, parameters, sizeof *b->parameter);
    b->products = arena_array(&b->arena, parameters, sizeof *b->products);
    ty_tensor ***lists[] = {&b->y,     &b->seed, &b->seeds,   &b->x,   &b->gradients,
                            &b->first, &b->last, &b->stacked, &b->made};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!(*lists[i] = arena_array(&b->arena, all, sizeof **lists[i])))
            return fault_memory(&b->fault, all * sizeof **lists[i]);
    return (b->active && b->root && b->parameter && b->products) ||
           fault_memory(&b->fault, all * sizeof *b->root);
}

/* Allocate the lists of sequences and of replacements. False, with the fault set, on failure. */
static bool make_lists(struct back *b) {
    const struct loop_attr *a = b->attr;
    size_t n = 3 * ((size_t)a->ncarries + (size_t)a->nstacked + (size_t)a->body->nparameters +
                    (size_t)b->save.count) +
               2;
    ty_tensor ***lists[] = {&b->stands_for, &b->sequences, &b->originals, &b->replacements};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!(*lists[i] = arena_array(&b->arena, n, sizeof **lists[i])))
            return fault_memory(&b->fault, n * sizeof **lists[i]);
    return true;
}

/* Record the loop's gradient: extend the first loop, then run a new one backwards. out[i] is set to the
   gradient of each needed operand i. False, with the fault set, on failure. */
static bool go_back(struct back *b, ty_tensor **out) {
    if (b->attr->length == INT64_MAX)
        return fault_set(&b->fault, E_ARGUMENT,
                         "gradient of while: the carries before each step must be stored, but the "
                         "maximum number of steps is unknown; set `most` of ty_while");
    ++tensor_level;
    bool done = make_room(b) && find_active(b) &&
                save_choose(&b->save, b->attr, b->nx, b->gradients, &b->arena, &b->fault);
    --tensor_level;
    return done && make_lists(b) && extend(b) && find_sequences(b) && run_back(b, out);
}

void loop_vjp(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    struct back b = {.loop = y, .attr = y->attr, .g = g, .needed = needed};
    bool done = go_back(&b, out);
    for (int i = 0; i < y->ninputs && !done; i++)
        if (needed[i] && !out[i]) out[i] = tensor_fault(&b.fault);
    arena_drop(&b.arena);
}
