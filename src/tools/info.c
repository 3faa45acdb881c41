/* tyto info: shows the build and its machine, or the contents of a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/context.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include "base/text.h"
#include "ops/core/storage.h"
#include "tools/onnx/graph.h"
#include "tools/onnx/info.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

enum { NAME_WIDTH = 60 }; /* characters of a name that are aligned, or shown of a column */

struct settings {
    struct option_list files;
    struct file_in in; /* its path is that of the present file */
    struct option_list sizes, most;
    double seconds; /* 0: not given */
    bool stats;
};

static const char *plain_dtype(int i) { return i < TY_DTYPES ? ty_dtype_name((ty_dtype)i) : NULL; }
static const char *stored_dtype(int i) {
    int dtype = TY_DTYPES + 1 + i;
    return dtype < DTYPE_ROWS ? ty_dtype_name((ty_dtype)dtype) : NULL;
}
static const char *known_format(int i) { return ty_format_name(i, NULL, NULL); }

/* Print a line of the names that named(i) returns, up to NULL. */
static void show_names(const char *title, const char *key, const char *(*named)(int i)) {
    const char *name;
    say("%-12s ", title);
    result_open(key, '[');
    for (int i = 0; (name = named(i)); i++) {
        say(" %s", name);
        result_text(NULL, name);
    }
    result_close();
    say("\n");
}

/* Print version, engine, dtypes, formats and the like; return the exit status. */
static int show_build(void) {
    const struct {
        const char *title, *key, *value;
    } facts[] = {{"version", "version", ty_version()},
                 {"engine", "engine", ty_engine_name()},
                 {"instructions", "instructions", ty_isa()}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        say("%-12s  %s\n", facts[i].title, facts[i].value);
        result_text(facts[i].key, facts[i].value);
    }
    say("threads       %d\n", ty_threads());
    result_whole("threads", ty_threads());
    show_names("dtypes", "dtypes", plain_dtype);
    show_names("for storage", "storage", stored_dtype);
    show_names("formats", "formats", known_format);
    return EXIT_SUCCESS;
}

/* One line of the table, as texts of its columns. */
struct info_row {
    char *name; /* made safe for a terminal; NULL: no memory */
    const char *dtype;
    char elements[24], bytes[24], shape[512];
};

static char *visible(const char *words) {
    struct text t = {0};
    text_add_visible(&t, words);
    return text_take(&t);
}

/* Write the shape as Python does, "(3, 4)", to out; text beyond the capacity in bytes is cut. */
static void fill_shape(char *out, size_t capacity, int rank, const int64_t *shape) {
    size_t n = (size_t)snprintf(out, capacity, "(");
    for (int i = 0; i < rank && n < capacity; i++)
        n += (size_t)snprintf(out + n, capacity - n, i ? ", %" PRId64 : "%" PRId64, shape[i]);
    if (n < capacity) snprintf(out + n, capacity - n, rank == 1 ? ",)" : ")");
}

static int64_t elements(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int k = 0; k < rank; k++) n *= shape[k];
    return n;
}

/* Return the texts of the line about tensor i, from 0, of the archive; "?" where they are unknown. The
   caller frees row.name, which may be NULL. */
static struct info_row make_row(const ty_archive *a, int i) {
    const char *name = ty_archive_name(a, i);
    struct info_row r = {
        .name = visible(*name ? name : "-"), .dtype = "?", .elements = "?", .bytes = "?", .shape = "?"};
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    if (!ty_archive_form(a, i, &dtype, &rank, &shape)) return r;
    int64_t n = elements(rank, shape);
    r.dtype = ty_dtype_name(dtype);
    snprintf(r.elements, sizeof r.elements, "%" PRId64, n);
    snprintf(r.bytes, sizeof r.bytes, "%" PRId64, dtype_bytes(dtype, n));
    fill_shape(r.shape, sizeof r.shape, rank, shape);
    return r;
}

enum { DIGITS = 8 };

