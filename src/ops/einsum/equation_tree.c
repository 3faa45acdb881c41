/* The notation of contraction trees, "[[a,b],[b,c]->[a,c]]", after einsum_ir (Breuer, Engel et al.).  Parsed with a
   stack of open nodes of bounded depth, not by recursion.  A name that a node omits is summed there, so it must not
   occur outside of that node. */
#include <stdio.h>
#include "base/ascii.h"
#include "ops/einsum/equation.h"

struct child {
    int id; /* operand i, or -1 - k for step k until the number of operands is known */
    struct label_set labels;
};
struct open_node {
    int n;
    struct child children[2];
    bool bare; /* the outermost node, without its own brackets */
};
struct tree_reader {
    struct equation *e;
    const char *text, *at;
    struct fault *fault;
    int depth;
    struct open_node open[TREE_DEPTH];
    struct label_set gone; /* names summed already */
    struct child whole;    /* the finished tree */
    bool finished;
};

#define REFUSE(...) refuse_at(r, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static bool refuse_at(struct tree_reader *r, ty_code code,
                                                            const char *format, ...) {
    char reason[256];
    va_list args;
    va_start(args, format);
    text_format(reason, sizeof reason, format, args);
    va_end(args);
    return fault_set(r->fault, code, "column %d: %s", (int)(r->at - r->text) + 1, reason);
}

static char next_sign(struct tree_reader *r) {
    while (*r->at == ' ') r->at++;
    return *r->at;
}

/* Set the fault "... stands where WANTED should", with the character found. Always return false. */
static bool unexpected(struct tree_reader *r, const char *wanted) {
    char c = next_sign(r);
    if (!c) return REFUSE(E_FORMAT, "expected %s, found the end of the tree", wanted);
    if (c > ' ' && c < 127) return REFUSE(E_FORMAT, "'%c' stands where %s should", c, wanted);
    return REFUSE(E_FORMAT, "byte %d stands where %s should", (unsigned char)c, wanted);
}

/* Skip blanks and the text `sign`, which must follow. If another text follows, set a fault that says that
   `wanted` is expected, and return false. */
static bool take(struct tree_reader *r, const char *sign, const char *wanted) {
    next_sign(r);
    if (strncmp(r->at, sign, strlen(sign))) return unexpected(r, wanted);
    r->at += strlen(sign);
    return true;
}

/* ---- names ---- */

/* Parse a name. Return its label, new or known; -1, with the fault set, if there is none or they are too
   many. */
static int read_name(struct tree_reader *r) {
    struct equation *e = r->e;
    int length = 0;
    while (ascii_is_word(r->at[length])) length++;
    if (!length) return unexpected(r, "a name") - 1;
    int known = equation_find(e, r->at, length);
    if (known >= 0) return r->at += length, known;
    if (e->nnames == PATH_LABELS) return REFUSE(E_LIMIT, "more than %d names", PATH_LABELS) - 1;
    e->names[e->nnames] = (struct name){r->at, length};
    r->at += length;
    return e->nnames++;
}

/* Parse "[a,b]", the names of a leaf or of a node's output, into *term. False, with the fault set, if it is
   invalid. */
static bool read_term(struct tree_reader *r, struct term *term) {
    *term = (struct term){.ellipsis = -1};
    if (!take(r, "[", "'[' and names")) return false;
    if (next_sign(r) == ']') return r->at++, true;
    for (;;) {
        next_sign(r);
        long column = r->at - r->text + 1;
        if (term->count == TY_MAX_RANK) return REFUSE(E_LIMIT, "more than %d names", TY_MAX_RANK);
        int label = read_name(r);
        if (label < 0) return false;
        term->columns[term->count] = (uint16_t)(column < UINT16_MAX ? column : UINT16_MAX);
        term->labels[term->count++] = (uint8_t)label;
        char sign = next_sign(r);
        if (sign != ',' && sign != ']') return unexpected(r, "',' or ']'");
        r->at++;
        if (sign == ']') return true;
    }
}

static struct label_set labels_in(const struct term *term) {
    struct label_set s = {{0}};
    for (int i = 0; i < term->count; i++) set_put(&s, term->labels[i]);
    return s;
}

/* ---- nodes ---- */

static bool refuse_name(struct tree_reader *r, const struct term *term, int i, const char *why) {
    char name[NAME_ROOM];
    return fault_set(r->fault, E_FORMAT, "column %d: %s %s", term->columns[i],
                     equation_label(r->e, term->labels[i], name), why);
}

/* Check that the labels `gone`, which node o sums over, do not occur in children of the open nodes that
   enclose o. False, with the fault set, if one does. */
static bool check_gone(struct tree_reader *r, const struct open_node *o, struct label_set gone) {
    char name[NAME_ROOM];
    for (const struct open_node *outer = r->open; outer < o; outer++)
        for (int k = 0; k < outer->n; k++) {
            struct label_set both = set_common(gone, outer->children[k].labels);
            for (int label = 0; label < r->e->nnames; label++)
                if (set_has(&both, label))
                    return REFUSE(E_FORMAT, "%s is summed here, but is also used outside of this node",
                                  equation_label(r->e, label, name));
        }
    return true;
}

/* Parse a leaf of the tree as the next operand of the equation; *out receives its id and labels. False, with
   the fault set, if it is invalid or has a label that a closed node sums over. */
