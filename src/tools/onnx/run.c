/* tyto run: runs a model of ONNX. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/io.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/nearest.h"
#include "tools/onnx/case.h"
#include "tools/onnx/run_inputs.h"
#include "tools/onnx/use.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/written.h"
#include "tools/options/out.h"
#include "tools/options/result.h"

struct settings {
    struct file_out out;
    const char *path, *against;
    struct option_list inputs, sizes, most;
    bool random;
    int mode;                   /* an enum use_mode; -1: not given */
    struct tolerance tolerance; /* 0: not given */
    struct reader_in reader;
};

/* State of the command. */
struct running {
    const struct settings *s;
    enum use_mode mode;
    struct tolerance tolerance;
    ty_onnx *model;
    struct arena arena;
    struct onnx_value *inputs, *outputs;
    ty_archive *known; /* of --against; NULL: none */
    int64_t compared;
    bool differs; /* the result of a node differs; the others are not compared */
    char *first;  /* that node, made safe for a terminal; NULL: no memory */
};

/* ---- inputs ---- */

/* Return the FILE of NAME=FILE or the array of NAME=[1, 2] for an input; NULL: none is given. */
static const char *given(const struct settings *s, const char *name) {
    size_t n = strlen(name);
    for (int i = 0; i < s->inputs.n; i++)
        if (!strncmp(s->inputs.items[i], name, n) && s->inputs.items[i][n] == '=')
            return s->inputs.items[i] + n + 1;
    return NULL;
}

/* Return true if each NAME=FILE names an input of its own; else print the most similar name. */
static bool names_well(const struct running *r) {
    for (int i = 0; i < r->s->inputs.n; i++) {
        const char *item = r->s->inputs.items[i];
        char name[256];
        bool found = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(item, "="), item);
        struct nearest near = {.wanted = name};
        ty_onnx_port port;
        for (int k = 0; !found && ty_onnx_input(r->model, k, &port); k++) {
            found = !strcmp(port.name, name);
            nearest_offer(&near, port.name);
        }
        if (found && given(r->s, name) != item + strcspn(item, "=") + 1)
            return complain("%s is given twice", name) == EXIT_SUCCESS;
        if (!found)
            return complain("%s: the model has no input %s%s", r->s->path, name,
                            nearest_known(&near, (char[NEAREST_KNOWN]){0})) == EXIT_SUCCESS;
    }
    return true;
}

/* Set all inputs: from files, written out, or at random; optionals that are not given are absent.  False after a message
   on stderr. */
static bool take_inputs(struct running *r) {
    bool well = names_well(r) && form_sizes_known(r->model, &r->s->sizes);
    ty_onnx_port port;
    for (int i = 0; well && ty_onnx_input(r->model, i, &port); i++) {
        const char *path = r->s->random ? NULL : given(r->s, port.name);
        r->inputs[i] = (struct onnx_value){.kind = ONNX_ABSENT};
        if (path && is_written_out(path))
            well = run_input_written(&port, path, &r->inputs[i]);
        else if (path)
            well = run_input_read(&port, path, &r->s->reader, &r->arena, &r->inputs[i]);
        else if (port.kind != TY_ONNX_OPTIONAL)
            well = run_input_draw(&port, &r->s->sizes, i, &r->arena, &r->inputs[i]);
    }
    return well;
}

/* ---- comparison of all nodes ---- */

static bool is_known(const ty_archive *archive, const char *name) {
    for (int i = 0; i < ty_archive_count(archive); i++)
        if (!strcmp(ty_archive_name(archive, i), name)) return true;
    return false;
}

/* Compare the results of a node with the arrays of --against that have their names; remember the first that differs. */
static void compare_node(void *context, const struct proto_node *node, const struct onnx_value *outputs) {
    struct running *r = context;
    for (int64_t i = 0; i < node->outputs.n && !r->differs; i++) {
        const char *name = node->outputs.items[i];
        if (!*name || outputs[i].kind != ONNX_TENSOR || !is_known(r->known, name)) continue;
        struct text words = {0};
        r->compared++;
        if (!agree_tensors(outputs[i].tensor, ty_archive_get(r->known, name), r->tolerance, &words)) {
            struct text all = {0};
            char *said = text_take(&words);
            text_add(&all, "%s \"%s\": %s: %s", node->op_type, node->name ? node->name : "", name,
                     said ? said : "");
            mem_free(said);
            r->differs = true;
            r->first = text_take(&all);
            if (r->first) text_make_visible(r->first);
        }
        text_drop(&words);
    }
}

