/* Models that must be refused, each with its message, and odd ones that must run: hostile.def,
   hostile_operators.def. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/text.h"
#include "onnx/api.h"
#include "tests/onnx/pieces.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/wire_text.h"

/* A model, and the words of the message that refuses it; NULL: it runs. */
struct model {
    const char *name, *words, *text;
};
static const struct model models[] = {
#define HOSTILE(name, words, model) {#name, words, model},
#define UNHARMED(name, model) {#name, NULL, model},
#include "tests/onnx/hostile.def"
#include "tests/onnx/hostile_operators.def"
#include "tests/onnx/seeds.def"
};
enum { MODELS = sizeof models / sizeof *models };

/* Limits of each model: no row that runs needs a hundredth of them. */
#define MOST_OPERATIONS 1e5
enum { MOST_BYTES = 1 << 29, MOST_VALUES = 16, MOST_MESSAGE = 1024 };

/* ---- running ---- */

/* Return ones in the declared form of an input; sizes that are no numbers become 2. */
static struct onnx_value ones(const struct proto_value *input) {
    int64_t shape[TY_MAX_RANK];
    const struct proto_tensor_type *type = input->type ? input->type->tensor : NULL;
    int64_t rank = type && type->shape ? type->shape->dims.n : 0;
    for (int64_t k = 0; k < rank && k < TY_MAX_RANK; k++)
        shape[k] = type->shape->dims.items[k].value > 0 ? type->shape->dims.items[k].value : 2;
    return onnx_value_tensor(ty_full(onnx_dtype_of(type ? type->elem_type : 0), (int)rank, shape, 1));
}

/* Run the model on ones, node by node or by a trace; false with the fault set. */
static bool run_model(struct ty_onnx *m, bool traced, struct arena *arena, struct fault *fault) {
    struct onnx_value inputs[MOST_VALUES] = {{0}}, outputs[MOST_VALUES] = {{0}};
    struct onnx_run run = {.model = m, .mode = ONNX_EAGER, .arena = arena, .fault = fault};
    const struct proto_graph *graph = m->proto->graph;
    if (graph->inputs.n > MOST_VALUES || graph->outputs.n > MOST_VALUES)
        return fault_set(fault, E_LIMIT, "many");
    for (int64_t i = 0; i < graph->inputs.n; i++) inputs[i] = ones(&graph->inputs.items[i]);
    ty_limits(NULL, MOST_OPERATIONS, MOST_BYTES);
    return traced ? onnx_execute(m, inputs, arena, outputs, fault)
                  : onnx_walk(&run, &m->graph, NULL, inputs, NULL, outputs);
}

/* Load a model of bytes, or of the file at `path`, and run it; write its error, or "", to message[MOST_MESSAGE]. */
static void try_model(const char *path, const uint8_t *bytes, size_t n, char *message) {
    struct arena arena = {0};
    struct fault fault = {0};
    struct ty_onnx *m =
        path ? onnx_model_load(path) : onnx_model_read("model", (struct wire_bytes){bytes, n});
    bool well = m && !m->fault.set && run_model(m, false, &arena, &fault);
    for (int run = 0; m && !m->fault.set && run < 2; run++) { /* makes a trace, and runs it */
        struct fault other = {0};
        run_model(m, true, &arena, &other);
    }
    const struct fault *why = m && m->fault.set ? &m->fault : &fault;
    snprintf(message, MOST_MESSAGE, "%s", well ? "" : m ? why->text : "out of memory");
    if (!well && !*message) snprintf(message, MOST_MESSAGE, "a failure without a message");
    ty_limits(NULL, 0, 0);
    onnx_model_free(m);
    arena_drop(&arena);
}

/* ---- all models ---- */

/* Append to `wrong` how a model differs from its row. */
static void check_model(const struct model *row, struct text *wrong) {
    char message[MOST_MESSAGE];
    struct test_round round = test_round();
    struct wire w = wire_text(row->text);
    ty_limits(NULL, MOST_OPERATIONS, MOST_BYTES);
    mem_peak_begin();
    int64_t before = mem_bytes();
    try_model(NULL, w.bytes, w.n, message);
    int64_t used = mem_peak() - before;
    if (test_verbose()) printf("%s: %s\n", row->name, message);
    if (!row->words && *message) text_add(wrong, "\n%s must run: %s", row->name, message);
    if (row->words && !*message) text_add(wrong, "\n%s must be refused", row->name);
    if (row->words && *message && !strstr(message, row->words))
        text_add(wrong, "\n%s: expected \"%s\", found \"%s\"", row->name, row->words, message);
    if (used > MOST_BYTES) text_add(wrong, "\n%s needs %lld bytes", row->name, (long long)used);
    wire_drop(&w);
    test_round_end(round);
}

static void refused(void) {
    struct text wrong = {0};
    int step = test_some(1, 1, 29);
    for (int i = 0; i < MODELS; i += step) check_model(&models[i], &wrong);
    if (test_starving()) {
        text_drop(&wrong);
        return;
    }
    char *words = text_take(&wrong);
    test_own(words, mem_free);
    CHECK(!*words, "%s", words);
}

/* ---- data outside of the file ---- */

enum { MOST_TEXT = 1024 };

