/* Tables in the JSON of --json. */
#include <stdlib.h>
#include "tools/command.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

/* Append the elements of column i of n rows: words as texts, missing elements as null.  False after a message on stderr. */
static bool add_elements(const ty_table *t, int64_t i, int64_t n) {
    bool words = ty_table_kind(t, i) == TY_COLUMN_WORDS, well;
    ty_tensor *x = ty_table_values(t, i);
    int32_t *codes = words ? malloc((size_t)(n + 1) * sizeof *codes) : NULL;
    if (!words)
        return result_elements("values", ty_table_kind(t, i) == TY_COLUMN_NUMBER ? x : ty_table_at(t, i));
    well = codes && ty_read(x, TY_I32, codes);
    if (!well) complain_of(codes ? x : NULL);
    result_open("values", '[');
    for (int64_t k = 0; k < n && well; k++) result_text(NULL, ty_table_word(t, i, codes[k]));
    result_close();
    free(codes);
    return well;
}

bool result_table(const char *key, const ty_table *t) {
    if (!result_json()) return true;
    if (*ty_table_error(t)) return COMPLAIN_FAILURE(ty_table_failure(t)) == EXIT_SUCCESS;
    bool well = true;
    ty_scope *scope = ty_open();
    if (key) result_open(key, '{');
    result_whole("rows", ty_table_rows(t));
    result_open("columns", '[');
    for (int64_t i = 0; i < ty_table_columns(t) && well; i++) {
        result_open(NULL, '{');
        result_text("name", ty_table_name(t, i));
        result_text("kind", ty_column_kind_name(ty_table_kind(t, i)));
        well = add_elements(t, i, ty_table_rows(t));
        result_close();
    }
    result_close();
    if (key) result_close();
    ty_close(scope);
    return well;
}
