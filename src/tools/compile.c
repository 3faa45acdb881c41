/* tyto compile: writes a graph or a network as a file of C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/export_c.h>
#include <tyto/io.h>
#include <tyto/onnx.h>
#include <unistd.h>
#include "base/text.h"
#include "base/files/folders.h"
#include "export/names.h"
#include "tools/compile.h"
#include "tools/graph.h"
#include "tools/onnx/graph.h"
#include "tools/options/message.h"
#include "tools/options/result.h"
#include "tools/train/train_loss.h"

struct settings {
    const char *from, *out, *prefix, *load;
    struct option_list inputs, outputs, sizes;
    int64_t batch, classes;
    int layout, weights;
    bool openmp;
    struct compile_training training;
};

enum { WEIGHTS_INLINE, WEIGHTS_FILE };
static const char *weights_name(int i) {
    static const char *const names[] = {[WEIGHTS_INLINE] = "inline", [WEIGHTS_FILE] = "file"};
    return i < 2 ? names[i] : NULL;
}
static const struct option_type option_weights = OPTION_NAMED("WHERE", weights_name);

/* Bytes of values in C that GCC 12 compiles in some SECONDS at 2 to 3 GHz (docs/export.md). */
enum { LARGE = 4 << 20, SECONDS = 2 };
/* Print the sizes of the written files, of which `stem` is the common part and `weights` may be NULL.  False after a message
   on stderr. */
static bool tell_of(const struct settings *s, const ty_export_report *r, int stem, const char *weights) {
    struct text header = {0};
    text_add(&header, "%.*s.h", stem, s->out);
    if (header.failed) return complain("out of memory") == EXIT_SUCCESS;
    say("%s: %lld lines; weights %lld bytes, variables %lld, arena %lld\n", s->out, (long long)r->lines,
        (long long)r->weight_bytes, (long long)r->state_bytes, (long long)r->arena_bytes);
    result_whole("lines", r->lines);
    result_whole("weight_bytes", r->weight_bytes);
    result_whole("variable_bytes", r->state_bytes);
    result_whole("arena_bytes", r->arena_bytes);
    result_written(weights ? 3 : 2, (const char *[]){s->out, header.data, weights});
    text_drop(&header);
    return true;
}
/* Write the function f, or the training of n, to s->out, and print the sizes of the file; false after a message on
   stderr. */
static bool write_out(const struct settings *s, const ty_export_function *f, const struct network *n) {
    struct text weights = {0};
    ty_export_options options = {.prefix = s->prefix, .openmp = s->openmp};
    ty_export_report r;
    ty_tensor *error = NULL;
    size_t stem = strlen(s->out) > 2 ? strlen(s->out) - 2 : 0;
    text_add(&weights, "%.*s.weights", (int)stem, s->out);
    if (s->weights == WEIGHTS_FILE) options.weights = weights.data;
    bool done = !weights.failed;
    if (!done) complain("out of memory");
    if (done && n)
        done = compile_training(n, &s->training, s->batch, s->out, options, &r);
    else if (done && !(done = ty_export_c(s->out, 1, f, options, &r, &error)))
        complain_of(error);
    done = done && tell_of(s, &r, (int)stem, options.weights);
    if (done && !options.weights && r.weight_bytes > LARGE)
        complain("compilers need some %lld s for the values; --weights file writes them as bytes",
                 (long long)(r.weight_bytes / LARGE * SECONDS));
    text_drop(&weights);
    return done;
}

/* ---- networks ---- */

