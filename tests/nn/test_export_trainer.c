/* Exported trainings have the losses and the variables of the library, to the bit, and save and load them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/export_c.h>
#include <tyto/zoo.h>

#include "tests/support/compare.h"
#include "tests/support/exported.h"
#include "tests/support/files.h"
#include "tests/support/samples/sample.h"

enum { SEED = 3, ROOM = 1024 };

/* The program of an exported training: steps on batches of a file in the order of m_order, losses to a file; then it
   saves, and loads into another state, also files that are short, damaged, of other networks, or in another order of
   bytes. */
static const char program[] =
    "#include \"m.h\"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static m_state state, other;\n"
    "static int put(void *to, const void *data, size_t n) { return fwrite(data, 1, n, (FILE *)to) == n ? 0 : "
    "7; }\n"
    "static int get(void *from, void *data, size_t n) { return fread(data, 1, n, (FILE *)from) == n ? 0 : 8; "
    "}\n"
    "static void *whole(const char *name, size_t *n) {\n"
    "    FILE *in = fopen(name, \"rb\");\n    void *data;\n"
    "    if (!in) exit(10);\n    fseek(in, 0, SEEK_END);\n    *n = (size_t)ftell(in);\n    rewind(in);\n"
    "    data = aligned_alloc(64, (*n + 64) / 64 * 64);\n    if (fread(data, 1, *n, in) != *n) exit(11);\n"
    "    fclose(in);\n    return data;\n}\n"
    "static void save(const m_state *s, const char *name) {\n    FILE *out = fopen(name, \"wb\");\n"
    "    if (!out || m_save(s, put, out) || fclose(out)) exit(12);\n}\n"
    "static int load(m_state *s, const char *name) {\n    FILE *in = fopen(name, \"rb\");\n"
    "    int code = m_load(s, get, in);\n    fclose(in);\n    return code;\n}\n"
    "/* Load the saved file with byte `at` changed, cut to n bytes. */\n"
    "static int damaged(size_t at, size_t n, int reversed) {\n    size_t bytes, i;\n"
    "    char *data = (char *)whole(\"saved\", &bytes), byte;\n    FILE *out = fopen(\"damaged\", \"wb\");\n"
    "    if (at < bytes) data[at] ^= 1;\n    for (i = 0; reversed && i < 4; i++)\n"
    "        byte = data[i], data[i] = data[7 - i], data[7 - i] = byte;\n"
    "    fwrite(data, 1, n < bytes ? n : bytes, out);\n    fclose(out);\n    free(data);\n"
    "    return load(&other, \"damaged\");\n}\n"
    "int main(int argc, char **argv) {\n"
    "    long steps = atol(argv[1]), n = atol(argv[2]), batch = atol(argv[3]), step, i;\n"
    "    size_t bytes, nx, ny;\n    void *weights = whole(\"w\", &bytes);\n"
    "    char *x = (char *)whole(\"x\", &nx), *y = (char *)whole(\"y\", &ny), *bx, *by;\n"
    "    int64_t *order = (int64_t *)malloc((size_t)n * sizeof *order);\n    float loss;\n"
    "    FILE *losses = fopen(\"losses\", \"wb\");\n"
    "    if (argc != 4 || m_begin(&state, weights, bytes) || m_begin(&other, weights, bytes)) return 13;\n"
    "    nx /= (size_t)n, ny /= (size_t)n;\n"
    "    bx = (char *)malloc(nx * (size_t)batch), by = (char *)malloc(ny * (size_t)batch);\n"
    "    for (step = 0; step < steps; step++) {\n        long place = step % (n / batch);\n"
    "        if (!place) m_order(3, (uint64_t)(step / (n / batch)), n, order);\n"
    "        for (i = 0; i < batch; i++) {\n            long from = (long)order[place * batch + i];\n"
    "            memcpy(bx + (size_t)i * nx, x + (size_t)from * nx, nx);\n"
    "            memcpy(by + (size_t)i * ny, y + (size_t)from * ny, ny);\n        }\n"
    "        if (m_step(&state, (const void *)bx, (const void *)by, &loss)) return 14;\n"
    "        fwrite(&loss, sizeof loss, 1, losses);\n    }\n"
    "    fclose(losses);\n    save(&state, \"saved\");\n    if (!steps) return 0;\n"
    "    if (sizeof state > 4000000) return 0; /* the rest takes as long as the steps */\n"
    "    save(&other, \"first\");\n"
    "    if (damaged(40, (size_t)-1, 0) != m_LOAD_HASH || damaged(8, (size_t)-1, 0) != m_LOAD_FORM) return "
    "15;\n"
    "    if (damaged(16, (size_t)-1, 0) != m_LOAD_FORM || damaged((size_t)-1, (size_t)-1, 1) != "
    "m_LOAD_ORDER) return 16;\n"
    "    if (damaged((size_t)-1, 100, 0) != 8 || damaged((size_t)-1, 20, 0) != 8) return 17;\n"
    "    save(&other, \"still\");\n    if (load(&other, \"saved\")) return 18;\n    save(&other, "
    "\"again\");\n"
    "    return 0;\n}\n";

