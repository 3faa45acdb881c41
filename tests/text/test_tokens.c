/* Tokenizers: ids, exact round trips, files, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/tokens.h>
#include <unistd.h>
#include "tests/support/harness.h"
#include "text/words.h"

static void free_tokenizer(void *t) { ty_tokenizer_free(t); }
static ty_tokenizer *own(ty_tokenizer *t) { return test_own(t, free_tokenizer); }

static const char text[] =
    "low low low low low lower lower newest newest newest newest newest newest widest widest widest";

/* Return the tokens of a text, separated by |. */
static const char *spelled(const ty_tokenizer *t, const char *words, size_t n) {
    static char out[400];
    ty_tensor *ids = ty_tokenizer_encode(t, words, n);
    size_t at = 0;
    CHECK_OK(ids);
    for (int64_t i = 0; i < ty_size(ids); i++) {
        size_t length;
        const char *bytes = ty_tokenizer_token(t, ((const int32_t *)ty_data(ids))[i], &length);
        CHECK(bytes && at + length + 2 < sizeof out, "id %lld", (long long)i);
        if (i) out[at++] = '|';
        memcpy(out + at, bytes, length);
        at += length;
    }
    out[at] = 0;
    return out;
}

/* Check that a text comes back from its ids. */
static void check_back(const ty_tokenizer *t, const char *words, size_t n) {
    ty_tensor *ids = ty_tokenizer_encode(t, words, n), *error = NULL;
    size_t length;
    CHECK_OK(ids);
    char *back = test_text(ty_tokenizer_decode(t, ids, &length, &error));
    if (!back) return CHECK(test_starving(), "%s", error ? ty_error(error) : "");
    CHECK(length == n && !memcmp(back, words, n) && !back[n], "\"%s\" comes back as \"%s\"", words, back);
}

/* The merges of Sennrich et al. 2016 on their example, with words of GPT-2's pattern. */
static void trains(void) {
    ty_tokenizer *t = own(ty_tokenizer_train(text, sizeof text - 1, 270));
    if (*ty_tokenizer_error(t)) return CHECK(test_starving(), "%s", ty_tokenizer_error(t));
    CHECK(ty_tokenizer_size(t) == 270 && ty_tokenizer_end(t) == 269, "%lld tokens, end %lld",
          (long long)ty_tokenizer_size(t), (long long)ty_tokenizer_end(t));
    CHECK(!strcmp(ty_tokenizer_token(t, 256, NULL), "es"), "the first merge makes %s",
          ty_tokenizer_token(t, 256, NULL));
    CHECK(!strcmp(ty_tokenizer_token(t, 257, NULL), "est"), "the second merge makes %s",
          ty_tokenizer_token(t, 257, NULL));
    const char *found = spelled(t, "lowest newest", 13);
    CHECK(!strcmp(found, "low|est| newest"), "%s", found);
    found = spelled(t, "a<|endoftext|>low", 17);
    CHECK(!strcmp(found, "a|<|endoftext|>|low"), "%s", found);
    CHECK(ty_tokenizer_size(own(ty_tokenizer_train("", 0, 1000))) == 257 || test_starving(),
          "nothing gives merges");
}

/* Training ends where no pair occurs twice, and does so on one long word. */
static void trains_on_one_word(void) {
    char word[600];
    for (size_t i = 0; i < sizeof word; i++) word[i] = "ab"[i % 3 == 0];
    ty_tokenizer *t = own(ty_tokenizer_train(word, sizeof word, 5000));
    if (*ty_tokenizer_error(t)) return CHECK(test_starving(), "%s", ty_tokenizer_error(t));
    CHECK(ty_tokenizer_size(t) < 300, "%lld tokens", (long long)ty_tokenizer_size(t));
    check_back(t, word, sizeof word);
}

