/* tyto check: runs the cases of ONNX's test suites. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/context.h>
#include <unistd.h>
#include "base/alloc.h"
#include "tools/onnx/case.h"
#include "tools/onnx/expected.h"
#include "tools/onnx/exported.h"
#include "tools/onnx/use.h"
#include "tools/options/inputs.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

struct settings {
    struct option_list folders, most;
    const char *list, *cc;
    int mode;
    double seconds;
    int64_t bytes;
    bool all;
};

static const char *engine; /* of all cases: a thread that leaves a context forgets the engine chosen before */

enum { MOST_VALUES = 1024 }; /* inputs or outputs of one model: those of the suites have at most 40 */

/* A case that runs. */
struct running {
    const struct settings *s;
    const char *folder;
    ty_onnx *model;
    struct tolerance tolerance;
    struct arena arena;
    struct fault *fault;
    struct onnx_value inputs[MOST_VALUES], outputs[MOST_VALUES], expected;
};

/* ---- one case ---- */

/* Read the inputs of a data set; inputs after the last file are absent. */
static bool read_inputs(struct running *r, int set) {
    ty_onnx_port port;
    int found = 1;
    for (int i = 0; ty_onnx_input(r->model, i, &port); i++) {
        r->inputs[i] = (struct onnx_value){.kind = ONNX_ABSENT};
        if (found > 0)
            found = case_value(r->folder, set, "input", i, (enum onnx_kind)port.kind, &r->arena,
                               &r->inputs[i], r->fault);
    }
    return found >= 0;
}

/* Compare output i of a data set with its file.  Return 1 if they agree, 0 without a file, or -1 with the fault set. */
static int compare_output(struct running *r, int set, int i, bool drawn) {
    ty_onnx_port port;
    struct text words = {0};
    if (!ty_onnx_output(r->model, i, &port)) return 0;
    int found =
        case_value(r->folder, set, "output", i, (enum onnx_kind)port.kind, &r->arena, &r->expected, r->fault);
    if (found <= 0) return found;
    bool same = case_agrees(&r->outputs[i], &r->expected, r->tolerance, drawn, &words);
    char *said = text_take(&words);
    if (!same)
        fault_set(r->fault, E_DOMAIN, "data set %d, output %d %s: %s", set, i, port.name, said ? said : "");
    mem_free(said);
    return same ? 1 : -1;
}

/* Run one data set and compare its outputs; false with the fault set. */
static bool run_set(struct running *r, int set) {
    int compared = 0, found = 0;
    bool drawn = false;
    if (!read_inputs(r, set)) return false;
    if (r->s->mode == USE_C
            ? !exported_run(r->model, r->s->cc ? r->s->cc : "cc -std=c99 -O1", r->inputs, r->outputs, &drawn,
                            r->fault)
            : !use_run(r->model, r->s->mode, r->inputs, &r->arena, NULL, r->outputs, &drawn, r->fault))
        return false;
    for (int i = 0; i < ty_onnx_outputs(r->model) && found >= 0; i++) {
        found = compare_output(r, set, i, drawn);
        compared += found > 0;
    }
    if (found >= 0 && !compared) return fault_set(r->fault, E_FILE, "data set %d has no outputs", set);
    return found >= 0;
}

/* Run all data sets of the case; false with the fault set. */
static bool run_sets(struct running *r, const char *path) {
    int n = case_sets(r->folder);
    if (!n) return fault_set(r->fault, E_FILE, "has no folder test_data_set_0");
    r->model = use_load(path, r->fault);
    int64_t bytes;
    bool well = r->model && case_tolerance(r->folder, &r->tolerance, r->fault) &&
                use_reserve(r->model, r->s->mode, &r->s->most, &bytes, r->fault);
    if (well && (ty_onnx_inputs(r->model) > MOST_VALUES || ty_onnx_outputs(r->model) > MOST_VALUES))
        well = fault_set(r->fault, E_LIMIT, "has more than %d inputs or outputs", MOST_VALUES);
    for (int set = 0; set < n && well; set++) {
        ty_scope *scope = ty_open();
        well = run_set(r, set);
        ty_close(scope);
        arena_drop(&r->arena);
    }
    ty_onnx_free(r->model);
    return well;
}

/* Run the case of a model in a context of its own, within the limits of the settings. */
static bool run_case(const struct settings *s, const char *path, const char *folder, struct fault *fault) {
    static struct running r;
    ty_context *context = ty_context_new((ty_context_options){.engine = engine});
    ty_context *before = ty_context_use(context);
    ty_scope *scope = ty_open();
    r = (struct running){.s = s, .folder = folder, .fault = fault};
    ty_deadline(context, s->seconds);
    ty_limits(context, 0, s->bytes);
    bool well = run_sets(&r, path);
    arena_drop(&r.arena);
    ty_close(scope);
    ty_context_use(before);
    ty_context_free(context);
    return well;
}

/* ---- all cases ---- */

/* Numbers of cases by their results. */
struct counts {
    int64_t cases, pass, excused, unexpected;
};

static bool is_model(const char *name) { return !strcmp(name, "model.onnx"); }

