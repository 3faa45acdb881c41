/* Language models with a cache: equal scores and tokens to whole forwards, and draws. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/decode.h>
#include <tyto/zoo.h>
#include "tests/support/harness.h"
#include "tests/support/nn_help.h"
#include "text/sampler.h"

static void free_decoder(void *d) { ty_decoder_free(d); }
static void free_sampler(void *s) { sampler_free(s); }
static ty_decoder *own(ty_decoder *d) { return test_own(d, free_decoder); }

enum { CLASSES = 97 };

/* Return a model with weights of the size of trained ones; NULL without memory. */
static ty_model *make(const ty_network *network, bool lazy) {
    ty_model *m = nn_own_model(ty_network_model(network, (ty_network_options){.classes = CLASSES},
                                                (ty_model_options){.seed = 3, .lazy = lazy}));
    ty_tensor *x = ty_network_input(network, 1), *error = NULL;
    if (!ty_model_build(m, 1, &x, &error)) {
        CHECK(test_starving(), "%s", ty_error(error));
        return NULL;
    }
    ty_tensor *words = ty_model_find(m, network == &ty_network_gpt ? "wte.weight" : "embedding.weight");
    CHECK(ty_assign(words, ty_mul(words, ty_num(10)), &error) || test_starving(), "%s", ty_error(error));
    return m;
}

/* Write scores[CLASSES] of the successor of n tokens by a whole forward over the last window; false without memory. */
static bool whole(ty_model *m, const ty_decoder *d, const ty_network *network, const int32_t *tokens,
                  int64_t n, float *scores) {
    int64_t begin = ty_decoder_first(d), known = n - begin;
    int64_t places = network == &ty_network_gpt ? network->shape[0] : known, shape[] = {1, places};
    int32_t *padded = test_room((size_t)places * sizeof *padded);
    memcpy(padded, tokens + begin, (size_t)known * sizeof *padded);
    ty_tensor *x = ty_from(TY_I32, 2, shape, padded), *y = NULL;
    bool well =
        ty_model_predict(m, 1, &x, &y) && ty_read(ty_slice(y, 1, known - 1, known, 1), TY_F32, scores);
    CHECK(well || test_starving(), "%s", y ? ty_error(y) : "");
    return well;
}

/* Return the greatest difference of scores in parts of the greatest score; *same: both choose one token. */
static double away(const float *a, const float *b, bool *same) {
    double greatest = 0, most = 0;
    int at_a = 0, at_b = 0;
    for (int i = 0; i < CLASSES; i++) {
        greatest = fmax(greatest, fabs((double)a[i]));
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
        if (a[i] > a[at_a]) at_a = i;
        if (b[i] > b[at_b]) at_b = i;
    }
    *same = at_a == at_b;
    return most / greatest;
}

static bool read(ty_decoder *d, int64_t n, const int32_t *tokens, ty_tensor **error) {
    return ty_decoder_read(d, ty_from(TY_I32, 1, &n, tokens), error);
}

/* Compare a decoder that has read n tokens, in pieces of `piece`, then `more` of its own choice, with whole forwards. */
static void compare(const ty_network *network, ty_model *m, int64_t n, int64_t piece, int more) {
    struct test_round round = test_round();
    ty_decoder *d = own(ty_decoder_new(m));
    ty_tensor *error = NULL;
    int32_t *tokens = test_room((size_t)(n + more) * sizeof *tokens);
    float scores[CLASSES];
    for (int64_t i = 0; i < n; i++) tokens[i] = (int32_t)test_between(0, CLASSES - 1);
    bool well = !*ty_decoder_error(d), same;
    for (int64_t i = 0; i < n && well; i += piece)
        well = read(d, piece < n - i ? piece : n - i, tokens + i, &error);
    for (int i = 0; well && i <= more; i++) {
        float found[CLASSES];
        if (!ty_read(ty_decoder_scores(d), TY_F32, found) || !whole(m, d, network, tokens, n + i, scores))
            break;
        double far = away(scores, found, &same);
        CHECK(far < 2e-5 && same, "%s: after %lld tokens in pieces of %lld and %d more: away by %g",
              network->name, (long long)n, (long long)piece, i, far);
        int best = 0;
        for (int k = 0; k < CLASSES; k++)
            if (scores[k] > scores[best]) best = k;
        if (i == more) break;
        tokens[n + i] = best;
        well = read(d, 1, tokens + n + i, &error);
    }
    CHECK(well || test_starving(), "%s%s", ty_decoder_error(d), error ? ty_error(error) : "");
    test_round_end(round);
}

