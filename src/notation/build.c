/* Notes of leaves, elementwise operators, and operators that are written as functions. */
#include "notation/build.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "array/number_format.h"
#include "array/remote.h"
#include "compile/passes/rewrite.h"
#include "notation/constants.h"
#include "ops/core/operators.h"

/* ---- leaves ---- */

enum { LISTED = 8 }; /* a constant vector of at most this number of elements is written out: half a line */

/* Return the note of n * c, for a small integer n and the constant c, or NULL for n alone. */
static struct note *times_constant(struct writing *w, int64_t n, const struct constant *c) {
    struct note *spelled = c ? note_word(&w->arena, NOTE_NUMBER, c->symbol.name) : NULL;
    if (c && n == 1) return spelled;
    struct note *times = note_integer(&w->arena, n);
    return c ? note_pair(&w->arena, "mul", times, spelled) : times;
}

/* Return true if a variable or a part has the letter of the constant, which then cannot be told from it. */
static bool is_hidden(const struct writing *w, const struct constant *c) {
    uint64_t hash;
    return c->letter && name_hash(w, c->letter, &hash) && map_find(&w->taken, hash);
}

/* Return the note of a number above 0 by a constant: n c / m or n / (m c) for small integers.  In ASCII, which programs
   read, of a constant alone.  NULL for other numbers, and without memory. */
static struct note *by_constant(struct writing *w, ty_dtype dtype, double number) {
    double n, m;
    const struct constant *c = constant_equal(dtype, number);
    if (c && is_hidden(w, c)) c = NULL;
    if (c || w->form == TY_NOTATION_ASCII) return c ? times_constant(w, 1, c) : NULL;
    for (int divides = 0; divides < 2; divides++) {
        if (!(c = constant_in(dtype, number, divides, &n, &m)) || is_hidden(w, c)) continue;
        struct note *above = times_constant(w, (int64_t)n, divides ? NULL : c);
        if (!divides && m == 1) return above;
        return note_pair(&w->arena, "div", above, times_constant(w, (int64_t)m, divides ? c : NULL));
    }
    return NULL;
}

/* Return the note of one element of a value of `dtype`. */
static struct note *number(struct writing *w, ty_dtype dtype, struct element e) {
    struct text t = {0};
    double size = dtype_is(dtype, CLASS_FLOAT) ? element_number(dtype, e) : 0;
    struct note *constant = size != 0 ? by_constant(w, dtype, fabs(size)) : NULL;
    if (constant && size < 0) constant = note_row(&w->arena, notation_of("neg"), 1, &constant);
    if (constant) return constant;
    number_add_scalar(&t, dtype, e);
    if (t.failed) return NULL;
    bool whole = t.length > 2 && !strcmp(t.data + t.length - 2, ".0");
    bool read = w->form == TY_NOTATION_ASCII && *t.data == '-'; /* integers have no -0, and no power -1 */
    if (whole && !read) t.data[t.length - 2] = 0;
    if (dtype_is(dtype, CLASS_BOOL)) strcpy(t.data, e.i ? "true" : "false");
    struct note *note = note_word(&w->arena, NOTE_NUMBER, t.data);
    text_drop(&t);
    return note;
}

/* Return the elements of a constant vector as a list; NULL if it is none or too long. */
static struct note *list(struct writing *w, const ty_tensor *value) {
    struct note *all[LISTED];
    int64_t n = tensor_size(value);
    if (value->layout.rank != 1 || n > LISTED || !tensor_known(value)) return NULL;
    for (int64_t i = 0; i < n; i++) {
        const char *at = tensor_data(value);
        at += i * value->layout.strides[0] * (int64_t)dtype_table[value->dtype].size;
        all[i] = number(w, value->dtype, element_load(value->dtype, at));
    }
    return note_row(&w->arena, notation_of("(list)"), (int)n, all);
}

