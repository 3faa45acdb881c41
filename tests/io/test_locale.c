/* Reading and writing do not depend on the locale: texts, files, messages, expressions. */
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "contract/configuration.h"
#include <tyto/expression.h>
#include "base/text.h"
#include "tests/support/comma_locale.h"
#include "tests/support/files.h"
#include "tests/support/nn_help.h"

/* ---- texts for people and programs ---- */

static ty_tensor *numbers(void) {
    static const double values[] = {0.1, -1234567.875, 1e-300, 2.5e17, 1e6, -0.5};
    return ty_from(TY_F64, TY_SHAPE(2, 3), values);
}

static ty_program *program(void) {
    ty_tensor *x = ty_var(numbers(), "x"), *w = ty_var(ty_ones(TY_F64, TY_SHAPE(3, 700)), "w");
    ty_tensor *y = ty_tanh(ty_add(ty_matmul(x, w), ty_num(0.125)));
    ty_update update = {w, ty_mul(w, ty_num(0.5))};
    return test_program(ty_compile(1, &y, (ty_compile_options){.updates = &update, .nupdates = 1}));
}
static char *shown(void) { return ty_format(numbers(), (ty_print_options){0}); }
static char *shown_briefly(void) { return ty_format(numbers(), (ty_print_options){.precision = 3}); }
static char *kernels(void) { return ty_program_text(program()); }
static char *graph(void) { return ty_program_graph_svg(program()); }
static char *memory(void) { return ty_program_memory_svg(program()); }
static char *dot(void) { return ty_program_dot(program()); }
static char *copied(const char *words, size_t n);
/* Return the page after the time of compilation. */
static char *page(void) {
    char *all = test_text(ty_program_html(program(), NULL, 1.5e12, 2.5e11));
    const char *numbered = all ? strstr(all, "\"compile_ms\":") : NULL,
               *rest = numbered ? strchr(numbered, '}') : NULL;
    return rest ? copied(rest, strlen(rest)) : NULL;
}
static char *layers(void) {
    const ty_layer_value steps[] = {TY_LAYER(scale, .factor = 1.0 / 256), TY_LAYER(dropout, .p = 0.25)};
    ty_model *m = nn_own_model(ty_model_sequence(2, steps, (ty_model_options){.seed = 1}));
    nn_build(m, TY_SHAPE(2, 4));
    return ty_model_summary(m);
}
static bool make_contraction(ty_contraction *c) {
    const int64_t shapes[2][2] = {{64, 32}, {32, 48}};
    ty_contraction_operand left = {TY_F32, 2, shapes[0], NULL, 0}, right = {TY_F32, 2, shapes[1], NULL, 0};
    return contraction_from(c, "mk,kn->mn", &left, &right, NULL) && ty_contraction_optimise(c, 1);
}
static char *configuration(void) {
    ty_contraction c;
    return make_contraction(&c) ? ty_contraction_json(&c) : NULL;
}
static char *configuration_text(void) {
    ty_contraction c;
    return make_contraction(&c) ? ty_contraction_text(&c) : NULL;
}
static char *copied(const char *words, size_t n) {
    struct text t = {0};
    text_add_bytes(&t, words, n);
    return text_take(&t);
}
static char *sentence(void) {
    const char *words = ty_error(ty_bernoulli(TY_SHAPE(3), 1.5, ty_key(1)));
    return copied(words, strlen(words));
}
static char *csv(void) {
    size_t n;
    uint8_t *bytes = write_one(numbers(), (ty_file_options){.format = "csv", .precision = 5}, &n);
    return bytes ? copied((const char *)bytes, n) : NULL;
}
static char *csv_in_full(void) {
    size_t n;
    uint8_t *bytes = write_one(ty_cast(numbers(), TY_C128), (ty_file_options){.format = "csv"}, &n);
    return bytes ? copied((const char *)bytes, n) : NULL;
}
static char *expression(void) {
    static const char *const texts[] = {"1.5 + 2.25e-1", ".5 * 1e3", "1.5j", "linspace(0.5, 2.5, 3)"};
    struct text t = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *value = ty_format(ty_expression(texts[i], 0, NULL, NULL), (ty_print_options){0});
        text_add(&t, "%s\n", value ? value : "?");
        ty_free(value);
    }
    return text_take(&t);
}