static void gpt_equals_whole_forwards(void) {
    ty_model *m = make(&ty_network_gpt, true);
    static const int64_t lengths[] = {1, 7, 8, 65, 190, 257, 900};
    int rows = test_some((int)(sizeof lengths / sizeof *lengths), 3, 1);
    for (int i = 0; m && i < rows; i++)
        compare(&ty_network_gpt, m, lengths[i], lengths[i], test_some(4, 2, 1));
    if (m && !test_starving()) compare(&ty_network_gpt, m, 70, 7, 3);
    if (m && !test_starving()) compare(&ty_network_gpt, m, 300, 50, 3);
}

static void gpt_computes_at_once(void) {
    if (test_starving()) return;
    compare(&ty_network_gpt, make(&ty_network_gpt, false), 20, 20, 2);
}

static void lstm_equals_whole_forwards(void) {
    ty_model *m = make(&ty_network_char_lstm, true);
    static const int64_t lengths[] = {1, 20, 64, 150};
    for (int i = 0; m && i < test_some(4, 4, 1); i++)
        compare(&ty_network_char_lstm, m, lengths[i], lengths[i], test_some(5, 2, 1));
}

/* A program of one token writes keys and values over their variables: its memory has no copy of the cache. */
static void cache_is_updated_in_place(void) {
    enum { TENSORS = 12, POSITIONS = 64 };
    ty_model *m = make(&ty_network_gpt, true);
    if (!m) return;
    const ty_network_options o = {.network = &ty_network_gpt, .classes = CLASSES};
    ty_tensor *cache[TENSORS], *next[TENSORS];
    int64_t shape[TY_MAX_RANK], bytes = 0;
    for (int i = 0; i < TENSORS; i++) {
        int rank = ty_network_gpt.cache_shape(&o, i, 1, POSITIONS, shape);
        next[i] = cache[i] = ty_var(ty_zeros(TY_F32, rank, shape), "cache");
        bytes += 4 * ty_size(cache[i]);
    }
    CHECK(!ty_network_gpt.cache_shape(&o, TENSORS, 1, POSITIONS, shape), "more than %d tensors", TENSORS);
    ty_cached_step step = {.tokens = ty_var(ty_zeros(TY_I32, TY_SHAPE(1, 1)), "tokens"),
                           .position = ty_var(ty_scalar(TY_I64, 0), "position"),
                           .last = ty_var(ty_scalar(TY_I64, 0), "last"),
                           .cache = next};
    ty_model_begin(m, NULL);
    ty_tensor *y = ty_network_gpt.cached(ty_model_root(m), &o, &step);
    ty_update updates[TENSORS];
    for (int i = 0; i < TENSORS; i++) updates[i] = (ty_update){cache[i], next[i]};
    ty_program *p =
        test_program(ty_compile(1, &y, (ty_compile_options){.updates = updates, .nupdates = TENSORS}));
    if (!ty_run(p)) return CHECK(test_starving(), "%s", ty_program_error(p));
    int64_t arena = test_report(p).arena_bytes;
    CHECK(arena < bytes / 4, "an arena of %lld bytes for a cache of %lld", (long long)arena,
          (long long)bytes);
    /* A position behind the cache fails, and changes nothing. */
    ty_tensor *error = NULL;
    if (!ty_assign(step.position, ty_scalar(TY_I64, POSITIONS), &error)) return;
    ty_tensor *before = ty_eval(ty_add(cache[0], ty_num(0)));
    CHECK(!ty_run(p), "position %d was written", POSITIONS);
    if (ty_ok(before) && !test_starving())
        CHECK(ty_item(ty_all(ty_eq(cache[0], before), TY_ALL)) == 1, "a failed run changed the cache");
}

/* The window begins at a half of the context, whatever was read at once. */
static void windows(void) {
    if (test_starving()) return;
    ty_decoder *d = own(ty_decoder_new(make(&ty_network_gpt, true)));
    CHECK(!*ty_decoder_error(d) && ty_decoder_size(d) == CLASSES, "%s", ty_decoder_error(d));
    CHECK_POISON(ty_decoder_scores(d), "no token was read yet");
    static const int64_t rows[][2] = {{256, 0}, {257, 128}, {384, 128}, {385, 256}, {512, 256}, {513, 384}};
    int32_t tokens[600] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(read(d, rows[i][0] - ty_decoder_count(d), tokens, NULL), "%lld tokens", (long long)rows[i][0]);
        CHECK(ty_decoder_first(d) == rows[i][1] && ty_decoder_count(d) == rows[i][0],
              "%lld tokens: the window begins at %lld", (long long)rows[i][0],
              (long long)ty_decoder_first(d));
    }
    ty_decoder_clear(d);
    CHECK(!ty_decoder_count(d) && !ty_decoder_first(d), "a cleared decoder has tokens");
    CHECK_POISON(ty_decoder_scores(d), "no token was read yet");
}