static void write_data(const char *path, const void *data, size_t n) {
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(data, 1, n, out) == n && !fclose(out), "%s cannot be written", path);
}
static void write_tensor(const char *folder, const char *name, ty_tensor *x) {
    x = ty_contiguous(x);
    write_data(scratch_path(folder, name), ty_data(x), (size_t)ty_size(x) * ty_dtype_size(ty_dtype_of(x)));
}
static void run(const char *folder, const char *command) {
    char all[ROOM];
    int length = snprintf(all, sizeof all, "cd %s && %s", folder, command);
    CHECK(length >= 0 && (size_t)length < sizeof all, "a command of %d bytes; expected less than %zu", length,
          sizeof all);
    CHECK(!system(all), "%s", all);
}
/* Export a trainer to a new folder, compile the program, and let it do some steps; return the folder. */
static const char *run_exported(ty_trainer *t, ty_tensor *x, ty_tensor *y, int steps, int batch) {
    const char *folder = scratch_folder();
    ty_tensor *error = NULL;
    ty_export_report report;
    char command[ROOM];
    bool done = ty_export_trainer(scratch_path(folder, "m.c"), t,
                                  (ty_export_options){.weights = scratch_path(folder, "w")}, &report, &error);
    CHECK(done, "%s", ty_error(error));
    if (test_verbose())
        printf("%d lines, state %d bytes, weights %d, arena %d\n", (int)report.lines, (int)report.state_bytes,
               (int)report.weight_bytes, (int)report.arena_bytes);
    write_data(scratch_path(folder, "main.c"), program, sizeof program - 1);
    write_tensor(folder, "x", x);
    write_tensor(folder, "y", y);
    snprintf(command, sizeof command,
             "${CC:-cc} -std=gnu11 %s -Wall -Wextra -pedantic -Wconversion -Werror -c m.c",
             steps ? "-O1 -march=native" : "-O0"); /* without steps, only the first values count */
    run(folder, command);
    if (steps)
        run(folder,
            "${CXX:-c++} -x c++ -std=c++11 -fsyntax-only -Wall -Wextra -pedantic -Wconversion -Werror m.c");
    run(folder, "${CC:-cc} -std=gnu11 -O1 main.c m.o -lm -o main");
    snprintf(command, sizeof command, "./main %d %d %d", steps, (int)ty_shape(x)[0], batch);
    run(folder, command);
    return folder;
}
/* The exported training of a model does the steps of the library. */
static void trains(ty_model *m, ty_tensor *x, ty_tensor *y, int steps, int batch, ty_trainer_options o) {
    test_own(m, (void (*)(void *))ty_model_free);
    o.inputs = x, o.targets = y, o.batch = batch, o.seed = SEED;
    ty_trainer *t = test_own(ty_trainer_new(m, o), (void (*)(void *))ty_trainer_free);
    const char *folder = run_exported(t, x, y, steps, batch), *after;
    float *losses = test_room((size_t)steps * sizeof *losses), got;
    for (int i = 0; i < steps; i++) losses[i] = (float)ty_trainer_step(t);
    CHECK(!*ty_trainer_error(t), "%s", ty_trainer_error(t));
    FILE *in = fopen(scratch_path(folder, "losses"), "rb");
    CHECK(in, "no losses");
    for (int i = 0; i < steps; i++)
        CHECK(fread(&got, sizeof got, 1, in) == 1 && got == losses[i], "loss %d is %.9g instead of %.9g", i,
              got, losses[i]);
    fclose(in);
    after = run_exported(t, x, y, 0, batch);
    char command[ROOM];
    snprintf(command, sizeof command,
             "cmp saved %s/saved && { [ ! -f again ] || { cmp saved again && cmp first still; }; }", after);
    run(folder, command);
}
static ty_tensor *labels(int n, int classes) {
    int64_t *values = test_room((size_t)n * sizeof *values), size = n;
    for (int i = 0; i < n; i++) values[i] = test_between(0, classes - 1);
    return ty_from(TY_I64, 1, &size, values);
}