/* Print `word`, a blank and the 0-d x: integers with all digits, others with eight. */
static void show_number(const char *word, ty_tensor *x) {
    uint64_t large;
    int64_t whole;
    ty_dtype dtype = ty_dtype_of(x);
    result_elements(word + strspn(word, " "), x);
    if (dtype == TY_U64 && ty_read(x, TY_U64, &large))
        say("%s %" PRIu64, word, large);
    else if (dtype < TY_F16 && ty_read(x, TY_I64, &whole))
        say("%s %" PRId64, word, whole);
    else
        say("%s %.*g", word, precision_or(DIGITS), ty_item(x));
}

/* Print minimum, maximum and mean of x's elements that are not NaN, and the count of NaN if there are any. */
static void show_numbers(ty_tensor *x) {
    int64_t gaps = (int64_t)ty_item(ty_sum(ty_cast(ty_ne(x, x), TY_I64), TY_ALL));
    say("    ");
    if (gaps < ty_size(x)) {
        show_number("min", ty_nanmin(x, TY_ALL));
        show_number("  max", ty_nanmax(x, TY_ALL));
        show_number("  mean", ty_nanmean(ty_cast(x, TY_F64), TY_ALL));
    }
    result_whole("gaps", gaps);
    if (gaps) say("%s%" PRId64 " gap%s (NaN)", gaps < ty_size(x) ? "  " : "", gaps, plural(gaps));
    say("\n");
}

/* Append dtype, shape and sizes of tensor i, from 0, of the archive to the JSON. */
static void add_form(const ty_archive *a, int i) {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    result_text("name", ty_archive_name(a, i));
    if (!ty_archive_form(a, i, &dtype, &rank, &shape)) return;
    result_text("dtype", ty_dtype_name(dtype));
    result_shape(rank, shape);
    int64_t n = elements(rank, shape);
    result_whole("elements", n);
    result_whole("bytes", dtype_bytes(dtype, n));
}

/* Print "min -1 max 3 mean 0.5" for tensor i, from 0, of the archive, or the tensor's error; return false
   if it is poison. */
static bool show_stats(const ty_archive *a, int i) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_archive_at(a, i);
    bool ordered = ty_ok(x) && ty_size(x) && ty_dtype_of(x) != TY_C64 && ty_dtype_of(x) != TY_C128;
    if (!ty_ok(x))
        say("    %s\n", ty_error(x));
    else if (!ordered)
        say("    %s\n", ty_size(x) ? "complex: no order" : "empty");
    else
        show_numbers(ty_cast(x, dtype_widened(ty_dtype_of(x))));
    bool ok = ty_ok(x);
    ty_close(scope);
    return ok;
}

/* Return the width of the column of names: that of the longest, within 4 and NAME_WIDTH characters. */
static int widest(const ty_archive *a) {
    int width = 4;
    for (int i = 0; i < ty_archive_count(a); i++) {
        char *name = visible(ty_archive_name(a, i));
        int n = name ? text_width(name, strlen(name)) : 0;
        if (n > width) width = n < NAME_WIDTH ? n : NAME_WIDTH;
        ty_free(name);
    }
    return width;
}

/* Return the width of the column of dtypes: that of the longest name, and at least 5 characters. */
static int widest_dtype(const ty_archive *a) {
    size_t width = 5;
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    for (int i = 0; i < ty_archive_count(a); i++) {
        size_t n = ty_archive_form(a, i, &dtype, &rank, &shape) ? strlen(ty_dtype_name(dtype)) : 0;
        if (n > width) width = n;
    }
    return (int)width;
}

static void add_column(const ty_table *t, int64_t i, int64_t missing) {
    result_open(NULL, '{');
    result_text("name", ty_table_name(t, i));
    result_text("kind", ty_column_kind_name(ty_table_kind(t, i)));
    result_text("dtype", ty_dtype_name(ty_dtype_of(ty_table_values(t, i))));
    result_whole("missing", missing);
    if (ty_table_kind(t, i) == TY_COLUMN_WORDS) result_whole("words", ty_table_words(t, i));
    result_close();
}