static bool write_network(const struct settings *s, struct network *n) {
    ty_tensor *x[TY_MAX_RANK], *y[TY_MAX_RANK];
    if (s->training.wanted) return write_out(s, NULL, n);
    int count = network_examples(n, s->batch, TY_MAX_RANK, x);
    if (!count) return false;
    for (int i = 0; i < count; i++) x[i] = ty_var(x[i], count == 1 ? "x" : NULL);
    ty_model_call(n->model, NULL, count, x, y);
    const ty_export_function f = {.name = "predict",
                                  .ninputs = count,
                                  .inputs = x,
                                  .noutputs = ty_model_results(n->model),
                                  .outputs = y};
    return write_out(s, &f, NULL);
}
static bool compile_network(const struct settings *s) {
    struct network n = {0};
    bool named = network_check(s->from);
    ty_model_options options = {.seed = s->training.seed, .lazy = true};
    bool done = named && network_open(&n, s->from, s->classes, options) && network_build(&n, s->batch) &&
                (!s->load || network_load(&n, s->load, s->layout)) && write_network(s, &n);
    network_close(&n);
    return done;
}
static bool compile_weights(const struct settings *s) {
    struct network n = {0};
    bool done = network_from(&n, s->from, NULL) && write_network(s, &n);
    network_close(&n);
    return done;
}

/* ---- graphs ---- */

static bool is_updated(const ty_tensor *x, int n, const ty_update *updates) {
    for (int i = 0; i < n; i++)
        if (updates[i].variable == x) return true;
    return false;
}
/* List the variables named as the inputs of the model of a file; its initialisers, also variables, are weights.  Return
   their number; -1 after a message on stderr. */
static int find_ports(const char *path, const ty_graph *g, ty_tensor **x) {
    ty_onnx *m = ty_onnx_load(path, (ty_onnx_options){0});
    ty_onnx_port port;
    int n = 0;
    if (ty_onnx_failure(m)) {
        COMPLAIN_FAILURE(ty_onnx_failure(m));
        n = -1;
    }
    for (int i = 0; n >= 0 && ty_onnx_input(m, i, &port); i++) {
        ty_tensor *found = ty_graph_find(g, port.name);
        if (ty_ok(found)) x[n++] = found; /* a graph lacks inputs that no output needs */
    }
    ty_onnx_free(m);
    return n;
}
/* List the inputs: the variables of --input, else the inputs of a model, else all that no update changes.  Return their
   number; -1 after a message on stderr. */
