/* Reading of delimited text: messy tables, options, sources, large tables, texts one edit away from a valid one. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tyto/context.h>
#include <tyto/hooks.h>
#include <tyto/table.h>
#include "array/progress.h"
#include "base/alloc.h"
#include "base/text.h"
#include "io/archive.h"
#include "tests/support/edits.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void end_table(void *t) { ty_table_free(t); }
static ty_table *own(ty_table *t) { return test_own(t, end_table); }

/* Append element k of column i; false: no memory. */
static bool add_element(struct text *t, const ty_table *table, int64_t i, int64_t k) {
    ty_tensor *values = ty_table_values(table, i), *missing = ty_table_missing(table, i);
    double gone = ty_item(ty_slice(missing, 0, k, k + 1, 1));
    ty_tensor *x = ty_contiguous(ty_slice(values, 0, k, k + 1, 1));
    const void *data = ty_data(x);
    if (!data || isnan(gone)) return false;
    if (gone)
        text_add(t, "_");
    else if (ty_table_kind(table, i) == TY_COLUMN_WORDS)
        text_add(t, "%s", ty_table_word(table, i, *(const int32_t *)data));
    else if (ty_dtype_of(x) == TY_C128)
        text_add(t, "%g%+gj", ((const double *)data)[0], ((const double *)data)[1]);
    else if (ty_dtype_of(x) == TY_F64)
        text_add(t, "%.17g", *(const double *)data);
    else if (ty_dtype_of(x) == TY_BOOL)
        text_add(t, "%d", *(const bool *)data);
    else if (ty_dtype_of(x) == TY_U64)
        text_add(t, "%llu", (unsigned long long)*(const uint64_t *)data);
    else
        text_add(t, "%lld", (long long)*(const int64_t *)data);
    return true;
}

/* Return the contents of a table as messy.def writes them. */
static char *contents(const ty_table *table) {
    struct text t = {0};
    text_add(&t, "%s", "");
    for (int64_t i = 0; i < ty_table_columns(table); i++)
        text_add(&t, "%s%s:%c", i ? "," : "", ty_table_name(table, i), "EBWNS"[ty_table_kind(table, i)]);
    bool ok = true;
    for (int64_t k = 0; k < ty_table_rows(table) && ok; k++)
        for (int64_t i = 0; i < ty_table_columns(table) && ok; i++) {
            text_add(&t, "%s", i ? "," : "/");
            ok = add_element(&t, table, i, k);
        }
    char *words = test_text(ok ? text_take(&t) : NULL);
    text_drop(&t);
    CHECK_OK(words ? ty_num(0) : ty_poison("out of memory"));
    return words;
}

/* Check a table against contents, or an error behind an exclamation mark. */
static void check(ty_table *table, const char *text, const char *want) {
    own(table);
    if (*want == '!') {
        CHECK_POISON(ty_table_failure(table) ? ty_table_failure(table) : ty_num(1), want + 1);
        return;
    }
    CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
    char *got = contents(table);
    CHECK(!strcmp(got, want), "\"%s\" is read as \"%s\", expected \"%s\"", text, got, want);
}

static const struct {
    const char *text;
    size_t n;
    const char *want;
} messy[] = {
#define MESSY(text, want) {text, sizeof text - 1, want},
#include "tests/table/messy.def"
};
enum { NMESSY = sizeof messy / sizeof *messy };

/* Check a text with blank lines behind it, so that its cells are looked at by whole blocks. */
static void check_blocks(const char *text, size_t n, const char *want) {
    enum { BLANKS = 80 };
    char *copy = test_room(n + BLANKS);
    memcpy(copy, text, n);
    memset(copy + n, '\n', BLANKS);
    check(ty_table_parse(copy, n + BLANKS, (ty_table_options){0}), text, want);
}

static void messy_tables(void) {
    CHECK(NMESSY >= 140, "%d texts", NMESSY);
    for (int i = 0; i < NMESSY; i++) {
        struct test_round round = test_round();
        check(ty_table_parse(messy[i].text, messy[i].n, (ty_table_options){0}), messy[i].text, messy[i].want);
        if (messy[i].n && messy[i].text[messy[i].n - 1] == '\n')
            check_blocks(messy[i].text, messy[i].n, messy[i].want);
        test_round_end(round);
    }
}

