/* Weights of GPT-2 under Hugging Face's names: scores equal those of an independent forward pass in doubles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tyto/io.h>
#include <tyto/zoo.h>
#include <unistd.h>
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"

enum {
    BLOCKS = 2,
    HEADS = 3,
    UNITS = 12,
    HEAD = UNITS / HEADS,
    TOKENS = 11,
    PLACES = 8,
    READ = 6,
    MOST = 64
};

/* ---- files ---- */

/* Tensors of a file: f32 values drawn once, names with a prefix. */
struct file {
    char folder[64], path[96], config[96];
    int n;
    char names[MOST][64];
    float *values[MOST];
    ty_tensor *tensors[MOST];
};

/* Append a tensor of rows x columns, or of `columns` elements if rows is 0, of numbers around `middle`. */
static void add(struct file *f, const char *prefix, int block, const char *name, int64_t rows,
                int64_t columns, double middle) {
    int64_t n = (rows ? rows : 1) * columns, shape[] = {rows, columns};
    float *values = test_room((size_t)n * sizeof *values);
    for (int64_t i = 0; i < n; i++) values[i] = (float)(middle + test_uniform(-0.5, 0.5));
    if (block < 0)
        snprintf(f->names[f->n], sizeof f->names[0], "%s%s", prefix, name);
    else
        snprintf(f->names[f->n], sizeof f->names[0], "%sh.%d.%s", prefix, block, name);
    f->values[f->n] = values;
    f->tensors[f->n++] = ty_from(TY_F32, rows ? 2 : 1, rows ? shape : shape + 1, values);
}

static void fill(struct file *f, const char *prefix) {
    add(f, prefix, -1, "wte.weight", TOKENS, UNITS, 0);
    add(f, prefix, -1, "wpe.weight", PLACES, UNITS, 0);
    for (int i = 0; i < BLOCKS; i++) {
        add(f, prefix, i, "ln_1.weight", 0, UNITS, 1);
        add(f, prefix, i, "ln_1.bias", 0, UNITS, 0);
        add(f, prefix, i, "attn.bias", PLACES, PLACES, 0); /* a mask in real files: it is not read */
        add(f, prefix, i, "attn.c_attn.weight", UNITS, 3 * UNITS, 0);
        add(f, prefix, i, "attn.c_attn.bias", 0, 3 * UNITS, 0);
        add(f, prefix, i, "attn.c_proj.weight", UNITS, UNITS, 0);
        add(f, prefix, i, "attn.c_proj.bias", 0, UNITS, 0);
        add(f, prefix, i, "ln_2.weight", 0, UNITS, 1);
        add(f, prefix, i, "ln_2.bias", 0, UNITS, 0);
        add(f, prefix, i, "mlp.c_fc.weight", UNITS, 4 * UNITS, 0);
        add(f, prefix, i, "mlp.c_fc.bias", 0, 4 * UNITS, 0);
        add(f, prefix, i, "mlp.c_proj.weight", 4 * UNITS, UNITS, 0);
        add(f, prefix, i, "mlp.c_proj.bias", 0, UNITS, 0);
    }
    add(f, prefix, -1, "ln_f.weight", 0, UNITS, 1);
    add(f, prefix, -1, "ln_f.bias", 0, UNITS, 0);
}

/* Write the tensors, and config.json unless that is NULL; false without memory. */
static bool put(struct file *f, const char *config) {
    const char *names[MOST];
    ty_tensor *error = NULL;
    strcpy(f->folder, "/tmp/test_gpt_weights_XXXXXX");
    if (!mkdtemp(f->folder)) return false;
    snprintf(f->path, sizeof f->path, "%s/model.safetensors", f->folder);
    snprintf(f->config, sizeof f->config, "%s/config.json", f->folder);
    for (int i = 0; i < f->n; i++) names[i] = f->names[i];
    FILE *out = config ? fopen(f->config, "w") : NULL;
    if (out) fputs(config, out), fclose(out);
    bool well = ty_archive_save(f->path, f->n, names, f->tensors, (ty_file_options){0}, &error);
    CHECK(well || test_starving(), "%s", ty_error(error));
    return well;
}

