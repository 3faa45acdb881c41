/* Fields: structs to JSON and back, sentences about every kind of wrong value, ends of ranges, texts. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "io/fields.h"
#include "ops/core/field_value.h"
#include "ops/core/op.h"
#include "tests/support/harness.h"

struct pair {
    int64_t a;
    double b;
};
struct sample {
    const char *text;
    int64_t large, least;
    uint64_t word, axes;
    double real, share;
    int64_t fixed[2];
    struct pair pairs[3];
    int32_t small, flag, dtype, wider, name, npairs;
    uint8_t byte;
    bool truth;
};

static const char *name_of(int i) {
    static const char *const names[] = {"red", "green", "blue", NULL};
    return names[i];
}
ATTRIBUTES(pair_fields, sizeof(struct pair), FIELD(struct pair, a, LONG), FIELD(struct pair, b, REAL));
ATTRIBUTES(fields, sizeof(struct sample), {.name = "format", .type = FIELD_VERSION, .most = 3},
           FIELD(struct sample, text, TEXT), FIELD(struct sample, large, LONG),
           FIELD(struct sample, least, LONG, .low = 1, .end = INFINITY), FIELD(struct sample, word, WORD),
           FIELD(struct sample, axes, AXES), FIELD(struct sample, real, REAL),
           FIELD(struct sample, share, REAL, .end = 1), FIELD(struct sample, small, INT),
           FIELD(struct sample, flag, FLAG), FIELD(struct sample, truth, FLAG),
           FIELD(struct sample, dtype, DTYPE), FIELD(struct sample, wider, WIDER),
           FIELD(struct sample, name, NAME, .named = name_of), FIELD(struct sample, byte, BYTE),
           FIELD_MANY(struct sample, fixed, "fixed", LONG, .many = FIELD_FIXED),
           FIELD_MANY(struct sample, pairs, "pairs", RECORD, .many = FIELD_COUNTED,
                      .counter = offsetof(struct sample, npairs), .parts = &pair_fields));

static const char tight[] =
    "{\"format\":3,\"text\":\"a\\\"b\",\"large\":-9223372036854775808,\"least\":1,"
    "\"word\":\"18446744073709551615\",\"axes\":[0,5,63],\"real\":\"-inf\",\"share\":0.1,\"small\":-"
    "2147483648,"
    "\"flag\":true,\"truth\":false,\"dtype\":\"bf16\",\"wider\":null,\"name\":\"blue\",\"byte\":255,"
    "\"fixed\":[7,-7],\"pairs\":[{\"a\":1,\"b\":0.5},{\"a\":2,\"b\":\"nan\"}]}";
static const char lines[] =
    "{\"format\": 3,\n  \"text\": \"a\\\"b\",\n  \"large\": -9223372036854775808,\n  \"least\": 1,\n"
    "  \"word\": \"18446744073709551615\",\n  \"axes\": [0,5,63],\n  \"real\": \"-inf\",\n  \"share\": 0.1,\n"
    "  \"small\": -2147483648,\n  \"flag\": true,\n  \"truth\": false,\n  \"dtype\": \"bf16\",\n  \"wider\": "
    "null,\n"
    "  \"name\": \"blue\",\n  \"byte\": 255,\n  \"fixed\": [7, -7],\n"
    "  \"pairs\": [\n    {\"a\": 1, \"b\": 0.5},\n    {\"a\": 2, \"b\": \"nan\"}]}";

static struct sample sample(void) {
    struct sample s;
    memset(&s, 0, sizeof s);
    s.text = "a\"b", s.large = INT64_MIN, s.least = 1, s.word = UINT64_MAX;
    s.axes = 1 | 1 << 5 | UINT64_C(1) << 63, s.real = -INFINITY, s.share = 0.1, s.small = INT32_MIN;
    s.flag = 1, s.dtype = TY_BF16, s.name = 2, s.byte = 255, s.fixed[0] = 7, s.fixed[1] = -7, s.npairs = 2;
    s.pairs[0] = (struct pair){1, 0.5}, s.pairs[1] = (struct pair){2, NAN};
    return s;
}

/* ---- JSON ---- */

