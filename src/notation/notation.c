/* Graphs as formulas: simplifies a graph, names its parts, and writes a line for each. */
#include <stdlib.h>
#include "base/machine/floating.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "base/options.h"
#include "compile/passes.h"
#include "notation/build.h"
#include "notation/reading.h"
#include "ops/core/op.h"

/* A line: left = right.  left NULL: the right side alone. */
struct line {
    struct note *left, *right;
    struct note *range; /* of the index of a loop; NULL: none */
    bool part;          /* it defines a part of others */
};

/* ---- lines ---- */

/* Return the line of node k, with name[0] at n - 1 indices on the left (n = 0: none). */
static struct line line_of(struct writing *w, int64_t k, int n, struct note *const *name) {
    const ty_tensor *x = node_of(w, k);
    struct line line = {0};
    struct note *all[STEM + TY_MAX_RANK];
    struct place at = {0};
    for (int i = 0; i < n; i++) all[i] = name[i];
    if (w->facts[k].elements) {
        struct note **letters = build_letters(w, 0, x->layout.rank);
        if (!letters) return line;
        at = (struct place){x->layout.rank, letters};
        for (int i = 0; i < x->layout.rank && n && !is_single(x); i++) all[n++] = letters[i];
    }
    line.left = n > 1 ? note_row(&w->arena, notation_of("(index)"), n, all) : n ? all[0] : NULL;
    line.right = build_defined(w, k, &at);
    return line;
}

/* Return the left side of result i: its name, or the derivative of result 0 by a variable. */
static struct note *left_of(struct writing *w, const ty_notation_options *o, int i, bool many) {
    if (!o->names || !o->names[i]) return NULL;
    struct note *name = note_word(&w->arena, NOTE_NAME, o->names[i]);
    if (!o->by || !o->by[i]) return name;
    struct note *sum = many && name ? note_row(&w->arena, notation_of("(total)"), 1, &name) : name;
    return note_pair(&w->arena, "(derivative)", sum, note_word(&w->arena, NOTE_NAME, o->by[i]));
}

/* Return the note of the steps of a loop: t = 0, ..., n - 1, or backwards. */
static struct note *range_of(struct writing *w, int loop) {
    bool reverse = w->loops->loops[loop].reverse;
    struct note *ends[] = {note_integer(&w->arena, 0), build_count(w, loop, -1)};
    struct note *parts[] = {build_index(w, loop), ends[reverse], ends[!reverse]};
    return note_row(&w->arena, notation_of("(range)"), 3, parts);
}

/* Return true if step i is the last of its loop with an index. */
static bool ends_loop(const struct loops *l, int i) {
    for (int k = i + 1; k < l->nsteps; k++)
        if (l->steps[k].left.kind == STAGE_AT && l->steps[k].left.loop == l->steps[i].left.loop) return false;
    return l->steps[i].left.kind == STAGE_AT;
}

/* Return the line of a number of steps, whose value or condition is node k. */
static struct line count_line(struct writing *w, const struct step *s, int64_t k) {
    const struct recurrence *r = &w->loops->loops[s->left.loop];
    struct note *value = build_node(w, k, &(struct place){0});
    if (s->least) {
        struct note *index = note_index(&w->arena, build_index(w, s->left.loop), 1, s->left.offset);
        value = note_pair(&w->arena, "(least)", index, value);
        if (r->length != INT64_MAX)
            value = note_pair(&w->arena, "min", note_integer(&w->arena, r->length), value);
    }
    return (struct line){.left = build_count(w, s->left.loop, 0), .right = value, .part = true};
}

/* Make the line of step i, whose value is node k, into lines[*count], unless it is the array of a sequence, which is a part.
   False after a fault. */
static bool make_step(struct writing *w, int i, int64_t k, struct line *lines, int64_t *count) {
    const struct step *s = &w->loops->steps[i];
    struct line line;
    struct note *all[STEM];
    if (s->left.kind == STAGE_ALL) return true;
    if (s->left.kind == STAGE_COUNT) {
        line = count_line(w, s, k);
    } else {
        int n = build_stage(w, &s->left, all);
        if (!n) return false;
        if (w->facts[k].defined)
            line = (struct line){.left = note_row(&w->arena, notation_of("(index)"), n, all),
                                 .right = build_node(w, k, &(struct place){0})};
        else
            line = line_of(w, k, n, all);
    }
    line.part = true;
    if (ends_loop(w->loops, i)) line.range = range_of(w, s->left.loop);
    lines[(*count)++] = line;
    return line.left && line.right && (line.range || !ends_loop(w->loops, i));
}

