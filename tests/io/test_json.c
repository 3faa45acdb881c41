/* JSON: texts that RFC 8259 accepts and refuses, numbers to the last bit, round trips of trees, bounded
   memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "io/json.h"
#include "tests/support/comma_locale.h"
#include "tests/support/harness.h"

enum { DEPTH = 16, MOST = 1 << 24 };

static struct fault fault;

/* Parse n bytes from memory of exactly that size, so that sanitizers detect reads past the end. NULL on
   error. */
static const struct json *read_bytes(const char *text, size_t n) {
    char *exact = malloc(n ? n : 1);
    CHECK(exact, "no memory of the test's own");
    memcpy(exact, text, n);
    fault_clear(&fault);
    struct json *root = json_read("file", "the text", exact, n, DEPTH, MOST, &fault);
    free(exact);
    CHECK(!root == fault.set, "a tree and a sentence: %s", fault.text);
    return test_own(root, mem_free);
}

static const struct json *read_text(const char *text) { return read_bytes(text, strlen(text)); }

static bool no_memory(void) { return test_starving() && strstr(fault.text, "out of memory"); }

/* Return the text of a tree; NULL: out of memory. */
static const char *written(const struct json *v) {
    struct text t = {0};
    if (v) json_add_value(&t, v);
    return test_own(text_take(&t), mem_free);
}

/* ---- cases ---- */

static const struct {
    const char *text;
    size_t n;
    const char *again;
} accepted[] = {
#define CASE(text, words) {text, sizeof(text) - 1, words},
#include "tests/io/json_accepted.def"
#undef CASE
};

static void accepts(void) {
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct test_round round = test_round();
        const struct json *root = read_bytes(accepted[i].text, accepted[i].n);
        const char *again = written(root);
        CHECK(root || no_memory(), "case %zu (%s): %s", i, accepted[i].text, fault.text);
        CHECK(test_starving() || !strcmp(again, accepted[i].again), "case %zu: %s, not %s", i, again,
              accepted[i].again);
        test_round_end(round);
    }
}

static const struct {
    const char *text;
    size_t n;
    const char *words;
} wrong[] = {
#define CASE(text, words) {text, sizeof(text) - 1, words},
#include "tests/io/json_refused.def"
#undef CASE
};

static void refuses(void) {
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct test_round round = test_round();
        const struct json *root = read_bytes(wrong[i].text, wrong[i].n);
        CHECK(!root, "case %zu (%s) is read", i, wrong[i].text);
        CHECK(no_memory() ||
                  (strstr(fault.text, wrong[i].words) && !strncmp(fault.text, "file: the text ", 15)),
              "case %zu (%s): \"%s\" does not say \"%s\"", i, wrong[i].text, fault.text, wrong[i].words);
        test_round_end(round);
    }
}

static void cut_short(void) {
    static const char whole[] =
        "{\"a\": [1, -2.5e-3, \"\\ud834\\udd1e\\n\xe2\x82\xac\", {\"b\": [true, false, null]}]}";
    for (size_t n = 0; n < sizeof whole; n++) {
        struct test_round round = test_round();
        const struct json *root = read_bytes(whole, n);
        CHECK(!root == (n < sizeof whole - 1) || no_memory(), "%zu bytes: %s", n, fault.text);
        test_round_end(round);
    }
}

/* 100,000 brackets and more are refused at the limit, closed or not. */
static void deep(void) {
    enum { MANY = 100000 };
    static const char *const ways[] = {"[", "{\"a\":", "[{\"a\":", "[1,"};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (int closed = 0; closed < 2; closed++) {
            struct test_round round = test_round();
            size_t each = strlen(ways[w]), n = 0;
            char *text = test_room((each + 1) * MANY);
            for (int i = 0; i < MANY; i++, n += each) memcpy(text + n, ways[w], each);
            if (closed) memset(text + n, ']', MANY), n += MANY;
            CHECK(!read_bytes(text, n), "read");
            CHECK(no_memory() || strstr(fault.text, "is nested deeper than 16"), "%s", fault.text);
            test_round_end(round);
        }
}

/* A tree of n bytes has at most 40 bytes per value (counted by brackets and commas, plus one) and one per
   byte; the allocation is no larger. */
