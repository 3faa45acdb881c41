/*
 * HTML pages of programs: their data is valid JSON for all names, and agrees with the report, the flow and the profile.
 * tests/tree/page.sh tests them in a browser.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/nn.h>
#include "array/location.h"
#include "compile/program.h"
#include "tests/support/bodies.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"

/* ---- JSON by RFC 8259 ---- */

static const char *after_value(const char *c);

static const char *after_text(const char *c) {
    if (*c++ != '"') return NULL;
    for (; *c != '"'; c++) {
        if ((unsigned char)*c < ' ') return NULL;
        if (*c != '\\') continue;
        c++;
        if (*c == 'u' && strspn(c + 1, "0123456789abcdefABCDEF") >= 4)
            c += 4;
        else if (!*c || !strchr("\"\\/bfnrt", *c))
            return NULL;
    }
    return c + 1;
}

static const char *space(const char *c) { return c ? c + strspn(c, " \n\t\r") : NULL; }

static const char *after_list(const char *c, char end) {
    c = space(c + 1);
    while (c && *c != end) {
        if (end == '}') {
            c = space(after_text(c));
            if (!c || *c++ != ':') return NULL;
        }
        c = space(after_value(space(c)));
        if (!c || (*c != ',' && *c != end)) return NULL;
        if (*c == ',' && *(c = space(c + 1)) == end) return NULL;
    }
    return c ? c + 1 : NULL;
}

static const char *after_value(const char *c) {
    if (*c == '"') return after_text(c);
    if (*c == '[') return after_list(c, ']');
    if (*c == '{') return after_list(c, '}');
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (!strncmp(c, words[i], strlen(words[i]))) return c + strlen(words[i]);
    size_t digits = strspn(c, "0123456789+-.eE");
    return digits ? c + digits : NULL;
}

/* Return the member of an object by key, or element i of an array (key NULL); NULL: none. */
static const char *at(const char *c, const char *key, int i) {
    if (!c || (*c != '{' && *c != '[')) return NULL;
    size_t n = key ? strlen(key) : 0;
    for (c = space(c + 1); *c != '}' && *c != ']'; i--) {
        bool here = key ? c[1 + n] == '"' && !strncmp(c + 1, key, n) : i == 0;
        if (key) c = space(after_text(c)) + 1;
        c = space(c);
        if (here) return c;
        c = space(after_value(c));
        if (*c == ',') c = space(c + 1);
    }
    return NULL;
}

/* Return the next element of an array; NULL after the last. */
static const char *following(const char *c) {
    c = c ? space(after_value(c)) : NULL;
    return c && *c == ',' ? space(c + 1) : NULL;
}

static int length(const char *c) {
    int n = 0;
    for (c = at(c, NULL, 0); c; c = following(c)) n++;
    return n;
}

static double number(const char *c, const char *key) {
    const char *value = at(c, key, 0);
    return value ? strtod(value, NULL) : NAN;
}

/* ---- pages ---- */

/* Return the checked data of a page; NULL only if allocations fail. */
static const char *data_of(const ty_program *p, const ty_profile *profile, const char *what) {
    char *page = test_text(ty_program_html(p, profile, 1e12, 1e11));
    CHECK(page || test_starving(), "%s: there is no page", what);
    if (!page) return NULL;
    static const char open[] = "id=\"data\">", close[] = "</script>";
    char *from = strstr(page, open), *to = from ? strstr(from, close) : NULL;
    CHECK(from && to, "%s: the page has no data", what);
    from += strlen(open);
    CHECK(strstr(to, "'use strict'") && strstr(to, "</html>"), "%s: what follows the data is cut off", what);
    *to = 0;
    for (const char *c = from; *c; c++)
        CHECK(*c != '<', "%s: an element may end in the data: %.60s", what, c);
    for (const char *c = from; *c;) {
        size_t n = *c == '\n' ? 1 : text_visible(c, strnlen(c, 4));
        CHECK(n, "%s: byte %d in the data", what, (unsigned char)*c);
        c += n;
    }
    const char *end = after_value(from);
    CHECK(end && !*space(end), "%s: no JSON: ... %.200s", what, end ? end : from);
    return from;
}

