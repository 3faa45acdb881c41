/* Files of C around an exported model: a main function that reads inputs and writes outputs. */
#include "tools/onnx/exported.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <tyto/context.h>
#include <tyto/create.h>
#include <tyto/export_c.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "array/tensor.h"
#include "base/context/stop.h"

extern char **environ;

enum { MOST_PORTS = 64, MOST_PATH = 256 };

struct exported {
    ty_onnx *model;
    const char *cc;
    struct fault *fault;
    char folder[MOST_PATH];
    int ninputs, noutputs, narguments, nresults;
    ty_tensor *inputs[MOST_PORTS], *outputs[MOST_PORTS];
    bool open[MOST_PORTS]; /* the input is an argument */
    ty_tensor *arguments[MOST_PORTS], *values[MOST_PORTS], *results[MOST_PORTS];
};

/* ---- recording ---- */

/* Record the model with the open inputs as variables; false with the reason in *why. */
static bool record(struct exported *e, struct fault *why) {
    ty_tensor *x[MOST_PORTS];
    fault_clear(why);
    for (int i = 0; i < e->ninputs; i++) x[i] = e->open[i] ? ty_var(e->inputs[i], NULL) : e->inputs[i];
    if (!ty_onnx_record(e->model, e->ninputs, x, e->noutputs, e->outputs))
        return fault_tensor(why, e->noutputs ? e->outputs[0] : tensor_out_of_memory());
    e->narguments = 0;
    for (int i = 0; i < e->ninputs; i++)
        if (e->open[i]) {
            e->values[e->narguments] = e->inputs[i];
            e->arguments[e->narguments++] = x[i];
        }
    return true;
}

/* Record with as many inputs as possible as variables: try each together with those accepted before. */
static bool record_most(struct exported *e) {
    struct fault why, first;
    for (int i = 0; i < e->ninputs; i++) e->open[i] = true;
    if (record(e, &first)) return true;
    if (first.code == E_MEMORY || e->ninputs < 2) return fault_copy(e->fault, &first);
    for (int i = 0; i < e->ninputs; i++) e->open[i] = false;
    bool any = false;
    for (int i = 0; i < e->ninputs; i++) {
        e->open[i] = true;
        e->open[i] = record(e, &why);
        any = any || e->open[i];
    }
    if (!any) return fault_copy(e->fault, &first);
    return record(e, e->fault);
}

/* ---- files ---- */

static void path_in(const struct exported *e, const char *name, char path[2 * MOST_PATH]) {
    snprintf(path, (size_t)2 * MOST_PATH, "%s/%s", e->folder, name);
}

static size_t bytes_of(const ty_tensor *x) {
    return ((size_t)ty_size(x) * (size_t)ty_dtype_bits(ty_dtype_of(x)) + 7) / 8;
}

static bool file_failed(const struct exported *e, const char *path) {
    return fault_set(e->fault, E_FILE, "%s: %s", path, strerror(errno));
}