static void options(void) {
    static const char *const two[] = {"-99", "none"};
    static const char *const none;
    static const struct {
        const char *text, *want;
        ty_table_options options;
    } rows[] = {
        {"a b,c\n1,2\n", "0:S,1:S/a,b,c/1,2,_",
         .options = {.delimiter = ' ', .header = TY_HEADER_NONE, .ragged = true}},
        {"1,2\n3,4\n", "1:W,2:W/3,4", .options = {.header = TY_HEADER_FIRST}},
        {"a,b\n1,2\n", "0:S,1:S/a,b/1,2", .options = {.header = TY_HEADER_NONE}},
        {"title\nother\na,b\n1,2\n", "a:W,b:W/1,2", .options = {.skip_rows = 2}},
        {"a,b\n1,2\n3,4\n5,6\n", "a:W,b:W/1,2/3,4", .options = {.rows = 2}},
        {"a,b\n1,2\n3\n", "a:W,b:W/1,2/3,_", .options = {.ragged = true}},
        {"a,b\n1,2\n3,4,5\n", "!table:3: column 3: the record has 3 cells", .options = {.ragged = true}},
        {"a,b\n1,-99\nNA,2\n", "a:S,b:W/1,_/NA,2", .options = {.missing = two, .nmissing = 2}},
        {"a\n1.5\n-99\n2.5\n", "a:N/1.5/_/2.5", .options = {.missing = two, .nmissing = 2}},
        {"a,b\n1,2 % x\n% y\n3,4\n", "a:W,b:W/1,2/3,4", .options = {.comment = '%'}},
        {"a,b\n1.5,007\nx,8\n", "a:S,b:S/1.5,007/x,8", .options = {.words = true}},
        {"x\n0.5\n9007199254740993\n", "x:N/0.5/9007199254740992", .options = {.rounded = true}},
        {"x;y\n1.234;2\n", "x:W,y:W/1234,2", .options = {.decimal = ','}},
        {"x;y\n1'234;2\n", "x:W,y:W/1234,2", .options = {.thousands = '\''}},
        {"a\n", "!unknown header 7", .options = {.header = (ty_header)7}},
        {"a\n", "!the array of 2 words", .options = {.nmissing = 2}},
        {"a\n", "!word 0 for missing", .options = {.nmissing = 1, .missing = &none}},
        {"a\n", "!-1 lines to skip", .options = {.skip_rows = -1}},
        {"a\n", "!the delimiter and the decimal sign are both ','",
         .options = {.delimiter = ',', .decimal = ','}},
        {"a\n", "!the decimal sign and the sign of thousands are both '.'",
         .options = {.decimal = '.', .thousands = '.'}},
        {"a\n", "!the delimiter and the sign of comments are both ';'",
         .options = {.delimiter = ';', .comment = ';'}},
        {"a\n", "!the delimiter is \"; expected a character", .options = {.delimiter = '"'}},
        {"a\n", "!the sign of comments is a line end", .options = {.comment = '\n'}},
        {"a\n", "!the decimal sign is 1; expected", .options = {.decimal = '1'}},
        {"a\n", "!(`unused`)", .options = {.unused = true}},
        {"a;b\n1,5;2\n", "a:N,b:W/1.5,2", .options = {.decimal = ','}},
        {"a,b\n1,5\n", "a,b:N/1.5", .options = {.decimal = ','}},
        {"sep=;\na,b\n1,2\n", "a:W,b:W/1,2", .options = {.delimiter = ','}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        check(ty_table_parse(rows[i].text, strlen(rows[i].text), rows[i].options), rows[i].text,
              rows[i].want);
        test_round_end(round);
    }
    own(ty_table_parse(NULL, 3, (ty_table_options){0}));
    CHECK_POISON(ty_table_failure(own(ty_table_parse(NULL, 3, (ty_table_options){0}))), "is NULL");
    CHECK_POISON(ty_table_failure(own(ty_table_read("/nonexistent/t.csv", (ty_table_options){0}))), "t.csv");
    CHECK_POISON(ty_table_failure(own(ty_table_read(NULL, (ty_table_options){0}))), "the path is NULL");
}

/* A source that gives few bytes at a time, in order. */
struct pipe {
    const char *at;
    size_t left, piece;
};
static int64_t read_pipe(void *context, void *out, size_t n) {
    struct pipe *p = context;
    if (n > p->piece) n = p->piece;
    if (n > p->left) n = p->left;
    memcpy(out, p->at, n);
    p->at += n;
    p->left -= n;
    return (int64_t)n;
}

static void sources(void) {
    static const char text[] = "a,b\n1,\"x\ny\"\nz,2\n";
    for (size_t piece = 1; piece < 6; piece += 2) {
        struct test_round round = test_round();
        struct pipe pipe = {text, sizeof text - 1, piece};
        check(
            ty_table_receive("pipe", (ty_source){.context = &pipe, .read = read_pipe}, (ty_table_options){0}),
            text, "a:S,b:S/1,x\ny/z,2");
        test_round_end(round);
    }
    CHECK_POISON(ty_table_failure(own(ty_table_receive(NULL, (ty_source){0}, (ty_table_options){0}))),
                 "source: has neither read_at nor read");
}

/* ---- pipes ---- */

/* Start a process that writes a text of n bytes to the named pipe in pieces; 0 without one. */
static pid_t write_later(const char *path, const char *text, size_t n) {
    pid_t child = fork();
    if (child) return child > 0 ? child : 0;
    int file = open(path, O_WRONLY);
    for (size_t done = 0, piece; file >= 0 && done < n; done += piece) {
        piece = n - done < 30000 ? n - done : 30000;
        ssize_t count = write(file, text + done, piece);
        if (count < 0) break;
        piece = (size_t)count;
    }
    _exit(0);
}

/* A path of a pipe: words behind numbers, whose text is needed twice, gzip, limits, a wait that ends by a request. */
static void pipes(void) {
    enum { ROWS = 100000 }; /* more bytes than are kept in memory */
    const char *path = scratch_path(scratch_folder(), "pipe.csv");
    CHECK(mkfifo(path, 0600) == 0, "no pipe");
    struct text t = {0};
    for (int i = 0; i < ROWS; i++) text_add(&t, "%d,%d.5\n", i, i);
    text_add(&t, "word,1\n");
    size_t n = t.length, packed;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    const uint8_t *gzip = make_gzip(text, n, &packed);
    const char *texts[] = {text, (const char *)gzip, text, ""};
    size_t lengths[] = {n, packed, n, 0};
    for (int i = 0; i < 4; i++) {
        struct test_round round = test_round();
        pid_t child = write_later(path, texts[i], lengths[i]);
        CHECK(child, "no process");
        ty_table_options o = {.most_bytes = i == 2 ? 1000 : 0};
        ty_table *table = own(ty_table_read(path, o));
        waitpid(child, NULL, 0);
        bool packed_text = strstr(ty_table_error(table), "without zlib");
        if (i == 2) CHECK_POISON(ty_table_failure(table), "pipe.csv: has more than the allowed 1000 bytes");
        if (i != 2 && !packed_text) {
            CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
            CHECK(ty_table_rows(table) == (i < 3 ? ROWS + 1 : 0), "%lld rows",
                  (long long)ty_table_rows(table));
            CHECK(i == 3 || ty_table_kind(table, 0) == TY_COLUMN_WORDS, "no words");
        }
        test_round_end(round);
    }
    if (test_starving()) return;
    ty_deadline(NULL, 0.2);
    ty_table *table = own(ty_table_read(path, (ty_table_options){0}));
    ty_resume(NULL);
    CHECK(strstr(ty_table_error(table), "deadline"), "%s", ty_table_error(table));
}

/* A socket at the standard input, as other programs make for those that they start. */
static void socket_input(void) {
    static const char text[] = "a,b\n1,x\n";
    int ends[2], kept = dup(STDIN_FILENO);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "no sockets");
    bool sent = write(ends[1], text, sizeof text - 1) == sizeof text - 1 && dup2(ends[0], STDIN_FILENO) == 0;
    close(ends[0]), close(ends[1]);
    ty_table *table = ty_table_read("/dev/stdin", (ty_table_options){0});
    if (kept < 0)
        close(STDIN_FILENO);
    else
        dup2(kept, STDIN_FILENO), close(kept);
    CHECK(sent, "no text was sent");
    check(table, text, "a:W,b:S/1,x");
}