static void check_flow(const char *flow, const struct flow *f, const char *what) {
    const char *kernels = at(flow, "kernels", 0), *blocks = at(flow, "blocks", 0);
    CHECK(length(kernels) == f->nkernels, "%s: %d of %d kernels", what, length(kernels), f->nkernels);
    CHECK(length(blocks) == f->nblocks, "%s: %d of %d blocks", what, length(blocks), f->nblocks);
    const char *k = at(kernels, NULL, 0);
    for (int i = 0; i < f->nkernels; i++, k = following(k)) {
        const char *op = at(k, "op", 0), *inside = at(k, "inside", 0);
        size_t n = strlen(f->kernels[i].op->name);
        CHECK(!strncmp(op + 1, f->kernels[i].op->name, n) && op[n + 1] == '"', "%s: kernel %d is another",
              what, i);
        CHECK(length(at(k, "in", 0)) == f->kernels[i].ninputs, "%s: operands of %d", what, i);
        CHECK(length(at(k, "out", 0)) == f->kernels[i].noutputs, "%s: results of %d", what, i);
        CHECK(length(inside) == f->kernels[i].ninside, "%s: routines of %d", what, i);
        for (int j = 0; j < f->kernels[i].ninside; j++)
            check_flow(at(inside, NULL, j), f->kernels[i].inside[j].flow, what);
    }
}

/* Equal kernels share one entry of the engine's descriptions. */
static void check_plans(const char *data, const char *what) {
    const char *plans = at(data, "plans", 0);
    for (const char *k = at(at(at(data, "flow", 0), "kernels", 0), NULL, 0); k; k = following(k))
        CHECK(!at(k, "plan", 0) || number(k, "plan") < length(plans), "%s: a plan is missing", what);
    for (const char *a = at(plans, NULL, 0); a; a = following(a))
        CHECK(*a == '"' && a[1] != '"', "%s: an empty plan", what);
}

static void check_page(const ty_program *p, const char *what) {
    const char *data = data_of(p, NULL, what), *report = at(data, "report", 0);
    if (!data || *ty_program_error(p)) return;
    ty_report r;
    ty_program_report(p, &r);
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
#define REPORT(member, key) {#member, r.member},
#include "compile/report.def"
    };
    CHECK(sizeof r == sizeof rows / sizeof *rows * sizeof(int64_t) + sizeof r.compile_ms,
          "a member of ty_report is missing in report.def");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(number(report, rows[i].name) == (double)rows[i].value,
              "%s: %s is %g in the page, %lld in the report", what, rows[i].name,
              number(report, rows[i].name), (long long)rows[i].value);
    check_flow(at(data, "flow", 0), &p->flow, what);
    CHECK(number(at(data, "flow", 0), "arena") == (double)r.arena_bytes, "%s: another arena", what);
    check_plans(data, what);
    int nregions = length(at(at(data, "flow", 0), "regions", 0));
    CHECK(nregions == p->plan.nregions, "%s: %d of %d regions", what, nregions, p->plan.nregions);
}

static ty_program *compile(int n, ty_tensor **y, bool plain) {
    return test_program(
        ty_compile(n, y, (ty_compile_options){.no_rewrite = plain, .no_fuse = plain, .keep_graph = true}));
}

static void every_operator_is_told(void) {
    for (int i = 0; i < 2 * operator_sample_count; i++) {
        struct test_round round = test_round();
        const struct operator_sample *sample = &operator_samples[i / 2];
        ty_tensor *y = sample->run(ty_var(ty_ones(TY_F32, TY_SHAPE(1, 4, 4, 1)), "x"));
        if (i % 2) y = ty_mul(y, y);
        check_page(compile(1, &y, i % 2), sample->name);
        test_round_end(round);
    }
}

static void names_are_escaped(void) {
    static const char *const names[] = {"</script><script>alert(1)</script>",
                                        "<!--",
                                        "]]>",
                                        "a\"b\\",
                                        "\xff\xfe\x80",
                                        "\x01\x1b[2J\n\r\x7f",
                                        "\xe2\x80\xa8\xe2\x80\xa9",
                                        "@DATA@",
                                        "50%s%n",
                                        "\xc3\xa9\xf0\x9f\xa6\x89"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), names[i]), *y = ty_mul(x, ty_num(2));
        ty_update update = {x, ty_add(x, ty_num(1))};
        check_page(test_program(ty_compile(
                       1, &y, (ty_compile_options){.updates = &update, .nupdates = 1, .keep_graph = true})),
                   names[i]);
        test_round_end(round);
    }
}