static void written(void) {
    struct sample s = sample();
    struct infer in = {.attr = &s, .attr_bytes = sizeof s};
    static const char *const wanted[] = {[FIELDS_TIGHT] = tight, [FIELDS_LINES] = lines};
    for (int style = FIELDS_TIGHT; style <= FIELDS_LINES; style += FIELDS_LINES) {
        struct text t = {0};
        struct fault fault = {0};
        bool done = fields_write(&(struct field_writer){&t, style, &fault, NULL, NULL}, &fields, &in);
        CHECK(done && (t.failed || !strcmp(t.data, wanted[style])), "style %d: %s", style,
              t.data ? t.data : "");
        CHECK(!t.failed || test_starving(), "failed with memory");
        text_drop(&t);
    }
    s.text = "\xff";
    struct text t = {0};
    struct fault fault = {0};
    CHECK(!fields_write(&(struct field_writer){&t, FIELDS_TIGHT, &fault, NULL, NULL}, &fields, &in),
          "written");
    CHECK(strstr(fault.text, "is not UTF-8"), "%s", fault.text);
    text_drop(&t);
}

static void refuse(void *fault, ty_code code, const char *reason) { fault_set(fault, code, "%s", reason); }

/* Read a sample from JSON; false sets the fault. The tree holds its text. */
static bool read(const char *json, bool newer, struct sample *out, struct fault *fault) {
    struct json *root = json_read("file", "it", json, strlen(json), 8, 1 << 20, fault);
    struct field_reader r = {.refuse = refuse, .context = fault, .newer = newer};
    test_own(root, mem_free);
    memset(out, 0, sizeof *out);
    return root && fields_read(&r, &fields, root, &(struct infer){0}, out);
}

static void read_back(void) {
    static const char *const texts[] = {tight, lines};
    for (int i = 0; i < 2; i++) {
        struct sample s, wanted = sample();
        struct fault fault = {0};
        if (!read(texts[i], false, &s, &fault)) {
            CHECK(test_starving(), "%s", fault.text);
            continue;
        }
        CHECK(!strcmp(s.text, wanted.text), "%s", s.text);
        CHECK(isnan(s.pairs[1].b), "%g", s.pairs[1].b);
        s.text = wanted.text, s.pairs[1].b = wanted.pairs[1].b;
        CHECK(!memcmp(&s, &wanted, sizeof s), "text %d differs", i);
    }
}

