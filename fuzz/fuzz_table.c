/* Interprets bytes as delimited text, first two bytes as options: the result is a table or a message. */
#include <string.h>
#include <tyto/table.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    static const char delimiters[] = {0, ',', ';', '\t', ' ', '|', '"', '\n'};
    ty_table_options options = {.delimiter = delimiters[data[0] & 7],
                                .header = (ty_header)(data[0] >> 3 & 1)};
    options.words = data[0] & 16, options.ragged = data[0] & 32, options.rounded = data[0] & 64;
    if (data[0] & 128) options.comment = '#';
    options.decimal = data[1] & 1 ? ',' : 0;
    options.skip_rows = data[1] >> 1 & 3;
    ty_scope *scope = ty_open();
    ty_table *t = ty_table_parse(data + 2, size - 2, options);
    if (*ty_table_error(t) && ty_table_columns(t)) __builtin_trap();
    for (int64_t i = 0; i < ty_table_columns(t) && i < 16; i++) {
        ty_tensor *x = ty_table_at(t, i), *missing = ty_table_missing(t, i);
        if ((!ty_ok(x) && !*ty_error(x)) || !ty_ok(missing)) __builtin_trap();
        if (ty_table_find(t, ty_table_name(t, i)) != i) __builtin_trap();
        for (int64_t k = 0; k < ty_table_words(t, i) && k < 16; k++) /* words ascend */
            if (k && strcmp(ty_table_word(t, i, k - 1), ty_table_word(t, i, k)) >= 0) __builtin_trap();
    }
    ty_free(ty_table_to_string(t, (ty_table_print_options){0}));
    ty_table_free(t);
    ty_close(scope);
    return 0;
}
