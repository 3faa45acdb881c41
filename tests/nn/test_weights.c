/* Weights in files: layouts of Tyto, PyTorch and Keras in both directions, renaming, mismatches, damaged
   files. */
#include <string.h>
#include <sys/stat.h>
#include <tyto/io.h>
#include "base/alloc.h"
#include "io/archive.h"
#include "tests/goldens/state_dict.def"
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/layers_help.h"

enum { MOST = 32 };

/* A model of layers whose axes PyTorch orders differently, nested blocks and states. */
static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    ty_conv_layer conv = {
        .size = {3, 2}, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1}, .channels = 6, .groups = 2};
    ty_conv_layer up = {.size = {2, 3}, .stride = {2, 2}, .channels = 3, .no_bias = true};
    ty_tensor *h = ty_layer_conv2d(self, "conv", x[0], conv);
    h = ty_relu(ty_layer_batch_norm(self, "norm", h, (ty_batch_norm_layer){0}));
    h = ty_mean(ty_layer_conv_transpose2d(self, "up", h, up), ty_axis(1));
    h = ty_layer_conv1d(self, "line", h, (ty_conv_layer){.size = {3}, .channels = 4});
    ty_layer *head = ty_layer_in(self, "head");
    h = ty_layer_linear(head, "0", ty_mean(h, ty_axis(1)),
                        (ty_linear_layer){.units = 7, .activation = ty_tanh});
    y[0] = ty_layer_linear(head, "2", h, (ty_linear_layer){.units = 5});
}

static ty_model *model(uint64_t seed, bool lazy, ty_dtype dtype) {
    ty_model_options options = {.seed = seed, .lazy = lazy, .dtype = dtype};
    ty_model *m = nn_own_model(ty_model_new(forward, NULL, options));
    ty_tensor *x = ty_zeros(dtype, TY_SHAPE(2, 7, 6, 2)), *error = NULL;
    CHECK(ty_model_build(m, 1, &x, &error), "%s", error ? ty_error(error) : "");
    return m;
}

static int variables(const ty_model *m, ty_tensor **all) {
    int n = ty_model_parameters(m), states = ty_model_states(m);
    CHECK(n + states <= MOST, "%d and %d", n, states);
    for (int i = 0; i < n; i++) all[i] = ty_model_parameter(m, i);
    for (int i = 0; i < states; i++) all[n + i] = ty_model_state(m, i);
    return n + states;
}

/* Copy the current values, so that later assignments do not change them; returns their number. */
static int values_of(const ty_model *m, ty_tensor **values) {
    int n = variables(m, values);
    for (int i = 0; i < n; i++) values[i] = CHECK_OK(ty_add(ty_detach(ty_eval(values[i])), ty_num(0)));
    return n;
}

static void same_values(const ty_model *m, ty_tensor *const *want, const char *what) {
    ty_tensor *all[MOST];
    int n = variables(m, all);
    for (int i = 0; i < n; i++) compare_bits(ty_eval(all[i]), want[i], "%s: %s", what, ty_name(all[i]));
}

static void save(const ty_model *m, const char *path, ty_weights_options o) {
    ty_tensor *error = NULL;
    CHECK(ty_model_save(m, path, o, &error), "%s", error ? ty_error(error) : "nobody says why");
}
static void load(ty_model *m, const char *path, ty_weights_options o) {
    ty_tensor *error = NULL;
    CHECK(ty_model_load(m, path, o, &error), "%s", error ? ty_error(error) : "nobody says why");
}
static ty_tensor *refused(ty_model *m, const char *path, ty_weights_options o) {
    ty_tensor *error = NULL, *before[MOST];
    values_of(m, before);
    CHECK(!ty_model_load(m, path, o, &error) && !ty_model_load(m, path, o, NULL), "%s was taken", path);
    same_values(m, before, "after a refusal");
    CHECK(!*ty_model_error(m), "the model has failed: %s", ty_model_error(m));
    return error ? error : ty_poison("out of memory");
}

/* ---- round trips ---- */

/* Weights survive a round trip; a dot in a folder's name does not choose the format. */
static void there_and_back(void) {
    static const char *const files[] = {"w.safetensors", "w.npz", "w"};
    for (int i = 0; i < (test_starving() ? 3 : 18); i++) {
        struct test_round round = test_round();
        ty_weights_options o = {.layout = (ty_layout)(i % 3)};
        const char *folder = scratch_path(scratch_folder(), "a.d");
        CHECK(!mkdir(folder, 0700), "no folder %s", folder);
        const char *path = scratch_path(folder, files[i / 3 % 3]);
        ty_model *from = model(1, i % 2, TY_F32), *to = model(2, i / 9, TY_F32);
        ty_tensor *want[MOST];
        values_of(from, want);
        save(from, path, o);
        load(to, path, o);
        same_values(to, want, path);
        test_round_end(round);
    }
}

