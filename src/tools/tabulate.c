/* tyto table: a csv file joined with another, filtered, sorted, grouped, counted or described. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <tyto/create.h>
#include <tyto/table_groups.h>
#include <tyto/table_rows.h>
#include <unistd.h>
#include "io/archive.h"
#include "io/foreign.h"
#include "tools/options/message.h"
#include "tools/options/out.h"
#include "tools/options/reader.h"
#include "tools/options/result.h"

struct settings {
    const char *path, *join, *where, *out;
    struct option_list on, select, by, values, sort;
    int pairing;
    bool complete, descending, counts, describe;
    int64_t rows, width;
    struct reader_in reader;
};

/* Replace *table by a table made of it; NULL: there was a message.  False, and *table stays, after a message on stderr. */
static bool replace(ty_table **table, ty_table *made) {
    if (!made) return false;
    bool well = !*ty_table_error(made) || COMPLAIN_FAILURE(ty_table_failure(made)) == EXIT_SUCCESS;
    ty_table_free(well ? *table : made);
    if (well) *table = made;
    return well;
}

/* Return the rows of --join; NULL after a message on stderr. */
static ty_table *joined(const struct settings *s, const ty_table *t) {
    ty_table *other = reader_open(s->join, &s->reader);
    ty_table *all =
        other ? ty_table_join(t, other, s->on.n, s->on.items, (ty_pairing)s->pairing, NULL, NULL) : NULL;
    ty_table_free(other);
    return all;
}

/* Print the error of an expression, the expression with a mark under the place of the error, and a hint for words without
   quotes. */
static void show_fault(const char *expression, const ty_tensor *poison) {
    int column = 0;
    char unknown[64];
    complain_of(poison);
    int found = sscanf(ty_error(poison), "column %d: unknown name %63[^ ;]", &column, unknown);
    if (found >= 1 && column >= 1 && !strchr(expression, '\n'))
        complain_below("  %s\n  %*s^\n", expression, column - 1, "");
    if (found == 2) complain_below("  words stand in quotes: \"%s\"\n", unknown);
}

/* Return the rows for which the expression of --where is true; NULL after a message on stderr. */
static ty_table *chosen(const struct settings *s, const ty_table *t) {
    ty_scope *scope = ty_open();
    ty_table *made = ty_table_where(t, s->where);
    if (*ty_table_error(made)) {
        show_fault(s->where, ty_table_failure(made));
        ty_table_free(made);
        made = NULL;
    }
    ty_close(scope);
    return made;
}

/* Return the rows sorted by --sort; NULL after a message on stderr. */
static ty_table *sorted(const struct settings *s, const ty_table *t) {
    bool *descending = malloc((size_t)s->sort.n * sizeof *descending);
    for (int i = 0; i < s->sort.n && descending; i++) descending[i] = s->descending;
    ty_table *made = descending ? ty_table_sort(t, s->sort.n, s->sort.items, descending) : NULL;
    if (!descending) complain("out of memory");
    free(descending);
    return made;
}

/* Parse "mean:Age" or "size" into *column; false after a message on stderr. */
static bool parse_value(const char *text, ty_group_column *column) {
    char name[16];
    size_t n = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
    struct nearest near = {.wanted = name};
    *column = (ty_group_column){text[n] ? text + n + 1 : NULL, ty_group_value_named(name), NULL};
    if (column->value < TY_GROUP_VALUES && (column->column || column->value == TY_GROUP_SIZE)) return true;
    for (int i = 0; i < TY_GROUP_VALUES; i++) nearest_offer(&near, ty_group_value_name((ty_group_value)i));
    return complain("--value %s: expected VALUE:COLUMN or size, with one of size, count, unique, first, "
                    "last, min, max, sum, mean, median, var, std%s",
                    text,
                    column->value < TY_GROUP_VALUES ? "" : nearest_hint(&near, (char[NEAREST_HINT]){0})) ==
           EXIT_SUCCESS;
}