/* ---- progress ---- */

enum { SIGNATURE = FORMAT_HEAD }; /* bytes that tell the format, which are read first */
struct heard {
    int calls, ends, stop_after; /* stop_after: calls after which it stops the read; 0: never */
    bool wrong;                  /* another word, more than all, or backwards */
    int64_t done, total;
};
static bool hear(void *data, const ty_progress_state *now) {
    struct heard *h = data;
    h->wrong |= strcmp(now->what, "read") || (now->total && now->done > now->total) ||
                now->done + SIGNATURE < h->done;
    h->done = now->done;
    h->total = now->total;
    h->ends += now->ended;
    return !h->stop_after || ++h->calls < h->stop_after;
}

/* A read reports bytes, which never go back, also if the text is read twice; and a report stops it. */
static void progress(void) {
    enum { ROWS = 40000 };
    struct text t = {0};
    for (int i = 0; i < ROWS; i++) text_add(&t, i == ROWS - 1 ? "end,2\n" : "%d,%d.5\n", i, i);
    size_t n = t.length;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    progress_force(1);
    for (int stop = 0; stop < 12; stop++) {
        struct test_round round = test_round();
        struct heard h = {.stop_after = stop};
        ty_context_set_progress(NULL, hear, &h);
        ty_table *table = own(ty_table_parse(text, n, (ty_table_options){0}));
        ty_context_set_progress(NULL, NULL, NULL);
        CHECK(!h.wrong, "a report went back, or beyond the end");
        if (!test_starving()) CHECK(h.ends == 1, "%d reports of the end", h.ends);
        if (stop && !test_starving()) {
            CHECK(strstr(ty_table_error(table), "interrupted: "), "stop %d: %s", stop, ty_table_error(table));
        } else if (!stop) {
            CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
            CHECK(ty_table_rows(table) == ROWS, "rows");
            CHECK(h.total == 2 * (int64_t)n && h.done > (int64_t)n, "%lld of %lld bytes", (long long)h.done,
                  (long long)h.total);
        }
        test_round_end(round);
    }
    progress_force(0);
}