/* Print the result of the comparison; false if a node differs or none was compared. */
static bool tell_comparison(const struct running *r) {
    if (r->differs) {
        say("the first node that differs is %s\n", r->first ? r->first : "unknown: out of memory");
        result_text("differs", r->first);
        return false;
    }
    if (!r->compared)
        return complain("%s: no array has the name of a node's result", r->s->against) == EXIT_SUCCESS;
    result_whole("agree", r->compared);
    say("%" PRId64 " result%s of nodes agree%s with %s\n", r->compared, plural(r->compared),
        r->compared == 1 ? "s" : "", r->s->against);
    return true;
}

/* ---- results ---- */

enum { MOST_RESULTS = 256, MOST_NAME = 256 };
/* Arrays to write, with their names. */
struct results {
    int n;
    ty_tensor *tensors[MOST_RESULTS];
    char texts[MOST_RESULTS][MOST_NAME];
    const char *names[MOST_RESULTS];
};

/* Append the tensors of a value: NAME, or NAME_0, NAME_1, ... of a list.  False after a message on stderr. */
static bool add_result(struct results *all, const char *name, const struct onnx_value *v) {
    if (v->kind == ONNX_STRINGS) return complain("%s: strings cannot be written", name) == EXIT_SUCCESS;
    if (v->kind == ONNX_TENSOR) {
        if (all->n == MOST_RESULTS) return complain("more than %d results", MOST_RESULTS) == EXIT_SUCCESS;
        all->names[all->n] = all->texts[all->n];
        snprintf(all->texts[all->n], MOST_NAME, "%s", name);
        all->tensors[all->n++] = v->tensor;
        return true;
    }
    bool well = true;
    for (int64_t i = 0; v->kind != ONNX_ABSENT && i < v->list->n && well; i++) {
        char inner[MOST_NAME];
        snprintf(inner, sizeof inner, "%.200s_%" PRId64, name, i);
        well = add_result(all, inner, &v->list->items[i]);
    }
    return well;
}

/* Write all outputs to the file of -o; false after a message on stderr. */
static bool write_results(const struct running *r) {
    static struct results all;
    bool well = true;
    all.n = 0;
    ty_onnx_port port;
    for (int i = 0; well && ty_onnx_output(r->model, i, &port); i++)
        well = add_result(&all, port.name, &r->outputs[i]);
    return well && out_save(&r->s->out, all.n, all.names, all.tensors, (ty_file_options){0});
}

static void print_strings(const struct onnx_strings *s) {
    struct text t = {0};
    for (int64_t i = 0; i < s->n; i++) {
        text_add(&t, i ? ", \"" : "[\"");
        for (size_t k = 0; k < s->items[i].n; k++) {
            const char *at = (const char *)s->items[i].at + k;
            size_t n = text_visible(at, s->items[i].n - k);
            if (n)
                text_add_bytes(&t, at, n);
            else
                text_add(&t, "\\x%02x", (unsigned)s->items[i].at[k]);
            k += n ? n - 1 : 0;
        }
        text_add(&t, "\"");
    }
    char *words = text_take(&t);
    say("%s]\n", words ? words : "[");
    mem_free(words);
}

/* Append strings to the JSON. */
static void add_strings(const char *name, const struct onnx_strings *s) {
    result_open(NULL, '{');
    result_text("name", name);
    result_open("strings", '[');
    for (int64_t i = 0; i < s->n; i++) {
        char *one = strndup((const char *)s->items[i].at, s->items[i].n);
        result_text(NULL, one);
        free(one);
    }
    result_close();
    result_close();
}