static void lenet(void) {
    if (!exported_can_run()) return;
    ty_model *m = ty_network_model(&ty_network_lenet, (ty_network_options){0},
                                   (ty_model_options){.seed = 2, .lazy = true});
    ty_tensor *x = ty_cast(sample_shape(TY_F32, 4, (int64_t[]){34, 28, 28, 1}, 0, 255), TY_U8);
    trains(m, x, labels(34, 10), 50, 2, (ty_trainer_options){0});
}
/* Norms with statistics, dropout, several rules, schedules, parts of batches and clipped gradients. */
static void net(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_tensor *h = ty_layer_conv2d(self, "first", x[0], (ty_conv_layer){.channels = 4, .size = {3, 3}});
    h = ty_relu(ty_layer_batch_norm(self, "norm", h, (ty_batch_norm_layer){0}));
    h = ty_layer_dropout(self, "drop", ty_reshape(h, 2, (int64_t[]){ty_shape(h)[0], -1}),
                         (ty_dropout_layer){.p = 0.25});
    y[0] = ty_layer_linear(self, "out", h, (ty_linear_layer){.units = 3});
}
static ty_model *small(ty_forward forward) {
    return ty_model_new(forward, NULL, (ty_model_options){.seed = 2, .lazy = true});
}
static void rules(void) {
    if (!exported_can_run()) return;
    const ty_schedule plan = {.at = ty_schedule_cosine, .steps = 40, .warmup = 5};
    const ty_trainer_options all[] = {
        {.optimiser = {.rule = &ty_adam, .rate = 0.01}, .schedule = &plan, .clip_global_norm = 0.5},
        {.optimiser = {.rule = &ty_sgd, .rate = 0.05, .momentum = 0.9}, .accumulate = 2, .average = 0.9}};
    for (int i = 0; i < 2; i++) {
        struct test_round round = test_round();
        ty_tensor *x = sample_shape(TY_F32, 4, (int64_t[]){30, 6, 5, 1}, -1, 1);
        trains(small(net), x, labels(30, 3), 50, 8, all[i]);
        test_round_end(round);
    }
}

/* Tokens through a GRU in both directions and an LSTM, or through a block of a transformer. */
static void recurrent(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    ty_tensor *h = ty_layer_embedding(self, "embedding", x[0], (ty_embedding_layer){.rows = 9, .units = 5});
    h = ty_layer_gru(self, "gru", h, (ty_gru_layer){.units = 4, .bidirectional = true});
    h = ty_layer_lstm(self, "lstm", h, (ty_lstm_layer){.units = 6, .last = true});
    y[0] = ty_layer_linear(self, "out", ty_layer_dropout(self, "drop", h, (ty_dropout_layer){.p = 0.2}),
                           (ty_linear_layer){.units = 3});
}
static void transformer(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    const ty_embedding_layer tokens = {.rows = 9, .units = 8};
    ty_tensor *h = ty_layer_embedding(self, "wte", x[0], tokens);
    h = ty_layer_position_embedding(self, "wpe", h, (ty_position_embedding_layer){.rows = 6});
    h = ty_layer_transformer_block(
        self, "block", h,
        (ty_transformer_block_layer){.attention = {.heads = 2, .causal = true}, .dropout = 0.1});
    y[0] =
        ty_layer_embedding(self, "wte", ty_layer_layer_norm(self, "ln", h, (ty_layer_norm_layer){0}), tokens);
}
static void sequences(void) {
    if (!exported_can_run()) return;
    const int64_t shape[] = {13, 6};
    ty_tensor *x = ty_reshape(labels(13 * 6, 9), 2, shape);
    const ty_trainer_options o = {.optimiser = {.rule = &ty_adam, .rate = 0.01},
                                  .loss_with = ty_loss_cross_entropy_sized};
    trains(small(recurrent), x, labels(13, 3), 20, 4, o);
    trains(small(transformer), x, ty_reshape(labels(13 * 6, 9), 2, shape), 20, 4, o);
}