/* Write the C files: the exported function, and a program that calls it on the bytes of "in" and writes "out". */
static bool write_files(struct exported *e) {
    char path[2 * MOST_PATH];
    ty_tensor *why = NULL;
    const ty_export_function f = {.name = "predict",
                                  .ninputs = e->narguments,
                                  .inputs = e->arguments,
                                  .noutputs = e->nresults,
                                  .outputs = e->results};
    path_in(e, "model.c", path);
    if (!ty_export_c(path, 1, &f, (ty_export_options){0}, NULL, &why)) return fault_tensor(e->fault, why);
    path_in(e, "main.c", path);
    FILE *out = fopen(path, "w");
    if (!out) return file_failed(e, path);
    fprintf(out, "#include <stdio.h>\n#include \"model.h\"\nstatic model_state state;\n"
                 "union room { double real; uint64_t word; };\n");
    for (int i = 0; i < e->narguments; i++)
        fprintf(out, "static union room x%d[%zu];\n", i, bytes_of(e->arguments[i]) / 8 + 1);
    for (int i = 0; i < e->nresults; i++)
        fprintf(out, "static union room y%d[%zu];\n", i, bytes_of(e->results[i]) / 8 + 1);
    fprintf(out, "int main(void) {\n    FILE *in = fopen(\"in\", \"rb\"), *out = fopen(\"out\", \"wb\");\n"
                 "    int wrong = !in || !out;\n");
    for (int i = 0; i < e->narguments; i++)
        fprintf(out, "    if (!wrong) wrong = fread(x%d, 1, %zu, in) != %zu;\n", i, bytes_of(e->arguments[i]),
                bytes_of(e->arguments[i]));
    fprintf(out, "    if (wrong) return 2;\n    model_begin(&state);\n    wrong = model_predict(&state");
    for (int i = 0; i < e->narguments; i++) fprintf(out, ", (const void *)x%d", i);
    for (int i = 0; i < e->nresults; i++) fprintf(out, ", (void *)y%d", i);
    fprintf(out, ");\n    if (wrong) return 3;\n");
    for (int i = 0; i < e->nresults; i++)
        fprintf(out, "    if (!wrong) wrong = fwrite(y%d, 1, %zu, out) != %zu;\n", i, bytes_of(e->results[i]),
                bytes_of(e->results[i]));
    fprintf(out, "    return fclose(out) || wrong ? 2 : 0;\n}\n");
    return !fclose(out) || file_failed(e, path);
}

/* Write the bytes of the arguments to "in". */
static bool write_arguments(struct exported *e) {
    char path[2 * MOST_PATH];
    path_in(e, "in", path);
    FILE *out = fopen(path, "wb");
    if (!out) return file_failed(e, path);
    bool well = true;
    for (int i = 0; i < e->narguments && well; i++) {
        ty_tensor *x = ty_contiguous(e->values[i]);
        size_t n = bytes_of(x);
        const void *bytes = n ? ty_data(x) : NULL;
        well = !n || (bytes && fwrite(bytes, 1, n, out) == n);
    }
    if (fclose(out) || !well) return file_failed(e, path);
    return true;
}

/* Set `line` to the first line of the messages in the file "said". */
static void first_line(const struct exported *e, char line[MOST_PATH]) {
    char path[2 * MOST_PATH];
    path_in(e, "said", path);
    FILE *in = fopen(path, "r");
    size_t n = in ? fread(line, 1, MOST_PATH - 1, in) : 0;
    line[n] = 0;
    line[strcspn(line, "\n")] = 0;
    if (in) fclose(in);
}

/* Wait for the end of a group of processes.  If the case must stop, kill them: false, with the fault set. */
static bool wait_for(pid_t group, int *status, struct fault *fault) {
    static const struct timespec pause = {.tv_nsec = 2000000}; /* small beside the 100 ms of a compiler */
    pid_t ended;
    while ((ended = waitpid(group, status, WNOHANG)) == 0) {
        bool interrupted = ty_interrupted(NULL); /* the context of the case is another one */
        if (!interrupted && stop_check_thread(fault)) {
            nanosleep(&pause, NULL);
            continue;
        }
        kill(-group, SIGKILL);
        while (waitpid(group, status, 0) < 0 && errno == EINTR) continue;
        return interrupted ? stop_fault(fault, STOP_INTERRUPTED) : false;
    }
    return ended == group || fault_set(fault, E_FILE, "waitpid: %s", strerror(errno));
}