/* Print a value behind its name; false after a message on stderr. */
static bool print_value(const char *name, const struct onnx_value *v) {
    struct text t = {0};
    text_add_visible(&t, name);
    char *words = text_take(&t);
    say("%s = ", words ? words : "");
    mem_free(words);
    if (v->kind == ONNX_TENSOR) return result_tensor(NULL, name, v->tensor) && print_tensor(v->tensor);
    if (v->kind == ONNX_STRINGS) {
        print_strings(v->strings);
        add_strings(name, v->strings);
        return true;
    }
    say("%s of %" PRId64 "\n", onnx_kind_words(v->kind), v->kind == ONNX_ABSENT ? 0 : v->list->n);
    bool well = true;
    for (int64_t i = 0; v->kind != ONNX_ABSENT && i < v->list->n && well; i++) {
        char inner[MOST_NAME];
        snprintf(inner, sizeof inner, "%.200s_%" PRId64, name, i);
        well = print_value(inner, &v->list->items[i]);
    }
    return well;
}

/* ---- the command ---- */

/* Compile for the sizes of --max, and print the bytes of the memory; false after a message on stderr. */
static bool reserve(const struct running *r) {
    struct fault fault = {0};
    int64_t bytes;
    if (!use_reserve(r->model, r->mode, &r->s->most, &bytes, &fault))
        return complain_fault(&fault) == EXIT_SUCCESS;
    if (r->s->most.n) result_whole("memory", bytes);
    if (r->s->most.n) say("memory for all runs: %" PRId64 " bytes\n", bytes);
    return true;
}

/* Take the inputs, run, and write, compare or print what the options ask for; false after a message on stderr. */
static bool work(struct running *r) {
    struct fault fault = {0};
    bool drawn;
    struct onnx_watch watch = {compare_node, r};
    r->inputs = arena_array(&r->arena, (size_t)ty_onnx_inputs(r->model) + 1, sizeof *r->inputs);
    r->outputs = arena_array(&r->arena, (size_t)ty_onnx_outputs(r->model) + 1, sizeof *r->outputs);
    if (!r->inputs || !r->outputs) return complain("out of memory") == EXIT_SUCCESS;
    if (!reserve(r) || !take_inputs(r)) return false;
    if (!use_run(r->model, r->mode, r->inputs, &r->arena, r->known ? &watch : NULL, r->outputs, &drawn,
                 &fault))
        return complain_fault_about(&fault, "%s", r->s->path) == EXIT_SUCCESS;
    if (r->s->out.path && !write_results(r)) return false;
    if (r->known) return tell_comparison(r);
    bool well = true;
    ty_onnx_port port;
    if (!r->s->out.path) result_open("outputs", '[');
    for (int i = 0; !r->s->out.path && well && ty_onnx_output(r->model, i, &port); i++)
        well = print_value(port.name, &r->outputs[i]);
    if (!r->s->out.path) result_close();
    return well;
}

/* Open the archive of --against, if it is given; false after a message on stderr. */
static bool open_known(struct running *r) {
    if (!r->s->against) return true;
    r->known = ty_archive_open(r->s->against, (ty_file_options){0});
    return !*ty_archive_error(r->known) || COMPLAIN_FAILURE(ty_archive_failure(r->known)) == EXIT_SUCCESS;
}