/* Records across windows of the reader: rows of every kind, words behind numbers in the last row, a word of 3 MB. */
static void large_tables(void) {
    enum { ROWS = 70000, WORD = 3 << 20 };
    struct text t = {0};
    text_add(&t, "n,x,w,mixed,gaps\n");
    for (int i = 0; i < ROWS; i++)
        text_add(&t, "%d,%d.25,\"w%d\n\"\"q\"\"\",%d,%s\n", i, i, i % 1000, i, i % 3 ? "7" : "");
    text_add(&t, "1,2,\"");
    text_pad(&t, 'v', WORD);
    text_add(&t, "\",none,8\n");
    size_t n = t.length;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    ty_table *table = own(ty_table_parse(text, n, (ty_table_options){0}));
    CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
    CHECK(ty_table_rows(table) == ROWS + 1 && ty_table_columns(table) == 5, "shape");
    static const ty_column_kind kinds[] = {TY_COLUMN_WHOLE, TY_COLUMN_NUMBER, TY_COLUMN_WORDS,
                                           TY_COLUMN_WHOLE, TY_COLUMN_WHOLE};
    for (int i = 0; i < 5; i++) CHECK(ty_table_kind(table, i) == kinds[i], "column %d", i);
    const int64_t *whole = ty_data(CHECK_OK(ty_table_values(table, 0)));
    const double *real = ty_data(CHECK_OK(ty_table_values(table, 1)));
    const int32_t *code = ty_data(CHECK_OK(ty_table_values(table, 2)));
    CHECK(ty_table_words(table, 2) == 1001 && strlen(ty_table_word(table, 2, 0)) == WORD, "words");
    for (int i = 0; i < ROWS; i++) {
        char word[32];
        snprintf(word, sizeof word, "w%d\n\"q\"", i % 1000);
        CHECK(whole[i] == i && real[i] == i + 0.25 && !strcmp(ty_table_word(table, 2, code[i]), word),
              "row %d", i);
    }
    CHECK(ty_item(ty_sum(CHECK_OK(ty_table_missing(table, 4)), TY_ALL)) == (ROWS + 2) / 3, "gaps");
}

