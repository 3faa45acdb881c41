#include "tests/support/samples/parameters.h"
#include <stdio.h>
#include <string.h>
#include "tests/support/harness.h"

/* Return a value that suits a parameter's type. */
static const char *suitable(const char *type) {
    static const char *const suits[][2] = {{"", "x"},
                                           {"tensors", "[x, x]"},
                                           {"int", "1"},
                                           {"number", "0.5"},
                                           {"bool", "true"},
                                           {"ints", "(1, 2)"},
                                           {"pairs", "(1, 0)"},
                                           {"axes", "0"},
                                           {"axes/array", "1"},
                                           {"array/words", "x"},
                                           {"dtype", "f32"},
                                           {"text", "\"edge\""},
                                           {"distribution", "\"normal\""},
                                           {"distance", "\"euclidean\""}};
    static char words[PARAMETERS][PARAMETER]; /* first word of each list such as "(a b)" */
    static int next;
    if (*type == '(') {
        char *word = words[next++ % PARAMETERS];
        snprintf(word, PARAMETER, "\"%.*s\"", (int)strcspn(type + 1, " )"), type + 1);
        return word;
    }
    for (size_t i = 0; i < sizeof suits / sizeof *suits; i++)
        if (!strcmp(suits[i][0], type)) return suits[i][1];
    test_fail(__FILE__, __LINE__, "suits", "no value is known for the type %s", type);
}

int parameters_of(const char *parameters, char names[][PARAMETER], const char *values[],
                  const char *words[]) {
    int n = 0;
    for (const char *at = parameters; *at; n++) {
        char type[PARAMETER] = "";
        size_t length = strcspn(at, ":=,|"), to_type = strcspn(at, ":=,"), depth = 0, end = to_type;
        snprintf(names[n], PARAMETER, "%.*s", (int)length, at);
        if (at[to_type] == ':')
            snprintf(type, PARAMETER, "%.*s", (int)strcspn(at + to_type + 1, "=,"), at + to_type + 1);
        for (; at[end] && (depth || at[end] != ','); end++) depth += (at[end] == '(') - (at[end] == ')');
        values[n] = suitable(type);
        words[n] = *type == '(' ? at + to_type + 2 : NULL;
        at += end + (at[end] == ',');
        at += strspn(at, " ");
    }
    return n;
}
