/*
 * Loops and branches as functions of the file, as loop.c and branch.c (src/compile) run them.  Each body is a function,
 * too; all of them are
 *
 *   static int PREFIX_loop0(PREFIX_state *state, char *arena, const char *const *x, char *const *y);
 *
 * where `arena` is the workspace, x[] are operands, and y[] results.  They return 0 or an error, like functions of the
 * file.
 */
#include <inttypes.h>
#include <string.h>

#include "array/tensor.h"
#include "base/hash.h"
#include "compile/bodies/branch.h"
#include "compile/bodies/loop.h"
#include "control/branch.h"
#include "control/loop.h"
#include "export/engine.h"
#include "export/export.h"

static const char *const kinds[] = {"loop", "branch", "body"};
enum { LOOP, BRANCH, BODY };

bool loops_names(const char *word) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);
        if (!strncmp(word, kinds[i], n) && word[n] && !word[n + strspn(word + n, "0123456789")]) return true;
    }
    return false;
}

/* Append a function of this kind, from its opening brace on, to the file unless it is there, and drop its text.  Return
   its number. */
static int add_part(struct exporting *e, int kind, struct text *body) {
    bool is_new = false;
    uint64_t key = hash_join(hash_bytes(body->data, body->length), (uint64_t)kind);
    const int64_t *number = body->failed ? NULL : map_put(&e->part_of, key, e->nparts, &is_new);
    e->parts.failed = e->parts.failed || !number;
    int found = number ? (int)*number : 0;
    if (is_new) {
        e->nparts++;
        text_add(&e->parts,
                 "static int %s_%s%d(%s_state *state, char *arena, const char *const *x, char *const *y) {\n",
                 e->prefix.text, kinds[kind], found, e->prefix.text);
        text_add_bytes(&e->parts, body->data, body->length);
    }
    text_drop(body);
    return found;
}
/* Append the beginning and the end of all these functions: they may leave parameters unused. */
static void add_begin(struct text *t) { text_add(t, "(void)state, (void)arena, (void)x, (void)y;\n"); }
static void add_end(struct text *t) { text_add(t, "return 0;\n}\n"); }

/* Append the function of a body.  Return its number. */
static int add_body(struct exporting *e, const struct body_code *code, const struct body *body) {
    struct routine r = {.flow = &code->flow, .plan = &code->plan, .code = code, .body = body};
    struct text t = {0};
    add_begin(&t);
    calls_write(e, &r, &t);
    add_end(&t);
    return add_part(e, BODY, &t);
}

/* ---- loops ---- */

/* A loop being written. */
struct written_loop {
    const struct kernel *kernel;
    const struct loop_attr *attr;
    const struct loop_plan *plan;
    struct text text;
};

/* Append the address of buffer `which`, 0 or 1, of a carry. */
static void add_buffer(struct written_loop *l, const struct carried *c, int which) {
    if (c->last >= 0 && which == 0)
        text_add(&l->text, "y[%d]", c->last);
    else
        text_add(&l->text, "arena + %zu", c->places[which]);
}
/* Append the address of a carry after `steps` steps, an expression of C, as `turn` of loop.c. */
static void add_carry(struct written_loop *l, const struct carried *c, const char *steps) {
    if (c->history >= 0) {
        text_add(&l->text, "y[%d] + (%s%s) * %zu", c->history, l->attr->reverse ? "count - " : "", steps,
                 c->bytes);
        return;
    }
    if (!c->in_place) {
        text_add(&l->text, "((%s%s) & 1 ? ", l->attr->stops ? "" : "count - ", steps);
        add_buffer(l, c, 1);
        text_add(&l->text, " : ");
    }
    add_buffer(l, c, 0);
    if (!c->in_place) text_add(&l->text, ")");
}