/* A window of one place, as of a file of weights with one row of places, is the last token. */
static void windows_of_one_place(void) {
    if (test_starving()) return;
    const ty_network_options o = {.classes = CLASSES, .blocks = 1, .heads = 1, .units = 4, .places = 1};
    ty_model *m = nn_own_model(ty_network_model(&ty_network_gpt, o, (ty_model_options){.lazy = true}));
    ty_tensor *x = ty_zeros(TY_I32, TY_SHAPE(1, 1)), *error = NULL;
    if (!ty_model_build(m, 1, &x, &error)) return CHECK(false, "%s", ty_error(error));
    ty_decoder *d = own(ty_decoder_new(m)), *other = own(ty_decoder_new(m));
    float scores[CLASSES], alone[CLASSES];
    CHECK(read(d, 3, (const int32_t[]){5, 8, 2}, &error) && ty_decoder_first(d) == 2,
          "the window begins at %lld", (long long)ty_decoder_first(d));
    CHECK(read(other, 1, (const int32_t[]){2}, &error) && ty_read(ty_decoder_scores(d), TY_F32, scores) &&
              ty_read(ty_decoder_scores(other), TY_F32, alone) && !memcmp(scores, alone, sizeof scores),
          "other scores than those of the last token alone");
}

/* A cleared decoder, and one whose reading failed, go on as new ones with the same tokens. */
static void tokens_are_forgotten(void) {
    if (test_starving()) return;
    const ty_network *const networks[] = {&ty_network_gpt, &ty_network_char_lstm};
    static const int32_t tokens[] = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int i = 0; i < 2; i++) {
        ty_model *m = make(networks[i], true);
        float fresh[CLASSES], later[CLASSES];
        ty_decoder *d = own(ty_decoder_new(m)), *other = own(ty_decoder_new(m));
        CHECK(read(d, 5, tokens, NULL) && ty_read(ty_decoder_scores(d), TY_F32, fresh), "reading failed");
        CHECK(read(other, 8, tokens, NULL), "reading failed");
        ty_decoder_clear(other);
        CHECK(read(other, 5, tokens, NULL) && ty_read(ty_decoder_scores(other), TY_F32, later),
              "reading failed");
        CHECK(!memcmp(fresh, later, sizeof fresh), "%s: a cleared decoder has other scores",
              networks[i]->name);
        ty_interrupt(NULL);
        CHECK(!read(other, 3, tokens + 5, NULL) && ty_decoder_count(other) == 5, "it was read");
        ty_resume(NULL);
        CHECK(ty_read(ty_decoder_scores(other), TY_F32, later) && !memcmp(fresh, later, sizeof fresh),
              "%s: other scores after a failure", networks[i]->name);
    }
}

/* Weights that were NaN for a time leave nothing in a cleared decoder. */
static void nan_is_forgotten(void) {
    if (test_starving()) return;
    ty_model *m = make(&ty_network_gpt, true);
    static const int32_t tokens[] = {3, 1, 4};
    float fresh[CLASSES], later[CLASSES];
    ty_decoder *d = own(ty_decoder_new(m)), *other = own(ty_decoder_new(m));
    ty_tensor *bias = ty_model_find(m, "h.0.self_attn.in_proj_bias"), *before = ty_add(bias, ty_num(0));
    CHECK(ty_assign(bias, ty_full_like(before, NAN), NULL) && read(d, 3, tokens, NULL) &&
              ty_read(ty_decoder_scores(d), TY_F32, later) && isnan(later[0]),
          "the score is %g", (double)later[0]);
    CHECK(ty_assign(bias, before, NULL), "no assignment");
    ty_decoder_clear(d);
    CHECK(read(d, 1, tokens, NULL) && ty_read(ty_decoder_scores(d), TY_F32, later) &&
              read(other, 1, tokens, NULL) && ty_read(ty_decoder_scores(other), TY_F32, fresh) &&
              !memcmp(fresh, later, sizeof fresh),
          "a cleared decoder has other scores: %g, not %g", (double)later[0], (double)fresh[0]);
}