static const struct {
    const char *what, *by, *sentence; /* NULL: accepted */
} edits[] = {
    {"\"format\":3", "\"format\":4", "\"format\" is 4; expected 3, the only version that this build reads"},
    {"\"format\":3,", "", "\"format\" is missing; expected 3"},
    {"\"large\":", "\"largo\":", "\"largo\" is not a known field (did you mean large?)"},
    {"\"large\":-9223372036854775808,", "", "\"large\" is missing"},
    {"\"a\\\"b\"", "\"\"", "\"text\" is \"\"; expected a text of at least one character"},
    {"\"a\\\"b\"", "7", "\"text\" is 7; expected a text"},
    {"-9223372036854775808", "-9223372036854775809", "expected a whole number of 64 bits"},
    {"-9223372036854775808", "9223372036854775807", NULL},
    {"-9223372036854775808", "9223372036854775808", "expected a whole number of 64 bits"},
    {"\"least\":1", "\"least\":0", "\"least\" is 0; expected a whole number of at least 1"},
    {"\"least\":1", "\"least\":1.5", "\"least\" is 1.5; expected a whole number of at least 1"},
    {"\"least\":1", "\"least\":9223372036854775807", NULL},
    {"\"18446744073709551615\"", "\"18446744073709551616\"", "expected a text of digits, of 64 bits"},
    {"\"18446744073709551615\"", "5", "\"word\" is 5; expected a text of digits, of 64 bits"},
    {"[0,5,63]", "[5,0]", "\"axes\" is [5,0]; expected a list of axes"},
    {"[0,5,63]", "[5,5]", "expected a list of axes"},
    {"[0,5,63]", "[64]", "expected a list of axes"},
    {"[0,5,63]", "[-1]", "expected a list of axes"},
    {"[0,5,63]", "0", "expected a list of axes"},
    {"[0,5,63]", "[]", NULL},
    {"\"-inf\"", "\"infinite\"", "\"real\" is \"infinite\"; expected a number, or one of inf, -inf, nan"},
    {"\"-inf\"", "1e308", NULL},
    {"\"share\":0.1", "\"share\":1", "\"share\" is 1; expected a number of at least 0 and below 1"},
    {"\"share\":0.1", "\"share\":-1e-300", "expected a number of at least 0 and below 1"},
    {"\"share\":0.1", "\"share\":\"nan\"", "expected a number of at least 0 and below 1"},
    {"\"share\":0.1", "\"share\":0", NULL},
    {"-2147483648", "-2147483649", "expected a whole number from -2147483648 to 2147483647"},
    {"-2147483648", "2147483647", NULL},
    {"-2147483648", "2147483648", "\"small\" is 2147483648; expected a whole number from -2147483648"},
    {"\"flag\":true", "\"flag\":1", "\"flag\" is 1; expected true or false"},
    {"\"bf16\"", "\"bf61\"", "\"dtype\" is \"bf61\" (did you mean bf16?); expected one of bool, i8"},
    {"\"bf16\"", "null", "\"dtype\" is null; expected one of bool"},
    {"\"wider\":null", "\"wider\":\"f99\"", "\"wider\" is \"f99\""},
    {"\"blue\"", "\"blu\"", "\"name\" is \"blu\" (did you mean blue?); expected one of red, green, blue"},
    {"\"byte\":255", "\"byte\":256", "\"byte\" is 256; expected a whole number from 0 to 255"},
    {"\"byte\":255", "\"byte\":-1", "expected a whole number from 0 to 255"},
    {"[7,-7]", "[7]", "\"fixed\" is [7]; expected a list of 2"},
    {"[7,-7]", "[7,\"x\"]", "\"fixed\" is \"x\"; expected a whole number"},
    {"\"b\":0.5", "\"b\":true", "pairs 0: \"b\" is true; expected a number"},
    {"\"b\":\"nan\"", "\"c\":\"nan\"", "pairs 1: \"c\" is not a known field"},
    {"\"pairs\":[", "\"pairs\":[3,", "pairs 0: expected an object with \"a\""},
    {"\"pairs\":[", "\"pairs\":[{\"a\":0,\"b\":0},", NULL},
    {"\"pairs\":[", "\"pairs\":[{\"a\":0,\"b\":0},{\"a\":0,\"b\":0},", "expected a list of up to 3"},
};

static void each_is_refused(void) {
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        struct test_round round = test_round();
        const char *at = strstr(tight, edits[i].what);
        char text[1024];
        struct sample s;
        struct fault fault = {0};
        CHECK(at, "%s does not occur", edits[i].what);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - tight), tight, edits[i].by,
                 at + strlen(edits[i].what));
        bool done = read(text, false, &s, &fault);
        CHECK(done == !edits[i].sentence || test_starving(), "%s: %s", edits[i].by, fault.text);
        CHECK(done || test_starving() || strstr(fault.text, edits[i].sentence), "%s: %s", edits[i].by,
              fault.text);
        test_round_end(round);
    }
}

static void newer_files(void) {
    char text[1024];
    struct sample s;
    struct fault fault = {0};
    snprintf(text, sizeof text, "{\"more\":[1],%s", tight + 1);
    CHECK(read(text, true, &s, &fault) || test_starving(), "%s", fault.text);
    fault_clear(&fault);
    CHECK(!read(text, false, &s, &fault), "read");
    CHECK(strstr(fault.text, "\"more\" is not a known field") || test_starving(), "%s", fault.text);
}

/* ---- texts and ranges ---- */

#define INTEGER(...)                                                                                         \
    { .name = "n", .type = FIELD_LONG, .size = sizeof(int64_t), __VA_ARGS__ }
#define REAL(...)                                                                                            \
    { .name = "x", .type = FIELD_REAL, .size = sizeof(double), __VA_ARGS__ }