static const struct {
    const char *name;
    char *(*make)(void);
} texts[] = {{"format", shown},
             {"format with a precision", shown_briefly},
             {"program", kernels},
             {"graph svg", graph},
             {"memory svg", memory},
             {"page", page},
             {"dot", dot},
             {"summary", layers},
             {"contraction json", configuration},
             {"contraction text", configuration_text},
             {"sentence", sentence},
             {"csv", csv},
             {"csv in full", csv_in_full},
             {"expression", expression}};

static void texts_have_points(void) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct test_round round = test_round();
        char *plain = test_text(texts[i].make()), *commas = plain;
        if (comma_locale_begin()) commas = test_text(texts[i].make());
        comma_locale_end();
        CHECK((plain && commas) || test_starving(), "%s: no text", texts[i].name);
        if (plain && commas)
            CHECK(!strcmp(plain, commas), "%s: with commas:\n%s\nwith points:\n%s", texts[i].name, commas,
                  plain);
        test_round_end(round);
    }
}

/* Count in *wrong how many of many texts have no point. */
static void *print_often(void *wrong) {
    char out[8];
    for (int i = 0; i < 20000; i++) {
        text_print(out, sizeof out, "%.2f", 1.25);
        *(int *)wrong += strcmp(out, "1.25") != 0;
    }
    return NULL;
}

/* Threads that write numbers at the same time all write points, and leave the locale as it was. */
static void threads_have_points(void) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int wrong[THREADS] = {0}, started = 0;
    if (!comma_locale_begin()) return;
    while (started < THREADS && !pthread_create(&threads[started], NULL, print_often, &wrong[started]))
        started++;
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    bool comma = !strcmp(localeconv()->decimal_point, ",");
    comma_locale_end();
    CHECK(started == THREADS || test_starving(), "no thread %d", started);
    for (int i = 0; i < started; i++) CHECK(!wrong[i], "%d texts without points", wrong[i]);
    CHECK(comma, "the locale was not restored");
}

/* ---- files ---- */

static void tables_are_read(void) {
    static const char text[] = "a;b\n1.5;-2.25e-3\n.125;1e300\n";
    ty_tensor *plain = parse_first(text, sizeof text - 1, (ty_file_options){.format = "csv"});
    if (!comma_locale_begin()) return;
    ty_tensor *commas = parse_first(text, sizeof text - 1, (ty_file_options){.format = "csv"});
    comma_locale_end();
    if (ty_ok(plain) && ty_ok(commas)) check_same(commas, plain, "a table");
    if (ty_ok(commas)) CHECK(ty_item(ty_at(commas, "0,0")) == 1.5, "%g", ty_item(ty_at(commas, "0,0")));
}

static void configurations_are_read(void) {
    char *json = test_text(configuration());
    ty_contraction c;
    if (!json || !comma_locale_begin()) return;
    bool read = contraction_from_json(&c, json, strlen(json));
    comma_locale_end();
    CHECK(read || test_starving(), "%s", c.error);
    if (!read) return;
    char *again = test_text(ty_contraction_json(&c));
    if (again) CHECK(!strcmp(json, again), "%s became %s", json, again);
}

/* Checkpoints written in one locale are read in the other, with the same bytes. */
static void checkpoints_travel(void) {
    ty_optimiser options = {.rule = &ty_momentum, .rate = 0.0123, .momentum = 0.875, .decay = 0.01};
    ty_trainer *t = nn_small_trainer(false, options);
    double loss;
    nn_steps(t, 1, &loss);
    const char *paths[] = {nn_file("point"), nn_file("comma")};
    ty_tensor *error = NULL;
    size_t sizes[2];
    if (!ty_trainer_save(t, paths[0], &error)) return;
    if (!comma_locale_begin()) return;
    bool saved = ty_trainer_save(t, paths[1], &error);
    bool loaded = ty_trainer_load(t, paths[0], &error);
    comma_locale_end();
    CHECK((saved && loaded) || test_starving(), "%s", error ? ty_error(error) : "");
    if (!saved || !loaded) return;
    CHECK(ty_trainer_load(t, paths[1], &error) || test_starving(), "%s", error ? ty_error(error) : "");
    uint8_t *one = read_file(paths[0], &sizes[0]), *other = read_file(paths[1], &sizes[1]);
    CHECK(sizes[0] == sizes[1] && !memcmp(one, other, sizes[0]), "the files differ");
}

TESTS_MAIN(TEST(texts_have_points), TEST(threads_have_points), TEST(tables_are_read),
           TEST(configurations_are_read), TEST(checkpoints_travel))