static void memory_is_bounded(void) {
    static const struct {
        const char *text;
        uint64_t values;
    } rows[] = {{"[]", 2}, {"[1,2,3]", 4}, {"{\"a\":[0],\"b\":\"[,]\"}", 4}, {"\"a\"", 1}, {"[[],[],[]]", 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].text), each = sizeof(struct json) + sizeof(void *);
        uint64_t needed = rows[i].values * each + n;
        fault_clear(&fault);
        struct json *root = json_read("file", "the text", rows[i].text, n, DEPTH, needed, &fault);
        mem_free(root);
        CHECK(root || no_memory(), "%s: %s", rows[i].text, fault.text);
        fault_clear(&fault);
        int64_t before = mem_count();
        root = json_read("file", "the text", rows[i].text, n, DEPTH, needed - 1, &fault);
        mem_free(root);
        CHECK(!root && strstr(fault.text, "allow more (.most_bytes"), "%s: %s", rows[i].text, fault.text);
        CHECK(mem_count() == before, "memory was asked for");
    }
    CHECK(sizeof(struct json) + sizeof(void *) <= 40, "a value takes %zu bytes", sizeof(struct json));
}

/* ---- numbers ---- */

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Bits from Python: struct.unpack('<Q', struct.pack('<d', float(text))). */
static void doubles_are_exact(void) {
    static const struct {
        const char *text;
        uint64_t bits;
    } rows[] = {
        {"0.1", UINT64_C(0x3fb999999999999a)},
        {"1e23", UINT64_C(0x44b52d02c7e14af6)},
        {"9007199254740993.0", UINT64_C(0x4340000000000000)},
        {"9007199254740993", UINT64_C(0x4340000000000000)},
        {"2.2250738585072011e-308", UINT64_C(0x000fffffffffffff)},
        {"4.9e-324", UINT64_C(0x0000000000000001)},
        {"2.4703282292062327e-324", UINT64_C(0)},
        {"2.4703282292062328e-324", UINT64_C(1)},
        {"1.7976931348623157e308", UINT64_C(0x7fefffffffffffff)},
        {"-0", UINT64_C(0x8000000000000000)},
        {"-0.0", UINT64_C(0x8000000000000000)},
        {"18446744073709551615", UINT64_C(0x43f0000000000000)},
        {"0.500000000000000166533453693773481063544750213623046875", UINT64_C(0x3fe0000000000002)},
        {"3.518437208883201171875e13", UINT64_C(0x42c0000000000002)},
        {"100000000000000000000000000000000000000000000000000000000000000000000000e-71",
         UINT64_C(0x3ff0000000000000)},
    };
    bool comma = comma_locale_begin();
    for (int locale = 0; locale < 1 + comma; locale++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            double x = 1;
            const struct json *v = read_text(rows[i].text);
            CHECK(no_memory() || (json_number(v, &x) && bits_of(x) == rows[i].bits), "%s: %016llx",
                  rows[i].text, (unsigned long long)bits_of(x));
        }
        if (!locale && comma) comma_locale_end();
    }
}

/* Every double is written such that it reads back to the bit. */
static void doubles_go_round(void) {
    int n = test_some(20000, 2000, 20);
    for (int i = 0; i < n; i++) {
        struct test_round round = test_round();
        uint64_t bits = test_random();
        struct json v = {.kind = JSON_REAL};
        memcpy(&v.real, &bits, sizeof bits);
        if (isfinite(v.real)) {
            const char *text = written(&v);
            const struct json *again = text ? read_text(text) : NULL;
            CHECK(test_starving() || (json_is(again, JSON_REAL) && bits_of(again->real) == bits), "%.17g: %s",
                  v.real, text);
        }
        test_round_end(round);
    }
}

static void integers_are_exact(void) {
    static const struct {
        const char *text;
        bool fits;
        int64_t n;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"9007199254740993", true, 9007199254740993},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"18446744073709551615", false, 0},
        {"99999999999999999999999", false, 0},
        {"1.0", false, 0},
        {"1e2", false, 0},
        {"\"1\"", false, 0},
        {"true", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t n = -1;
        const struct json *v = read_text(rows[i].text);
        bool fits = json_integer(v, &n);
        CHECK(no_memory() || (fits == rows[i].fits && (!fits || n == rows[i].n)), "%s: %lld", rows[i].text,
              (long long)n);
    }
    CHECK(!json_integer(NULL, NULL) && !json_number(NULL, NULL), "a value that is not there is a number");
}

/* ---- random trees: a text in any valid style, and the text written here ---- */

struct making {
    struct text loose, tight;
};

static void add_both(struct making *m, const char *words) {
    text_add(&m->loose, "%s", words);
    text_add(&m->tight, "%s", words);
}

static void add_blanks(struct making *m) {
    for (int64_t i = test_between(-3, 3); i > 0; i--)
        text_add(&m->loose, "%c", " \n\t\r"[test_between(0, 3)]);
}