/* Empty programs and those that fail to compile have pages that say so. */
static void programs_that_are_none(void) {
    check_page(compile(0, NULL, false), "an empty program");
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(2)), "x"), *bad = ty_poison("<a> \"sentence\"");
    check_page(compile(1, &x, false), "a variable alone");
    const char *data = data_of(NULL, NULL, "NULL");
    CHECK(!data || (at(data, "error", 0) && !strncmp(at(data, "flow", 0), "null", 4)), "%s", data);
    data = data_of(compile(1, &bad, false), NULL, "poison");
    CHECK(test_starving() || strstr(at(data, "error", 0), "\\u003ca> \\\"sentence\\\""), "%s", data);
}

/* The page has the graph before and after the passes: as many nodes as the report has, and passes in the
   order of execution. */
static void graphs_are_kept(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "x"), *y = ty_add(ty_mul(x, ty_num(1)), ty_exp(x)),
              *g;
    ty_tensor *twice = ty_mul(ty_add(y, y), ty_add(y, y));
    if (!ty_grad(ty_sum(twice, TY_ALL), 1, &x, &g) && test_starving()) return;
    ty_program *p = compile(1, &g, false);
    const char *data = data_of(p, NULL, "a graph");
    if (!data || *ty_program_error(p)) return;
    const char *graph = at(data, "graph", 0), *before = at(graph, "before", 0),
               *after = at(graph, "after", 0);
    ty_report r;
    ty_program_report(p, &r);
    CHECK(length(at(before, "nodes", 0)) == r.nodes_before, "%d of %lld nodes",
          length(at(before, "nodes", 0)), (long long)r.nodes_before);
    CHECK(number(before, "edges") == (double)r.edges_before, "%g edges", number(before, "edges"));
    int64_t left = r.nodes_before - r.folded - r.simplified - r.merged - r.dead;
    CHECK(length(at(after, "nodes", 0)) <= r.nodes_before && length(at(after, "nodes", 0)) >= left,
          "%d nodes are left", length(at(after, "nodes", 0)));
    const char *passes = at(graph, "passes", 0), *lowered = at(graph, "lowered", 0);
    int64_t acted = 0;
    for (int i = 0; i < length(passes); i++) acted += (int64_t)strtod(at(at(passes, NULL, i), NULL, 1), NULL);
    CHECK(acted == r.folded + r.simplified + r.merged, "passes acted %lld times", (long long)acted);
    const char *last = at(at(lowered, NULL, length(lowered) - 1), NULL, 2);
    CHECK(last && strtod(last, NULL) == (double)r.kernels, "%.40s kernels at last", last);
    p = test_program(ty_compile(1, &g, (ty_compile_options){0}));
    data = data_of(p, NULL, "a program that kept none");
    CHECK(!data || (!at(data, "graph", 0) && !p->story.text.data), "a graph is kept unasked");
}

/* A loop's steps occur in its kernel and once in the graph. */
static void bodies_are_inside(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F64, TY_SHAPE(6, 4)), "x"),
              *w = ty_var(ty_ones(TY_F64, TY_SHAPE(4)), "w");
    ty_tensor *loss = ty_sum(bodies_scan(x, w, true, false), TY_ALL), *g[2];
    ty_grad(loss, 2, (ty_tensor *[]){x, w}, g);
    ty_program *p = compile(2, g, false);
    check_page(p, "a loop");
    const char *data = data_of(p, NULL, "a loop"), *kernels = at(at(data, "flow", 0), "kernels", 0);
    if (!data || *ty_program_error(p)) return;
    int inside = 0, bodies = 0;
    for (int i = 0; i < length(kernels); i++) inside += at(at(kernels, NULL, i), "inside", 0) != NULL;
    CHECK(inside == 2, "%d kernels have kernels inside, one forward and one back would", inside);
    const char *nodes = at(at(at(data, "graph", 0), "before", 0), "nodes", 0);
    for (int i = 0; i < length(nodes); i++)
        for (int j = 0; j < length(at(at(nodes, NULL, i), NULL, 8)); j++)
            bodies += at(at(at(at(nodes, NULL, i), NULL, 8), NULL, j), "graph", 0) != NULL;
    CHECK(bodies >= 2, "%d bodies in the graph", bodies);
}