static void drop(const struct file *f) {
    unlink(f->path);
    unlink(f->config);
    rmdir(f->folder);
}

/* ---- the oracle: GPT-2 in doubles, one sum after the other ---- */

static const float *of(const struct file *f, int block, const char *name) {
    char whole[64];
    snprintf(whole, sizeof whole, "h.%d.%s", block, name);
    const char *end = block < 0 ? name : whole;
    for (int i = 0; i < f->n; i++) {
        size_t n = strlen(f->names[i]), m = strlen(end);
        if (n >= m && !strcmp(f->names[i] + n - m, end)) return f->values[i];
    }
    CHECK(false, "no tensor %s", name);
    return NULL;
}

static void norm(const double *x, const float *weight, const float *bias, double *y) {
    double mean = 0, variance = 0;
    for (int i = 0; i < UNITS; i++) mean += x[i] / UNITS;
    for (int i = 0; i < UNITS; i++) variance += (x[i] - mean) * (x[i] - mean) / UNITS;
    for (int i = 0; i < UNITS; i++)
        y[i] = (x[i] - mean) / sqrt(variance + 1e-5) * (double)weight[i] + (double)bias[i];
}

static void linear(int in, int out, const double *x, const float *weight, const float *bias, double *y) {
    for (int o = 0; o < out; o++) {
        y[o] = (double)bias[o];
        for (int i = 0; i < in; i++) y[o] += x[i] * (double)weight[i * out + o];
    }
}

/* Attention of the query at place t to places 0..t; qkv[place] holds all three. */
static void attend(double qkv[READ][3 * UNITS], int t, double *y) {
    for (int head = 0; head < HEADS; head++) {
        double shares[READ], total = 0;
        for (int k = 0; k <= t; k++) {
            double score = 0;
            for (int i = 0; i < HEAD; i++)
                score += qkv[t][head * HEAD + i] * qkv[k][UNITS + head * HEAD + i] / sqrt(HEAD);
            total += shares[k] = exp(score);
        }
        for (int i = 0; i < HEAD; i++) {
            double sum = 0;
            for (int k = 0; k <= t; k++) sum += shares[k] * qkv[k][2 * UNITS + head * HEAD + i];
            y[head * HEAD + i] = sum / total;
        }
    }
}

static void block(const struct file *f, int i, double x[READ][UNITS]) {
    double normal[UNITS], qkv[READ][3 * UNITS], more[UNITS], hidden[4 * UNITS];
    for (int t = 0; t < READ; t++) {
        norm(x[t], of(f, i, "ln_1.weight"), of(f, i, "ln_1.bias"), normal);
        linear(UNITS, 3 * UNITS, normal, of(f, i, "attn.c_attn.weight"), of(f, i, "attn.c_attn.bias"),
               qkv[t]);
    }
    for (int t = 0; t < READ; t++) {
        attend(qkv, t, normal);
        linear(UNITS, UNITS, normal, of(f, i, "attn.c_proj.weight"), of(f, i, "attn.c_proj.bias"), more);
        for (int k = 0; k < UNITS; k++) x[t][k] += more[k];
        norm(x[t], of(f, i, "ln_2.weight"), of(f, i, "ln_2.bias"), normal);
        linear(UNITS, 4 * UNITS, normal, of(f, i, "mlp.c_fc.weight"), of(f, i, "mlp.c_fc.bias"), hidden);
        for (int k = 0; k < 4 * UNITS; k++) {
            double h = hidden[k];
            hidden[k] = 0.5 * h * (1 + tanh(sqrt(2 / acos(-1)) * (h + 0.044715 * h * h * h)));
        }
        linear(4 * UNITS, UNITS, hidden, of(f, i, "mlp.c_proj.weight"), of(f, i, "mlp.c_proj.bias"), more);
        for (int k = 0; k < UNITS; k++) x[t][k] += more[k];
    }
}