/* Return the groups that --by, --value and --counts choose; NULL after a message on stderr. */
static ty_table *grouped(const struct settings *s, const ty_table *t) {
    int n = s->values.n;
    if (s->counts) return ty_table_counts(t, s->by.n, s->by.items);
    ty_group_column *columns = calloc((size_t)n + 1, sizeof *columns);
    bool well = columns || complain("out of memory") == EXIT_SUCCESS;
    for (int i = 0; i < n && well; i++) well = parse_value(s->values.items[i], &columns[i]);
    if (well && !n) columns[n++] = (ty_group_column){NULL, TY_GROUP_SIZE, NULL};
    ty_table *made = well ? ty_table_group(t, s->by.n, s->by.items, n, columns, false) : NULL;
    free(columns);
    return made;
}

/* Return the width of a line, in characters: that of --width, or of the terminal; 0: the default. */
static int width_of(const struct settings *s) {
    const int64_t most = 1 << 20; /* characters: more than any table needs, and far from the limit of int */
    struct winsize terminal;
    if (s->width) return (int)(s->width < most ? s->width : most);
    return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) ? terminal.ws_col : 0;
}

static bool write_text(void *context, const void *bytes, size_t n) {
    return fwrite(bytes, 1, n, context) == n;
}

/* Write a table as csv to the file of -o, or to the standard output; false after a message on stderr. */
static bool write_csv(const char *path, const ty_table *t) {
    ty_tensor *error = NULL;
    ty_sink sink = {stdout, write_text};
    ty_table_write_options o = {.precision = precision_or(0)};
    bool well =
        out_is_standard(path) ? ty_table_send(sink, t, o, &error) : ty_table_write(path, t, o, &error);
    if (ferror(stdout)) return false; /* main.c says so */
    return well || complain_of(error) == EXIT_SUCCESS;
}

/* Print a table, in JSON as the member `key`, or write it to the file of -o; false after a message on stderr. */
static bool print(const struct settings *s, const char *key, const ty_table *t) {
    ty_table_print_options o = {.rows = s->rows, .width = width_of(s), .precision = precision_or(0)};
    if (*ty_table_error(t)) return COMPLAIN_FAILURE(ty_table_failure(t)) == EXIT_SUCCESS;
    if (s->out) return write_csv(s->out, t);
    if (result_json()) return result_table(key, t);
    char *text = ty_table_to_string(t, o);
    if (text) puts(text);
    ty_free(text);
    return text || complain("out of memory") == EXIT_SUCCESS;
}

/* Print the statistics of numbers, then those of words, each if there are such columns. */
static bool describe(const struct settings *s, const ty_table *t) {
    ty_table *numbers = ty_table_describe(t), *words = ty_table_describe_words(t);
    bool failed = *ty_table_error(numbers) || *ty_table_error(words), well = true;
    if (failed || ty_table_columns(numbers) > 1) well = print(s, "numbers", numbers);
    if (well && (failed || ty_table_rows(words))) well = print(s, "words", words);
    ty_table_free(numbers);
    ty_table_free(words);
    return well;
}

/* Print below a message how several columns are named, if one of the names is a list of columns. */
static void hint_list(const char *option, const struct option_list *names, const ty_table *t) {
    for (int i = 0; i < names->n; i++) {
        const char *comma = strchr(names->items[i], ',');
        char *first = comma ? strndup(names->items[i], (size_t)(comma - names->items[i])) : NULL;
        if (first && ty_table_find(t, names->items[i]) < 0 && ty_table_find(t, first) >= 0)
            complain_below("  the option is repeated for several columns: %s %s %s ...\n", option, first,
                           option);
        free(first);
    }
}

static bool show(const struct settings *s, ty_table **t) {
    bool grouping = s->by.n || s->values.n;
    if (s->join && !replace(t, joined(s, *t))) return false;
    if (s->where && !replace(t, chosen(s, *t))) return false;
    if (s->select.n && !replace(t, ty_table_select(*t, s->select.n, s->select.items))) return false;
    if (s->complete && !replace(t, ty_table_drop_missing(*t, 0, NULL))) return false;
    if (grouping && !replace(t, grouped(s, *t))) return false;
    if (s->sort.n && !replace(t, sorted(s, *t))) return false;
    return s->describe ? describe(s, *t) : print(s, NULL, *t);
}