/* An eager trainer, one that has failed, and a path that cannot be written. */
static void refuses(void) {
    ty_model *m =
        test_own(ty_model_new(net, NULL, (ty_model_options){.seed = 2}), (void (*)(void *))ty_model_free);
    ty_tensor *x = sample_shape(TY_F32, 4, (int64_t[]){8, 6, 5, 1}, -1, 1), *error = NULL;
    const ty_trainer_options o = {.inputs = x, .targets = labels(8, 3), .batch = 4};
    ty_trainer *t = test_own(ty_trainer_new(m, o), (void (*)(void *))ty_trainer_free);
    const char *folder = scratch_folder(), *path = scratch_path(folder, "m.c");
    CHECK(!ty_export_trainer(path, t, (ty_export_options){0}, NULL, &error), "an eager trainer");
    CHECK(test_starving() || strstr(ty_error(error), "eager"), "%s", ty_error(error));
    CHECK(!ty_export_trainer(path, NULL, (ty_export_options){0}, NULL, &error), "no trainer");
    CHECK(test_starving() || strstr(ty_error(error), "NULL"), "%s", ty_error(error));
    m = test_own(small(net), (void (*)(void *))ty_model_free);
    t = test_own(ty_trainer_new(m, o), (void (*)(void *))ty_trainer_free);
    CHECK(!ty_export_trainer("/nonexistent/m.c", t, (ty_export_options){0}, NULL, &error), "no folder");
    CHECK(test_starving() || strstr(ty_error(error), "/nonexistent"), "%s", ty_error(error));
    CHECK(count_files(folder) == 0, "files are left");
    double loss = ty_trainer_step(t);
    CHECK(test_starving() || loss == loss, "the trainer has failed: %s", ty_trainer_error(t));
}

/* Parameters with the names of the trainer's own variables, and a model at the means of its parameters. */
static void scaled(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options, (void)n;
    const ty_parameter of_three = {.rank = 1, .shape = (int64_t[]){3}, .init = {ty_init_normal, 1, 0.1}};
    ty_tensor *rate = ty_layer_parameter(self, "rate", of_three);
    ty_tensor *step = ty_layer_parameter(self, "step", of_three);
    y[0] = ty_add(ty_mul(ty_layer_linear(self, "out", x[0], (ty_linear_layer){.units = 3}), rate), step);
}
static void names(void) {
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(8, 5), -1, 1);
    const ty_trainer_options o = {.inputs = x, .targets = labels(8, 3), .batch = 4, .average = 0.9};
    ty_model *m = test_own(small(scaled), (void (*)(void *))ty_model_free);
    ty_trainer *t = test_own(ty_trainer_new(m, o), (void (*)(void *))ty_trainer_free);
    const char *folder = scratch_folder(), *path = scratch_path(folder, "m.c");
    for (int i = 0; i < 3; i++) ty_trainer_step(t);
    double learning = ty_item(ty_sum(ty_model_parameter(m, 0), TY_ALL));
    CHECK(ty_trainer_use_means(t, true, NULL), "no means");
    double mean = ty_item(ty_sum(ty_model_parameter(m, 0), TY_ALL));
    CHECK(test_starving() || fabs(learning - mean) > 0, "the mean %g is the parameter", mean);
    ty_tensor *before = ty_from(TY_F32, TY_SHAPE(3), ty_data(ty_eval(ty_model_parameter(m, 0)))),
              *error = NULL;
    CHECK(ty_export_trainer(path, t, (ty_export_options){0}, NULL, &error), "%s", ty_error(error));
    compare_bits(ty_eval(ty_model_parameter(m, 0)), before, "a parameter after the export");
    run(folder, "grep -q 'double rate\\[1\\];' m.h && grep -q 'int64_t step\\[1\\];' m.h");
}

TESTS_MAIN(TEST(lenet), TEST(rules), TEST(sequences), TEST(names), TEST(refuses))