/* Append a name, made unique by its number, or a text. */
static void make_text(struct making *m, int number) {
    static const char *const parts[][2] = {{"a", "a"},
                                           {"\\u0062", "b"},
                                           {"\\/", "/"},
                                           {"\\\"", "\\\""},
                                           {"\\\\", "\\\\"},
                                           {"\\t", "\\u0009"},
                                           {"\\u20AC", "\xe2\x82\xac"},
                                           {"\xc3\xa9", "\xc3\xa9"},
                                           {"\\ud834\\uDD1E", "\xf0\x9d\x84\x9e"},
                                           {"{[,:]}", "{[,:]}"}};
    add_both(m, "\"");
    if (number >= 0) text_add(&m->loose, "%d", number), text_add(&m->tight, "%d", number);
    for (int64_t i = test_between(0, 5); i > 0; i--) {
        const char *const *part = parts[test_between(0, 9)];
        text_add(&m->loose, "%s", part[0]);
        text_add(&m->tight, "%s", part[1]);
    }
    add_both(m, "\"");
}

static void make_value(struct making *m, int depth) {
    static const char *const plain[] = {"null", "true",   "false",    "0", "-17", "18446744073709551615",
                                        "0.5",  "-1e-07", "1.25e+300"};
    bool object = test_between(0, 1);
    int n = (int)test_between(0, 4);
    add_blanks(m);
    if (depth == 0 || test_between(0, 3) == 0) {
        if (test_between(0, 1))
            add_both(m, plain[test_between(0, 8)]);
        else
            make_text(m, -1);
    } else {
        add_both(m, object ? "{" : "[");
        for (int i = 0; i < n; i++) {
            if (i) add_both(m, ",");
            add_blanks(m);
            if (object) {
                make_text(m, i);
                add_blanks(m);
                add_both(m, ":");
            }
            make_value(m, depth - 1);
        }
        add_blanks(m);
        add_both(m, object ? "}" : "]");
    }
    add_blanks(m);
}

static void trees_go_round(void) {
    int n = test_some(3000, 500, 5);
    for (int i = 0; i < n; i++) {
        struct test_round round = test_round();
        struct making m = {{0}, {0}};
        make_value(&m, (int)test_between(0, 6));
        const char *loose = test_own(text_take(&m.loose), mem_free),
                   *tight = test_own(text_take(&m.tight), mem_free);
        for (int again = 0; again < 2 && loose && tight; again++) {
            const struct json *root = read_text(again ? tight : loose);
            const char *text = written(root);
            CHECK(no_memory() || (root && text && !strcmp(text, tight)) || (test_starving() && !text),
                  "%s\nbecame %s\n%s", tight, text, fault.text);
        }
        test_round_end(round);
    }
}

/* ---- lookups ---- */

static void parts(void) {
    const struct json *root = read_text("{\"a\":[1,\"two\",true],\"b\":{\"c\":null}}"),
                      *list = json_get(root, "a");
    if (!root) return (void)CHECK(no_memory(), "%s", fault.text);
    CHECK(json_count(root) == 2 && json_count(list) == 3 && !json_count(json_at(list, 0)), "counts");
    CHECK(!strcmp(list->key, "a") && !json_at(list, 0)->key && !json_at(list, 3) && !json_at(NULL, 0),
          "items");
    CHECK(!strcmp(json_text(json_at(list, 1)), "two") && !json_text(list) && !json_text(NULL), "texts");
    CHECK(json_is_flag(json_at(list, 2)) && !json_is_flag(root) && !json_get(list, "a") &&
              !json_get(root, "c"),
          "looks");
    CHECK(json_is(json_get(json_get(root, "b"), "c"), JSON_NULL) && !json_is(NULL, JSON_NULL), "null");
    char *shown = test_text(json_shown(list, 40)), *cut = test_text(json_shown(root, 20));
    CHECK(test_starving() || (!strcmp(shown, "[1,\"two\",true]") && !*cut), "%s, %s", shown, cut);
}

/* The writer refuses texts that are not UTF-8. */
static void texts_that_are_none(void) {
    struct text t = {0};
    fault_clear(&fault);
    CHECK(!json_add_text(&t, "a\xff", &fault) && strstr(fault.text, "is not UTF-8"), "%s", fault.text);
    text_drop(&t);
}

TESTS_MAIN(TEST(accepts), TEST(refuses), TEST(cut_short), TEST(deep), TEST(memory_is_bounded),
           TEST(doubles_are_exact), TEST(doubles_go_round), TEST(integers_are_exact), TEST(trees_go_round),
           TEST(parts), TEST(texts_that_are_none))