/* Return true, or false after a message if options need or exclude each other, or -o names a format of arrays. */
static bool agree(const struct settings *s) {
    const char *alone = s->describe ? "--describe" : s->rows ? "--rows" : s->width ? "--width" : NULL;
    bool gzip;
    const struct format *format = s->out ? format_of_path(s->out, &gzip) : NULL;
    if (!s->join != !s->on.n) return complain("--join and --on: expected both") == EXIT_SUCCESS;
    if (s->pairing && !s->join) return complain("--how: expected --join and --on, too") == EXIT_SUCCESS;
    if (s->descending && !s->sort.n) return complain("--descending: expected --sort, too") == EXIT_SUCCESS;
    if (result_json() && (s->out || s->rows || s->width))
        return complain("--json and %s: expected one of them", s->out ? "-o" : alone) == EXIT_SUCCESS;
    if (s->out && alone) return complain("-o and %s: expected one of them", alone) == EXIT_SUCCESS;
    if (format && strcmp(format->name, "csv"))
        return complain("-o %s: tables are written as csv, not as %s", s->out, format->name) == EXIT_SUCCESS;
    if (s->out && foreign_named(s->out))
        return complain("-o %s: tables are written as csv; the name is that of %s", s->out,
                        foreign_named(s->out)) == EXIT_SUCCESS;
    return !s->counts || (s->by.n && !s->values.n) ||
           complain("--counts: expected --by, without --value") == EXIT_SUCCESS;
}

static int run(const void *settings) {
    const struct settings *s = settings;
    if (!s->path) return complain("a table is missing; see tyto table --help"), EXIT_USAGE;
    if (!agree(s)) return EXIT_USAGE;
    ty_table *t = reader_open(s->path, &s->reader);
    bool well = t && show(s, &t);
    if (t && !well) {
        hint_list("--select", &s->select, t);
        hint_list("--by", &s->by, t);
        hint_list("--sort", &s->sort, t);
        hint_list("--on", &s->on, t);
    }
    ty_table_free(t);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

static const char *pairing_named(int i) {
    static const char *const names[] = {"inner", "left", "right", "outer", NULL};
    return names[i];
}
static const struct option_type option_pairing = OPTION_NAMED("NAME", pairing_named);

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"TABLE", &option_file, AT(path),
     "a table of delimited text (csv, tsv, ...; gz; - for the standard input)"},
    {"--join", &option_file, AT(join), "pair the table's rows with those of this csv file"},
    {"--on", &option_names, AT(on), "pair rows with equal elements in this column of both; repeatable"},
    {"--how", &option_pairing, AT(pairing), "keep these rows: inner (default), left, right, outer"},
    {"--where", &option_text, AT(where),
     "keep the rows for which this expression of columns is true; words are compared with quoted texts"},
    {"--select", &option_names, AT(select), "keep this column; repeatable"},
    {"--complete", &option_flag, AT(complete), "leave out rows with missing elements"},
    {"--by", &option_names, AT(by), "group the rows by this column; repeatable"},
    {"--value", &option_names, AT(values),
     "compute VALUE:COLUMN of each group, such as mean:Age, or size; repeatable"},
    {"--counts", &option_flag, AT(counts),
     "with --by: count the rows of each group, the most frequent first"},
    {"--sort", &option_names, AT(sort), "sort the rows by this column; repeatable"},
    {"--descending", &option_flag, AT(descending), "sort from the greatest to the least"},
    {"--describe", &option_flag, AT(describe), "print statistics of the columns"},
    {"-o", &option_target, AT(out),
     "write all rows to this csv file instead of printing them; .gz compresses; - prints"},
    {"--rows", &option_count, AT(rows), "print N rows (60; of more, 10)"},
    {"--width", &option_count, AT(width),
     "print lines of N characters (those of the terminal, else 80); columns that do not fit are left out"},
    READER_OPTIONS(AT(reader)),
    {0}};
static const struct settings defaults = {0};

const struct command command_table = {
    .name = "table",
    .doc = "Print or write a table of a csv file: joined, filtered, sorted, grouped or described.",
    .details =
        "  tyto table titanic.csv --describe\n"
        "  tyto table titanic.csv --by Pclass --by Sex --value mean:Fare --value max:Age --value size\n"
        "  tyto table titanic.csv --by Embarked --counts\n"
        "  tyto table titanic.csv --where '(Age >= 60) & (Sex == \"female\")'\n"
        "  tyto table titanic.csv --join ports.csv --on Embarked --how left --sort Age\n"
        "  tyto table titanic.csv --complete --select Age --select Sex -o ages.csv.gz\n"
        "Values: size, count, unique, first, last, min, max, sum, mean, median, var, std.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .prints = true};
