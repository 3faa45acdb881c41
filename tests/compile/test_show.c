/*
 * Displays of programs: text, Graphviz and both drawings, for every operator's sample, so for every kind of kernel, and
 * with hostile names.
 */
#include <string.h>
#include "base/machine/levels.h"
#include "compile/program.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"

enum { SHOWN = 4 };

/* Return true for kernels only of eager values: their shape depends on values, or they have no operands. */
static bool is_never_in_programs(int kind) { return kind == KERNEL_NONZERO || kind == KERNEL_IOTA; }

/* Return true if all tags of the drawing are closed in order, and it has no byte that XML forbids. */
static bool is_xml(const char *text) {
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') return false;
        if (*c == '&') { /* "&amp;", "&#10;" */
            size_t n = strcspn(c, "; <");
            if (c[n] != ';' || n < 3) return false;
        }
        if (*c != '<') continue;
        const char *end = strchr(c, '>');
        if (!end) return false;
        if (end[-1] != '/') depth += c[1] == '/' ? -1 : 1;
        if (depth < 0) return false;
        c = end;
    }
    return depth == 0;
}

/* Return true if the quotes of the Graphviz text are closed within their lines. */
static bool is_dot(const char *text) {
    bool quoted = false;
    for (const char *c = text; *c; c++) {
        if (quoted && *c == '\\' && c[1]) {
            c++;
            continue;
        }
        if (*c == '"') quoted = !quoted;
        if ((unsigned char)*c < ' ' && (quoted || *c != '\n')) return false;
    }
    return !quoted && !strncmp(text, "digraph", 7);
}

static void check_shown(const ty_program *p, const char *name) {
    const char *words[SHOWN] = {test_text(ty_program_text(p)), test_text(ty_program_dot(p)),
                                test_text(ty_program_memory_svg(p)), test_text(ty_program_graph_svg(p))};
    for (int i = 0; i < SHOWN; i++) {
        CHECK(words[i] || test_starving(), "%s: text %d is missing", name, i);
        if (!words[i]) return;
    }
    for (const char *c = words[0]; *c; c++)
        CHECK((unsigned char)*c >= ' ' || *c == '\n', "%s: byte %d in the text", name, *c);
    CHECK(is_dot(words[1]), "%s: no Graphviz: %s", name, words[1]);
    CHECK(is_xml(words[2]), "%s: no XML: %s", name, words[2]);
    CHECK(is_xml(words[3]), "%s: no XML: %s", name, words[3]);
    for (int k = 0; k < p->flow.nkernels; k++)
        CHECK(strstr(words[0], p->flow.kernels[k].op->name), "%s: the text lacks %s", name,
              p->flow.kernels[k].op->name);
}

static ty_program *compile(ty_tensor *y, bool plain) {
    ty_compile_options options = {.no_rewrite = plain, .no_fuse = plain};
    return test_program(ty_compile(1, &y, options));
}

static void every_kind_is_shown(void) {
    bool seen[KERNEL_KINDS] = {false};
    for (int i = 0; i < 2 * operator_sample_count; i++) {
        struct test_round round = test_round();
        const struct operator_sample *sample = &operator_samples[i / 2];
        ty_tensor *y = sample->run(ty_var(ty_ones(TY_F32, TY_SHAPE(1, 4, 4, 1)), "x"));
        ty_program *p = compile(i % 2 ? ty_mul(y, y) : y, i % 2);
        if (!*ty_program_error(p)) check_shown(p, sample->name);
        CHECK(!*ty_program_error(p) || test_starving(), "%s: %s", sample->name, ty_program_error(p));
        for (int k = 0; k < p->flow.nkernels; k++) seen[p->flow.kernels[k].kind] = true;
        test_round_end(round);
    }
    level_force(LEVEL_SECOND, 1 << 10);
    ty_program *rows = compile(ty_softmax(ty_var(ty_ones(TY_F32, TY_SHAPE(40, 20)), "x"), 1), false);
    if (!*ty_program_error(rows)) check_shown(rows, "rows");
    for (int k = 0; k < rows->flow.nkernels; k++) seen[rows->flow.kernels[k].kind] = true;
    for (int kind = KERNEL_MAP; kind < KERNEL_KINDS; kind++)
        CHECK(seen[kind] || is_never_in_programs(kind) || test_starving(),
              "no sample has a kernel of kind %s", kernel_kind_name((enum kernel_kind)kind));
}