static int find_inputs(const struct settings *s, const ty_graph *g, int nupdates, const ty_update *updates,
                       ty_tensor **x) {
    int n = 0;
    for (int i = 0; i < s->inputs.n; i++, n++) {
        x[n] = graph_variable(g, s->from, s->inputs.items[i]);
        if (!ty_ok(x[n])) return -1;
    }
    if (n) return n;
    if (onnx_graph_is(s->from)) return find_ports(s->from, g, x);
    for (int i = 0; i < ty_graph_variables(g); i++)
        if (!is_updated(ty_graph_variable(g, i), nupdates, updates)) x[n++] = ty_graph_variable(g, i);
    return n;
}
/* Names of the parameters of a function, made from those of a graph, and pointers to them. */
struct names {
    struct name *made; /* behind names_own */
    const char **inputs, **outputs;
};
/* Make a name that differs from the n made ones, of a text or, if it has no letter, from `other`. */
static const char *add_name(struct names *names, int n, const char *text, const char *other) {
    enum { SUFFIX = 5 }; /* room for _N behind equal names within the length of names (name_check) */
    char start[NAME_BYTES / 2 - SUFFIX];
    snprintf(start, sizeof start, "%s", text ? text : "");
    name_make(&names->made[n], start, other, n, names->made);
    return names->made[n].text;
}
/* Make the names of all inputs and outputs; false if memory runs out.  Call names_drop in any case. */
static bool names_make(struct names *names, const ty_graph *g, const ty_export_function *f) {
    char other[24];
    int n = NAMES_OWN;
    names->made = calloc((size_t)(n + f->ninputs + f->noutputs), sizeof *names->made);
    names->inputs = calloc((size_t)f->ninputs + 1, sizeof *names->inputs);
    names->outputs = calloc((size_t)f->noutputs + 1, sizeof *names->outputs);
    if (!names->made || !names->inputs || !names->outputs) return complain("out of memory") == EXIT_SUCCESS;
    memcpy(names->made, names_own, sizeof names_own);
    for (int i = 0; i < f->ninputs; i++) {
        snprintf(other, sizeof other, "x%d", i);
        names->inputs[i] = add_name(names, n++, ty_name(f->inputs[i]), other);
    }
    for (int i = 0; i < f->noutputs; i++) {
        snprintf(other, sizeof other, "y%d", i);
        names->outputs[i] = add_name(names, n++, ty_graph_name(g, i), other);
    }
    return true;
}
static void names_drop(struct names *names) {
    free(names->made);
    free(names->inputs);
    free(names->outputs);
}
static bool write_graph(const struct settings *s, const ty_graph *g) {
    int nupdates, noutputs = ty_graph_count(g);
    const ty_update *updates = ty_graph_updates(g, &nupdates);
    size_t room = (size_t)ty_graph_variables(g) + (size_t)s->inputs.n + 1;
    ty_tensor **x = calloc(room, sizeof *x), **y = calloc((size_t)noutputs + 1, sizeof *y);
    int ninputs = x && y ? find_inputs(s, g, nupdates, updates, x) : -1;
    if (!x || !y) complain("out of memory");
    for (int i = 0; y && i < noutputs; i++) y[i] = ty_graph_at(g, i);
    ty_export_function f = {.name = nupdates ? "step" : "predict",
                            .ninputs = ninputs,
                            .inputs = x,
                            .noutputs = noutputs,
                            .outputs = y,
                            .nupdates = nupdates,
                            .updates = updates};
    struct names names = {0};
    bool done = ninputs >= 0 && names_make(&names, g, &f);
    f.input_names = names.inputs, f.output_names = names.outputs;
    done = done && write_out(s, &f, NULL);
    names_drop(&names);
    free(x);
    free(y);
    return done;
}
/* Return true if a file is one of ty_graph_save. */
static bool is_graph(const char *path) {
    ty_graph *g = ty_graph_load(path, (ty_file_options){0});
    bool graph = !*ty_graph_error(g);
    ty_graph_free(g);
    return graph;
}
static bool compile_graph(const struct settings *s) {
    ty_graph *g = onnx_graph_is(s->from) ? onnx_graph_read(s->from, &s->sizes, &s->outputs)
                                         : ty_graph_load(s->from, (ty_file_options){0});
    bool done = g && !*ty_graph_error(g) && write_graph(s, g);
    ty_graph_free(g);
    return done;
}