/* Write to model.onnx of the folder a model that adds data of another file to x. */
static const char *write_outside(const char *folder, const char *entries) {
    char text[2 * MOST_TEXT];
    snprintf(text, sizeof text, MODEL(X Y "5{8'w'2=1 1=2 %s14=1}" NODE("Add", I("x") I("w") O("y"))),
             entries);
    struct wire w = wire_text(text);
    const char *path = scratch_path(folder, "model.onnx");
    write_file(path, w.bytes, w.n);
    wire_drop(&w);
    return path;
}

/* Check that a location, in a folder beside which a file secret.bin lies, is refused with these words; NULL: read. */
static void check_location(const char *folder, const char *location, const char *more, const char *words) {
    char entries[MOST_TEXT], message[MOST_MESSAGE];
    snprintf(entries, sizeof entries, "13{1'location'2'%s'}%s", location, more);
    try_model(write_outside(folder, entries), NULL, 0, message);
    if (words)
        CHECK(strstr(message, words), "%s %s: expected \"%s\", found \"%s\"", location, more, words, message);
    else
        CHECK(!*message, "%s %s: %s", location, more, message);
}

/* A folder with data, links and a pipe, inside of one with a secret. */
static const char *make_folder(void) {
    static const float data[] = {1, 2, 3};
    const char *outer = scratch_folder(), *folder = scratch_path(outer, "model");
    CHECK(!mkdir(folder, 0700) && !mkdir(scratch_path(folder, "inner"), 0700), "no folder");
    write_file(scratch_path(outer, "secret.bin"), data, 8);
    write_file(scratch_path(folder, "w.bin"), data, 8);
    write_file(scratch_path(folder, "long.bin"), data, sizeof data);
    write_file(scratch_path(folder, "inner/w.bin"), data, 8);
    CHECK(!symlink("../secret.bin", scratch_path(folder, "link.bin")), "no link");
    CHECK(!symlink("w.bin", scratch_path(folder, "near.bin")), "no link");
    CHECK(!symlink("..", scratch_path(folder, "up")), "no link");
    CHECK(!symlink("circle", scratch_path(folder, "circle")), "no link");
    CHECK(!symlink("nothing", scratch_path(folder, "dangling")), "no link");
    CHECK(!mkfifo(scratch_path(folder, "pipe"), 0600), "no pipe");
    return folder;
}

static void places_outside(void) {
    static const char *const escapes[] = {
        "../secret.bin", "inner/../../secret.bin", "./../secret.bin",  "inner/.././../secret.bin", "link.bin",
        "up/secret.bin", "inner/../link.bin",      ".//../secret.bin", "../model/../secret.bin"};
    const char *folder = make_folder(), *nothing = "No such file";
    if (test_starving()) return;
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        check_location(folder, escapes[i], "", "lies outside of the model's folder");
    check_location(folder, "", "", "not named relative to the model");
    check_location(folder, "/etc/passwd", "", "not named relative to the model");
    check_location(folder, "//etc/passwd", "", "not named relative to the model");
    check_location(folder, "/dev/zero", "", "not named relative to the model");
    check_location(folder, "/proc/self/environ", "", "not named relative to the model");
    check_location(folder, "missing.bin", "", nothing);
    check_location(folder, "dangling", "", nothing);
    check_location(folder, "..\\secret.bin", "", nothing);
    check_location(folder, "C:\\secret.bin", "", nothing);
    check_location(folder, "file:///etc/passwd", "", nothing);
    check_location(folder, "circle", "", "oo many");
    check_location(folder, ".", "", "outside");
    check_location(folder, "inner", "", "is a folder; expected a file");
    check_location(folder, "pipe", "", "is no regular file");
}

static void bytes_outside(void) {
    const char *folder = make_folder();
    if (test_starving()) return;
    check_location(folder, "w.bin", "", NULL);
    check_location(folder, "near.bin", "", NULL);
    check_location(folder, "inner/w.bin", "", NULL);
    check_location(folder, "../model/w.bin", "", NULL);
    check_location(folder, "long.bin", "13{1'offset'2'4'}", NULL);
    check_location(folder, "long.bin", "13{1'length'2'8'}", NULL);
    check_location(folder, "long.bin", "", "12 bytes of raw data");
    check_location(folder, "long.bin", "13{1'length'2'4'}", "4 bytes of raw data");
    check_location(folder, "w.bin", "13{1'offset'2'9'}", "fewer than the tensor names");
    check_location(folder, "w.bin", "13{1'offset'2'-1'}", "no number of bytes");
    check_location(folder, "w.bin", "13{1'offset'2'4x'}", "no number of bytes");
    check_location(folder, "w.bin", "13{1'offset'2''}", "offset is empty");
    check_location(folder, "w.bin", "13{1'length'2'18446744073709551616'}", "no number of bytes");
    check_location(folder, "w.bin", "13{1'offset'2'8'}13{1'length'2'18446744073709551615'}", "bytes");
    check_location(folder, "w.bin", "13{1'length'2'99'}", "fewer than the tensor names");
    check_location(folder, "w.bin", "9^8:00 ", "in two places");
}

TESTS_MAIN(TEST(refused), TEST(places_outside), TEST(bytes_outside))