static void oracle(const struct file *f, const int32_t *tokens, double scores[READ][TOKENS]) {
    double x[READ][UNITS], normal[UNITS];
    const float *words = of(f, -1, "wte.weight"), *places = of(f, -1, "wpe.weight");
    for (int t = 0; t < READ; t++)
        for (int i = 0; i < UNITS; i++)
            x[t][i] = (double)words[tokens[t] * UNITS + i] + (double)places[t * UNITS + i];
    for (int i = 0; i < BLOCKS; i++) block(f, i, x);
    for (int t = 0; t < READ; t++) {
        norm(x[t], of(f, -1, "ln_f.weight"), of(f, -1, "ln_f.bias"), normal);
        for (int k = 0; k < TOKENS; k++) {
            scores[t][k] = 0;
            for (int i = 0; i < UNITS; i++) scores[t][k] += normal[i] * (double)words[k * UNITS + i];
        }
    }
}

/* ---- tests ---- */

static const char three_heads[] = "{\"n_head\": 3, \"activation_function\": \"gelu_new\"}";

static void compare(const struct file *f, ty_model *m, const char *what) {
    int32_t tokens[PLACES] = {3, 0, 10, 7, 7, 1};
    double expected[READ][TOKENS], most = 0;
    float found[PLACES][TOKENS];
    ty_tensor *x = ty_from(TY_I32, 2, (int64_t[]){1, PLACES}, tokens), *y = NULL;
    if (*ty_model_error(m)) return CHECK(test_starving(), "%s: %s", what, ty_model_error(m));
    oracle(f, tokens, expected);
    if (!ty_model_predict(m, 1, &x, &y) || !ty_read(y, TY_F32, &found[0][0]))
        return CHECK(test_starving(), "%s: %s", what, y ? ty_error(y) : "");
    for (int t = 0; t < READ; t++)
        for (int k = 0; k < TOKENS; k++) most = fmax(most, fabs(expected[t][k] - (double)found[t][k]));
    CHECK(most < 2e-5, "%s: scores differ by %g", what, most);
}

static void scores_equal_those_of_doubles(void) {
    static const char *const prefixes[] = {"", "transformer.", "model.transformer."};
    for (int i = 0; i < test_some(3, 3, 2); i++) {
        struct test_round round = test_round();
        struct file f = {0};
        fill(&f, prefixes[i]);
        if (i == 1) { /* a copy of the embedding under the name of the output weights */
            strcpy(f.names[f.n], "lm_head.weight");
            f.tensors[f.n++] = f.tensors[0];
        }
        if (put(&f, three_heads)) {
            ty_model *m = nn_own_model(ty_network_open(f.path, (ty_model_options){.lazy = i == 1}));
            compare(&f, m, prefixes[i]);
            /* Saved in our own form, with all sizes in the note, it opens without config.json. */
            const char *saved = nn_file("gpt_weights.safetensors");
            ty_tensor *error = NULL;
            if (!*ty_model_error(m) && ty_model_save(m, saved, (ty_weights_options){0}, &error))
                compare(&f, nn_own_model(ty_network_open(saved, (ty_model_options){0})), "a saved model");
        }
        drop(&f);
        test_round_end(round);
    }
}