/* A sort that keeps some ranks only shows that its ranks are fewer than the length of its axis. */
static void sorts_tell_their_ranks(void) {
    ty_tensor *x = ty_var(ty_arange(TY_F32, 0, 12, 1), "x"), *v = ty_top_k(x, 3, 0, true);
    const char *all = test_text(ty_program_text(compile(ty_sort(x, 0, true), false)));
    const char *some = test_text(ty_program_text(compile(v, false)));
    if (!all || !some) return;
    CHECK(strstr(all, "axis=0 descending") && !strstr(all, "ranks"), "%s", all);
    CHECK(strstr(some, "ranks=0..2"), "%s", some);
}

static void names_are_escaped(void) {
    static const char *const names[] = {"<b>&\"'",  "a\\\"b", "\x1b[2J\n\r\x7f",
                                        "\x01\x02", "50%s%n", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), names[i]);
        ty_update update = {x, ty_add(x, ty_num(1))};
        ty_tensor *y = ty_mul(x, ty_num(2));
        ty_program *p =
            test_program(ty_compile(1, &y, (ty_compile_options){.updates = &update, .nupdates = 1}));
        check_shown(p, "a name");
        const char *dot = test_text(ty_dot(1, &y)), *text = test_text(ty_text(1, &y));
        CHECK(!dot || is_dot(dot), "%s", dot);
        for (const char *c = text ? text : ""; *c; c++)
            CHECK((unsigned char)*c >= ' ' || *c == '\n', "byte %d in the text of a graph", *c);
        test_round_end(round);
    }
}

static int times(const char *text, const char *words) {
    int n = 0;
    for (; text && (text = strstr(text, words)); text++) n++;
    return n;
}

/* Drawings show phases, names of updated variables and arrowheads, in colours that all renderers know. */
static void drawings_tell_of_updates(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(4, 8)), "x"),
              *w = ty_var(ty_ones(TY_F32, TY_SHAPE(8, 3)), "w"), *g;
    ty_tensor *loss = ty_sum(ty_square(ty_tanh(ty_matmul(x, w))), TY_ALL);
    if (!ty_grad(loss, 1, &w, &g) && test_starving()) return;
    ty_update update = {w, ty_sub(w, ty_mul(ty_num(0.1), g))};
    ty_program *p =
        test_program(ty_compile(1, &loss, (ty_compile_options){.updates = &update, .nupdates = 1}));
    const char *graph = test_text(ty_program_graph_svg(p)), *memory = test_text(ty_program_memory_svg(p)),
               *dot = test_text(ty_program_dot(p));
    if (!graph || !memory || !dot || *ty_program_error(p)) return;
    CHECK(strstr(graph, "update w'") && strstr(dot, "w' r:0 s:f32[8,3]"), "the update has no name:\n%s", dot);
    CHECK(times(graph, "<title>forward") && times(graph, "<title>update"), "phases are missing");
    CHECK(times(graph, "<title>forward") + times(graph, "<title>backward") + times(graph, "<title>update") ==
              p->flow.nkernels,
          "kernels without a phase:\n%s", graph);
    CHECK(times(graph, "url(#tip)") == times(graph, "<path d=\"M") - 1, "edges without arrowheads");
    CHECK(!strstr(graph, "hsl") && !strstr(memory, "hsl"), "colours that are no numbers");
    CHECK(times(dot, "fillcolor=\"#") == p->flow.nkernels, "kernels without a colour:\n%s", dot);
    const char *plain = test_text(ty_program_graph_svg(compile(loss, false)));
    CHECK(!plain || !strstr(plain, "forward"), "phases where nothing is updated");
}

/* A drawing that was cut says how much is missing. */
static void large_programs_are_cut(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(2, 2)), "x"), *y = x;
    for (int i = 0; i < 700; i++) y = ty_matmul(y, x);
    ty_program *p = compile(y, false);
    const char *graph = test_text(ty_program_graph_svg(p)), *dot = test_text(ty_program_dot(p)),
               *nodes = test_text(ty_dot(1, &y));
    if (!graph || !dot || !nodes || *ty_program_error(p)) return;
    CHECK(strstr(graph, "the first 400 kernels; 300 elided"), "%.2000s", graph);
    CHECK(strstr(dot, "200 kernels elided"), "%.2000s", dot);
    CHECK(strstr(nodes, "nodes elided") && strstr(nodes, "r:1 s:f32[2,2]"), "%.2000s", nodes);
}

TESTS_MAIN(TEST(every_kind_is_shown), TEST(sorts_tell_their_ranks), TEST(names_are_escaped),
           TEST(drawings_tell_of_updates), TEST(large_programs_are_cut))