/* Make the lines of the parts with names and of the steps of loops into lines[*count].  A step comes behind the parts that it
   needs.  False after a fault. */
static bool make_parts(struct writing *w, const int64_t *roots, struct line *lines, int64_t *count) {
    bool made = true;
    int step = 0;
    for (int64_t k = 0; k < w->walk->count && made; k++) {
        if (w->facts[k].defined) {
            struct note *all[STEM];
            lines[*count] = line_of(w, k, build_stem(w, k, all), all);
            lines[*count].part = true;
            made = lines[*count].left && lines[*count].right;
            ++*count;
        }
        for (; made && step < w->loops->nsteps && roots[step] <= k; step++)
            made = make_step(w, step, roots[step], lines, count);
    }
    return made || fault_memory(w->fault, 1);
}

/* Make the lines of n results into lines[*count].  False after a fault. */
static bool make_results(struct writing *w, int n, const int64_t *roots, const ty_notation_options *o,
                         struct line *lines, int64_t *count) {
    bool made = true, many = tensor_size(node_of(w, roots[0])) != 1;
    for (int i = 0; i < n && made; i++) {
        bool derived = o->by && o->by[i];
        struct note *left = left_of(w, o, i, many);
        bool has_name = w->facts[roots[i]].defined, said = has_name && o->names && o->names[i] && !derived;
        if (said && !strcmp(w->facts[roots[i]].name, o->names[i]))
            continue; /* its own line is the result's */
        lines[*count] =
            has_name ? (struct line){.left = left, .right = build_node(w, roots[i], &(struct place){0})}
                     : line_of(w, roots[i], left != NULL, &left);
        made = lines[*count].right && (left || !o->names || !o->names[i]);
        ++*count;
    }
    return made || fault_memory(w->fault, 1);
}

#define MATH "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\">"
#define RIGHT "</mtd><mtd style=\"text-align:left\">"

/* Append n lines. */
static void write_lines(struct text *t, int64_t n, const struct line *lines, ty_notation_form form) {
    static const char *const begin[] = {"", "", "\\begin{aligned}\n",
                                        MATH "<mtable displaystyle=\"true\">\n"};
    static const char *const end[] = {"", "", "\\end{aligned}\n", "</mtable></math>\n"};
    static const char *const one[] = {"", "", "", MATH}, *const one_end[] = {"\n", "\n", "\n", "</math>\n"};
    static const char *const row[] = {"", "", "", "<mtr><mtd style=\"text-align:right\">"};
    static const char *const row_end[] = {"\n", "\n", " \\\\\n", "</mtd></mtr>\n"};
    static const char *const is[] = {" = ", " = ", " = ", "<mo>=</mo>"};
    static const char *const equal[] = {" = ", " = ", " &= ", RIGHT "<mo>=</mo>"};
    static const char *const none[] = {"", "", "& ", RIGHT};
    bool single = n == 1;
    text_add(t, "%s", single ? one[form] : begin[form]);
    for (int64_t i = 0; i < n; i++) {
        if (!single) text_add(t, "%s", row[form]);
        if (lines[i].left) note_write(t, lines[i].left, form);
        if (lines[i].left) text_add(t, "%s", single ? is[form] : equal[form]);
        if (!lines[i].left && !single) text_add(t, "%s", none[form]);
        note_write(t, lines[i].right, form);
        if (lines[i].range) note_write(t, lines[i].range, form);
        if (form == TY_NOTATION_ASCII && i + 1 < n) text_add(t, "%s", lines[i].part ? ";" : ",");
        if (!single) text_add(t, "%s", row_end[form]);
    }
    text_add(t, "%s", single ? one_end[form] : end[form]);
}

/* ---- the function ---- */

enum {
    AGAIN = 6
}; /* times that the passes run: more has not been seen to change a formula, but rules may not end */

/* Simplify n results in place, by the rules of programs and those for readers.  False after a fault. */
static bool simplify(int n, ty_tensor **results, struct fault *fault) {
    ty_report report = {0};
    struct walk kept = {0};
    ty_compile_options options = {.rewrites = reading_rules, .nrewrites = reading_count};
    struct graph g = {n, results, &report, fault, &options, NULL, 0, &kept};
    bool done = true;
    int64_t before = -1, acted = 0;
    for (int i = 0; i < AGAIN && done && acted != before; i++) {
        before = acted;
        done = passes_graph(&g, NULL);
        acted = report.folded + report.simplified + report.merged;
    }
    walk_drop(&kept);
    return done;
}