/* A tensor of the file is renamed to `name`, or gets another shape; the message then says `words`. */
static const struct {
    int tensor;
    const char *name;
    int64_t rows, columns;
    const char *config, *words;
} faults[] = {
    {2, "h.0.ln_9.weight", 0, 0, three_heads, "h.0.ln_9.weight is no tensor of GPT-2"},
    {2, "h.0.attn.masked_bias", 0, 0, three_heads, "h.0.ln_1.weight: missing in the file"},
    {0, "lm_head.weight", 0, 0, three_heads, "wte.weight is missing in the file"},
    {1, "lm_head.weight", 0, 0, three_heads, "wpe.weight is missing in the file"},
    {5, NULL, 3 * UNITS, UNITS, three_heads, "h.0.attn.c_attn.weight: f32[36,12], expected f32[12,36]"},
    {0, NULL, 1, TOKENS, three_heads, "11 units, 3 heads"},
    {4, "lm_head.weight", 0, 0, three_heads, "lm_head.weight differs from wte.weight"},
    {-1, NULL, 0, 0, NULL, "the number of heads of 12 units is unknown; put config.json"},
    {-1, NULL, 0, 0, "{\"n_head\": 5}", "12 units, 5 heads"},
    {-1, NULL, 0, 0, "{\"n_head\": 0}", "the number of heads of 12 units is unknown"},
    {-1, NULL, 0, 0, "{\"n_head\": -3}", "12 units, -3 heads"},
    {-1, NULL, 0, 0, "{\"activation_function\": \"relu\"}", "activation_function is \"relu\""},
    {-1, NULL, 0, 0, "{\"n_head\": 3, \"layer_norm_epsilon\": 0.1}", "layer_norm_epsilon is 0.1"},
    {-1, NULL, 0, 0, "{\"model_type\": \"gpt_neo\"}", "model_type is \"gpt_neo\""},
    {-1, NULL, 0, 0, "{\"n_head\": 3", "the configuration is not valid JSON"},
};

static void faults_are_told(void) {
    for (int i = 0; i < test_some((int)(sizeof faults / sizeof *faults), 15, 2); i++) {
        struct test_round round = test_round();
        struct file f = {0};
        fill(&f, "");
        int at = faults[i].tensor;
        if (at >= 0 && faults[i].name) strcpy(f.names[at], faults[i].name);
        if (at >= 0 && faults[i].rows)
            f.tensors[at] = ty_zeros(TY_F32, TY_SHAPE(faults[i].rows, faults[i].columns));
        if (put(&f, faults[i].config)) {
            const char *error = ty_model_error(nn_own_model(ty_network_open(f.path, (ty_model_options){0})));
            CHECK(test_starving() || strstr(error, faults[i].words), "%s: %s", faults[i].words, error);
        }
        drop(&f);
        test_round_end(round);
    }
}

/* A config.json that cannot be read is an error: heads of another size would give other scores. */
static void unreadable_configurations_are_told(void) {
    struct file f = {0};
    fill(&f, "");
    if (put(&f, NULL) && !mkdir(f.config, 0700)) {
        const char *error = ty_model_error(nn_own_model(ty_network_open(f.path, (ty_model_options){0})));
        CHECK(test_starving() || strstr(error, f.config), "%s", error);
    }
    rmdir(f.config);
    drop(&f);
}

