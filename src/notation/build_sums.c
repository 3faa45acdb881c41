/* Notes of reductions and contractions: sums over indices, and products of matrices. */
#include <string.h>
#include "notation/build.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"

struct note *note_reduce_build(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *y = node_of(w, k), *x = y->inputs[0];
    const struct reduce_attr *reduce = y->attr;
    struct place here = build_single(w, y->layout.rank, at);
    struct note *index[TY_MAX_RANK], *letters[TY_MAX_RANK];
    int64_t sizes[TY_MAX_RANK];
    int n = 0, from = 0;
    if (!here.index) return NULL;
    for (int i = 0; i < x->layout.rank; i++) {
        bool over = reduce->axes >> i & 1;
        if (over && x->layout.shape[i] != 1) {
            sizes[n] = x->layout.shape[i];
            index[i] = letters[n] = build_letter(w, at->bound + n);
            n++;
        } else {
            index[i] = over ? note_integer(&w->arena, 0) : here.index[from];
        }
        from += !over || reduce->keep;
    }
    struct note *body = build_at(w, k, 0, &(struct place){at->bound + n, index});
    return build_over(w, y->op->name, n, letters, sizes, body);
}

/* ---- contractions ---- */

/* Return the labels of operand i of a contraction. */
static const uint8_t *labels_of(const struct contract_attr *a, int i) { return a->labels + (i ? a->ra : 0); }

/* Return true if `label` is among the n labels. */
static bool has(const uint8_t *labels, int n, uint8_t label) {
    return n > 0 && memchr(labels, label, (size_t)n);
}

/* A product of matrices, or of a matrix with a vector: first * second. */
struct product {
    int first, second;                /* operands */
    bool first_turned, second_turned; /* they are transposed */
};

/* Describe the contraction of matrices or vectors of node k over one label as a product.  False if it is none. */
static bool product_of(const ty_tensor *y, struct product *p) {
    const struct contract_attr *a = y->attr;
    const uint8_t *left = labels_of(a, 0), *right = labels_of(a, 1), *out = a->labels + a->ra + a->rb;
    uint8_t summed = 0;
    int common = 0;
    if (a->nwindows || a->ra > 2 || a->rb > 2 || a->ro + 2 != a->ra + a->rb || a->ro == 0) return false;
    for (int i = 0; i < a->ra; i++)
        if (has(right, a->rb, left[i])) summed = left[i], common++;
    for (int i = 0; i < 2; i++)
        for (int axis = 0; axis < y->inputs[i]->layout.rank; axis++)
            if (y->inputs[i]->layout.shape[axis] == 1) return false;
    if (common != 1 || has(out, a->ro, summed)) return false;
    bool swapped = a->ra == 1 || (a->ro == 2 && !has(left, a->ra, out[0]));
    const uint8_t *first = swapped ? right : left, *second = swapped ? left : right;
    *p = (struct product){swapped, !swapped, first[0] == summed, false};
    p->second_turned = (swapped ? a->ra : a->rb) == 2 && second[0] != summed;
    return true;
}

bool note_contract_whole(const struct writing *w, int64_t k) {
    struct product p;
    if (note_single_whole(w, k)) return true;
    if (operand_facts(w, k, 0)->even || operand_facts(w, k, 1)->even)
        return false; /* 1 a would be read as a */
    return product_of(node_of(w, k), &p) && operand_facts(w, k, 0)->whole && operand_facts(w, k, 1)->whole;
}

/* Return operand i of node k whole, transposed if `turned`. */
static struct note *matrix(struct writing *w, int64_t k, int i, bool turned, const struct place *at) {
    struct note *note = build_at(w, k, i, at);
    return turned ? note_row(&w->arena, notation_of("(transpose)"), 1, &note) : note;
}

/* Indices of the labels of a contraction: those of the result's axes, else letters that are summed over. */
struct labelling {
    struct writing *w;
    const struct contract_attr *a;
    struct note *of[CONTRACT_WINDOW];
    struct note *letters[CONTRACT_WINDOW];
    int64_t sizes[CONTRACT_WINDOW];
    int n, bound; /* number of letters summed over, and of those in use outside */
};

/* Return the index of a plain label of an axis of `size`. */
static struct note *index_of(struct labelling *l, uint8_t label, int64_t size) {
    if (size == 1 && !l->of[label]) return note_integer(&l->w->arena, 0);
    if (!l->of[label]) {
        l->sizes[l->n] = size;
        l->of[label] = l->letters[l->n] = build_letter(l->w, l->bound + l->n);
        l->n++;
    }
    return l->of[label];
}

/* Set index[] to the indices of operand i of contraction y. */
static void operand_indices(struct labelling *l, const ty_tensor *y, int i, struct note **index) {
    const uint8_t *labels = labels_of(l->a, i);
    const struct layout *x = &y->inputs[i]->layout;
    for (int axis = 0; axis < x->rank; axis++) {
        if (labels[axis] < CONTRACT_WINDOW) {
            index[axis] = index_of(l, labels[axis], x->shape[axis]);
            if (x->shape[axis] == 1) index[axis] = note_integer(&l->w->arena, 0);
            continue;
        }
        const struct contract_window *v = &l->a->windows[labels[axis] - CONTRACT_WINDOW];
        struct note *outer = index_of(l, v->outer, v->outer_size),
                    *inner = index_of(l, v->inner, v->inner_size);
        struct note *start = note_index(&l->w->arena, outer, v->stride, -v->low);
        struct note *step = note_index(&l->w->arena, inner, v->dilation, 0);
        bool nothing = start && start->kind == NOTE_NUMBER && !strcmp(start->word, "0");
        index[axis] = nothing ? step : note_pair(&l->w->arena, "add", start, step);
    }
}

bool contract_adds(const ty_tensor *y) {
    const struct contract_attr *a = y->attr;
    bool adds = false;
    for (int i = 0; i < a->ro; i++) adds |= a->labels[a->ra + a->rb + i] >= CONTRACT_WINDOW;
    return adds;
}

static bool is_one(const struct note *note) {
    return note && note->kind == NOTE_NUMBER && !strcmp(note->word, "1");
}
/* Return the note of the product of two operands, without factors 1. */
static struct note *product_note(struct writing *w, struct note *const *operands) {
    if (is_one(operands[0]) || is_one(operands[1])) return operands[is_one(operands[0])];
    return note_row(&w->arena, notation_of("mul"), 2, operands);
}

struct note *note_contract_build(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *y = node_of(w, k);
    struct labelling l = {.w = w, .a = y->attr, .bound = at->bound};
    struct note *left[TY_MAX_RANK], *right[TY_MAX_RANK], *operands[2];
    struct product p;
    if (!at->index && !is_single(y) && product_of(y, &p)) {
        operands[0] = matrix(w, k, p.first, p.first_turned, at);
        operands[1] = matrix(w, k, p.second, p.second_turned, at);
        return note_row(&w->arena, notation_of("(product)"), 2, operands);
    }
    struct place here = build_single(w, y->layout.rank, at);
    if (!here.index) return NULL;
    for (int i = 0; i < l.a->ro; i++) {
        uint8_t label = l.a->labels[l.a->ra + l.a->rb + i];
        if (label < CONTRACT_WINDOW) l.of[label] = here.index[i];
    }
    operand_indices(&l, y, 0, left);
    operand_indices(&l, y, 1, right);
    operands[0] = build_at(w, k, 0, &(struct place){l.bound + l.n, left});
    operands[1] = build_at(w, k, 1, &(struct place){l.bound + l.n, right});
    struct note *body = product_note(w, operands);
    return build_over(w, "sum", l.n, l.letters, l.sizes, body);
}