static void refusals(void) {
    ty_model *m = make(&ty_network_gpt, true);
    ty_decoder *d = own(ty_decoder_new(m));
    ty_tensor *error = NULL;
    if (*ty_decoder_error(d)) return CHECK(test_starving(), "%s", ty_decoder_error(d));
    static const int32_t bad[][2] = {{0, CLASSES}, {-1, 0}};
    for (int i = 0; i < 2; i++)
        CHECK(!read(d, 2, bad[i], &error) &&
                  (test_starving() || strstr(ty_error(error), "out of bounds for 97 tokens")),
              "%s", ty_error(error));
    CHECK(!ty_decoder_read(d, ty_num(1.5), &error) &&
              (test_starving() || strstr(ty_error(error), "expected integers")),
          "%s", ty_error(error));
    CHECK(!ty_decoder_read(d, NULL, &error) && !ty_decoder_read(NULL, ty_int(1), &error) &&
              !ty_decoder_count(d),
          "nothing is read");
    const ty_draw_options draws[] = {
        {.temperature = -1}, {.top_p = 1.5}, {.top_k = -1}, {.tokens = -1}, {.seed = 1}};
    for (int i = 0; i < 5; i++) CHECK(ty_decoder_draw(d, draws[i], &error) == -1, "draw %d", i);
    CHECK(test_starving() || strstr(ty_error(error), "no token was read yet"), "%s", ty_error(error));
    ty_model *other = nn_own_model(
        ty_network_model(&ty_network_mlp, (ty_network_options){0}, (ty_model_options){.lazy = true}));
    const char *words = ty_decoder_error(own(ty_decoder_new(other)));
    CHECK(test_starving() || strstr(words, "is no language model"), "%s", words);
    other = nn_own_model(
        ty_network_model(&ty_network_gpt, (ty_network_options){0}, (ty_model_options){.lazy = true}));
    words = ty_decoder_error(own(ty_decoder_new(other)));
    CHECK(test_starving() || strstr(words, "it has no parameters yet") || strstr(words, "has no parameters"),
          "%s", words);
    CHECK(*ty_decoder_error(own(ty_decoder_new(nn_own_model(ty_model_parse("", 0, (ty_model_options){0}))))),
          "a failed model is read");
}

/* Draws follow the scores, and are the same for equal texts, however they were read. */
static void draws_of_a_text(void) {
    if (test_starving()) return;
    ty_model *m = make(&ty_network_gpt, true);
    static const int32_t tokens[] = {3, 1, 4, 1, 5, 9, 2, 6};
    ty_decoder *d = own(ty_decoder_new(m)), *other = own(ty_decoder_new(m));
    CHECK(read(d, 8, tokens, NULL) && read(other, 3, tokens, NULL) && read(other, 5, tokens + 3, NULL),
          "reading");
    float scores[CLASSES];
    int best = 0, different = 0;
    CHECK(ty_read(ty_decoder_scores(d), TY_F32, scores), "no scores");
    for (int i = 0; i < CLASSES; i++) best = scores[i] > scores[best] ? i : best;
    CHECK(ty_decoder_draw(d, (ty_draw_options){0}, NULL) == best, "the likeliest token is not drawn");
    for (uint64_t seed = 0; seed < 20; seed++) {
        ty_draw_options how = {.temperature = 5, .seed = seed, .tokens = 10};
        int64_t token = ty_decoder_draw(d, how, NULL);
        CHECK(token >= 0 && token < 10, "token %lld", (long long)token);
        CHECK(token == ty_decoder_draw(d, how, NULL) && token == ty_decoder_draw(other, how, NULL),
              "seed %d draws another token", (int)seed);
        different += token != ty_decoder_draw(d, (ty_draw_options){.temperature = 5, .tokens = 10}, NULL);
    }
    CHECK(different > 5, "%d of 20 seeds draw another token", different);
}

/* ---- draws ---- */

/* Count the draws of each of four tokens; false without memory. */
static bool count(const ty_draw_options *how, const float *scores, int draws, int *counts) {
    struct fault fault = {0};
    struct sampler *s = sampler_new(4, &fault);
    memset(counts, 0, 4 * sizeof *counts);
    for (int i = 0; s && i < draws; i++) {
        int64_t token = sampler_draw(s, how, scores, (uint64_t)i, &fault);
        CHECK(token >= 0 && token < 4, "token %lld: %s", (long long)token, fault.text);
        counts[token]++;
    }
    CHECK(s || test_starving(), "%s", fault.text);
    sampler_free(s);
    return s;
}