/* Check the file's names, and axes in the order of its layout. */
static void what_is_in_the_file(void) {
    static const struct {
        ty_layout layout;
        const char *ours, *name;
        int rank, axes[4]; /* our axes in the file's order */
    } rows[] = {{TY_LAYOUT_TYTO, "conv.weight", "conv.weight", 4, {0, 1, 2, 3}},
                {TY_LAYOUT_PYTORCH, "conv.weight", "conv.weight", 4, {3, 2, 0, 1}},
                {TY_LAYOUT_PYTORCH, "up.weight", "up.weight", 4, {2, 3, 0, 1}},
                {TY_LAYOUT_PYTORCH, "line.weight", "line.weight", 3, {2, 1, 0}},
                {TY_LAYOUT_PYTORCH, "head.0.weight", "head.0.weight", 2, {1, 0}},
                {TY_LAYOUT_PYTORCH, "norm.running_var", "norm.running_var", 1, {0}},
                {TY_LAYOUT_KERAS, "conv.weight", "conv/kernel", 4, {0, 1, 2, 3}},
                {TY_LAYOUT_KERAS, "head.0.weight", "head/0/kernel", 2, {0, 1}},
                {TY_LAYOUT_KERAS, "head.0.bias", "head/0/bias", 1, {0}},
                {TY_LAYOUT_KERAS, "norm.running_mean", "norm/moving_mean", 1, {0}},
                {TY_LAYOUT_KERAS, "norm.running_var", "norm/moving_variance", 1, {0}},
                {TY_LAYOUT_KERAS, "norm.weight", "norm/gamma", 1, {0}}};
    ty_model *m = model(1, false, TY_F32);
    const char *folder = scratch_folder(), *path = scratch_path(folder, "w.safetensors");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        save(m, path, (ty_weights_options){.layout = rows[i].layout});
        ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){0}));
        CHECK(ty_archive_count(a) == ty_model_parameters(m) + ty_model_states(m), "%d tensors",
              ty_archive_count(a));
        ty_tensor *found = CHECK_OK(ty_archive_get(a, rows[i].name));
        ty_tensor *ours = ty_detach(CHECK_OK(ty_model_find(m, rows[i].ours)));
        compare_bits(found, ty_permute(ours, rows[i].axes), "row %d", (int)i);
    }
}

/* ---- PyTorch's file gives PyTorch's values ---- */

static void as_pytorch(void) {
    static const double output[] = {STATE_DICT_OUTPUT};
    struct layers_form forms[MOST];
    const char *names[MOST];
    ty_tensor *tensors[MOST];
    int n = 0;
    for (const char *text = STATE_DICT; text && *text; n++) {
        text = layers_form(text, &forms[n]);
        tensors[n] =
            layers_fill(forms[n].rank, forms[n].shape, n, 0.5, strstr(forms[n].name, "running_var") ? 1 : 0);
        names[n] = forms[n].name;
    }
    names[n] = "norm.num_batches_tracked";
    tensors[n++] = ty_scalar(TY_I64, 0);
    const char *path = nn_file("state.safetensors");
    ty_tensor *error = NULL;
    CHECK(ty_archive_save(path, n, names, tensors, (ty_file_options){0}, &error), "%s",
          error ? ty_error(error) : "");
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = model(1, lazy, TY_F64);
        load(m, path, (ty_weights_options){.layout = TY_LAYOUT_PYTORCH, .skip_extra = true});
        ty_tensor *x = layers_fill(4, (int64_t[]){2, 2, 7, 6}, 50, 1, 0);
        ty_tensor *y = ty_model_forward(m, ty_permute(x, (const int[]){0, 2, 3, 1}), NULL);
        double found[10];
        CHECK(ty_read(CHECK_OK(ty_eval(y)), TY_F64, found), "not readable");
        for (int i = 0; i < 10; i++)
            CHECK(found[i] - output[i] < 1e-12 && output[i] - found[i] < 1e-12,
                  "%d: %.15g, PyTorch has %.15g", i, found[i], output[i]);
    }
}