static void any_bytes(void) {
    ty_tokenizer *made[] = {own(ty_tokenizer_new()), own(ty_tokenizer_train(text, sizeof text - 1, 300))};
    static const char mixed[] =
        "newest \xF0\x9F\xA6\x89 Eule, \xE3\x81\xB5\xE3\x81\x8F\xE3\x82\x8D\xE3\x81\x86 \xFF\xC3";
    char bytes[257];
    for (int i = 0; i < 2; i++) {
        if (*ty_tokenizer_error(made[i])) return CHECK(test_starving(), "%s", ty_tokenizer_error(made[i]));
        check_back(made[i], "", 0);
        check_back(made[i], mixed, sizeof mixed - 1);
        for (int k = 0; k < test_some(200, 100, 2); k++) {
            size_t n = (size_t)test_between(0, 256);
            for (size_t j = 0; j < n; j++) bytes[j] = (char)test_between(0, k % 2 ? 255 : 127);
            bytes[n] = 0;
            check_back(made[i], bytes, n);
        }
    }
    ty_tensor *ids = ty_tokenizer_encode(made[0],
                                         "\xFF"
                                         "A",
                                         2);
    if (ty_ok(ids))
        CHECK(((const int32_t *)ty_data(ids))[0] == 255 && ((const int32_t *)ty_data(ids))[1] == 65,
              "bytes are not their ids");
}

/* Words as Hugging Face's tokenizers cut them: pattern, text, words separated by |. */
static const struct cut {
    int pattern;
    const char *text, *words;
} cuts[] = {{0, "I'll say: it's 1234,5!", "I|'ll| say|:| it|'s| 1234|,|5|!"},
            {0, "a  b\n\n c \n", "a| | b|\n\n| c| \n"},
            {0, "I'LL 'so", "I|'|LL| '|so"},
            {0, "\xC3\xA9t\xC3\xA9 \xC2\xBD \xCE\xB1\xCE\xB2\xC2\xA0x",
             "\xC3\xA9t\xC3\xA9| \xC2\xBD| \xCE\xB1\xCE\xB2|\xC2\xA0|x"},
            {1, "I'LL say: 12345 (x)\n\n y", "I|'LL| say|:| |123|45| (|x|)\n\n| y"},
            {1, "a \n \n  b", "a| \n \n| | b"},
            {1, "x'\xC5\xBF.y", "x|'\xC5\xBF|.y"},
            {2, "123 a\tb", "1|2|3| a|\tb"}};

static void words(void) {
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const struct cut *c = &cuts[i];
        size_t n = strlen(c->text), out = 0;
        char found[100];
        for (size_t at = 0, length; at < n; at += length) {
            length = word_length(&patterns[c->pattern], c->text + at, n - at);
            CHECK(length && length <= n - at, "a word of %zu bytes", length);
            if (at) found[out++] = '|';
            memcpy(found + out, c->text + at, length);
            out += length;
        }
        found[out] = 0;
        CHECK(!strcmp(found, c->words), "pattern %d: \"%s\" instead of \"%s\"", c->pattern, found, c->words);
    }
}

/* ---- files ---- */

static void json(void) {
    char path[] = "/tmp/test_tokens_XXXXXX.json";
    int file = mkstemps(path, 5);
    CHECK(file >= 0, "no temporary file");
    close(file);
    ty_tensor *error = NULL;
    ty_tokenizer *t = own(ty_tokenizer_train(text, sizeof text - 1, 270));
    char *first = test_text(ty_tokenizer_to_json(t));
    bool saved = first && ty_tokenizer_save(t, path, &error);
    ty_tokenizer *same = own(ty_tokenizer_load(path));
    unlink(path);
    if (!saved || *ty_tokenizer_error(same)) return CHECK(test_starving(), "%s", ty_tokenizer_error(same));
    char *second = test_text(ty_tokenizer_to_json(same));
    CHECK(!second || !strcmp(first, second), "another tokenizer was read");
    CHECK(ty_tokenizer_end(same) == 269, "end %lld", (long long)ty_tokenizer_end(same));
}