/* Kernels and nodes have the layer and the source line that recorded them, those of the gradient included. */
static void lines(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_here("/home/a \"b\"/net.c", 42);
    y[0] = ty_layer_linear(self, "first", x[0], (ty_linear_layer){.units = 3});
    ty_here(NULL, 0);
    y[0] = ty_tanh(y[0]);
}
static const ty_layer_kind lines_kind = {.name = "lines", .forward = lines};
static void lines_forward(ty_layer *root, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    ty_layer_call(root, "block", &lines_kind, NULL, 0, n, x, y);
}
static void origins_are_told(void) {
    ty_model *m =
        test_own(ty_model_new(lines_forward, NULL, (ty_model_options){0}), (void (*)(void *))ty_model_free);
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(5, 4)), "x"), *y = ty_model_forward(m, x, NULL), *g;
    if (!ty_grad(ty_sum(y, TY_ALL), 1, &x, &g) && test_starving()) return;
    ty_program *p = compile(2, (ty_tensor *[]){y, g}, false);
    const char *data = data_of(p, NULL, "a model"), *kernels = at(at(data, "flow", 0), "kernels", 0);
    if (!data || *ty_program_error(p)) return;
    int layers = 0, places = 0;
    for (int i = 0; i < length(kernels); i++) {
        const char *k = at(kernels, NULL, i), *layer = at(k, "layer", 0), *file = at(k, "file", 0);
        layers += layer && (!strncmp(layer, "\"block\"", 7) || !strncmp(layer, "\"block.first\"", 13));
        places += file && strstr(file, "net.c\"") && number(k, "line") == 42;
    }
    CHECK(layers >= 2 && layers == length(kernels), "%d of %d kernels name their layer", layers,
          length(kernels));
    CHECK(places, "no kernel names its line");
    const char *nodes = at(at(at(data, "graph", 0), "before", 0), "nodes", 0);
    bool told = false;
    for (int i = 0; i < length(nodes); i++)
        told |= !strncmp(at(at(nodes, NULL, i), NULL, 5), "\"block.first\"", 13) &&
                strtod(at(at(nodes, NULL, i), NULL, 7), NULL) == 42;
    CHECK(told, "no node names its layer and line");
    const char *why = test_text(ty_program_why(p));
    int reasons = 0;
    for (int i = 0; i < length(kernels); i++) {
        const char *words = at(at(at(kernels, NULL, i), "apart", 0), NULL, 1);
        char reason[200];
        if (!words) continue;
        reasons++;
        snprintf(reason, sizeof reason, "%.*s", (int)(after_text(words) - words) - 2, words + 1);
        CHECK(!why || strstr(why, reason), "ty_program_why does not know \"%s\"", reason);
    }
    CHECK(reasons, "no kernel says why it runs apart");
}
/* Layers beyond the fixed room are forgotten, others stay. */
static void layers_are_kept_once(void) {
    const char *a = location_layer("some.layer");
    char copy[] = "some.layer";
    CHECK(a && !strcmp(a, copy) && location_layer(copy) == a && !location_layer(""),
          "a text is not kept once");
    for (int i = 0; i < LOCATION_LAYERS + 10; i++) {
        char name[32];
        snprintf(name, sizeof name, "many.layer%d", i);
        const char *kept = location_layer(name);
        CHECK(!kept || !strcmp(kept, name), "%s became %s", name, kept);
        CHECK(kept || i > LOCATION_LAYERS / 2, "%s is not kept", name);
    }
    CHECK(!location_layer("one.more") && location_layer("some.layer") == a, "there is no end");
}