/* ---- other names ---- */

static void renamed(void) {
    const ty_renaming names[] = {
        {"conv.", "features.0."}, {"conv", "never"}, {"head.2", "classifier"}, {"", "net."}};
    const ty_renaming dropped[] = {{"head.", ""}};
    const char *path = nn_file("names.safetensors");
    ty_model *from = model(1, false, TY_F32), *to = model(2, false, TY_F32);
    ty_weights_options o = {.layout = TY_LAYOUT_PYTORCH, .rename = names, .nrename = 4};
    ty_tensor *want[MOST];
    values_of(from, want);
    save(from, path, o);
    ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){0}));
    static const char *const there[] = {"features.0.weight", "classifier.bias", "net.head.0.weight",
                                        "net.norm.running_mean"};
    for (int i = 0; i < 4; i++) CHECK_OK(ty_archive_get(a, there[i]));
    CHECK_POISON(refused(to, path, (ty_weights_options){.layout = TY_LAYOUT_PYTORCH}),
                 "conv.weight: missing");
    load(to, path, o);
    same_values(to, want, "by other names");
    o.rename = dropped, o.nrename = 1;
    save(from, path, o);
    a = own_archive(ty_archive_open(path, (ty_file_options){0}));
    CHECK_OK(ty_archive_get(a, "2.bias"));
    o.nrename = -1;
    CHECK_POISON(refused(to, path, o), "model: -1 renamings");
    o = (ty_weights_options){.layout = (ty_layout)7};
    CHECK_POISON(refused(to, path, o), "model: layout 7; expected 0 to 2");
}

/* ---- mismatches ---- */

/* Write the model's tensors with one missing, one extra, one of another shape and one of another dtype. */
static void write_troubles(const ty_model *m, const char *path) {
    const char *names[MOST + 1];
    ty_tensor *all[MOST + 1], *error = NULL;
    int n = variables(m, all), kept = 0;
    for (int i = 0; i < n; i++) {
        const char *name = ty_name(all[i]);
        ty_tensor *x = ty_detach(all[i]);
        if (!strcmp(name, "conv.bias")) continue;
        if (!strcmp(name, "line.bias")) x = ty_zeros(TY_F32, TY_SHAPE(9, 2));
        if (!strcmp(name, "norm.running_mean")) x = ty_cast(x, TY_F64);
        if (!strcmp(name, "head.2.bias")) x = ty_cast(x, TY_I32);
        names[kept] = name, all[kept++] = x;
    }
    names[kept] = "surplus", all[kept++] = ty_ones(TY_F32, TY_SHAPE(1));
    CHECK(ty_archive_save(path, kept, names, all, (ty_file_options){0}, &error), "%s",
          error ? ty_error(error) : "");
}

static void all_troubles_at_once(void) {
    const char *path = nn_file("troubles.safetensors");
    ty_model *m = model(1, false, TY_F32);
    write_troubles(model(2, false, TY_F32), path);
    static const char *const words[] = {
        "conv.bias: missing in the file", "line.bias: f32[9,2], expected f32[4]",
        "norm.running_mean: f64[6], expected f32[6] (or the option `cast`)",
        "head.2.bias: i32[5], expected f32[5]", "surplus: in the file, but not in the model"};
    ty_tensor *error = refused(m, path, (ty_weights_options){0});
    for (int i = 0; i < 5; i++) CHECK_POISON(error, words[i]);
    ty_weights_options o = {.skip_missing = true, .skip_extra = true, .cast = true};
    error = refused(m, path, o);
    CHECK_POISON(error, words[1]);
    CHECK_POISON(error, words[3]);
    for (int i = 0; i < 5; i++)
        CHECK(i % 2 || test_starving() || !strstr(ty_error(error), words[i]), "%s", ty_error(error));
}

/* More mismatches than the message lists. */
static void many_troubles(void) {
    const char *path = nn_file("none.safetensors"), *names[20];
    ty_tensor *x[20], *error = NULL;
    char words[20][16];
    for (int i = 0; i < 20; i++) {
        snprintf(words[i], sizeof words[i], "extra%d", i);
        names[i] = words[i], x[i] = ty_num(1);
        x[i] = ty_ones(TY_F32, TY_SHAPE(1));
    }
    CHECK(ty_archive_save(path, 20, names, x, (ty_file_options){0}, &error), "%s",
          error ? ty_error(error) : "");
    CHECK_POISON(refused(model(1, false, TY_F32), path, (ty_weights_options){0}), "more");
}