static bool read_leaf(struct tree_reader *r, struct child *out) {
    struct term *term = &r->e->operands[r->e->noperands];
    if (!read_term(r, term)) return false;
    *out = (struct child){r->e->noperands++, labels_in(term)};
    for (int i = 0; i < term->count; i++)
        if (set_has(&r->gone, term->labels[i]))
            return refuse_name(r, term, i, "was summed before and is used again");
    return true;
}

/* Parse the end of the innermost open node, after its children: "-> [names]" and its ']'. Close it; *out
   receives its id and labels, as a child of its parent. False, with the fault set, if it is invalid. */
static bool read_output(struct tree_reader *r, struct child *out) {
    struct open_node *o = &r->open[r->depth - 1];
    struct equation *e = r->e;
    struct label_set inside = o->children[0].labels, seen = {{0}};
    if (o->n == 2) inside = set_union(inside, o->children[1].labels);
    if (!take(r, "->", o->n == 2 ? "'->'" : "',' or '->'") || !read_term(r, &e->output)) return false;
    for (int i = 0; i < e->output.count; i++) {
        if (!set_has(&inside, e->output.labels[i]))
            return refuse_name(r, &e->output, i,
                               o->n == 2 ? "is in neither operand of this node"
                                         : "is not in the operand of this node");
        if (set_has(&seen, e->output.labels[i]))
            return refuse_name(r, &e->output, i, "occurs twice in the output");
        set_put(&seen, e->output.labels[i]);
    }
    struct label_set gone = set_without(inside, seen);
    if (!check_gone(r, o, gone)) return false;
    r->gone = set_union(r->gone, gone);
    *out = (struct child){o->children[0].id, seen};
    if (o->n == 2) {
        e->steps[e->nsteps++] = (struct tree_step){o->children[0].id, o->children[1].id};
        out->id = -e->nsteps;
    }
    r->depth--;
    e->has_output = true;
    return o->bare || take(r, "]", "']'");
}

/* Add a finished node to the innermost open node, and finish all open nodes that it completes; the root sets
   r->finished and r->whole. False, with the fault set, if the text is invalid. */
static bool hand_up(struct tree_reader *r, struct child child) {
    for (;;) {
        struct open_node *o = &r->open[r->depth - 1];
        o->children[o->n++] = child;
        if (o->n == 1 && next_sign(r) == ',') return r->at++, true;
        if (o->bare && o->n == 1 && !next_sign(r)) { /* the brackets were the outermost ones */
            r->whole = child;
            return r->finished = true;
        }
        bool last = o->bare;
        if (!read_output(r, &child)) return false;
        if (!last) continue;
        r->whole = child;
        r->finished = true;
        return !next_sign(r) || unexpected(r, "the end");
    }
}

/* Open nodes down to the next leaf and parse it; *leaf receives its id and labels. False, with the fault set,
   if the text is invalid or nested too deeply. */
static bool descend(struct tree_reader *r, struct child *leaf) {
    for (;;) {
        if (next_sign(r) != '[') return unexpected(r, "'['");
        const char *here = r->at++;
        bool inner = next_sign(r) == '[';
        if (!inner) {
            r->at = here;
            return read_leaf(r, leaf);
        }
        if (r->depth == TREE_DEPTH) return REFUSE(E_LIMIT, "more than %d nodes are open", TREE_DEPTH);
        r->open[r->depth++] = (struct open_node){0};
    }
}

/* Convert, in place, the operands of steps from -1, -2, .. for results of steps 0, 1, .. to node indices;
   nodes of steps follow those of leaves. */
static void number_steps(struct equation *e) {
    for (int k = 0; k < e->nsteps; k++) {
        struct tree_step *s = &e->steps[k];
        if (s->left < 0) s->left = e->noperands - 1 - s->left;
        if (s->right < 0) s->right = e->noperands - 1 - s->right;
    }
}

bool equation_read_tree(struct equation *e, const char *text, struct arena *arena, struct fault *fault) {
    size_t leaves = 0;
    for (const char *at = text; *at; at++) leaves += *at == '[';
    if (leaves > 3 * PATH_OPERANDS)
        return fault_set(fault, E_LIMIT, "the tree has more than %d nodes", PATH_OPERANDS);
    e->is_tree = true;
    e->operands = arena_array(arena, leaves + 1, sizeof *e->operands);
    e->steps = arena_array(arena, leaves + 1, sizeof *e->steps);
    struct tree_reader *r = arena_alloc(arena, sizeof *r);
    if (!e->operands || !e->steps || !r) return fault_memory(fault, leaves * sizeof *e->operands);
    *r = (struct tree_reader){.e = e, .text = text, .at = text, .fault = fault, .depth = 1};
    r->open[0].bare = true;
    while (!r->finished) {
        struct child leaf = {0};
        if (!descend(r, &leaf) || !hand_up(r, leaf)) return false;
    }
    if (e->noperands > PATH_OPERANDS)
        return fault_set(fault, E_LIMIT, "the tree has %d leaves; at most %d can be contracted", e->noperands,
                         PATH_OPERANDS);
    if (!e->has_output) e->output = e->operands[0]; /* a single leaf */
    number_steps(e);
    return true;
}