/* Return true, or false after a message if two given options exclude each other, or one has no effect. */
static bool agree(const struct settings *s) {
    const struct tolerance *t = &s->tolerance;
    if (!s->path) return complain("a model is missing; see tyto run --help") == EXIT_SUCCESS;
    if (strchr(s->path, '=') && access(s->path, F_OK))
        return complain("%s: is no file; the model comes first, then NAME=FILE", s->path) == EXIT_SUCCESS;
    for (int i = 0; i < s->inputs.n; i++)
        if (!strchr(s->inputs.items[i], '=') || *s->inputs.items[i] == '=')
            return complain("%s: expected NAME=%s for the input NAME of %s, or one model alone",
                            s->inputs.items[i], s->inputs.items[i] + (*s->inputs.items[i] == '='),
                            s->path) == EXIT_SUCCESS;
    if (!out_check(&s->out, "-o")) return false;
    if (s->random && s->inputs.n)
        return complain("--random and %s: expected one of them; inputs without a file are drawn",
                        s->inputs.items[0]) == EXIT_SUCCESS;
    if (s->against && s->mode >= 0 && s->mode != USE_EAGER)
        return complain("--against and --mode %s: expected one of them; nodes are compared eagerly",
                        option_use_mode.value.named(s->mode)) == EXIT_SUCCESS;
    if (s->most.n && (s->against || s->mode == USE_EAGER))
        return complain("--max: it is for runs of compiled programs") == EXIT_SUCCESS;
    if (!s->against && (t->relative > 0 || t->absolute > 0))
        return complain("%s: expected --against, too", t->relative > 0 ? "--rtol" : "--atol") == EXIT_SUCCESS;
    return true;
}

static int run(const void *settings) {
    const struct settings *s = settings;
    const struct tolerance *t = &s->tolerance;
    struct running r = {
        .s = s,
        .mode = s->against     ? USE_EAGER
                : s->mode >= 0 ? (enum use_mode)s->mode
                               : USE_COMPILED,
        .tolerance = {t->relative > 0 ? t->relative : 1e-3, t->absolute > 0 ? t->absolute : 1e-5}};
    struct fault fault = {0};
    if (!agree(s)) return EXIT_USAGE;
    ty_scope *scope = ty_open();
    r.model = use_load(s->path, &fault);
    bool well = r.model || complain_fault(&fault) == EXIT_SUCCESS;
    well = well && open_known(&r) && work(&r);
    ty_archive_free(r.known);
    mem_free(r.first);
    ty_onnx_free(r.model);
    ty_close(scope);
    arena_drop(&r.arena);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"MODEL", &option_file, AT(path), "a model of ONNX: a file .onnx"},
    {"[NAME=FILE]", &option_any_inputs, AT(inputs),
     "the value of the input NAME: npy, npz (FILE:KEY), csv, png, jpeg, ..., or a message of test data "
     "(.pb); or written out: x=[1,2]"},
    {"--random", &option_flag, AT(random), "draw all inputs; without it, those without a file are drawn"},
    {"--size", &option_sizes, AT(sizes),
     "set the size of a symbol in the shapes of drawn inputs, or of an axis: x.0=4; repeatable (1)"},
    {"--max", &option_sizes, AT(most),
     "reserve one memory for all runs up to this size of a symbol, or of an axis, and print its bytes; "
     "repeatable"},
    FILE_OUT_OPTIONS(
        struct settings, "-o",
        "write the outputs to a file, such as out.npz, instead of printing them; - writes to the standard "
        "output"),
    {"--against", &option_file, AT(against),
     "compare with a file of arrays named as nodes' results, and print the first node, in order, whose "
     "result differs"},
    {"--rtol", &option_number, AT(tolerance.relative),
     "allow so large a relative difference in --against (1e-3)"},
    {"--atol", &option_number, AT(tolerance.absolute),
     "allow so large an absolute difference in --against (1e-5)"},
    {"--mode", &option_use_mode, AT(mode),
     "run compiled, unfused (without fusion and rewrites) or eager, one node after the other (compiled; with "
     "--against eager)"},
    READER_OPTIONS(AT(reader)),
    {0}};

const struct command command_run = {
    .name = "run",
    .doc = "Run a model of ONNX.",
    .details = "Drawn floats lie in -1/2..1/2, drawn integers in 0..3, and half of drawn bools are true.\n"
               "  tyto run classifier.onnx x=picture.png -o out.npz\n"
               "  tyto run model.onnx --size batch=4\n"
               "  tyto run speech.onnx \"x=[[1, 2]]\" sr=16000\n"
               "  tyto run model.onnx x=x.npy --against activations.npz",
    .options = options,
    .defaults = &(const struct settings){.mode = -1},
    .bytes = sizeof(struct settings),
    .run = run,
    .computes = true,
    .prints = true};