/* Return a message without the path at its beginning. */
static const char *without(const char *path, const char *message) {
    size_t n = strlen(path);
    return !strncmp(message, path, n) && message[n] == ':' ? message + n + 1 + (message[n + 1] == ' ')
                                                           : message;
}

/* Append a case to the JSON: `reason` is that of --list, `message` that of a failure; NULL: none. */
static void append_case(const char *name, bool passes, const char *reason, const char *message) {
    result_open(NULL, '{');
    result_text("name", name);
    result_flag("passes", passes);
    result_text("reason", reason);
    result_text("message", message);
    result_close();
}

/* Run the case at `path`, which ends in a slash and a name, and print what is not as expected. */
static void check_case(const struct settings *s, struct expected *list, const char *path,
                       struct counts *counts) {
    struct fault fault = {0};
    size_t n = (size_t)(strrchr(path, '/') - path);
    char *folder = strndup(path, n);
    if (!folder) {
        complain("out of memory");
        counts->unexpected++;
        return;
    }
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    const char *reason = expected_reason(list, name);
    bool well = run_case(s, path, folder, &fault);
    counts->cases++;
    counts->pass += well;
    counts->excused += !well && reason;
    counts->unexpected += well == (reason != NULL);
    if (well && reason) say("PASSES %s, which %s expects to fail (%s): take it out\n", name, s->list, reason);
    if (!well && !reason) say("FAILED %s: %s\n", name, without(path, fault.text));
    if (!well && reason && s->all) say("excused %s (%s): %s\n", name, reason, without(path, fault.text));
    fflush(stdout);
    if (well == (reason != NULL) || (reason && s->all))
        append_case(name, well, reason, well ? NULL : without(path, fault.text));
    free(folder);
}

static void tell_counts(const struct counts *c) {
    say("%lld of %lld pass, %lld excused, %lld unexpected\n", (long long)c->pass, (long long)c->cases,
        (long long)c->excused, (long long)c->unexpected);
    result_whole("cases", c->cases);
    result_whole("pass", c->pass);
    result_whole("excused", c->excused);
    result_whole("unexpected", c->unexpected);
}

/* Append the cases of a folder; false after a message on stderr. */
static bool add_folder(struct inputs *models, const char *path) {
    if (access(path, F_OK))
        return complain_code(TY_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno)) ==
               EXIT_SUCCESS;
    return inputs_is_folder(path)
               ? inputs_add(models, path, is_model)
               : complain("%s: is a file; expected a folder with model.onnx", path) == EXIT_SUCCESS;
}

static int run(const void *settings) {
    const struct settings *s = settings;
    struct inputs models = {0};
    struct expected list = {0};
    struct counts counts = {0};
    bool well = s->folders.n > 0;
    engine = ty_engine_name();
    if (!well) {
        complain("a folder is missing; see tyto check --help");
        return EXIT_USAGE;
    }
    if (s->cc && s->mode != USE_C) {
        complain("--cc: expected --mode c, too");
        return EXIT_USAGE;
    }
    well = !s->list || expected_read(&list, s->list);
    for (int i = 0; i < s->folders.n && well; i++) well = add_folder(&models, s->folders.items[i]);
    result_open("results", '[');
    for (int64_t i = 0; i < models.n && well && !ty_interrupted(NULL); i++)
        check_case(s, &list, models.paths[i], &counts);
    result_close();
    if (well) tell_counts(&counts);
    expected_drop(&list);
    inputs_drop(&models);
    return well && !counts.unexpected && !ty_interrupted(NULL) ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"DIR", &option_files, AT(folders), "a case, with model.onnx and test_data_set_0, or a folder of cases"},
    {"--list", &option_file, AT(list),
     "expect the cases of a file to fail: on each line a name, then the reason; # begins a comment"},
    {"--mode", &option_check_mode, AT(mode),
     "run compiled, unfused (without fusion and rewrites), eager (one node after the other), or c: as files "
     "of C (compiled)"},
    {"--cc", &option_name, AT(cc), "call this compiler in --mode c, with its options (cc -std=c99 -O1)"},
    {"--max", &option_sizes, AT(most),
     "reserve memory of each model first, for this largest size of a symbol in the shapes of inputs; "
     "repeatable"},
    {"--seconds", &option_number, AT(seconds), "limit the time of each case (60)"},
    {"--bytes", &option_count, AT(bytes), "limit the memory of the tensors of each case (4 GiB)"},
    {"--all", &option_flag, AT(all), "print also why the cases of --list fail"},
    {0}};

const struct command command_check = {
    .name = "check",
    .doc = "Run the cases of ONNX's test suites.",
    .details =
        "Floating outputs agree by the rule of numpy.testing.assert_allclose, with the tolerances of "
        "data.json;\n"
        "others are equal.  Outputs of models that draw random numbers agree in their means and mean "
        "squares.\n"
        "The exit status is 1 if a case fails that --list does not name, or if one passes that it names.\n"
        "  tyto check test_add/\n"
        "  tyto check node/ --list failing.txt --mode eager",
    .options = options,
    .defaults = &(const struct settings){.seconds = 60, .bytes = INT64_C(4) << 30},
    .bytes = sizeof(struct settings),
    .run = run,
    .computes = true};
