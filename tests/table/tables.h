/* Tables in tests: each is freed with the test, and its columns are compared. */
#ifndef TESTS_TABLE_TABLES_H
#define TESTS_TABLE_TABLES_H
#include <math.h>
#include <string.h>
#include <tyto/table_rows.h>
#include "tests/support/harness.h"

static inline void end_table(void *t) { ty_table_free(t); }
/* Check that a table has not failed; return it. */
static inline ty_table *well(ty_table *t) {
    test_own(t, end_table);
    if (*ty_table_error(t)) CHECK_OK(ty_table_failure(t));
    return t;
}
/* Check that a table has failed with these words in its message. */
static inline void refused(ty_table *t, const char *words) {
    test_own(t, end_table);
    CHECK_POISON(ty_table_failure(t), words);
}

/* Check n numbers of a column to some ulps; NaN: missing. */
static inline void numbers_are(const ty_table *t, const char *name, int n, const double *wanted) {
    double found[32];
    CHECK(ty_table_rows(t) == n, "%s: %d rows", name, (int)ty_table_rows(t));
    if (!n || ty_table_rows(t) != n) return;
    CHECK(ty_read(CHECK_OK(ty_table_column(t, name)), TY_F64, found), "%s: unread", name);
    for (int i = 0; i < n; i++)
        CHECK(isnan(wanted[i]) ? isnan(found[i]) : fabs(found[i] - wanted[i]) <= 1e-15 * fabs(wanted[i]),
              "%s[%d] is %.17g, not %.17g", name, i, found[i], wanted[i]);
}

/* Check n words of a column; NULL: missing. */
static inline void words_are(const ty_table *t, const char *name, int n, const char *const *wanted) {
    int32_t codes[32];
    int64_t at = ty_table_find(t, name);
    CHECK(ty_table_kind(t, at) == TY_COLUMN_WORDS && ty_table_rows(t) == n, "%s: %d rows", name,
          (int)ty_table_rows(t));
    if (ty_table_rows(t) != n || !ty_read(CHECK_OK(ty_table_at(t, at)), TY_I32, codes)) return;
    for (int i = 0; i < n; i++) {
        const char *word = ty_table_word(t, at, codes[i]);
        CHECK(word && wanted[i] ? !strcmp(word, wanted[i]) : word == wanted[i], "%s[%d] is %s, not %s", name,
              i, word ? word : "missing", wanted[i] ? wanted[i] : "missing");
    }
}
#endif