static const struct {
    struct field field;
    const char *text, *expected; /* NULL: accepted */
} parsed[] = {
    {INTEGER(.low = 1, .end = 1025), "1", NULL},
    {INTEGER(.low = 1, .end = 1025), "1024", NULL},
    {INTEGER(.low = 1, .end = 1025), "0", "a whole number from 1 to 1024"},
    {INTEGER(.low = 1, .end = 1025), "1025", "a whole number from 1 to 1024"},
    {INTEGER(.low = 1, .end = 1024, .upto = true), "1024", NULL},
    {INTEGER(.low = 1, .end = 1024, .above = true), "1", "a whole number from 2 to 1023"},
    {INTEGER(.low = 5, .end = 6), "4", "5"},
    {INTEGER(.end = 0), "-9223372036854775808", NULL},
    {INTEGER(.end = 0), "9223372036854775807", NULL},
    {INTEGER(.end = 0), "9223372036854775808", "a whole number of 64 bits"},
    {INTEGER(.end = 0), "1e3", "a whole number of 64 bits"},
    {INTEGER(.end = 0), " 1", "a whole number of 64 bits"},
    {INTEGER(.end = 0), "", "a whole number of 64 bits"},
    {REAL(.end = 1), "0", NULL},
    {REAL(.end = 1), "0.99999999999999989", NULL},
    {REAL(.end = 1), "1", "a number of at least 0 and below 1"},
    {REAL(.end = 1, .upto = true), "1", NULL},
    {REAL(.end = 1, .upto = true), "1.0000000000000002", "a number of at least 0 and at most 1"},
    {REAL(.end = INFINITY, .above = true), "5e-324", NULL},
    {REAL(.end = INFINITY, .above = true), "0", "a number above 0"},
    {REAL(.end = INFINITY, .above = true), "inf", "a number above 0"},
    {REAL(.end = INFINITY, .upto = true), "inf", NULL},
    {REAL(.end = INFINITY), "nan", "a number of at least 0"},
    {REAL(.low = -DBL_MAX, .end = INFINITY), "-inf", "a number"},
    {REAL(.low = -DBL_MAX, .end = INFINITY), "-1.7976931348623157e308", NULL},
    {REAL(.end = 0), "nan", NULL},
    {REAL(.end = 0), "0x1p3", "a number, or one of inf, -inf, nan"},
    {{.type = FIELD_WORD, .size = 8}, "18446744073709551615", NULL},
    {{.type = FIELD_WORD, .size = 8}, "-1", "a whole number from 0 to 18446744073709551615"},
    {{.type = FIELD_TEXT, .size = sizeof(char *)}, "x", NULL},
    {{.type = FIELD_TEXT, .size = sizeof(char *)}, "", "a text of at least one character"},
    {{.type = FIELD_NAME, .size = 4, .named = name_of}, "green", NULL},
    {{.type = FIELD_NAME, .size = 4, .named = name_of}, "gren", "one of red, green, blue"},
    {{.type = FIELD_WIDER, .size = 4}, "f32", NULL},
};

static void texts(void) {
    for (size_t i = 0; i < sizeof parsed / sizeof *parsed; i++) {
        struct nearest near;
        int64_t untouched = 77, room = 77;
        char words[FIELD_WORDS];
        bool done = field_parse(&parsed[i].field, parsed[i].text, &room, &near);
        field_expected(&parsed[i].field, words);
        CHECK(done == !parsed[i].expected, "%s, expected %s", parsed[i].text, words);
        CHECK(done || room == untouched, "%s changed the number", parsed[i].text);
        CHECK(done || !strcmp(words, parsed[i].expected), "%s", words);
    }
    int32_t number = 0;
    struct nearest near;
    field_parse(&(struct field){.type = FIELD_WIDER, .size = 4}, "f32", &number, &near);
    CHECK(number == 1 + TY_F32, "%d", number);
    field_parse(&(struct field){.type = FIELD_NAME, .size = 4, .named = name_of}, "blue", &number, &near);
    CHECK(number == 2, "%d", number);
}

static void checks(void) {
    static const struct field f = REAL(.end = 1), n = INTEGER(.low = 2, .end = INFINITY);
    struct fault fault = {0};
    CHECK(field_check(&f, &(double){0}, "who", &fault), "%s", fault.text);
    CHECK(!field_check(&f, &(double){NAN}, "who", &fault), "NaN");
    CHECK(!strcmp(fault.text, "who: x nan; expected a number of at least 0 and below 1"), "%s", fault.text);
    fault_clear(&fault);
    CHECK(!field_check(&n, &(int64_t){1}, "who", &fault), "1");
    CHECK(!strcmp(fault.text, "who: n 1; expected a whole number of at least 2"), "%s", fault.text);
}

TESTS_MAIN(TEST(written), TEST(read_back), TEST(each_is_refused), TEST(newer_files), TEST(texts),
           TEST(checks))