/* Append the number of steps, and the carries' first values where steps change them or keep a history. */
static void add_first(struct written_loop *l) {
    const struct loop_attr *a = l->attr;
    text_add(&l->text, "int64_t step = 0, index, count = INT64_C(%" PRId64 ");\nint code;\n", a->length);
    if (a->counted)
        text_add(&l->text,
                 "memcpy(&count, x[%d], sizeof count);\nif (count < 0) count = 0;\n"
                 "if (count > %" PRId64 ") count = %" PRId64 ";\n",
                 l->kernel->ninputs - 1, a->length, a->length);
    for (int i = 0; i < l->plan->ncarries; i++) {
        const struct carried *c = &l->plan->carries[i];
        if (!c->bytes || (c->history < 0 && !c->in_place)) continue;
        text_add(&l->text, "if (");
        add_carry(l, c, "0");
        text_add(&l->text, " != x[%d]) memcpy(", c->number);
        add_carry(l, c, "0");
        text_add(&l->text, ", x[%d], %zu);\n", c->number, c->bytes);
    }
}
/* Append pointers that are the same in all steps: the index, operands of all steps, and the stop flag. */
static void add_fixed(struct written_loop *l) {
    const struct loop_attr *a = l->attr;
    const struct body_code *code = &l->plan->code;
    int index = loop_index_parameter(a);
    if (code->parameters[index] >= 0) text_add(&l->text, "from[%d] = arena + %zu;\n", index, l->plan->index);
    for (int i = 0; i < loop_shared(a); i++)
        if (code->parameters[loop_shared_parameter(a, i)] >= 0)
            text_add(&l->text, "from[%d] = x[%d];\n", loop_shared_parameter(a, i), loop_shared_operand(a, i));
    if (a->stops)
        text_add(&l->text, "to[%d] = arena + %zu;\n", a->body->nroots - 1, l->plan->index + sizeof(int64_t));
}
/* Append the pointers of a step. */
static void add_step(struct written_loop *l) {
    const struct loop_attr *a = l->attr;
    const struct body_code *code = &l->plan->code;
    text_add(&l->text, "index = %s;\nmemcpy(arena + %zu, &index, sizeof index);\n",
             a->reverse ? "count - 1 - step" : "step", l->plan->index);
    for (int i = 0; i < l->plan->ncarries; i++) {
        const struct carried *c = &l->plan->carries[i];
        bool given = c->history < 0 && !c->in_place; /* the first step reads the operand */
        text_add(&l->text, "from[%d] = ", c->number);
        if (given) text_add(&l->text, "step == 0 ? x[%d] : ", c->number);
        add_carry(l, c, "step");
        text_add(&l->text, ";\nto[%d] = ", c->number);
        add_carry(l, c, "(step + 1)");
        text_add(&l->text, ";\n");
    }
    for (int i = a->ncarries; i < loop_index_parameter(a); i++) {
        const struct operand *x = &l->kernel->inputs[i];
        if (code->parameters[i] >= 0)
            text_add(&l->text, "from[%d] = x[%d] + index * %" PRId64 ";\n", i, i,
                     x->layout.strides[0] * (int64_t)dtype_table[x->dtype].size);
    }
    for (int i = 0; i < l->plan->nstacked; i++) {
        const struct stacked *s = &l->plan->stacked[i];
        text_add(&l->text, "to[%d] = y[%d] + index * %" PRId64 ";\n", s->root, s->output, s->bytes);
    }
}
/* Append zeros for the elements of result `output` that no step wrote. */
static void add_rest(struct written_loop *l, int output, int64_t bytes, const char *from) {
    const struct loop_attr *a = l->attr;
    if (!bytes || (!a->counted && !a->stops)) return;
    text_add(&l->text,
             "memset(y[%d] + (%s) * %" PRId64 ", 0, (size_t)((%" PRId64 " - step) * %" PRId64 "));\n", output,
             from, bytes, a->length, bytes);
}
/* Append copies of last values to results that are not buffers of the carry. */
static void add_last(struct written_loop *l, const struct carried *c) {
    const struct loop_attr *a = l->attr;
    if (c->history >= 0) add_rest(l, c->history, (int64_t)c->bytes, "step + 1");
    if (c->last < 0 || !c->bytes || (c->history < 0 && c->in_place)) return;
    if (c->history >= 0) {
        text_add(&l->text, "memcpy(y[%d], ", c->last);
        add_carry(l, c, "step");
        text_add(&l->text, ", %zu);\n", c->bytes);
        return;
    }
    if (a->stops)
        text_add(&l->text, "if (step & 1) memcpy(y[%d], arena + %zu, %zu);\n", c->last, c->places[1],
                 c->bytes);
    if (!a->length || a->counted)
        text_add(&l->text, "if (step == 0 && y[%d] != x[%d]) memcpy(y[%d], x[%d], %zu);\n", c->last,
                 c->number, c->last, c->number, c->bytes);
}

