/* Steps on images, against plain loops and against values of torchvision and Pillow. */
#include <math.h>
#include <string.h>
#include <tyto/data.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

static ty_tensor *image(ty_dtype dtype, int64_t rows, int64_t columns, int64_t channels) {
    int64_t shape[] = {rows, columns, channels};
    if (dtype == TY_F32) return ty_uniform(TY_F32, 3, shape, ty_key(3));
    return ty_randint(dtype, 3, shape, ty_int(0), ty_int(dtype == TY_U8 ? 256 : 65536), ty_key(3));
}

static ty_tensor *once(ty_image_step step, ty_tensor *x, int64_t index) {
    return ty_augment(1, &step, x, 7, 2, index);
}

static double at(ty_tensor *x, int64_t row, int64_t column, int64_t c) {
    int64_t place[] = {row, column, c};
    for (int i = 0; i < 3; i++) x = ty_slice(x, i, place[i], place[i] + 1, 1);
    return ty_item(x);
}

static bool equal(ty_tensor *a, ty_tensor *b) {
    return ty_item(ty_array_equal(CHECK_OK(a), CHECK_OK(b), false)) == 1;
}

static void has_shape(ty_tensor *x, ty_dtype dtype, int64_t a, int64_t b, int64_t c) {
    CHECK_OK(x);
    const int64_t *s = ty_shape(x);
    CHECK(ty_dtype_of(x) == dtype && s[0] == a && s[1] == b && s[2] == c, "%s[%d,%d,%d]",
          ty_dtype_name(ty_dtype_of(x)), (int)s[0], (int)s[1], (int)s[2]);
}

static void crops(void) {
    ty_tensor *x = image(TY_U8, 9, 12, 3),
              *y = once((ty_image_step){.apply = ty_step_crop, .size = {4, 6}}, x, 0);
    has_shape(y, TY_U8, 4, 6, 3);
    CHECK(at(y, 0, 0, 1) == at(x, 2, 3, 1) && at(y, 3, 5, 2) == at(x, 5, 8, 2), "not the middle");
    bool found[6][7] = {{0}};
    int different = 0;
    for (int i = 0; i < test_some(400, 400, 4); i++) {
        struct test_round round = test_round();
        y = once((ty_image_step){.apply = ty_step_random_crop, .size = {4, 6}}, x, i);
        has_shape(y, TY_U8, 4, 6, 3);
        int row = -1, column = -1;
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 7; c++)
                if (equal(y, ty_slice(ty_slice(x, 0, r, r + 4, 1), 1, c, c + 6, 1))) row = r, column = c;
        CHECK(row >= 0, "no part of the image");
        different += !found[row][column];
        found[row][column] = true;
        test_round_end(round);
    }
    CHECK(test_starving() || different == 42, "%d of 42 places", different);
    y = once((ty_image_step){.apply = ty_step_random_crop, .size = {13, 16}, .pad = 2}, x, 1);
    has_shape(y, TY_U8, 13, 16, 3);
    CHECK(at(y, 0, 0, 0) == 0 && at(y, 2, 2, 0) == at(x, 0, 0, 0), "padded");
}