static void draws(void) {
    const float scores[] = {1, 3, -INFINITY, 2};
    int n[4], draws = test_some(4000, 2000, 5);
    ty_draw_options how = {.temperature = 1, .seed = 5};
    if (!count(&how, scores, draws, n) || test_starving()) return;
    double sum = exp(1) + exp(2) + exp(3);
    for (int i = 0; i < 4; i++) {
        double share = exp((double)scores[i]) / sum, deviation = sqrt(share * (1 - share) / draws);
        CHECK(fabs((double)n[i] / draws - share) <= 5 * deviation, "token %d was drawn %d times", i, n[i]);
    }
    how.temperature = 0.5;
    count(&how, scores, draws, n);
    double share = exp(6) / (exp(2) + exp(4) + exp(6));
    CHECK(fabs((double)n[1] / draws - share) < 0.05, "temperature 0.5: %d draws of the best", n[1]);
    how = (ty_draw_options){.temperature = 1, .top_k = 2};
    count(&how, scores, draws, n);
    CHECK(!n[0] && n[1] && n[3], "top_k 2: %d %d %d %d", n[0], n[1], n[2], n[3]);
    how = (ty_draw_options){.temperature = 1, .top_p = 0.7}; /* shares are 0.09, 0.67, 0, 0.24 */
    count(&how, scores, draws, n);
    CHECK(!n[0] && n[1] && n[3], "top_p 0.7: %d %d %d %d", n[0], n[1], n[2], n[3]);
    how.top_p = 0.6;
    count(&how, scores, draws, n);
    CHECK(n[1] == draws, "top_p 0.6: %d draws of the best", n[1]);
    how = (ty_draw_options){.temperature = 5, .top_k = 1};
    count(&how, scores, draws, n);
    CHECK(n[1] == draws, "top_k 1: %d draws of the best", n[1]);
    how = (ty_draw_options){.temperature = 0};
    count(&how, (const float[]){2, 2, 1, 2}, 3, n);
    CHECK(n[0] == 3, "temperature 0 draws another than the first of equal ones");
}

/* Return the shares of the scores above a score, all together. */
static double share_above(const float *scores, int n, float score) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (scores[i] > score) sum += exp((double)scores[i]);
    return sum;
}

/* top_k and top_p keep the tokens of a great vocabulary that sorting all of them keeps. */
static void draws_of_many(void) {
    enum { MANY = 5000, KEPT = 40 };
    struct fault fault = {0};
    struct sampler *s = test_own(sampler_new(MANY, &fault), free_sampler);
    if (!s) return CHECK(test_starving(), "%s", fault.text);
    float *scores = test_room(MANY * sizeof *scores);
    bool *drawn = test_room(MANY);
    for (int i = 0; i < MANY; i++) scores[i] = (float)test_uniform(-1, 1);
    ty_draw_options how = {.temperature = 10, .top_k = KEPT};
    for (int i = 0; i < test_some(2000, 1000, 3); i++)
        drawn[sampler_draw(s, &how, scores, (uint64_t)i, &fault)] = true;
    int n = 0;
    for (int i = 0; i < MANY; i++) {
        int above = 0;
        for (int k = 0; k < MANY && drawn[i]; k++) above += scores[k] > scores[i];
        CHECK(above < KEPT, "token %d was drawn, and %d have greater scores", i, above);
        n += drawn[i];
    }
    CHECK(n == KEPT || test_starving(), "%d tokens were drawn", n);
    how = (ty_draw_options){.temperature = 1, .top_p = 0.1};
    double all = share_above(scores, MANY, -INFINITY);
    for (int i = 0; i < test_some(200, 100, 3); i++) {
        int64_t token = sampler_draw(s, &how, scores, (uint64_t)i, &fault);
        double above = token < 0 ? all : share_above(scores, MANY, scores[token]);
        CHECK(above < (how.top_p + 1e-9) * all || test_starving(), "token %lld has %g of the shares above it",
              (long long)token, above / all);
    }
    scores[17] = NAN;
    CHECK(sampler_draw(s, &how, scores, 0, &fault) == -1 && strstr(fault.text, "score of token 17 is NaN"),
          "%s", fault.text);
}

TESTS_MAIN(TEST(gpt_equals_whole_forwards), TEST(gpt_computes_at_once), TEST(cache_is_updated_in_place),
           TEST(lstm_equals_whole_forwards), TEST(windows), TEST(windows_of_one_place),
           TEST(tokens_are_forgotten), TEST(nan_is_forgotten), TEST(refusals), TEST(draws_of_a_text),
           TEST(draws), TEST(draws_of_many))