/* Replacements in the JSON of a tokenizer, and what parsing then says. */
static const struct change {
    const char *from, *to, *error;
} changes[] = {
    {"\"normalizer\":null", "\"normalizer\":{\"type\":\"NFC\"}", "normalizer NFC is not supported"},
    {"\"type\":\"BPE\"", "\"type\":\"Unigram\"", "the model Unigram is not supported; expected BPE"},
    {"\"ByteLevel\"", "\"Whitespace\"", "the pre-tokenizer Whitespace is not supported"},
    {"\"dropout\":null", "\"dropout\":0.5", "dropout is not supported"},
    {"\"fuse_unk\":false", "\"fuse_unk\":true", "fuse_unk is not supported"},
    {"\"lstrip\":false", "\"lstrip\":true", "has lstrip, which is not supported"},
    {"\"truncation\":null", "\"truncation\":{\"max_length\":3}", "truncation is not supported"},
    {"\"es\":256", "\"es\":255", "two tokens have the id 255"},
    {"\"es\":256", "\"es\":-1", "the id of token es is out of range"},
    {"\"es\":256", "\"es\":99999999999", "the id of token es is out of range"},
    {"\"es\":256", "\"es\":\"x\"", "the id of token es is out of range"},
    {"\"es\":256", "\"sse\":256", "merge 0 (e, s) is not of two tokens that make a third one"},
    {"\"e s\"", "\"es\"", "merge 0 (es, ?)"},
    {"\"e s\"", "\"e  s\"", "merge 0 (e,  s)"},
    {"\"e s\"", "\"est e\"", "merge 0 (est, e) is not of two tokens"},
    {"\"e s\"", "[\"e\"]", "merge 0 (e, ?)"},
    {"\"e s\"", "7", "merge 0 (?, ?)"},
    {"\"!\":0", "\"est!\":0", "the vocabulary lacks the byte 33"},
    {"\"id\":269", "\"id\":99999999", "an added token lacks its content or id"},
    {"\"vocab\"", "\"words\"", "the vocabulary is missing"},
    {"\"model\"", "\"modal\"", "the model is missing"},
    {"\"merges\":[", "\"merges\":[\"e s\",", ""}, /* the last of equal merges counts */
    {"\"merges\"", "merges", "is not valid JSON"}};

static void refuses(void) {
    ty_tokenizer *t = own(ty_tokenizer_train(text, sizeof text - 1, 270));
    char *all = test_text(ty_tokenizer_to_json(t));
    if (!all) return CHECK(test_starving(), "%s", ty_tokenizer_error(t));
    size_t n = strlen(all);
    char *room = test_room(n + 200);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *c = &changes[i];
        const char *at = strstr(all, c->from);
        CHECK(at, "%s is not in the JSON", c->from);
        snprintf(room, n + 200, "%.*s%s%s", (int)(at - all), all, c->to, at + strlen(c->from));
        struct test_round round = test_round();
        const char *error = ty_tokenizer_error(own(ty_tokenizer_parse(room, strlen(room))));
        CHECK(test_starving() || (*c->error ? strstr(error, c->error) != NULL : !*error), "%s: \"%s\"", c->to,
              error);
        test_round_end(round);
    }
    /* Damaged files fail, or give a tokenizer. */
    for (int i = 0; i < test_some(300, 100, 0); i++) {
        memcpy(room, all, n);
        for (int k = 0; k < 3; k++) room[test_between(0, (int64_t)n - 1)] = (char)test_between(0, 255);
        struct test_round round = test_round();
        ty_tokenizer *damaged = own(ty_tokenizer_parse(room, (size_t)test_between(0, (int64_t)n)));
        if (!*ty_tokenizer_error(damaged)) check_back(damaged, text, sizeof text - 1);
        test_round_end(round);
    }
}

static void refuses_arguments(void) {
    ty_tokenizer *t = own(ty_tokenizer_new());
    if (*ty_tokenizer_error(t)) return CHECK(test_starving(), "%s", ty_tokenizer_error(t));
    ty_tensor *error = NULL;
    size_t n;
    CHECK(!ty_tokenizer_decode(t, ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){3, 256}), &n, &error) && !n,
          "256 is decoded");
    CHECK_POISON(error, "id 256 at [1] is no token; expected ids below 256");
    CHECK(!ty_tokenizer_decode(t, ty_scalar(TY_F32, 1), NULL, &error), "f32 is decoded");
    CHECK_POISON(error, "ids are f32; expected integers");
    CHECK(!ty_tokenizer_token(t, -1, NULL) && !ty_tokenizer_token(t, 256, &n),
          "ids out of range have tokens");
    CHECK(ty_tokenizer_end(t) == -1, "bytes have an end token");
    CHECK_POISON(ty_tokenizer_encode(own(ty_tokenizer_train("a", 1, 256)), "a", 1),
                 "a vocabulary of 256 tokens");
    CHECK_POISON(ty_tokenizer_encode(own(ty_tokenizer_load("/no/such.json")), "a", 1), "/no/such.json");
    CHECK_POISON(ty_tokenizer_encode(NULL, "a", 1), "the tokenizer is NULL");
    CHECK(!ty_tokenizer_save(t, "/no/such/folder/t.json", &error), "a file was written");
}

TESTS_MAIN(TEST(trains), TEST(trains_on_one_word), TEST(any_bytes), TEST(words), TEST(json), TEST(refuses),
           TEST(refuses_arguments))