/* Return the note of a leaf, without indices. */
static struct note *leaf(struct writing *w, int64_t k) {
    struct element e;
    ty_tensor *x = w->walk->nodes[k], *value = constant_value(x);
    const struct stage *stage = loops_stage(w->loops, x);
    if (stage && stage->kind == STAGE_INDEX) return build_index(w, stage->loop);
    if (stage && stage->kind == STAGE_COUNT) return build_count(w, stage->loop, 0);
    if (w->facts[k].name) return note_word(&w->arena, NOTE_NAME, w->facts[k].name);
    if (constant_uniform(x, &e)) return number(w, x->dtype, e);
    struct note *written = value && value->buffer ? list(w, value) : NULL;
    if (written) return written;
    w->facts[k].name = name_take(w, NULL, "CABDFGHKMPQRSTUVW");
    return w->facts[k].name ? note_word(&w->arena, NOTE_NAME, w->facts[k].name) : NULL;
}

/* ---- places ---- */

struct note *build_letter(struct writing *w, int bound) {
    static const char letters[] = "ijklmnpqrst";
    enum { LETTERS = sizeof letters - 1 };
    for (int i = 0, free = 0;; i++) {
        char name[16];
        uint64_t hash;
        snprintf(name, sizeof name, i < LETTERS ? "%c" : "%c%d", letters[i % LETTERS], i / LETTERS);
        if (!name_hash(w, name, &hash)) return NULL;
        if (map_find(&w->taken, hash)) continue;
        if (free++ == bound) return note_word(&w->arena, NOTE_NAME, name);
    }
}

struct place build_single(struct writing *w, int rank, const struct place *at) {
    struct note **zeros = at->index ? NULL : arena_array(&w->arena, (size_t)rank + 1, sizeof *zeros);
    for (int i = 0; i < rank && zeros; i++) zeros[i] = note_integer(&w->arena, 0);
    return (struct place){at->bound, zeros ? zeros : at->index};
}

struct note **build_letters(struct writing *w, int bound, int count) {
    struct note **all = arena_array(&w->arena, (size_t)count + 1, sizeof *all);
    for (int i = 0; i < count && all; i++)
        if (!(all[i] = build_letter(w, bound + i))) return NULL;
    return all;
}

struct note *build_over(struct writing *w, const char *op, int n, struct note *const *letters,
                        const int64_t *sizes, struct note *body) {
    char name[32];
    snprintf(name, sizeof name, "(over %s)", op);
    for (int i = n - 1; i >= 0 && body; i--) {
        struct note *parts[] = {letters[i], note_integer(&w->arena, 0), note_integer(&w->arena, sizes[i] - 1),
                                body};
        body = note_row(&w->arena, notation_of(name), 4, parts);
    }
    return body;
}

/* Return all[0] at the n - 1 indices behind it, and at those of `at` unless x is a single number or written whole. */
static struct note *indexed(struct writing *w, const ty_tensor *x, int n, struct note **all,
                            const struct place *at) {
    struct element e;
    bool number = n == 1 && (is_single(x) || constant_uniform(tensor_of(x), &e));
    for (int i = 0; at->index && !number && !is_single(x) && i < x->layout.rank; i++) all[n++] = at->index[i];
    return n == 1 ? all[0] : n == 0 ? NULL : note_row(&w->arena, notation_of("(index)"), n, all);
}

/* Return the note of node k by its name, at indices. */
static struct note *named(struct writing *w, int64_t k, const struct place *at) {
    struct note *all[STEM + TY_MAX_RANK];
    return indexed(w, node_of(w, k), build_stem(w, k, all), all, at);
}

/* ---- stages of recurrences ---- */

struct note *build_index(struct writing *w, int loop) {
    return note_word(&w->arena, NOTE_NAME, w->loops->loops[loop].index);
}

struct note *build_count(struct writing *w, int loop, int64_t plus) {
    const struct recurrence *r = &w->loops->loops[loop];
    if (!r->counted) return note_integer(&w->arena, r->length + plus);
    return note_index(&w->arena, note_word(&w->arena, NOTE_NAME, r->count), 1, plus);
}

int build_stage(struct writing *w, const struct stage *s, struct note **all) {
    const struct series *series = &w->loops->series[s->series];
    int n = 1;
    if (series->letters)
        all[0] = note_word(&w->arena, NOTE_NAME, series->name);
    else
        n = build_stem(w, series->root, all);
    if (!n || n == STEM || !all[0] || all[0]->kind == NOTE_NUMBER) return n == STEM ? 0 : n;
    if (s->kind == STAGE_AT) all[n++] = note_index(&w->arena, build_index(w, s->loop), 1, s->offset);
    if (s->kind == STAGE_FIRST) all[n++] = note_integer(&w->arena, 0);
    if (s->kind == STAGE_LAST) all[n++] = build_count(w, s->loop, 0);
    return n;
}