/* A file with a part of the weights, and one in another dtype. */
static void parts_and_dtypes(void) {
    const char *path = nn_file("part.safetensors"), *names[2] = {"head.2.bias", "not.ours"};
    ty_model *m = model(1, false, TY_F32);
    ty_tensor *five = ty_from(TY_F64, TY_SHAPE(5), (double[]){1, 2, 3, 4, 5}), *x[] = {five, five},
              *error = NULL;
    CHECK(ty_archive_save(path, 2, names, x, (ty_file_options){0}, &error), "%s",
          error ? ty_error(error) : "");
    ty_tensor *before = ty_eval(ty_add(ty_detach(ty_model_find(m, "conv.weight")), ty_num(0)));
    load(m, path, (ty_weights_options){.skip_missing = true, .skip_extra = true, .cast = true});
    compare_bits(ty_detach(ty_model_find(m, "head.2.bias")), ty_cast(five, TY_F32), "what the file has");
    compare_bits(ty_detach(ty_model_find(m, "conv.weight")), CHECK_OK(before), "what it has not");
    ty_model *wide = model(1, false, TY_F64), *narrow = model(2, false, TY_F32);
    ty_tensor *want[MOST];
    int n = values_of(wide, want);
    save(wide, path, (ty_weights_options){0});
    CHECK_POISON(refused(narrow, path, (ty_weights_options){0}), "(or the option `cast`)");
    load(narrow, path, (ty_weights_options){.cast = true});
    for (int i = 0; i < n; i++) want[i] = ty_cast(want[i], TY_F32);
    same_values(narrow, want, "cast");
}

/* ---- a trainer's checkpoint, with frozen parameters ---- */

static void from_a_trainer(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_model *m = model(1, lazy, TY_F32), *to = model(2, lazy, TY_F32);
        CHECK(ty_model_freeze(m, "conv.", true) == 2, "not frozen");
        ty_tensor *x = ty_normal(TY_F32, TY_SHAPE(4, 7, 6, 2), ty_key(1)), *error = NULL;
        ty_trainer_options options = {.inputs = x,
                                      .targets = ty_zeros(TY_I64, TY_SHAPE(4)),
                                      .batch = 2,
                                      .optimiser = {.rule = &ty_adam}};
        ty_trainer *t = nn_own_trainer(ty_trainer_new(m, options));
        double losses[2];
        nn_steps(t, test_starving() ? 1 : 2, losses);
        const char *path = nn_file("trained.safetensors");
        CHECK(ty_trainer_save(t, path, &error), "%s", error ? ty_error(error) : "");
        ty_archive *a = own_archive(ty_checkpoint_load(path));
        CHECK_OK(ty_archive_get(a, "adam:head.0.weight.mean"));
        ty_tensor *want[MOST];
        values_of(m, want);
        load(to, path, (ty_weights_options){0});
        same_values(to, want, "from a trainer");
    }
}

/* ---- invalid files ---- */

static void damaged(void) {
    const char *path = nn_file("damaged.safetensors");
    ty_model *m = model(1, false, TY_F32), *other = model(2, false, TY_F32);
    save(other, path, (ty_weights_options){0});
    size_t n;
    uint8_t *bytes = read_file(path, &n);
    for (size_t at = 0; at < n; at += 1 + n / (size_t)test_some(150, 60, 2)) {
        struct test_round round = test_round();
        bytes[at] ^= (uint8_t)(1 << at % 8);
        write_file(path, bytes, at % 3 ? n : at);
        bytes[at] ^= (uint8_t)(1 << at % 8);
        ty_tensor *error = refused(m, path, (ty_weights_options){0});
        CHECK(*ty_error(error), "no sentence");
        test_round_end(round);
    }
    write_file(path, bytes, n);
    load(m, path, (ty_weights_options){0});
}

static void not_built(void) {
    const char *path = nn_file("early.safetensors");
    ty_model *m = nn_own_model(ty_model_new(forward, NULL, (ty_model_options){0}));
    save(model(1, false, TY_F32), path, (ty_weights_options){0});
    CHECK_POISON(refused(m, path, (ty_weights_options){0}),
                 "model: it has no parameters yet; ty_model_build makes them");
    CHECK_POISON(refused(model(1, false, TY_F32), "/no/such.safetensors", (ty_weights_options){0}),
                 "/no/such");
    ty_tensor *error = NULL;
    CHECK(!ty_model_save(model(1, false, TY_F32), "/no/such/w.safetensors", (ty_weights_options){0}, &error),
          "saved");
    CHECK_POISON(error, "/no/such");
    CHECK(!ty_model_save(model(1, false, TY_F32), nn_file("w.csv"), (ty_weights_options){0}, &error),
          "a table of several tensors");
    CHECK(!ty_model_save(m, nn_file("none.npz"), (ty_weights_options){0}, &error),
          "saved without parameters");
    CHECK_POISON(error, "model: it has no parameters yet; ty_model_build makes them");
}

