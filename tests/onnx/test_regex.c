/* Regular expressions: patterns with strings that match as a whole or do not, and patterns that are refused. */
#include <string.h>
#include "onnx/ops/text/regex.h"
#include "tests/support/harness.h"

/* A pattern, a string, and whether all of it matches. */
static const struct {
    const char *pattern, *text;
    bool matches;
} strings[] = {
    {"", "", true},
    {"", "a", false},
    {"abc", "abc", true},
    {"abc", "abcd", false},
    {"a|bc|", "bc", true},
    {"a|bc|", "", true},
    {"a|bc|", "b", false},
    {"a*b", "aaab", true},
    {"a*?b", "b", true},
    {"a+", "", false},
    {"ab?c", "ac", true},
    {"ab?c", "abbc", false},
    {"a{2,3}", "a", false},
    {"a{2,3}", "aaa", true},
    {"a{2,3}", "aaaa", false},
    {"a{2}", "aa", true},
    {"a{2,}", "aaaaa", true},
    {"a{,2}", "a{,2}", true},
    {"(ab){2}c", "ababc", true},
    {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
    {".", "\n", false},
    {"(?s).", "\n", true},
    {".", "\xc3\xa9", true},
    {"[^a]", "\xc3\xa9", true},
    {"\xc3\xa9", "\xc3\xa9", true},
    {"[\xc3\xa0-\xc3\xbf]+", "\xc3\xa9\xc3\xa8", true},
    {"[a-c]x", "bx", true},
    {"[^a-c]x", "bx", false},
    {"[]a]", "]", true},
    {"[a-]", "-", true},
    {"[\\d_]+", "4_2", true},
    {"[[:alpha:]]+", "Abc", true},
    {"[[:^alpha:]]", "a", false},
    {"\\w+@\\w+\\.org", "me_1@b.org", true},
    {"\\w+@\\w+\\.org", "me@b-org", false},
    {"\\D\\S\\W", "a -", false},
    {"\\D\\S\\W", "ab-", true},
    {"(?i)abc[d-f]", "AbCE", true},
    {"(?i)[^a]", "A", false},
    {"a(?i:b)c", "aBc", true},
    {"a(?i:b)c", "aBC", false},
    {"(?P<name>a)(?:b)", "ab", true},
    {"^a$", "a", true},
    {"a^", "a", false},
    {"(?m)a$\n^b", "a\nb", true},
    {"\\Aa\\z", "a", true},
    {"a\\bb", "ab", false},
    {"a\\b b", "a b", true},
    {"a\\Bb", "ab", true},
    {"\\x41\\x{1F600}", "A\xf0\x9f\x98\x80", true},
    {"\\t\\.\\*", "\t.*", true},
    {"a{1000}", "a", false},
};
/* A pattern and words of its refusal. */
static const struct {
    const char *pattern, *words;
} refusals[] = {
    {"(", "without an end"},
    {"a)", "closes no group"},
    {"[a", "without an end"},
    {"*", "of nothing"},
    {"a**", "repetition of a repetition"},
    {"a{1001}", "number of repetitions"},
    {"a{3,2}", "number of repetitions"},
    {"\\p{L}", "unknown escape"},
    {"\\Qa\\E", "unknown escape"},
    {"a\\", "unknown escape"},
    {"[[:word", "unknown class"},
    {"[b-a]", "wrong range"},
    {"(?x)", "unknown flag"},
    {"\\x{110000}", "unknown escape"},
    {"((a{100}){100}){100}", "more than 20000 steps"},
    {"(((){1000}){1000}){1000}", "more than 20000 steps"},
};

static void matches(void) {
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        struct arena arena = {0};
        struct fault fault = {0};
        struct regex *regex = regex_compile(&arena, strings[i].pattern, strlen(strings[i].pattern), &fault);
        CHECK(regex || test_starving(), "%s: %s", strings[i].pattern, fault.text);
        const uint8_t *text = (const uint8_t *)strings[i].text;
        for (int again = 0; again < 2 && regex; again++)
            CHECK(regex_matches(regex, text, strlen(strings[i].text)) == strings[i].matches, "%s and %s",
                  strings[i].pattern, strings[i].text);
        arena_drop(&arena);
    }
}

static bool refused(const char *pattern, const char *words) {
    struct arena arena = {0};
    struct fault fault = {0};
    bool none = !regex_compile(&arena, pattern, strlen(pattern), &fault);
    CHECK(!none || test_starving() || strstr(fault.text, words), "%.40s: expected \"%s\", found \"%s\"",
          pattern, words, fault.text);
    arena_drop(&arena);
    return none;
}
static void refusals_named(void) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        CHECK(refused(refusals[i].pattern, refusals[i].words), "%s must be refused", refusals[i].pattern);
}

/* Groups inside each other, and ranges of a class, up to their limits and above. */
static void limits(void) {
    char text[2048];
    for (int n = 199; n <= 201; n++) {
        memset(text, '(', (size_t)n);
        memset(text + n, ')', (size_t)n);
        text[2 * n] = 0;
        CHECK(refused(text, "too many groups") == (n > 200) || test_starving(), "%d groups", n);
    }
    for (int n = 240; n <= 260; n++) {
        text[0] = '[';
        for (int i = 0; i < n; i++) memcpy(text + 1 + 3 * i, "a-b", 3);
        memcpy(text + 1 + 3 * n, "]", 2);
        CHECK(refused(text, "wrong range") == (n > 249) || test_starving(), "%d ranges", n);
    }
}

TESTS_MAIN(TEST(matches), TEST(refusals_named), TEST(limits))
