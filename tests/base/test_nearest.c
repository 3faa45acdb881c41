/* "did you mean" hints: by meaning, by spelling, and none where nothing is near. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "tests/support/harness.h"

/* A wanted name, candidates separated by blanks, and the hinted one; "": none. */
static const struct {
    const char *wanted, *candidates, *hint;
} searches[] = {{"hist", "list cast histogram", "histogram"},
                {"lr", "lu le rate", "rate"},
                {"--lr", "--loss --rate --layout", "--rate"},
                {"rand", "any and uniform", "uniform"},
                {"resnet", "lenet resnet18 resnet50", "resnet50"},
                {"--optimizer", "--optimiser", "--optimiser"},
                {"MLP", "mlp", "mlp"},
                {"Target", "y label target", "target"},
                {"--Rate", "--alpha --rate", "--rate"},
                {"std_err", "std sem", "sem"},
                {"isnan", "is_nan", "is_nan"},
                {"isNaN", "is_inf is_nan", "is_nan"},
                {"early-stopping", "--early-stop", "--early-stop"},
                {"optimzer", "--optimiser --rate", "--optimiser"},
                {"learning_rat", "rats rate", "rate"},
                {"histogran", "histogram hist_x", "histogram"},
                {"optimyser", "--optimiser", "--optimiser"},
                {"-batch", "--batch", "--batch"},
                {"standard_eror", "stand error sem", "sem"},
                {"trian", "train retain", "train"},
                {"quantlie", "quantile", "quantile"},
                {"sofmax", "softmin softmax", "softmax"},
                {"meam", "mean team", "mean"},
                {"hist", "cast chi", ""},
                {"x3", "x1", "x1"},
                {"x", "y", ""},
                {"completely", "different", ""},
                {"", "a", ""},
                {"abc", "", ""}};

static void hints(void) {
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        struct nearest near = {.wanted = searches[i].wanted};
        char room[256], hint[NEAREST_HINT], wanted[NEAREST_HINT] = "";
        snprintf(room, sizeof room, "%s", searches[i].candidates);
        for (char *word = strtok(room, " "); word; word = strtok(NULL, " ")) nearest_offer(&near, word);
        if (*searches[i].hint) snprintf(wanted, sizeof wanted, " (did you mean %s?)", searches[i].hint);
        CHECK(!strcmp(nearest_hint(&near, hint), wanted), "%s:%s", searches[i].wanted, hint);
    }
}

static const char *const rows[] = {
#define WORDS(row) row,
#include "base/synonyms.def"
};

/* Rows have at least two words, each once, of small letters, digits, "_" and "+". */
static void words(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int n = 0;
        for (const char *at = rows[i]; *at; n++) {
            size_t length = strcspn(at, " ");
            for (size_t k = 0; k < length; k++)
                CHECK(islower((unsigned char)at[k]) || isdigit((unsigned char)at[k]) || strchr("_+", at[k]),
                      "%s", rows[i]);
            for (const char *later = at + length; *later;) {
                later++;
                size_t other = strcspn(later, " ");
                CHECK(other != length || strncmp(later, at, length), "%s has %.*s twice", rows[i],
                      (int)length, at);
                later += other;
            }
            at += length + (at[length] == ' ');
        }
        CHECK(n > 1, "%s", rows[i]);
    }
}

/* Long names are cut between characters. */
static void long_names(void) {
    static const char name[] = "aääääääääääääääääääää";
    struct nearest near = {.wanted = "x"};
    nearest_list(&near, name);
    nearest_list(&near, name);
    nearest_list(&near, "");
    size_t n = sizeof name - 3; /* bytes of the name without its last character */
    CHECK(!strncmp(near.list, name, n) && !strcmp(near.list + n, ", \"\""), "%s", near.list);
}

TESTS_MAIN(TEST(hints), TEST(words), TEST(long_names))