static bool print_table(const ty_table *t) {
    char *text = ty_table_to_string(t, (ty_table_print_options){.precision = precision_or(0)});
    say("\n%s\n", text ? text : "");
    ty_free(text);
    return text || complain("out of memory") == EXIT_SUCCESS;
}

/* Print the columns and the first rows of the csv file s->in, which has words; return the exit status. */
static int show_table(const struct settings *s) {
    ty_table *t = reader_open(s->in.path, &s->in.reader);
    if (!t) return EXIT_FAILED;
    ty_scope *scope = ty_open();
    char *path = visible(s->in.path);
    say("%s: csv, %" PRId64 " row%s, %" PRId64 " column%s\n", path ? path : "", ty_table_rows(t),
        plural(ty_table_rows(t)), ty_table_columns(t), plural(ty_table_columns(t)));
    ty_free(path);
    result_text("format", "csv");
    result_whole("rows", ty_table_rows(t));
    say("  %-6s  %-5s  %12s  %12s  %s\n", "kind", "dtype", "missing", "words", "name");
    result_open("columns", '[');
    for (int64_t i = 0; i < ty_table_columns(t); i++) {
        char *name = visible(ty_table_name(t, i));
        double missing = ty_item(ty_sum(ty_cast(ty_table_missing(t, i), TY_I64), TY_ALL));
        add_column(t, i, (int64_t)missing);
        say("  %-6s  %-5s  %12.0f  ", ty_column_kind_name(ty_table_kind(t, i)),
            ty_dtype_name(ty_dtype_of(ty_table_values(t, i))), missing);
        if (ty_table_kind(t, i) == TY_COLUMN_WORDS)
            say("%12" PRId64 "  ", ty_table_words(t, i));
        else
            say("%12s  ", "");
        size_t n = name ? strlen(name) : 0, shown = name ? text_prefix(name, n, NAME_WIDTH) : 0;
        say("%.*s%s\n", (int)shown, name ? name : "", shown < n ? "..." : "");
        ty_free(name);
    }
    result_close();
    bool printed = !s->stats || print_table(t);
    ty_close(scope);
    ty_table_free(t);
    return printed ? EXIT_SUCCESS : EXIT_FAILED;
}