int build_stem(struct writing *w, int64_t k, struct note **all) {
    const struct facts *f = &w->facts[k];
    const struct stage *s = loops_stage(w->loops, node_of(w, k));
    if (s && s->kind != STAGE_INDEX && s->kind != STAGE_COUNT) return build_stage(w, s, all);
    int n = 1;
    all[0] = f->defined ? note_word(&w->arena, NOTE_NAME, f->name) : leaf(w, k);
    if (f->defined && f->in) all[n++] = build_index(w, f->in - 1);
    return n;
}

struct note *build_at(struct writing *w, int64_t k, int i, const struct place *at) {
    const ty_tensor *x = node_of(w, k)->inputs[i];
    bool whole = is_single(x) && operand_facts(w, k, i)->whole;
    return build_node(w, walk_operand(w->walk, k, i), whole ? &(struct place){at->bound, NULL} : at);
}

struct note *build_operand(struct writing *w, int64_t k, int i, const struct place *at) {
    const ty_tensor *y = node_of(w, k), *x = y->inputs[i];
    struct note *index[TY_MAX_RANK];
    if (!at->index) return build_at(w, k, i, at);
    for (int axis = 0; axis < x->layout.rank; axis++) {
        index[axis] = at->index[axis + y->layout.rank - x->layout.rank];
        if (x->layout.shape[axis] == 1) index[axis] = note_integer(&w->arena, 0);
    }
    return build_at(w, k, i, &(struct place){at->bound, index});
}

/* ---- operators ---- */

/* Return the notation of an elementwise operator; beside products of matrices that of elements, if there is one. */
static const struct notation *notation_at(const struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *x = node_of(w, k);
    char name[64];
    int arrays = 0;
    for (int i = 0; i < x->ninputs; i++) arrays += !is_single(x->inputs[i]);
    bool elements = w->products && !at->index && !is_single(x), all = arrays == x->ninputs;
    snprintf(name, sizeof name, "(%s %s)", all ? "whole" : "base", x->op->name);
    const struct notation *row = elements && (all || !is_single(x->inputs[0])) ? notation_of(name) : NULL;
    return row ? row : w->facts[k].row;
}

static struct note *elementwise(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *x = node_of(w, k);
    const struct notation *row = notation_at(w, k, at);
    struct note *operands[4];
    for (int i = 0; i < x->ninputs; i++) operands[i] = build_operand(w, k, i, at);
    return row ? note_row(&w->arena, row, x->ninputs, operands)
               : note_call(&w->arena, x->op->name, x->ninputs, operands);
}

/* Return the call of an operator by its name, on whole operands and its attributes in words. */
static struct note *function(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *x = node_of(w, k);
    struct note **operands = arena_array(&w->arena, (size_t)x->ninputs + 1, sizeof *operands);
    struct text words = {0};
    struct infer in = infer_of(x, w->fault);
    int n = x->ninputs;
    for (int i = 0; i < n && operands; i++)
        operands[i] = build_node(w, walk_operand(w->walk, k, i), &(struct place){at->bound, NULL});
    if (x->op->describe || x->op->attributes) attributes_text(&in, &words);
    if (words.length && operands) operands[n++] = note_word(&w->arena, NOTE_WORDS, words.data);
    struct note *call = operands && !words.failed ? note_call(&w->arena, x->op->name, n, operands) : NULL;
    text_drop(&words);
    struct note *all[1 + TY_MAX_RANK] = {call};
    return call ? indexed(w, x, 1, all, at) : NULL;
}

struct note *build_defined(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *x = node_of(w, k);
    if (is_leaf(w, k)) return named(w, k, at);
    if (x->op->row >= 0) return elementwise(w, k, at);
    return is_function(w, k) ? function(w, k, at) : w->facts[k].row->build(w, k, at);
}

struct note *build_node(struct writing *w, int64_t k, const struct place *at) {
    const struct facts *f = &w->facts[k];
    return f->defined ? named(w, k, at) : build_defined(w, k, at);
}