static void resized(void) {
    ty_tensor *x = image(TY_U8, 9, 12, 3);
    has_shape(once((ty_image_step){.apply = ty_step_resize, .size = {5, 7}}, x, 0), TY_F32, 5, 7, 3);
    has_shape(once((ty_image_step){.apply = ty_step_resize, .size = {6}}, x, 0), TY_F32, 6, 8, 3);
    has_shape(once((ty_image_step){.apply = ty_step_resize, .size = {6}}, ty_permute(x, (int[]){1, 0, 2}), 0),
              TY_F32, 8, 6, 3);
    ty_tensor *same = once((ty_image_step){.apply = ty_step_resize, .size = {9, 12}}, x, 0);
    CHECK(equal(same, once((ty_image_step){.apply = ty_step_float}, x, 0)), "its own size");
    ty_tensor *near = once((ty_image_step){.apply = ty_step_resize, .size = {18, 24}, .nearest = true}, x, 0);
    has_shape(near, TY_U8, 18, 24, 3);
    CHECK(at(near, 7, 9, 2) == at(x, 3, 4, 2) && at(near, 17, 23, 0) == at(x, 8, 11, 0), "the nearest");
    ty_tensor *flat = ty_full(TY_U16, TY_SHAPE(20, 30, 1), 65535);
    for (int i = 0; i < 20; i++) {
        ty_tensor *y = once((ty_image_step){.apply = ty_step_resized_crop, .size = {8, 8}}, flat, i);
        has_shape(y, TY_F32, 8, 8, 1);
        CHECK(fabs(ty_item(ty_amin(y, TY_ALL)) - 1) < 1e-6 && fabs(ty_item(ty_amax(y, TY_ALL)) - 1) < 1e-6,
              "white is white");
    }
    /* the whole image, if nothing else is allowed */
    ty_image_step whole = {
        .apply = ty_step_resized_crop, .size = {5, 6}, .area = {1, 1}, .aspect = {4.0 / 3, 4.0 / 3}};
    CHECK(equal(once(whole, x, 3), once((ty_image_step){.apply = ty_step_resize, .size = {5, 6}}, x, 0)),
          "whole");
}

static void flips(void) {
    ty_tensor *x = image(TY_U16, 4, 5, 2);
    int turned[2] = {0};
    enum { MANY = 200 };
    for (int i = 0; i < MANY; i++) {
        struct test_round round = test_round();
        ty_tensor *y = once((ty_image_step){.apply = ty_step_flip}, x, i),
                  *z = once((ty_image_step){.apply = ty_step_flip_rows, .chance = 0.9}, x, i);
        bool flipped = !equal(y, x), rows = !equal(z, x);
        turned[0] += flipped, turned[1] += rows;
        CHECK(!flipped || equal(y, ty_flip(x, 1)), "columns");
        CHECK(!rows || equal(z, ty_flip(x, 0)), "rows");
        test_round_end(round);
    }
    CHECK(turned[0] > 70 && turned[0] < 130 && turned[1] > 165 && turned[1] < 195, "%d and %d of 200",
          turned[0], turned[1]);
}

/* The identity changes nothing; shifts by whole pixels are exact. */
static void affine(void) {
    ty_tensor *x = image(TY_F32, 8, 6, 3), *y = once((ty_image_step){.apply = ty_step_affine}, x, 0);
    has_shape(y, TY_F32, 8, 6, 3);
    CHECK(ty_item(ty_amax(ty_abs(ty_sub(x, y)), TY_ALL)) < 1e-6, "nothing changes something");
    y = once((ty_image_step){.apply = ty_step_affine, .scale = {2, 2}}, ty_full(TY_F32, TY_SHAPE(8, 6, 1), 1),
             0);
    CHECK(fabs(ty_item(ty_amin(y, TY_ALL)) - 1) < 1e-6, "enlarged");
    y = once((ty_image_step){.apply = ty_step_affine, .degrees = 180, .shift = {0.3, 0.3}}, x, 4);
    has_shape(y, TY_F32, 8, 6, 3);
    CHECK(ty_item(ty_any(ty_ne(y, x), TY_ALL)) == 1, "not turned");
}

static void normalised(void) {
    ty_tensor *x = image(TY_U8, 3, 4, 3), *y = once((ty_image_step){.apply = ty_step_normalise}, x, 0);
    CHECK_OK(y);
    CHECK(fabs(at(y, 1, 2, 1) - (at(x, 1, 2, 1) / 255 - 0.456) / 0.224) < 1e-5, "ImageNet's");
    ty_image_step own = {.apply = ty_step_normalise, .mean = {0.5}, .deviation = {0.25}};
    ty_tensor *grey = image(TY_F32, 2, 2, 1);
    CHECK(fabs(at(once(own, grey, 0), 1, 1, 0) - (at(grey, 1, 1, 0) - 0.5) / 0.25) < 1e-5, "own");
    y = once((ty_image_step){.apply = ty_step_channels_first}, x, 0);
    has_shape(y, TY_U8, 3, 3, 4);
    CHECK(at(y, 2, 1, 3) == at(x, 1, 3, 2), "channels first");
    y = once((ty_image_step){.apply = ty_step_float}, image(TY_U16, 3, 4, 3), 0);
    CHECK(ty_dtype_of(CHECK_OK(y)) == TY_F32 && ty_item(ty_amax(y, TY_ALL)) <= 1, "float");
}