/* Append the function of a loop.  Return its number. */
static int add_loop(struct exporting *e, const struct kernel *k) {
    struct written_loop l = {.kernel = k, .attr = k->attr, .plan = k->prepared};
    const struct loop_attr *a = l.attr;
    struct text *t = &l.text;
    int body = add_body(e, &l.plan->code, a->body);
    text_add(t, "const char *from[%d] = {NULL};\nchar *to[%d] = {NULL};\n", a->body->nparameters,
             a->body->nroots + 1);
    add_first(&l);
    add_begin(t);
    add_fixed(&l);
    text_add(t, "while (step < count) {\n");
    add_step(&l);
    text_add(t, "code = %s_body%d(state, arena, from, to);\nif (code) return code;\nstep++;\n",
             e->prefix.text, body);
    if (a->stops) text_add(t, "if (arena[%zu]) break;\n", l.plan->index + sizeof(int64_t));
    text_add(t, "}\n");
    for (int i = 0; i < l.plan->ncarries; i++) add_last(&l, &l.plan->carries[i]);
    for (int i = 0; i < l.plan->nstacked; i++)
        add_rest(&l, l.plan->stacked[i].output, l.plan->stacked[i].bytes, "step");
    if (l.plan->count >= 0) text_add(t, "memcpy(y[%d], &step, sizeof step);\n", l.plan->count);
    add_end(t);
    return add_part(e, LOOP, t);
}

/* ---- branches ---- */

/* Append the function of a branch.  Return its number. */
static int add_branch(struct exporting *e, const struct kernel *k) {
    const struct branch_attr *a = k->attr;
    const struct branch_plan *p = k->prepared;
    struct text t = {0};
    text_add(&t, "char *to[%d] = {NULL};\nint64_t which;\nmemcpy(&which, x[0], sizeof which);\n",
             a->bodies[0].body->nroots + 1);
    add_begin(&t);
    for (int i = 0; i < k->noutputs; i++) text_add(&t, "to[%d] = y[%d];\n", k->results[i], i);
    for (int i = 0; i < p->ncodes; i++) {
        int body = add_body(e, &p->codes[i], a->bodies[i].body);
        if (i < p->ncodes - 1) text_add(&t, "if (which == %d) ", i);
        text_add(&t, "return %s_body%d(state, arena, x + 1, to);\n", e->prefix.text, body);
    }
    text_add(&t, "}\n");
    return add_part(e, BRANCH, &t);
}

void loops_call(struct exporting *e, struct routine *r, int number) {
    const struct kernel *k = &r->flow->kernels[number];
    struct text *t = &r->text;
    int kind = k->kind == KERNEL_LOOP ? LOOP : BRANCH;
    int part = kind == LOOP ? add_loop(e, k) : add_branch(e, k);
    int64_t copies = e->turned_bytes; /* bodies use bytes before these */
    text_add(t, "{\nconst char *const from[] = {");
    for (int i = 0; i < k->ninputs; i++) {
        struct site s = site_of_operand(e, r, &k->inputs[i], &copies);
        text_add(t, "%s%s + %" PRId64, i ? ", " : "", s.base, s.offset);
    }
    text_add(t, "%s};\nchar *const to[] = {", k->ninputs ? "" : "NULL");
    for (int i = 0; i < k->noutputs; i++) {
        struct site s = site_of_operand(e, r, &k->outputs[i], &copies);
        text_add(t, "%s%s + %" PRId64, i ? ", " : "", s.base, s.offset);
    }
    struct site work = site_of_workspace(r, number);
    text_add(t,
             "};\nconst int code = %s_%s%d(state, %s + %" PRId64 ", from, to);\nif (code) return code;\n}\n",
             e->prefix.text, kinds[kind], part, work.base, work.offset);
    e->report.calls++;
}