static void without_parameters_forward(ty_layer *self, const void *context, int n, ty_tensor *const *x,
                                       ty_tensor **y) {
    (void)context, (void)n;
    y[0] = ty_layer_flatten(self, "flat", x[0], (ty_flatten_layer){0});
}

/* A model that was called and has no parameters is saved and loaded as others are. */
static void without_parameters(void) {
    const char *const names[] = {"none.safetensors", "none.npz"};
    ty_model *m = nn_own_model(ty_model_new(without_parameters_forward, NULL, (ty_model_options){0}));
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3, 4)), *error = NULL;
    CHECK(!ty_model_save(m, nn_file(names[0]), (ty_weights_options){0}, &error), "saved before a call");
    CHECK_POISON(error, "no parameters yet");
    CHECK_OK(ty_model_forward(m, x, NULL));
    for (int i = 0; i < 2; i++) {
        const char *path = nn_file(names[i]);
        save(m, path, (ty_weights_options){0});
        load(m, path, (ty_weights_options){0});
    }
}

/* ---- memory ---- */

static void wide(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    y[0] = ty_layer_linear(self, "a", x[0], (ty_linear_layer){.units = 1024});
    y[0] = ty_layer_linear(self, "b", y[0], (ty_linear_layer){.units = 1024});
}

/* Loading holds the old and the new weights, since it changes all or nothing, and not the file besides. */
static void loading_holds_one_copy(void) {
    static const char *const names[] = {"w.safetensors", "w.npz"};
    const char *folder = scratch_folder();
    ty_model *m = nn_own_model(ty_model_new(wide, NULL, (ty_model_options){.seed = 1}));
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 1024)), *error = NULL;
    if (!ty_model_build(m, 1, &x, &error)) return (void)CHECK_OK(error);
    int64_t weights = 4 * 2 * 1024 * 1025;
    for (int i = 0; i < 2; i++) {
        const char *path = scratch_path(folder, names[i]);
        bool done = ty_model_save(m, path, (ty_weights_options){0}, &error);
        ty_trim();
        int64_t before = mem_bytes();
        mem_peak_begin();
        done = done && ty_model_load(m, path, (ty_weights_options){0}, &error);
        if (!done) return (void)CHECK_OK(error);
        int64_t more = mem_peak() - before;
        CHECK(test_starving() || more < weights * 5 / 4, "%s: %lld bytes for weights of %lld", names[i],
              (long long)more, (long long)weights);
    }
}

/* A file that is overwritten while it is read is noticed. */
static void changed_while_it_is_read(void) {
    const char *path = scratch_path(scratch_folder(), "w.safetensors");
    save(model(1, true, TY_F32), path, (ty_weights_options){0});
    ty_archive *archive = own_archive(ty_archive_open(path, (ty_file_options){0}));
    struct fault fault = {0};
    CHECK(!*ty_archive_error(archive) && archive_unchanged(archive, &fault), "%s%s",
          ty_archive_error(archive), fault.text);
    struct stat status;
    FILE *file = fopen(path, "r+b");
    CHECK(file && !fstat(fileno(file), &status) && !fseek(file, (long)status.st_size - 5, SEEK_SET),
          "no file");
    CHECK(fputc(7, file) == 7 && fputc(9, file) == 9 && !fclose(file), "not written");
    CHECK(!archive_unchanged(archive, &fault) && strstr(fault.text, "was changed while it was read"), "%s",
          fault.text);
    CHECK(!*ty_archive_error(archive), "the archive has failed");
}

TESTS_MAIN(TEST(loading_holds_one_copy), TEST(changed_while_it_is_read), TEST(there_and_back),
           TEST(what_is_in_the_file), TEST(as_pytorch), TEST(renamed), TEST(all_troubles_at_once),
           TEST(many_troubles), TEST(parts_and_dtypes), TEST(from_a_trainer), TEST(damaged), TEST(not_built),
           TEST(without_parameters))