static void size_is_linear(void) {
    size_t bytes[2];
    for (int round = 0; round < 2; round++) {
        struct test_round in = test_round();
        int n = test_some(2500, 250, 10) << (2 * round);
        ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(8, 8)), "x"), *y = x;
        for (int i = 0; i < n; i++) y = i % 3 ? ty_matmul(y, x) : ty_sin(ty_transpose(y));
        ty_program *p = compile(1, &y, false);
        const char *data = data_of(p, NULL, "a long chain");
        bytes[round] = data ? strlen(data) : 0;
        if (data && !*ty_program_error(p)) check_flow(at(data, "flow", 0), &p->flow, "a long chain");
        test_round_end(in);
    }
    CHECK(test_starving() || bytes[1] < 5 * bytes[0], "four times the nodes: %zu bytes after %zu", bytes[1],
          bytes[0]);
}

/* The time of a kernel is that of its profile entry, per call. */
static void times_are_those_of_the_profile(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(40, 40)), "x");
    ty_tensor *y = ty_matmul(ty_matmul(ty_matmul(x, x), x), ty_sin(x));
    ty_program *p = compile(1, &y, false);
    ty_profile_start();
    bool ran = ty_run(p) && ty_run(p);
    ty_profile *profile = test_own(ty_profile_stop(), (void (*)(void *))(void *)ty_profile_free);
    const char *data = data_of(p, profile, "a profile"), *kernels = at(at(data, "flow", 0), "kernels", 0);
    if (!data || !ran || !profile || test_starving()) return;
    int timed = 0;
    for (int i = 0; i < ty_profile_count(profile); i++) {
        ty_profile_row row;
        ty_profile_at(profile, i, &row);
        for (int k = 0; k < length(kernels); k++) {
            const char *kernel = at(kernels, NULL, k), *name = at(kernel, "name", 0);
            size_t n = strcspn(name + 1, "\"");
            if (strncmp(name + 1, row.name, n) || row.name[n] != ' ' ||
                number(kernel, "calls") != (double)row.calls)
                continue;
            double ms = row.ms / (double)row.calls;
            if (fabs(number(kernel, "ms") - ms) <= 1e-5 * ms) timed++;
        }
    }
    CHECK(timed >= length(kernels), "%d of %d kernels have their times: %s", timed, length(kernels), data);
    CHECK((p->engine->describe != NULL) == (length(at(data, "plans", 0)) > 0), "no plan, or one of nobody");
    CHECK(number(at(data, "profile", 0), "rows") == ty_profile_count(profile), "rows are missing");
    CHECK(strtod(at(at(data, "peaks", 0), NULL, 0), NULL) == 1e12, "peaks are missing");
}

/* A page loads nothing from elsewhere. */
static void nothing_is_loaded(void) {
    char *page = test_text(ty_program_html(NULL, NULL, 0, 0));
    static const char *const words[] = {"http:",   "https:",  " src=",  " href=",    "url(",
                                        "@import", "import(", "fetch(", "innerHTML", "eval("};
    for (size_t i = 0; i < sizeof words / sizeof *words && page; i++)
        CHECK(!strstr(page, words[i]), "the page has %s", words[i]);
}

/* Blocks of packed constants, which preparing adds, have no kernels that write or read them as operands. */
static void packed_constants(void) {
    int64_t shape[] = {128, 128}, rows[] = {64, 128};
    ty_tensor *x = ty_var(ty_ones(TY_F32, 2, rows), "x"), *y = x;
    for (int i = 0; i < 40; i++) y = ty_matmul(ty_tanh(y), ty_eval(ty_full(TY_F32, 2, shape, 1.0 / (i + 1))));
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    char *page = test_text(ty_program_html(program, NULL, 0, 0));
    int kept = 0;
    for (const char *at = page; at && (at = strstr(at, "[\"kept\","));) {
        const char *end = strchr(at, ']');
        CHECK(end && end - at > 6 && !strncmp(end - 6, ",-1,-1", 6), "%.60s", at);
        kept++, at = end;
    }
    ty_report report;
    ty_program_report(program, &report);
    CHECK(!page || !report.kept_bytes == !kept, "%d blocks for %lld bytes", kept,
          (long long)report.kept_bytes);
}

TESTS_MAIN(TEST(packed_constants), TEST(every_operator_is_told), TEST(names_are_escaped),
           TEST(programs_that_are_none), TEST(graphs_are_kept), TEST(bodies_are_inside),
           TEST(origins_are_told), TEST(layers_are_kept_once), TEST(size_is_linear),
           TEST(times_are_those_of_the_profile), TEST(nothing_is_loaded))