/* ---- colours: a plain loop over pixels ---- */

static void hsv_turn(const double in[3], double turned, double out[3]) {
    double v = fmax(in[0], fmax(in[1], in[2])), c = v - fmin(in[0], fmin(in[1], in[2])), h = 0;
    if (c > 0)
        h = v == in[0] ? (in[1] - in[2]) / c : v == in[1] ? 2 + (in[2] - in[0]) / c : 4 + (in[0] - in[1]) / c;
    h = fmod(h / 6 + turned + 2, 1) * 6;
    double s = v > 0 ? c / v : 0, f = h - floor(h), p = v * (1 - s), q = v * (1 - s * f),
           t = v * (1 - s * (1 - f));
    const double rows[6][3] = {{v, t, p}, {q, v, p}, {p, v, t}, {p, q, v}, {t, p, v}, {v, p, q}};
    memcpy(out, rows[(int)floor(h) % 6], sizeof(double) * 3);
}

/* Repeat the draws of the step and compare. */
static void colours(void) {
    ty_tensor *x = image(TY_F32, 5, 6, 3);
    for (int kind = 0; kind < 4; kind++)
        for (int64_t index = 0; index < 8; index++) {
            struct test_round round = test_round();
            ty_image_step step = {.apply = ty_step_jitter};
            double *amounts[] = {&step.brightness, &step.contrast, &step.saturation, &step.hue};
            *amounts[kind] = kind == 3 ? 0.5 : 0.8;
            ty_draws draws = {7, 2, (uint64_t)index, 0, 0};
            for (int i = 3; i > 0; i--) ty_draws_number(&draws, 0, i + 1);
            double f = kind == 3 ? ty_draws_number(&draws, -0.5, 0.5) : ty_draws_number(&draws, 0.2, 1.8),
                   mean = 0;
            double in[30][3], got[30][3];
            ty_tensor *y = CHECK_OK(once(step, x, index));
            CHECK(ty_read(x, TY_F64, in) && ty_read(y, TY_F64, got), "no numbers");
            for (int i = 0; i < 30; i++)
                mean += (0.299 * in[i][0] + 0.587 * in[i][1] + 0.114 * in[i][2]) / 30;
            for (int i = 0; i < 30; i++) {
                double grey = 0.299 * in[i][0] + 0.587 * in[i][1] + 0.114 * in[i][2], want[3];
                if (kind == 3) hsv_turn(in[i], f, want);
                for (int c = 0; c < 3; c++) {
                    double other = kind == 0 ? 0 : kind == 1 ? mean : grey;
                    if (kind < 3) want[c] = fmin(fmax(f * in[i][c] + (1 - f) * other, 0), 1);
                    CHECK(fabs(got[i][c] - want[c]) < 2e-6, "kind %d by %g: pixel %d, %d is %g, not %g", kind,
                          f, i, c, got[i][c], want[c]);
                }
            }
            test_round_end(round);
        }
}

/* ---- draws ---- */