/* Complex numbers from the first row on, in a table whose room is made by its size. */
static void large_complex(void) {
    enum { ROWS = 40000, COLUMNS = 4 };
    struct text t = {0};
    text_add(&t, "p,q,r,s\n");
    for (int i = 0; i < ROWS; i++) text_add(&t, "%d+1j,%d+2j,%d+3j,%d+4j\n", i, i, i, i);
    size_t n = t.length;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    ty_table *table = own(ty_table_parse(text, n, (ty_table_options){0}));
    CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
    CHECK(ty_table_rows(table) == ROWS && ty_table_columns(table) == COLUMNS, "shape");
    for (int k = 0; k < COLUMNS; k++) {
        ty_tensor *x = CHECK_OK(ty_table_values(table, k));
        CHECK(ty_dtype_of(x) == TY_C128, "dtype of column %d", k);
        const double *z = ty_data(x);
        for (int i = 0; i < ROWS; i++)
            CHECK(z[2 * i] == i && z[2 * i + 1] == k + 1, "row %d of column %d", i, k);
    }
}

/* Records that are longer than the sample of guesses, and than the window: thousands of columns with long names. */
static void long_records(void) {
    enum { COLUMNS = 3000, LONG = 700 };
    for (int named = 0; named < 2; named++) {
        struct test_round round = test_round();
        struct text t = {0};
        for (int row = !named; row < 3; row++)
            for (int i = 0; i < COLUMNS; i++) {
                if (row)
                    text_add(&t, "%d.5", i + row);
                else
                    text_add(&t, "c%d", i), text_pad(&t, 'x', LONG);
                text_add(&t, i < COLUMNS - 1 ? ";" : "\n");
            }
        size_t n = t.length;
        char *text = test_text(text_take(&t));
        CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
        CHECK(!named || n > 2 << 20, "%zu bytes", n);
        ty_table *table = own(ty_table_parse(text, n, (ty_table_options){0}));
        CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
        CHECK(ty_table_rows(table) == 2 && ty_table_columns(table) == COLUMNS, "shape");
        CHECK(strlen(ty_table_name(table, 42)) == (named ? LONG + 3 : 2), "%s", ty_table_name(table, 42));
        CHECK(ty_item(ty_sum(CHECK_OK(ty_table_at(table, COLUMNS - 1)), TY_ALL)) == 2 * COLUMNS + 2, "sum");
        test_round_end(round);
    }
    /* No record ends in the text: the first one is the table. */
    struct text t = {0};
    text_add(&t, "1");
    for (int i = 0; i < 200000; i++) text_add(&t, ",%d", i % 10);
    size_t n = t.length;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    ty_table *table = own(ty_table_parse(text, n, (ty_table_options){0}));
    CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
    CHECK(ty_table_rows(table) == 1 && ty_table_columns(table) == 200001, "shape");
}

