/* Words with one wrong letter and files one byte too short are refused: no reader guesses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <tyto/io.h>
#include "array/number_read.h"
#include "tests/support/edits.h"
#include "tests/support/naive/einsum_naive.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const char word_letters[] = "abcdefghijklmnopqrstuvwxyz_0";

/* ---- names of kinds ---- */

#define NAMED(kind)                                                                                          \
    static int kind##_of(const char *name) { return (int)ty_##kind##_named(name); }
NAMED(sampling)
NAMED(coordinates)
NAMED(nearest)
NAMED(aspect)
NAMED(outside)
NAMED(scatter_mode)
NAMED(pad_kind)

static const struct kinds {
    int (*of)(const char *name);
    int none; /* result for an invalid name */
    const char *const *names;
} kinds[] = {
#define NAMES(...)                                                                                           \
    (const char *const[]) { __VA_ARGS__, NULL }
    {sampling_of, TY_SAMPLINGS, NAMES("nearest", "linear", "bilinear", "trilinear", "cubic", "bicubic")},
    {coordinates_of, TY_COORDINATES,
     NAMES("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
           "tf_half_pixel_for_nn", "tf_crop_and_resize")},
    {nearest_of, TY_NEAREST_RULES, NAMES("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")},
    {aspect_of, TY_ASPECTS, NAMES("stretch", "not_larger", "not_smaller")},
    {outside_of, TY_OUTSIDES, NAMES("zeros", "border", "reflection")},
    {scatter_mode_of, TY_SCATTER_MODES, NAMES("set", "add", "mul", "min", "max")},
    {pad_kind_of, TY_PAD_KINDS, NAMES("edge", "reflect", "symmetric", "wrap")}};

static void refused_kind(void *context, const char *edited) {
    const struct kinds *k = context;
    for (int i = 0; k->names[i]; i++)
        if (!strcmp(k->names[i], edited)) return;
    CHECK(k->of(edited) == k->none, "\"%s\" is taken for a kind (%d)", edited, k->of(edited));
}

static void kinds_by_name(void) {
    int tried = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int j = 0; kinds[i].names[j]; j++) {
            CHECK(kinds[i].of(kinds[i].names[j]) != kinds[i].none, "%s is unknown", kinds[i].names[j]);
            tried += each_edit(kinds[i].names[j], word_letters, refused_kind, (void *)(uintptr_t)&kinds[i]);
        }
    CHECK(tried > 10000, "only %d words were tried", tried);
}

/* ---- numbers ---- */

static bool is_number(const char *text) {
    struct number number;
    return *text && number_read(text, strlen(text), &number) == strlen(text);
}

/* Return true for the words that are numbers, in any case, with an optional sign. */
static bool is_number_word(const char *text) {
    text += *text == '-' || *text == '+';
    return !strcasecmp(text, "nan") || !strcasecmp(text, "inf") || !strcasecmp(text, "infinity");
}

static void number_or_not(void *context, const char *edited) {
    (void)context;
    bool digits = strpbrk(edited, "0123456789") != NULL;
    CHECK(digits || is_number(edited) == is_number_word(edited), "\"%s\" is %s", edited,
          is_number(edited) ? "a number" : "no number");
}

/* A text is a number exactly if strtod reads it to the end, except hexadecimal numbers and blanks. */
static void as_the_library_reads(void *context, const char *edited) {
    char *end;
    (void)context;
    double value = strtod(edited, &end);
    bool number = *edited && !*end && !strpbrk(edited, "xX \t");
    CHECK(is_number(edited) == number, "\"%s\" is %s", edited, number ? "a number" : "no number");
    struct number read;
    if (number && number_read(edited, strlen(edited), &read))
        CHECK(read.value == value && read.negative == (*edited == '-'), "\"%s\" is read as %.17g", edited,
              read.value);
}