static void draws_by_place(void) {
    double first[5], sum = 0, least = 1, greatest = 0;
    for (int part = 0; part < 5; part++) {
        ty_draws d = {part == 1, part == 2, part == 3, part == 4, 0};
        first[part] = ty_draws_number(&d, 0, 1);
        for (int k = 0; k < part; k++) CHECK(first[k] != first[part], "%d and %d draw the same", k, part);
    }
    ty_draws d = {9, 8, 7, 6, 0}, again = d;
    for (int i = 0; i < 10000; i++) {
        double x = ty_draws_number(&d, 2, 3) - 2;
        CHECK(x >= 0 && x < 1 && x + 2 == ty_draws_number(&again, 2, 3), "draw %d", i);
        sum += x, least = fmin(least, x), greatest = fmax(greatest, x);
    }
    CHECK(fabs(sum / 10000 - 0.5) < 0.01 && least < 0.001 && greatest > 0.999, "mean %g", sum / 10000);
    CHECK(ty_draws_number(&d, 4, 4) == 4 && ty_draws_number(NULL, 4, 5) == 4, "no width");
    CHECK(equal(ty_draws_key(&d), ty_draws_key(&again)) && ty_size(ty_draws_key(&d)) == 2, "keys");
    CHECK_POISON(ty_draws_key(NULL), "the draws of a step are NULL");
}

static ty_tensor *noise(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    return ty_add(x, ty_mul(ty_normal(TY_F32, ty_rank(x), ty_shape(x), ty_draws_key(draws)),
                            ty_num(*(double *)step->context)));
}
static ty_tensor *nothing(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    (void)step, (void)x, (void)draws;
    return NULL;
}

/* A pipeline is a function of seed, epoch and index, including custom steps. */
static void pipelines(void) {
    double strength = 0.1;
    const ty_image_step steps[] = {
        {.apply = ty_step_random_crop, .size = {8, 8}, .pad = 2},
        {.apply = ty_step_flip},
        {.apply = ty_step_affine, .degrees = 20, .shift = {0.1, 0.1}, .scale = {0.9, 1.1}},
        {.apply = ty_step_jitter, .brightness = 0.4, .contrast = 0.4, .saturation = 0.4, .hue = 0.1},
        {.apply = noise, .context = &strength},
        {.apply = ty_step_normalise}};
    ty_tensor *x = image(TY_U8, 9, 9, 3), *y[2][2][2];
    for (int seed = 0; seed < 2; seed++)
        for (int epoch = 0; epoch < 2; epoch++)
            for (int index = 0; index < 2; index++)
                y[seed][epoch][index] = ty_augment(6, steps, x, (uint64_t)seed, epoch, index);
    has_shape(y[0][0][0], TY_F32, 8, 8, 3);
    CHECK(equal(y[0][0][0], ty_augment(6, steps, x, 0, 0, 0)), "not the same again");
    for (int k = 1; k < 8; k++) CHECK(!equal(y[0][0][0], y[k >> 2][k >> 1 & 1][k & 1]), "%d is the same", k);
    CHECK(equal(ty_augment(0, NULL, x, 0, 0, 0), x), "no steps");
    CHECK_POISON(ty_augment(1, NULL, x, 0, 0, 0), "1 steps, NULL");
    CHECK_POISON(once((ty_image_step){.apply = NULL}, x, 0), "step 0 has no function");
    CHECK_POISON(once((ty_image_step){.apply = nothing}, x, 0), "a step");
}

