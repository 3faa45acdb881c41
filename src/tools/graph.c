/* tyto graph: shows a saved graph, runs it, or writes its page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/graph.h>
#include <tyto/profile.h>
#include <tyto/walk.h>
#include "base/nearest.h"
#include "base/text.h"
#include "tools/explain.h"
#include "tools/formula.h"
#include "tools/graph.h"
#include "tools/onnx/graph.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/result.h"
#include "tools/options/written.h"
#include "tools/roof.h"

struct settings {
    const char *path;
    struct option_list inputs, outputs, sizes;
    const char *html, *profile;
    int64_t steps;
    int formula; /* option_formula */
    bool text, dot, run, explain;
    struct reader_in reader;
};

static bool well(const ty_tensor *x) { return ty_ok(x) || complain_of(x) == EXIT_SUCCESS; }

/* Print a line such as "  w f32[3,4]" for x, with its name made safe for a terminal; false after a message
   on stderr: no memory. */
static bool print_line(const char *name, const ty_tensor *x) {
    struct text t = {0};
    text_add(&t, "  ");
    text_add_visible(&t, *name ? name : "-");
    text_add(&t, " %s[", ty_dtype_name(ty_dtype_of(x)));
    for (int i = 0; i < ty_rank(x); i++) text_add(&t, i ? ",%lld" : "%lld", (long long)ty_shape(x)[i]);
    text_add(&t, "]");
    char *line = text_take(&t);
    if (!line) return complain("out of memory") == EXIT_SUCCESS;
    say("%s\n", line);
    result_port(name, x);
    ty_free(line);
    return true;
}

ty_tensor *graph_variable(const ty_graph *g, const char *path, const char *name) {
    struct nearest near = {.wanted = name};
    ty_tensor *variable = ty_graph_find(g, name);
    bool known = false;
    for (int i = 0; i < ty_graph_variables(g); i++) {
        known = known || !strcmp(ty_name(ty_graph_variable(g, i)), name);
        nearest_offer(&near, ty_name(ty_graph_variable(g, i)));
    }
    if (!known)
        complain("%s: the graph has no variable %s%s", path, name,
                 nearest_known(&near, (char[NEAREST_KNOWN]){0}));
    else
        well(variable);
    return variable;
}

/* Assign the arrays that the command line gives as NAME=FILE or NAME=[1, 2] to the graph's variables, cast to their
   dtypes; false after a message on stderr. */
static bool assign_inputs(const ty_graph *g, const struct settings *s) {
    for (int i = 0; i < s->inputs.n; i++) {
        const char *item = s->inputs.items[i], *equals = strchr(item, '=');
        char *name = strndup(item, (size_t)(equals - item));
        if (!name) return complain("out of memory") == EXIT_SUCCESS;
        ty_tensor *variable = graph_variable(g, s->path, name), *error = NULL;
        free(name);
        if (!ty_ok(variable)) return false; /* graph_variable has printed a message, and so do the others */
        ty_tensor *value = is_written_out(equals + 1) ? written_out(item, equals + 1, 0)
                                                      : file_tensor(equals + 1, &s->reader);
        if (!ty_ok(value)) return false;
        if (!ty_assign(variable, ty_cast(value, ty_dtype_of(variable)), &error))
            return complain_of(error) == EXIT_SUCCESS;
    }
    return true;
}

/* An operator and the number of its nodes. */
struct counted {
    const char *name;
    int64_t nodes;
};