static int show_model(const struct settings *s) {
    /* models of which one run takes seconds are counted, and a loop without end is soon left */
    enum { MOST_SECONDS = 20 };
    ty_onnx *model = ty_onnx_load(s->in.path, (ty_onnx_options){0});
    bool well =
        onnx_info_print(s->in.path, model, &s->sizes, &s->most, s->seconds > 0 ? s->seconds : MOST_SECONDS);
    ty_onnx_free(model);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

/* Print the tensors and texts of the file s->in; return the exit status. */
static int show_file(const struct settings *s) {
    if (file_is_csv(&s->in) && reader_streams(s->in.path)) return show_table(s);
    ty_archive *a = file_try(&s->in);
    bool failed = a && *ty_archive_error(a);
    if (failed && file_is_csv(&s->in)) {
        ty_archive_free(a);
        return show_table(s);
    }
    if (failed) {
        COMPLAIN_FAILURE(ty_archive_failure(a));
        ty_archive_free(a);
    }
    if (!a || failed) return EXIT_FAILED;
    int n = ty_archive_count(a), width = widest(a), dtypes = widest_dtype(a), status = EXIT_SUCCESS;
    const char *key, *value;
    char *path = visible(s->in.path);
    result_text("format", ty_archive_format(a));
    say("%s: %s, %d tensor%s\n", path ? path : "", ty_archive_format(a), n, plural(n));
    ty_free(path);
    if (n)
        say("  %-*s  %-*s  %12s  %14s  %s\n", width, "name", dtypes, "dtype", "elements", "bytes", "shape");
    result_open("tensors", '[');
    for (int i = 0; i < n; i++) {
        result_open(NULL, '{');
        add_form(a, i);
        struct info_row r = make_row(a, i);
        int blanks = width - (r.name ? text_width(r.name, strlen(r.name)) : 0);
        say("  %s%*s  %-*s  %12s  %14s  %s\n", r.name ? r.name : "", blanks > 0 ? blanks : 0, "", dtypes,
            r.dtype, r.elements, r.bytes, r.shape);
        ty_free(r.name);
        if (s->stats && !show_stats(a, i)) status = EXIT_FAILED;
        result_close();
    }
    result_close();
    result_open("texts", '[');
    for (int i = 0; ty_archive_pair(a, i, &key, &value); i++) {
        result_pair(key, value);
        char *words[] = {visible(key), visible(value)};
        say("  %s: %s\n", words[0] ? words[0] : "", words[1] ? words[1] : "");
        ty_free(words[0]);
        ty_free(words[1]);
    }
    result_close();
    ty_archive_free(a);
    return status;
}

/* Return true if the file is shown as a model of ONNX. */
static bool is_model(const struct settings *s) { return !s->in.format && onnx_graph_is(s->in.path); }

/* Return the name of a given option that is for models alone; NULL: there is none. */
static const char *model_option(const struct settings *s) {
    return s->sizes.n ? "--size" : s->most.n ? "--max" : s->seconds > 0 ? "--seconds" : NULL;
}

/* Show the present file, a member of the list in JSON; return the exit status. */
static int show_one(const struct settings *s) {
    bool model = is_model(s);
    const char *alone = model_option(s);
    if (model && s->stats) {
        complain("--stats: it is for files of arrays and tables; expected another file than a model");
        return EXIT_USAGE;
    }
    if (!model && alone) {
        complain("%s: it is for models of ONNX", alone);
        return EXIT_USAGE;
    }
    result_open(NULL, '{');
    result_text("file", s->in.path);
    int status = model ? show_model(s) : show_file(s);
    result_close();
    return status;
}

/* Show all files, or the build without one; return the exit status, that of the last file with a failure. */
static int run(const void *settings) {
    struct settings s = *(const struct settings *)settings;
    const char *alone = s.stats ? "--stats" : model_option(&s);
    int status = EXIT_SUCCESS;
    if (!s.files.n && alone) {
        complain("%s: expected FILE, too", alone);
        return EXIT_USAGE;
    }
    if (!s.files.n) return show_build();
    result_open("files", '[');
    for (int i = 0; i < s.files.n && !ty_interrupted(NULL); i++) {
        s.in.path = s.files.items[i];
        int ended = show_one(&s);
        if (ended != EXIT_SUCCESS) status = ended;
    }
    result_close();
    return status;
}

static const struct option options[] = {
    {"[FILE...]", &option_files, offsetof(struct settings, files),
     "npy, npz, safetensors, csv, mtx, idx, raw, wav, png, jpeg, pnm; also gzipped; or a model of ONNX: "
     ".onnx"},
    {"--stats", &option_flag, offsetof(struct settings, stats),
     "show also minimum, maximum, mean and number of missing values of each tensor"},
    {"--size", &option_sizes, offsetof(struct settings, sizes),
     "models: count operations for this size of a symbol, or of an axis (x.0=4); repeatable"},
    {"--max", &option_sizes, offsetof(struct settings, most),
     "models: show the bytes of one memory for all runs up to this size of a symbol or axis; repeatable"},
    {"--seconds", &option_number, offsetof(struct settings, seconds),
     "models: limit the time of the run that counts operations (20)"},
    FILE_IN_OPTIONS(struct settings),
    {0}};
static const struct settings defaults = {0};
const struct command command_info = {.name = "info",
                                     .doc = "Show the tensors of a file, or the parts of a model; without "
                                            "FILE, the engine, instruction set and threads.",
                                     .details = "Only the header of a file is read, unless you give --stats. "
                                                " If all sizes of a model are known, it\n"
                                                "runs once on drawn inputs, to count its operations.\n"
                                                "  tyto info weights.safetensors\n"
                                                "  tyto info data.npz --stats\n"
                                                "  tyto info samples.bin --raw-dtype i16 --raw-shape 1000,3",
                                     .options = options,
                                     .defaults = &defaults,
                                     .bytes = sizeof defaults,
                                     .run = run,
                                     .prints = true,
                                     .computes = true};