/* Records of one length, whose number is known before: the columns keep the memory that they are read into. */
static void many_rows(void) {
    enum { ROWS = 50000 };
    struct text t = {0};
    text_add(&t, "n,w,b\n");
    for (int i = 0; i < ROWS; i++)
        text_add(&t, "%06d,w%05d,%s\n", i, i * 7 % ROWS, i % 2 ? "true " : "False");
    size_t n = t.length;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    ty_table *table = own(ty_table_parse(text, n, (ty_table_options){0}));
    CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
    CHECK(ty_table_rows(table) == ROWS && ty_table_kind(table, 2) == TY_COLUMN_BOOL, "shape");
    const int64_t *whole = ty_data(CHECK_OK(ty_table_values(table, 0)));
    const int32_t *code = ty_data(CHECK_OK(ty_table_values(table, 1)));
    const bool *truth = ty_data(CHECK_OK(ty_table_values(table, 2)));
    for (int i = 0; i < ROWS; i++)
        CHECK(whole[i] == i && code[i] == i * 7 % ROWS && truth[i] == i % 2, "row %d", i);
}

/* A read needs less than 1.3 times the memory of the columns, the window and the held cells; also a gzipped one, whose
   size is known by its last bytes alone. */
static void memory(void) {
    enum { ROWS = 200000, WORDS = 1000, BESIDE = 3 << 20 }; /* bytes of the window, held cells, hash tables */
    struct text t = {0};
    text_add(&t, "a,b,c,w\n");
    for (int i = 0; i < ROWS; i++) text_add(&t, "%d,%d.5,%d.25,w%d\n", i, i % 1000, i % 77, i % WORDS);
    size_t n = t.length, packed;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    const void *texts[] = {text, make_gzip(text, n, &packed)};
    for (int i = 0; i < 2; i++) {
        struct test_round round = test_round();
        int64_t before = mem_bytes(), columns = ROWS * (3 * 8 + 4);
        mem_peak_begin();
        ty_table *table = own(ty_table_parse(texts[i], i ? packed : n, (ty_table_options){0}));
        int64_t peak = mem_peak() - before;
        bool without = i && strstr(ty_table_error(table), "without zlib");
        if (!without) CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
        CHECK(without || peak <= columns + columns * 3 / 10 + BESIDE, "%lld bytes for columns of %lld",
              (long long)peak, (long long)columns);
        test_round_end(round);
    }
}

/* Thousands of columns. */
static void wide_tables(void) {
    enum { COLUMNS = 3000 };
    struct text t = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < COLUMNS; i++) text_add(&t, k ? "%s%d" : "%sc%d", i ? "," : k ? "\n" : "", k * i);
    size_t n = t.length;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    ty_table *table = own(ty_table_parse(text, n, (ty_table_options){.header = TY_HEADER_NONE, .rows = 2}));
    CHECK_OK(*ty_table_error(table) ? ty_table_failure(table) : ty_num(0));
    CHECK(ty_table_columns(table) == COLUMNS && ty_table_rows(table) == 2, "shape");
}

/* A first record that the sample does not hold. */
static void long_first_record(void) {
    struct text t = {0};
    for (int i = 0; i < 60000; i++) text_add(&t, "%sc%d", i ? "," : "", i);
    text_add(&t, "\n1\n");
    size_t n = t.length;
    char *text = test_text(text_take(&t));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    ty_table *table = own(ty_table_parse(text, n, (ty_table_options){0}));
    CHECK(*ty_table_error(table), "a record of 60000 names and one of a number are a table");
}

/* Each text one edit away from a valid one is read or refused, and never crashes. */
static void visit(void *context, const char *edited) {
    struct test_round round = test_round();
    ty_table *t = ty_table_parse(edited, strlen(edited), (ty_table_options){0});
    bool failed = *ty_table_error(t);
    ty_table_free(t);
    *(int *)context += failed;
    test_round_end(round);
}

static void edits(void) {
    int refused = 0, n = each_edit("a;b\r\n\"x\"\"y\";1,5\r\n# c\n;-2\n", "\"; ,#\n\rx1.", visit, &refused);
    CHECK(refused > n / 50 && refused < n, "%d of %d are refused", refused, n);
}

TESTS_MAIN(TEST(messy_tables), TEST(options), TEST(sources), TEST(pipes), TEST(socket_input), TEST(progress),
           TEST(large_tables), TEST(large_complex), TEST(long_records), TEST(long_first_record),
           TEST(many_rows), TEST(memory), TEST(wide_tables), TEST(edits))