static int by_count(const void *a, const void *b) {
    const struct counted *x = a, *y = b;
    if (x->nodes != y->nodes) return x->nodes < y->nodes ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Print the operators of the graph of n outputs, the most frequent first; false without memory. */
static bool print_operators(int n, ty_tensor *const *outputs) {
    ty_walk *w = ty_walk_new(n, outputs);
    struct counted *all = calloc((size_t)ty_walk_nodes(w) + 1, sizeof *all);
    bool done = all && !*ty_walk_error(w);
    size_t kinds = 0;
    for (int64_t k = 0; k < ty_walk_nodes(w) && done; k++) {
        const char *name = ty_operator(ty_walk_node(w, k));
        size_t i = 0;
        while (i < kinds && strcmp(all[i].name, name)) i++;
        if (i == kinds) all[kinds++].name = name;
        all[i].nodes++;
    }
    if (done) qsort(all, kinds, sizeof *all, by_count);
    say("operators\n");
    result_open("operators", '[');
    for (size_t i = 0; i < kinds && done; i++) {
        const char *name = *all[i].name ? all[i].name : "value";
        say("  %lld %s\n", (long long)all[i].nodes, name);
        result_open(NULL, '{');
        result_text("name", name);
        result_whole("nodes", all[i].nodes);
        result_close();
    }
    result_close();
    free(all);
    ty_walk_free(w);
    return done;
}

/* Print the n outputs, the number of updates, the variables and the operators of the graph; false after a message on
   stderr. */
static bool show(const ty_graph *g, int n, ty_tensor **outputs) {
    int64_t nodes = 0, edges = 0;
    int nupdates;
    bool done = ty_count(n, outputs, &nodes, &edges, NULL);
    ty_graph_updates(g, &nupdates);
    say("outputs of %lld node%s, with %d update%s\n", (long long)nodes, plural(nodes), nupdates,
        plural(nupdates));
    result_whole("nodes", nodes);
    result_whole("updates", nupdates);
    result_open("outputs", '[');
    for (int i = 0; i < n && done; i++) done = print_line(ty_graph_name(g, i), outputs[i]);
    result_close();
    say("variables\n");
    result_open("variables", '[');
    for (int i = 0; i < ty_graph_variables(g) && done; i++)
        done = print_line(ty_name(ty_graph_variable(g, i)), ty_graph_variable(g, i));
    result_close();
    done = done && print_operators(n, outputs);
    return done || complain("out of memory") == EXIT_SUCCESS;
}

/* Write the page of program p to s->html, with the times of --profile or else of `own`, the profile of its
   own runs (NULL: none); false after a message on stderr. */
static bool write_page(const ty_program *p, const struct settings *s, const ty_profile *own) {
    ty_tensor *error = NULL;
    ty_profile *loaded = s->profile ? ty_profile_load(s->profile, &error) : NULL;
    if (s->profile && !loaded) return complain_of(error) == EXIT_SUCCESS;
    const ty_profile *profile = loaded ? loaded : own;
    double flops = profile ? roof_flops(TY_F32, ty_threads()) : 0;
    double bytes = profile ? roof_stream(ty_threads()) : 0;
    bool done = file_write_text(s->html, ty_program_html(p, profile, flops, bytes));
    if (done) result_written(1, &s->html);
    ty_profile_free(loaded);
    return done;
}

/* Run the program s->steps times (0: once); false after a message on stderr. If a page is requested,
   *profile receives the profile of these runs, which the caller frees. */
static bool run_program(ty_program *p, const struct settings *s, ty_profile **profile) {
    bool done = true;
    if (s->html) ty_profile_start();
    for (int64_t i = 0; i < (s->steps ? s->steps : 1) && done; i++) done = ty_run(p);
    if (s->html) *profile = ty_profile_stop();
    if (!done) COMPLAIN_FAILURE(ty_program_failure(p));
    return done;
}

/* Print the n outputs as formulas; false after a message on stderr. */
static bool print_formula(const ty_graph *g, const struct settings *s, int n, ty_tensor *const *outputs) {
    const char **names = calloc((size_t)n + 1, sizeof *names);
    if (!names) return complain("out of memory") == EXIT_SUCCESS;
    for (int i = 0; i < n; i++) names[i] = *ty_graph_name(g, i) ? ty_graph_name(g, i) : NULL;
    bool done = n == 0 || formula_print(s->formula, n, outputs, names, NULL);
    free(names);
    return done;
}

/* Compile the graph's n outputs with its updates, run the steps and print the last outputs if requested,
   and write the page if requested. False after a message on stderr. */
static bool run_steps(const ty_graph *g, const struct settings *s, int n, ty_tensor **outputs) {
    int nupdates;
    const ty_update *updates = ty_graph_updates(g, &nupdates);
    ty_program *p = ty_compile(
        n, outputs,
        (ty_compile_options){.updates = updates, .nupdates = nupdates, .keep_graph = s->html != NULL});
    ty_profile *profile = NULL;
    bool runs = s->run || s->steps, done = !runs || run_program(p, s, &profile);
    if (!runs && *ty_program_error(p)) done = COMPLAIN_FAILURE(ty_program_failure(p)) == EXIT_SUCCESS;
    if (done && s->explain) done = result_take("explanation", explain_program(p));
    if (done && s->html) done = write_page(p, s, profile);
    ty_profile_free(profile);
    if (runs) result_open("results", '[');
    for (int i = 0; i < n && done && runs; i++) {
        ty_tensor *y = ty_output(p, i);
        if (n > 1 && !result_json()) print_line(ty_graph_name(g, i), outputs[i]);
        done = print_tensor(y) && result_tensor(NULL, ty_graph_name(g, i), y);
    }
    if (runs) result_close();
    ty_program_free(p);
    return done;
}

/* Assign the inputs and do what the options ask of the graph: print it as text or Graphviz, run it or write
   its page; without such options list its parts. False after a message on stderr. */
static bool work(const ty_graph *g, const struct settings *s) {
    int n = ty_graph_count(g);
    ty_tensor **outputs = calloc((size_t)n + 1, sizeof *outputs);
    if (!outputs) return complain("out of memory") == EXIT_SUCCESS;
    for (int i = 0; i < n; i++) outputs[i] = ty_graph_at(g, i);
    bool done = assign_inputs(g, s);
    if (done && s->text) done = result_take("text", ty_text(n, outputs));
    if (done && s->dot) done = result_take("dot", ty_dot(n, outputs));
    if (done && s->formula) done = print_formula(g, s, n, outputs);
    bool compiles = s->run || s->steps || s->html || s->explain;
    if (done && compiles) done = run_steps(g, s, n, outputs);
    if (done && !s->text && !s->dot && !s->formula && !compiles) done = show(g, n, outputs);
    free(outputs);
    return done;
}

/* Run the command graph with the parsed settings `settings`; return the exit status. */
static int run(const void *settings) {
    const struct settings *s = settings;
    if (!s->path) {
        complain("a file is missing; see tyto graph --help");
        return EXIT_USAGE;
    }
    if (s->outputs.n && !onnx_graph_is(s->path)) {
        complain("--output is for models of ONNX");
        return EXIT_USAGE;
    }
    if (s->sizes.n && !onnx_graph_is(s->path)) {
        complain("--size is for models of ONNX; the sizes of a saved graph are known");
        return EXIT_USAGE;
    }
    if (s->profile && !s->html) {
        complain("--profile needs --html FILE, the page that shows the times");
        return EXIT_USAGE;
    }
    ty_scope *scope = ty_open();
    ty_graph *g =
        onnx_graph_is(s->path)
            ? onnx_graph_read(s->path, &s->sizes, &s->outputs)
            : ty_graph_load(s->path, (ty_file_options){.most_bytes = (uint64_t)s->reader.most_bytes});
    bool done = !g                   ? false
                : *ty_graph_error(g) ? COMPLAIN_FAILURE(ty_graph_failure(g)) == EXIT_SUCCESS
                                     : work(g, s);
    ty_graph_free(g);
    ty_close(scope);
    return done ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"FILE", &option_file, AT(path), "a file written by ty_graph_save, or a model of ONNX: .onnx"},
    {"[NAME=FILE]", &option_inputs, AT(inputs),
     "the value of the variable NAME, read from FILE, or written out: x=[1,2]"},
    {"--size", &option_sizes, AT(sizes),
     "set the size of a symbol in the shapes of a model's inputs; repeatable (1)"},
    {"--output", &option_names, AT(outputs), "give the graph this output of a model; repeatable (all)"},
    {"--run", &option_flag, AT(run), "compute the outputs once, and print them"},
    {"--steps", &option_count, AT(steps), "compute the outputs N times, and apply the updates each time"},
    {"--text", &option_flag, AT(text), "print the nodes of the graph, one per line"},
    {"--dot", &option_flag, AT(dot), "print the graph as Graphviz text"},
    FORMULA_OPTION(AT(formula)),
    {"--explain", &option_flag, AT(explain),
     "print the kernels of the compiled program: what their engine has decided, and each as nests"},
    {"--html", &option_target, AT(html),
     "write an HTML page about the compiled program; with --steps it shows times"},
    {"--profile", &option_file, AT(profile), "with --html: show the times of this profile"},
    READER_OPTIONS(AT(reader)),
    {0}};

const struct command command_graph = {
    .name = "graph",
    .doc = "Show or run a saved graph, or that of a model of ONNX.",
    .details = "Without options, the command prints the outputs, the variables and the operators.  It does "
               "not change FILE.\n"
               "  tyto graph step.graph --text\n"
               "  tyto graph step.graph --steps 100 --html step.html\n"
               "  tyto graph model.onnx --size batch=8 --dot",
    .options = options,
    .defaults = &(const struct settings){0},
    .bytes = sizeof(struct settings),
    .run = run,
    .computes = true,
    .prints = true,
};