/* Start the shell on a script in the folder, with the compiler as $2, as a group of processes. */
static bool start(const struct exported *e, const char *script, pid_t *group) {
    char *const words[] = {
        "sh", "-c", (char *)(uintptr_t)script, "sh", (char *)(uintptr_t)e->folder, (char *)(uintptr_t)e->cc,
        NULL};
    posix_spawnattr_t attributes;
    int failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (!failed) failed = posix_spawnattr_setpgroup(&attributes, 0);
        if (!failed) failed = posix_spawnp(group, "sh", NULL, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    return !failed || fault_set(e->fault, E_FILE, "sh: %s", strerror(failed));
}

/* Let the shell run a script, which runs `what`, within the time of the case. */
static bool shell(const struct exported *e, const char *script, const char *what) {
    struct fault stopped = {0};
    char line[MOST_PATH];
    pid_t group = -1;
    int status = 0;
    if (!start(e, script, &group)) return false;
    if (!wait_for(group, &status, &stopped))
        return fault_set(e->fault, stopped.code, "%s: %s", what, stopped.text);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    first_line(e, line);
    return fault_set(e->fault, E_USER, "%s fails: status %d: %s", what,
                     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), line);
}

/* Read the results from "out". */
static bool read_results(struct exported *e) {
    char path[2 * MOST_PATH];
    path_in(e, "out", path);
    FILE *in = fopen(path, "rb");
    if (!in) return file_failed(e, path);
    bool well = true;
    for (int i = 0; i < e->nresults && well; i++) {
        size_t n = bytes_of(e->results[i]);
        void *bytes = malloc(n + 1);
        well = bytes && fread(bytes, 1, n, in) == n;
        if (well)
            e->results[i] =
                ty_from(ty_dtype_of(e->results[i]), ty_rank(e->results[i]), ty_shape(e->results[i]), bytes);
        free(bytes);
    }
    fclose(in);
    return well || fault_set(e->fault, E_FILE, "%s: is too short", path);
}

static void remove_folder(const struct exported *e) {
    static const char *const names[] = {"model.c", "model.h", "model_weights.c", "main.c", "model", "in",
                                        "out",     "said"};
    char path[2 * MOST_PATH];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_in(e, names[i], path);
        unlink(path);
    }
    rmdir(e->folder);
}

/* ---- runs ---- */

static bool compile_and_run(struct exported *e) {
    const char *where = getenv("TMPDIR");
    snprintf(e->folder, sizeof e->folder, "%.200s/tyto-check-XXXXXX", where && *where ? where : "/tmp");
    if (!mkdtemp(e->folder)) return file_failed(e, e->folder);
    bool well = write_files(e) && write_arguments(e) &&
                shell(e, "cd \"$1\" && $2 *.c -o model -lm 2>said", "the compiler") &&
                shell(e, "cd \"$1\" && ./model 2>said", "the program") && read_results(e);
    remove_folder(e);
    return well;
}

/* Set the outputs: those that are promises are results of the program, others are known. */
static bool take_outputs(struct exported *e, struct onnx_value *outputs) {
    for (int i = 0; i < e->noutputs; i++)
        if (ty_is_promise(e->outputs[i])) e->results[e->nresults++] = e->outputs[i];
    if (e->nresults && !compile_and_run(e)) return false;
    int n = 0;
    for (int i = 0; i < e->noutputs; i++)
        outputs[i] = onnx_value_tensor(ty_is_promise(e->outputs[i]) ? e->results[n++] : e->outputs[i]);
    return true;
}

bool exported_run(ty_onnx *model, const char *cc, const struct onnx_value *inputs, struct onnx_value *outputs,
                  bool *drawn, struct fault *fault) {
    struct exported e = {.model = model,
                         .cc = cc,
                         .fault = fault,
                         .ninputs = ty_onnx_inputs(model),
                         .noutputs = ty_onnx_outputs(model)};
    if (e.ninputs > MOST_PORTS || e.noutputs > MOST_PORTS)
        return fault_set(fault, E_LIMIT, "the model has more than %d inputs or outputs", MOST_PORTS);
    for (int i = 0; i < e.ninputs; i++) {
        if (inputs[i].kind != ONNX_TENSOR)
            return fault_set(fault, E_UNSUPPORTED, "input %d is %s, which a file of C cannot take", i,
                             onnx_kind_words(inputs[i].kind));
        e.inputs[i] = inputs[i].tensor;
    }
    bool well = record_most(&e) && take_outputs(&e, outputs);
    *drawn = model->draws;
    return well;
}
