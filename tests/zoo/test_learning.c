/* Networks learn their tasks, compiled and within seconds: digits to 98.5 %, a page by heart, images of
   digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/nn_help.h"
#include <tyto/data.h>
#include <tyto/zoo.h>

/* Return true for the full training; otherwise a few steps only show that it runs. */
static bool in_full(void) { return test_some(1, 0, 0); }

/* ---- digits ---- */

enum { DIGITS = 45000, HELD_OUT = 2000, BATCH = 150 };

static void lenet(void) {
    int64_t steps = in_full() ? DIGITS / BATCH : test_some(1, 6, 1), batch = test_starving() ? 2 : BATCH;
    ty_dataset *train = ty_dataset_digits(1, 0, steps * batch),
               *test = ty_dataset_digits(1, 1 << 20, test_some(HELD_OUT, 100, 2));
    ty_tensor *seen[2], *unseen[2], *error = NULL;
    bool read = ty_dataset_get_all(train, 2, seen);
    read = ty_dataset_get_all(test, 2, unseen) && read;
    ty_dataset_free(test);
    ty_dataset_free(train);
    CHECK(read, "no digits");
    ty_schedule schedule = {.at = ty_schedule_cosine, .steps = (double)steps, .warmup = 30};
    ty_trainer_options o = {
        .inputs = seen[0], .targets = seen[1], .batch = batch, .seed = 1, .schedule = &schedule};
    o.optimiser = (ty_optimiser){.rule = &ty_adam, .rate = 3e-3};
    ty_trainer *t = nn_own_trainer(
        ty_trainer_new(nn_own_model(ty_network_model(&ty_network_lenet, (ty_network_options){0},
                                                     (ty_model_options){.seed = 1, .lazy = true})),
                       o));
    CHECK(ty_trainer_run(t, steps, NULL, NULL), "%s", ty_trainer_error(t));
    double accuracy = ty_trainer_accuracy(t, unseen[0], unseen[1], &error);
    CHECK(!isnan(accuracy), "%s", error ? ty_error(error) : "no sentence");
    CHECK(!in_full() || accuracy >= 0.985, "%.2f %% of digits that it never saw, expected 98.5 %%",
          100 * accuracy);
    if (test_verbose()) printf("%.2f %%\n", 100 * accuracy);
}

/* ---- a page ---- */

static ty_tensor *cross_entropy(ty_tensor *logits, ty_tensor *next) {
    return ty_loss_cross_entropy(logits, next, (ty_loss_options){0});
}

enum { PLACES = 256, WINDOWS = 8, UNITS = 64, BLOCKS = 2, HEADS = 4 };

/* Compute the network gpt of the zoo, smaller and without dropout. */
static void small_gpt(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const ty_init small = {ty_init_normal, 0, 0.02};
    const ty_embedding_layer tokens = {.rows = 128, .units = UNITS, .weight = small};
    const ty_transformer_block_layer block = {.attention = {.heads = HEADS, .causal = true}};
    (void)context, (void)n;
    ty_tensor *h = ty_layer_embedding(self, "wte", x[0], tokens);
    h = ty_layer_position_embedding(self, "wpe", h,
                                    (ty_position_embedding_layer){.rows = PLACES, .weight = small});
    for (int i = 0; i < BLOCKS; i++) h = ty_layer_transformer_block(self, i ? "h1" : "h0", h, block);
    h = ty_layer_layer_norm(self, "ln_f", h, (ty_layer_norm_layer){0});
    y[0] = ty_layer_embedding(self, "wte", h, tokens);
}

/* Read a page of this tree's licence: windows (n, positions) and the characters that follow each one. */
static void read_page(int64_t n, int64_t places, ty_tensor **windows, ty_tensor **next) {
    int64_t count = n * places;
    int32_t *page = test_room(((size_t)count + 1) * sizeof *page);
    FILE *file = fopen(TREE "/LICENSE", "r");
    CHECK(file, "no licence");
    fseek(file, 400, SEEK_SET); /* after the title */
    for (int64_t i = 0; i <= count; i++) page[i] = fgetc(file) & 127;
    fclose(file);
    *windows = ty_from(TY_I32, TY_SHAPE(n, places), page);
    *next = ty_from(TY_I32, TY_SHAPE(n, places), page + 1);
}

static void gpt_knows_a_page(void) {
    int64_t windows = test_some(WINDOWS, 2, 1), places = test_some(PLACES, 32, 4),
            steps = test_some(160, 6, 1);
    ty_tensor *page[2], *error = NULL;
    read_page(windows, places, &page[0], &page[1]);
    ty_schedule schedule = {.at = ty_schedule_cosine, .steps = (double)steps, .warmup = 20};
    ty_trainer_options o = {.inputs = page[0],
                            .targets = page[1],
                            .batch = windows,
                            .loss = cross_entropy,
                            .schedule = &schedule};
    o.optimiser = (ty_optimiser){.rule = &ty_adamw, .rate = 5e-3, .decay = TY_ZERO};
    o.clip_global_norm = 1;
    ty_model *m = nn_own_model(ty_model_new(small_gpt, NULL, (ty_model_options){.seed = 1, .lazy = true}));
    ty_trainer *t = nn_own_trainer(ty_trainer_new(m, o));
    CHECK(ty_trainer_run(t, steps, NULL, NULL), "%s", ty_trainer_error(t));
    double nats = ty_trainer_evaluate(t, 2, page, NULL, &error);
    CHECK(!isnan(nats), "%s", error ? ty_error(error) : "no sentence");
    CHECK(!in_full() || nats < 0.1, "%.3f nats a character, expected less than 0.1", nats);
    if (test_verbose()) printf("%.4f nats\n", nats);
}

TESTS_MAIN(TEST(lenet), TEST(gpt_knows_a_page))