enum kind { NETWORK, WEIGHTS, GRAPH, MODEL };
static enum kind kind_of(const char *from) {
    const char *end = strrchr(folders_name(from), '.');
    if (onnx_graph_is(from)) return MODEL;
    if (ty_network_named(from) || (end && !strcmp(end, ".json"))) return NETWORK;
    if (!end && access(from, F_OK)) return NETWORK; /* a misspelt name */
    return is_graph(from) ? GRAPH : WEIGHTS;
}
/* Return the name of a given option that --train alone reads, and that behind it; NULL: there is none. */
static const char *training_option(const struct compile_training *t) {
    static const ty_loss_options none;
    const char *given = t->optimiser >= 0                                   ? "--optimiser"
                        : t->loss >= 0                                      ? "--loss"
                        : t->rate > 0                                       ? "--rate"
                        : t->decay > 0                                      ? "--decay"
                        : t->clip > 0                                       ? "--clip"
                        : memcmp(&t->loss_options, &none, sizeof none) != 0 ? "--loss-option"
                                                                            : NULL;
    static char words[32];
    if (given) text_print(words, sizeof words, "%s without --train", given);
    return given ? words : NULL;
}
/* Return the name of a given option that has no meaning for the kind; NULL: there is none. */
static const char *misplaced(const struct settings *s, enum kind kind) {
    if (s->inputs.n && kind < GRAPH) return "--input";
    if (s->outputs.n && kind != MODEL) return "--output";
    if (s->sizes.n && kind != MODEL) return "--size";
    if (s->batch != 1 && kind >= GRAPH) return "--batch";
    if (s->classes && kind != NETWORK) return "--classes";
    const struct compile_training *t = &s->training;
    if (t->wanted && kind >= GRAPH) return "--train";
    if (!t->wanted && training_option(t)) return training_option(t);
    if (!t->wanted && t->seed != 1 && kind != NETWORK) return "--seed";
    if (s->layout && !s->load) return "--layout without --load";
    return s->load && kind != NETWORK ? "--load" : NULL;
}
/* Run the command compile with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    if (!s->from || !s->out) {
        complain("compile needs a file or network, and -o FILE.c; see tyto compile --help");
        return EXIT_USAGE;
    }
    ty_scope *scope = ty_open();
    enum kind kind = kind_of(s->from);
    const char *wrong = misplaced(s, kind);
    if (wrong) complain("%s has no meaning for %s; see tyto compile --help", wrong, s->from);
    bool done = !wrong && (kind == NETWORK   ? compile_network(s)
                           : kind == WEIGHTS ? compile_weights(s)
                                             : compile_graph(s));
    ty_close(scope);
    if (wrong) return EXIT_USAGE;
    return done ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"FILE|NETWORK", &option_source, AT(from),
     "a file of ty_graph_save, a model of ONNX, a file of weights of tyto train, or the name of a network"},
    {"-o", &option_target, AT(out), "write this file of C, and its header beside it"},
    {"--prefix", &option_name, AT(prefix), "begin all names in the files so (the name of the C file)"},
    {"--weights", &option_weights, AT(weights),
     "keep values inline, in C files, or in a file, FILE.weights beside them (inline)"},
    {"--openmp", &option_flag, AT(openmp), "write pragmas of OpenMP for loops over independent elements"},
    {"--input", &option_names, AT(inputs),
     "graphs: make a variable a parameter; repeatable (all that the graph does not update; models: inputs)"},
    {"--output", &option_names, AT(outputs), "models: compute this output; repeatable (all)"},
    {"--size", &option_sizes, AT(sizes),
     "set the size of a symbol in the shapes of a model's inputs; repeatable (1)"},
    {"--batch", &option_count, AT(batch), "networks: compute N examples in a call (1)"},
    {"--classes", &option_count, AT(classes),
     "networks: distinguish N classes or tokens (the network's default)"},
    {"--load", &option_file, AT(load), "networks: read weights from a file (random weights)"},
    {"--layout", &option_layout, AT(layout),
     "networks: expect names and order of axes in the file of weights as in tyto, pytorch or keras (tyto)"},
    {"--train", &option_flag, AT(training.wanted),
     "networks: write a step of training and functions that save, load and order examples, besides "
     "inference"},
    {"--optimiser", &option_rule, AT(training.optimiser),
     "with --train: learn by this rule (adagrad; adam for text)"},
    {"--loss", &option_loss, AT(training.loss), "with --train: minimise this loss (cross_entropy)"},
    {"--loss-option", &option_loss_number, AT(training.loss_options),
     "set a number of the loss: smoothing=0.1, delta=2, ...; repeatable"},
    {"--rate", &option_number, AT(training.rate), "with --train: learn at this rate (the rule's)"},
    {"--decay", &option_number, AT(training.decay), "with --train: decay weights by this rate (none)"},
    {"--clip", &option_number, AT(training.clip), "clip gradients to this norm of all together (none)"},
    {"--seed", &option_seed, AT(training.seed),
     "networks: draw random weights, and dropout in steps of training, from this seed (1)"},
    {0}};

const struct command command_compile = {
    .name = "compile",
    .doc = "Write a graph, a model of ONNX or a network as a file of C that computes without the library.",
    .details = "A graph with updates becomes a function that changes variables, such as a step of training.\n"
               "docs/export.md describes the files.\n"
               "  tyto compile flowers.net -o flowers.c\n"
               "  tyto compile model.onnx --size batch=1 -o model.c\n"
               "  tyto compile lenet --train --batch 32 -o lenet.c",
    .options = options,
    .defaults = &(const struct settings){.batch = 1, .training = {.optimiser = -1, .loss = -1, .seed = 1}},
    .bytes = sizeof(struct settings),
    .run = run};