/* Append the formula of the steps of loops and n results, the roots of a graph: `all` of them.  False after a fault. */
static bool write_graph(struct text *t, struct loops *loops, int n, ty_tensor *const *all,
                        const ty_notation_options *o, struct fault *fault) {
    struct walk walk = {.history = true};
    struct writing w = {.walk = &walk, .loops = loops, .form = o->form, .fault = fault};
    int steps = loops->nsteps, nroots = steps + n;
    bool done = walk_order(&walk, nroots, all, fault);
    int64_t count = 0, *roots = done ? arena_array(&w.arena, (size_t)nroots + 1, sizeof *roots) : NULL;
    const char **names = done ? arena_array(&w.arena, (size_t)nroots + 1, sizeof *names) : NULL;
    struct line *lines =
        done ? arena_array(&w.arena, (size_t)(walk.count + nroots + 1), sizeof *lines) : NULL;
    if (done && !(roots && names && lines)) done = fault_memory(fault, (size_t)walk.count * sizeof *lines);
    for (int i = 0; i < nroots && done; i++) {
        roots[i] = walk_place(&walk, tensor_resolve(all[i]));
        names[i] = i >= steps && o->names && !(o->by && o->by[i - steps]) ? o->names[i - steps] : NULL;
    }
    done = done && facts_find(&w, nroots, roots, names) && make_parts(&w, roots, lines, &count) &&
           make_results(&w, n, roots + steps, o, lines, &count);
    if (done) write_lines(t, count, lines, o->form);
    map_drop(&w.taken);
    arena_drop(&w.arena);
    walk_drop(&walk);
    return done;
}

/* Take the loops out of n results, simplify again, and append the formula.  False after a fault. */
static bool write_results(struct text *t, int n, ty_tensor **results, const ty_notation_options *o,
                          struct fault *fault) {
    struct loops loops = {0};
    bool done = loops_open(&loops, n, results, fault);
    int all = loops.nsteps + n;
    ty_tensor **roots = done ? arena_array(&loops.arena, (size_t)all + 1, sizeof *roots) : NULL;
    if (done && !roots) done = fault_memory(fault, (size_t)all * sizeof *roots);
    for (int i = 0; i < all && done; i++)
        roots[i] = i < loops.nsteps ? loops.steps[i].value : results[i - loops.nsteps];
    if (done && loops.nsteps && !o->as_recorded) done = simplify(all, roots, fault);
    done = done && write_graph(t, &loops, n, roots, o, fault);
    loops_drop(&loops);
    return done;
}

char *ty_notation_sized(int n, ty_tensor *const *results, const ty_notation_options *options, size_t size,
                        ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct text t = {0};
    ty_notation_options o;
    ty_scope *scope = ty_open();
    bool done = OPTIONS_READ(o, options, size, &fault) && OPTIONS_UNUSED(&o, "notation", &fault);
    ty_tensor **roots = mem_array((size_t)(n > 0 ? n : 1), sizeof *roots);
    if (done && !roots) done = fault_memory(&fault, (size_t)n * sizeof *roots);
    if (done && (unsigned)o.form > TY_NOTATION_MATHML)
        done = fault_set(
            &fault, E_ARGUMENT,
            "notation: form %d is no ty_notation_form: give TY_NOTATION_TEXT, _ASCII, _LATEX or _MATHML",
            (int)o.form);
    if (done && n < 1)
        done = fault_set(&fault, E_ARGUMENT, "notation: %d results; at least one is needed", n);
    ty_tensor *bad = done ? first_poison_in("notation", n, results) : NULL;
    if (bad) done = fault_tensor(&fault, bad);
    for (int i = 0; i < n && done; i++) roots[i] = tensor_resolve(results[i]);
    done = done && (o.as_recorded || simplify(n, roots, &fault)) && write_results(&t, n, roots, &o, &fault);
    char *text = done ? text_take(&t) : NULL;
    if (done && !text) fault_memory(&fault, 1);
    text_drop(&t);
    mem_free(roots);
    ty_close(scope);
    if (error) *error = text ? NULL : tensor_fault(&fault);
    return text;
}