/* Sizes beyond the elements of a file are refused before the model takes memory for them. */
static void sizes_are_compared_with_the_file(void) {
    static const struct {
        const char *name;
        int64_t rows, columns;
    } rows[] = {{"h.999.attn.bias", 1, 1}, {"wpe.weight", (int64_t)1 << 40, 0}, {"wpe.weight", 5000, 0}};
    for (int i = 0; i < 3; i++) {
        struct test_round round = test_round();
        struct file f = {0};
        fill(&f, "");
        strcpy(f.names[i ? 1 : 4], rows[i].name);
        f.tensors[i ? 1 : 4] = ty_zeros(TY_F32, TY_SHAPE(rows[i].rows, rows[i].columns));
        if (put(&f, three_heads)) {
            const char *error = ty_model_error(nn_own_model(ty_network_open(f.path, (ty_model_options){0})));
            CHECK(test_starving() ||
                      strstr(error, i == 2 ? "expected f32[5000,12]" : " elements; expected at least"),
                  "case %d: %s", i, error);
        }
        drop(&f);
        test_round_end(round);
    }
    const ty_network_options small = {.classes = 9, .blocks = 1, .heads = 1, .units = 4, .places = 4};
    const char *note = "{\"network\": \"gpt\", \"classes\": 9, \"units\": 60000}";
    const char *path = nn_file("sizes.safetensors");
    ty_model *m = nn_own_model(ty_network_model(&ty_network_gpt, small, (ty_model_options){0}));
    ty_tensor *x = ty_zeros(TY_I32, TY_SHAPE(1, 4)), *error = NULL;
    bool saved = ty_model_build(m, 1, &x, &error) && ty_model_set_note(m, TY_NOTE_NETWORK, note) &&
                 ty_model_save(m, path, (ty_weights_options){0}, &error);
    if (!saved) return CHECK(test_starving(), "%s", error ? ty_error(error) : "");
    const char *words = ty_model_error(nn_own_model(ty_network_open(path, (ty_model_options){0})));
    CHECK(test_starving() || strstr(words, " elements; expected at least"), "%s", words);
}

/* Notes that name an input or a layer of gigabytes are refused before the model takes memory for them. */
static void notes_are_compared_with_the_file(void) {
    static const char *const notes[][2] = {
        {"{\"network\": \"mlp\"}", "f32 4000000000"},
        {"{\"network\": \"lenet\", \"classes\": 900000000}", "f32 28 28 1"},
        {"{\"inputs\": {\"row\": [4]}, \"layers\": [{\"layer\": \"linear\", \"units\": 900000000}]}",
         "f32 4"}};
    for (int i = 0; i < 3; i++) {
        struct test_round round = test_round();
        const char *path = nn_file("notes.safetensors");
        ty_model *m =
            nn_own_model(ty_network_model(&ty_network_mlp, (ty_network_options){0}, (ty_model_options){0}));
        ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 4)), *error = NULL;
        bool saved = ty_model_build(m, 1, &x, &error) && ty_model_set_note(m, TY_NOTE_NETWORK, notes[i][0]) &&
                     ty_model_set_note(m, TY_NOTE_INPUT, notes[i][1]) &&
                     ty_model_save(m, path, (ty_weights_options){0}, &error);
        CHECK(saved || test_starving(), "%s", error ? ty_error(error) : "");
        if (saved) {
            const char *words = ty_model_error(nn_own_model(ty_network_open(path, (ty_model_options){0})));
            CHECK(test_starving() || strstr(words, " elements; expected at least"), "case %d: %s", i, words);
        }
        test_round_end(round);
    }
}

static void sizes_of_networks(void) {
    const ty_network_options rows[] = {{.blocks = -1}, {.blocks = 5000}, {.heads = 5}, {.units = -2}};
    static const char *const words[] = {"-1 blocks", "5000 blocks; expected at most", "384 channels",
                                        "-2 units"};
    for (int i = 0; i < 4; i++) {
        ty_model *m = nn_own_model(ty_network_model(&ty_network_gpt, rows[i], (ty_model_options){0}));
        ty_tensor *x = ty_network_input(&ty_network_gpt, 1), *error = NULL;
        bool built = ty_model_build(m, 1, &x, &error);
        CHECK(!built && (test_starving() || strstr(ty_error(error), words[i])), "%s: %s", words[i],
              error ? ty_error(error) : "");
    }
    const char *error = ty_model_error(nn_own_model(
        ty_network_model(&ty_network_lenet, (ty_network_options){.heads = 2}, (ty_model_options){0})));
    CHECK(test_starving() || strstr(error, "lenet: it has no option heads"), "%s", error);
}

TESTS_MAIN(TEST(scores_equal_those_of_doubles), TEST(faults_are_told),
           TEST(unreadable_configurations_are_told), TEST(sizes_are_compared_with_the_file),
           TEST(notes_are_compared_with_the_file), TEST(sizes_of_networks))