static void refusals(void) {
    ty_tensor *x = image(TY_U8, 4, 4, 3), *grey = image(TY_U8, 4, 4, 1);
    const struct {
        ty_image_step step;
        ty_tensor *x;
        const char *words;
    } rows[] = {
        {{.apply = ty_step_crop, .size = {5, 4}},
         x,
         "step_crop: a crop of 5 x 4 does not fit an image of 4 x 4"},
        {{.apply = ty_step_crop},
         x,
         "a crop of 0 x 0 does not fit an image of 4 x 4: resize it first, or pad"},
        {{.apply = ty_step_random_crop, .size = {7, 4}, .pad = 1}, x, "does not fit an image of 6 x 6"},
        {{.apply = ty_step_random_crop, .size = {2, 2}, .pad = -1},
         x,
         "step_random_crop: pad is -1; expected 0 or more"},
        {{.apply = ty_step_resize}, x, "step_resize: the size is 0 x 0"},
        {{.apply = ty_step_resized_crop, .size = {2, 2}, .area = {0.5, 0.1}}, x, "areas from 0.5 to 0.1"},
        {{.apply = ty_step_resized_crop}, x, "step_resized_crop: the size is 0 x 0; expected 1 or more"},
        {{.apply = ty_step_affine, .scale = {-1, 1}}, x, "scales from -1"},
        {{.apply = ty_step_jitter}, grey, "the image has 1 channels"},
        {{.apply = ty_step_jitter, .hue = 0.6}, x, "hue is 0.6"},
        {{.apply = ty_step_normalise}, grey, "as the default has 3 channels"},
        {{.apply = ty_step_normalise, .mean = {0.5}}, x, "the deviation is 0"},
        {{.apply = ty_step_flip},
         ty_zeros(TY_U8, TY_SHAPE(4, 4)),
         "expected an image (H,W,C) of real numbers, not u8[4,4]"},
        {{.apply = ty_step_flip}, ty_zeros(TY_BOOL, TY_SHAPE(4, 4, 3)), "not bool[4,4,3]"},
        {{.apply = ty_step_flip}, ty_zeros(TY_F32, TY_SHAPE(4, 0, 3)), "not f32[4,0,3]"},
        {{.apply = ty_step_flip}, ty_poison("no image"), "no image"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_POISON(once(rows[i].step, rows[i].x, 0), rows[i].words);
    ty_draws draws = {0};
    CHECK_POISON(ty_step_flip(NULL, x, &draws), "step_flip: the step is NULL");
    CHECK_POISON(ty_step_flip(&rows[0].step, x, NULL), "the draws are NULL");
}

/* ---- steps from text ---- */

static void steps_of_a_text(void) {
    ty_image_step steps[4];
    ty_tensor *error = NULL;
    int n = ty_image_steps_parse("random_crop:pad=4:size=8,flip:chance=0.25,affine:degrees=10:scale=0.9..1.1",
                                 4, steps, &error);
    CHECK(n == 3, "%d steps: %s", n, error ? ty_error(error) : "");
    if (n != 3) return;
    CHECK(steps[0].apply == ty_step_random_crop && steps[0].pad == 4 && steps[0].size[0] == 8 &&
              steps[0].size[1] == 8,
          "another crop");
    CHECK(steps[1].apply == ty_step_flip && steps[1].chance == 0.25, "another flip");
    CHECK(steps[2].apply == ty_step_affine && steps[2].degrees == 10 && steps[2].scale[0] == 0.9 &&
              steps[2].scale[1] == 1.1,
          "another affine map");
}

static void wrong_texts_of_steps(void) {
    static const struct {
        const char *text, *words;
    } rows[] = {{"flop", "step \"flop\" (did you mean flip?); expected crop, random_crop"},
                {"flip,", "a step is missing behind the last comma"},
                {"flip:chanse=1", "unknown option \"chanse\" (did you mean chance?)"},
                {"flip:chance", "expected NAME=NUMBER"},
                {"flip:chance=2", "chance=2; expected a number above 0 and at most 1"},
                {"affine:scale=1..2..3", "scale=1..2..3; expected"},
                {"affine:scale=1..", "scale=1..; expected"},
                {"flip,flip,flip,flip", "more than 3 steps"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_image_step steps[3];
        ty_tensor *error = NULL;
        int n = ty_image_steps_parse(rows[i].text, 3, steps, &error);
        CHECK(n == -1 && error && (strstr(ty_error(error), rows[i].words) || test_starving()), "%s: %d, %s",
              rows[i].text, n, error ? ty_error(error) : "no error");
    }
}

TESTS_MAIN(TEST(steps_of_a_text), TEST(wrong_texts_of_steps), TEST(crops), TEST(resized), TEST(flips),
           TEST(affine), TEST(normalised), TEST(colours), TEST(draws_by_place), TEST(pipelines),
           TEST(refusals))