static void numbers(void) {
    static const char *const words[] = {"nan", "inf", "infinity", "-nan", "+inf", "NaN", "-Infinity"};
    static const char *const digits[] = {"1.5", "-0.25e-3", ".5", "5.", "12345678901234567890.5E+10",
                                         "+7",  "1e5"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        each_edit(words[i], "abcdefghijklmnopqrstuvwxyzNIF+-.", number_or_not, NULL);
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
        each_edit(digits[i], "0123456789.eE+-xf ", as_the_library_reads, NULL);
}

/* ---- equations with one wrong character ---- */

/* Parse a term by NumPy's documentation, independently of the library: letters, and '...' at most once.
   False if invalid. */
static bool reads_term(const char *at, const char *end, int rank, bool *dots, uint64_t *letters) {
    int n = 0;
    *dots = false;
    for (; at < end; at++) {
        if (*at == ' ') continue;
        if (*at == '.') {
            if (*dots || end - at < 3 || at[1] != '.' || at[2] != '.') return false;
            *dots = true, at += 2;
        } else if ((*at | 32) >= 'a' && (*at | 32) <= 'z') {
            uint64_t bit = UINT64_C(1) << (*at - 'A');
            if (rank < 0 && *letters & bit) return false; /* twice in the output */
            *letters |= bit, n++;
        } else
            return false;
    }
    return rank < 0 || (*dots ? n <= rank : n == rank);
}

/* Return true if the text is an equation of two operands of these ranks, all of whose sizes are equal. */
static bool is_equation(const char *text, const int *ranks) {
    const char *arrow = strstr(text, "->"), *end = arrow ? arrow : text + strlen(text),
               *comma = strchr(text, ',');
    bool dots[3] = {false};
    uint64_t in = 0, out = 0;
    if (!comma || comma > end) return false;
    if (!reads_term(text, comma, ranks[0], &dots[0], &in)) return false;
    if (!reads_term(comma + 1, end, ranks[1], &dots[1], &in)) return false;
    if (!arrow) return true;
    if (!reads_term(arrow + 2, arrow + strlen(arrow), -1, &dots[2], &out)) return false;
    return !(out & ~in);
}

static void equation_or_not(void *context, const char *edited) {
    struct test_round round = test_round();
    ty_tensor *const *x = context;
    int ranks[2] = {ty_rank(x[0]), ty_rank(x[1])};
    ty_tensor *y = ty_einsum_of(edited, 2, x, (ty_einsum_options){0});
    bool refused = strstr(edited, "->") && strstr(edited, "...") && !strstr(strstr(edited, "->"), "...");
    CHECK(ty_ok(y) == is_equation(edited, ranks) || (refused && !ty_ok(y)) || test_starving(), "\"%s\": %s",
          edited, ty_ok(y) ? "taken" : ty_error(y));
    if (ty_ok(y)) einsum_check(y, edited, 2, x, "edited");
    test_round_end(round);
}

static void equations_one_sign_off(void) {
    static const char *const texts[] = {"ij,jk->ik", "...ij,...jk->...ik", "i...,...k", "ij, jk", ",ij->ji"};
    static const int ranks[][2] = {{2, 2}, {3, 3}, {2, 2}, {2, 2}, {0, 2}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ty_tensor *x[2];
        for (int k = 0; k < 2; k++) x[k] = sample_shape(TY_F64, ranks[i][k], (int64_t[]){3, 3, 3}, 0, 1);
        each_edit(texts[i], test_starving() ? "." : "ijkn.,->[ A1", equation_or_not, x);
    }
}

/* ---- files that are too short ---- */

static bool gives(const void *bytes, size_t n, const char *format) {
    void *exact = malloc(n ? n : 1); /* sanitizers detect a read past the end */
    if (!exact) return false;
    memcpy(exact, bytes, n);
    ty_archive *a = ty_archive_parse(exact, n, (ty_file_options){.format = format});
    bool given = !*ty_archive_error(a) && ty_archive_count(a) == 1 && ty_ok(ty_archive_at(a, 0));
    ty_archive_free(a);
    free(exact);
    return given;
}

static void cut_anywhere(void) {
    static const char *const formats[] = {"npy", "npz", "safetensors", "idx"}, *const name[] = {"x"};
    ty_tensor *x = ty_from(TY_U8, TY_SHAPE(2, 3), (uint8_t[]){1, 2, 3, 4, 5, 6}), *error = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t size = 0;
        void *bytes = ty_archive_bytes(1, name, &x, (ty_file_options){.format = formats[i]}, &size, &error);
        if (!bytes && error && strstr(ty_error(error), "without")) continue; /* not in this build */
        CHECK(bytes, "%s: %s", formats[i], error ? ty_error(error) : "nothing was written");
        test_own(bytes, ty_free);
        CHECK(gives(bytes, size, formats[i]), "%s is not read back", formats[i]);
        for (size_t n = 0; n < size; n++) {
            struct test_round round = test_round();
            CHECK(!gives(bytes, n, formats[i]), "%s of %zu bytes is read from %zu", formats[i], size, n);
            test_round_end(round);
        }
    }
}

TESTS_MAIN(TEST(equations_one_sign_off), TEST(kinds_by_name), TEST(numbers), TEST(cut_anywhere))
