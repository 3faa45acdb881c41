/*
 * Entries: printed, compared with a file, written to it.
 *
 * A line of the file is: hash, hash without FMA instructions or "same", dtype, name.  Lines that begin with # are
 * comments.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/dtype.h"
#include "tests/bits/bits.h"
#include "tests/support/harness.h"

enum { LINE = BITS_NAME + 64, SHOWN = 40 };

struct line {
    uint64_t hash;
    char dtype[16], *name;
    bool met;
};

static struct {
    bool printing, quick;
    const char *run;
    struct line *lines;
    size_t n, at;
    int faults, entries;
    char error[256];
} table;

/* ---- hashes ---- */

uint64_t bits_start(void) { return UINT64_C(0xcbf29ce484222325); }

uint64_t bits_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

const char *bits_error(void) { return table.error; }

void bits_fail(const char *message) {
    if (!*table.error) snprintf(table.error, sizeof table.error, "%s", message);
}

/* Add the elements: reals as f64, which holds all of them, integers as 64 bits. */
static uint64_t add_reals(uint64_t hash, ty_tensor *x) {
    bool floating = dtype_is(ty_dtype_of(x), CLASS_FLOAT);
    x = ty_contiguous(ty_cast(x, floating ? TY_F64 : ty_dtype_of(x) == TY_U64 ? TY_U64 : TY_I64));
    const uint64_t *words = ty_data(x);
    const double *numbers = (const double *)(const void *)words;
    if (!ty_ok(x)) bits_fail(ty_error(x));
    for (int64_t i = 0; words && i < ty_size(x); i++)
        hash = bits_word(hash, floating && isnan(numbers[i]) ? UINT64_MAX : words[i]);
    return hash;
}

uint64_t bits_add(uint64_t hash, ty_tensor *x) {
    x = ty_eval(x);
    if (!ty_ok(x)) {
        bits_fail(ty_error(x));
        return hash;
    }
    for (const char *name = ty_dtype_name(ty_dtype_of(x)); *name; name++)
        hash = bits_word(hash, (uint8_t)*name);
    for (int i = 0; i < ty_rank(x); i++) hash = bits_word(hash, (uint64_t)ty_shape(x)[i]);
    if (!dtype_is(ty_dtype_of(x), CLASS_COMPLEX)) return add_reals(hash, x);
    return add_reals(add_reals(hash, ty_real(x)), ty_imag(x));
}

/* ---- reading ---- */

/* Read a line into *line; false if it is none of the two columns, dtype and name. */
static bool parse(char *text, bool without_fma, struct line *line) {
    char other[24];
    unsigned long long hash;
    int at = 0;
    text[strcspn(text, "\n")] = 0;
    if (sscanf(text, "%llx %20s %15s %n", &hash, other, line->dtype, &at) != 3 || !at) return false;
    if (without_fma && strcmp(other, "same") != 0) hash = strtoull(other, NULL, 16);
    line->hash = hash;
    line->met = false;
    line->name = strdup(text + at);
    return line->name;
}

static bool read_lines(FILE *file, bool without_fma) {
    char text[LINE];
    size_t room = 0;
    for (int number = 1; fgets(text, sizeof text, file); number++) {
        if (*text == '#') continue;
        if (table.n == room) {
            struct line *more = realloc(table.lines, (room = 2 * room + 1024) * sizeof *more);
            if (!more) return false;
            table.lines = more;
        }
        if (!parse(text, without_fma, &table.lines[table.n])) {
            fprintf(stderr, "bits: line %d is no entry: %s\n", number, text);
            return false;
        }
        table.n++;
    }
    return true;
}

void bits_print(bool quick) {
    table.printing = true;
    table.quick = quick;
}

bool bits_compare(const char *path, bool quick, bool without_fma, const char *run) {
    table.quick = quick;
    table.run = run;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "bits: %s cannot be read\n", path);
        return false;
    }
    bool read = read_lines(file, without_fma);
    fclose(file);
    return read;
}

bool bits_quick(void) { return table.quick; }

/* ---- entries ---- */

/* Return the line of an entry, usually the one after the last; NULL if there is none. */
static struct line *find(const char *name, const char *dtype) {
    for (size_t i = 0; i < table.n; i++) {
        struct line *line = &table.lines[(table.at + i) % table.n];
        if (strcmp(line->dtype, dtype) != 0 || strcmp(line->name, name) != 0) continue;
        table.at = (table.at + i + 1) % table.n;
        return line;
    }
    return NULL;
}

static void fault(const char *name, const char *dtype, const char *what) {
    if (table.faults++ < SHOWN || getenv("TY_BITS_ALL"))
        fprintf(stderr, "%s: %s %s: %s\n", table.run ? table.run : "bits", dtype, name, what);
}

/* True if an entry shows the bytes of wider numbers, in another order than on the machine that wrote the file. */
static bool shows_bytes(const char *name) {
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && (strstr(name, "view_as") || !strncmp(name, "view(", 5));
}

void bits_begin(void) {
    test_random_from(1);
    *table.error = 0;
}

void bits_entry(const char *name, const char *dtype, uint64_t hash) {
    char what[sizeof table.error + 64];
    table.entries++;
    if (*table.error) {
        fault(name, dtype, table.error);
        return;
    }
    if (table.printing) {
        printf("%016llx %s %s\n", (unsigned long long)hash, dtype, name);
        return;
    }
    struct line *line = find(name, dtype);
    if (line && line->met) fault(name, dtype, "two entries have this name");
    if (line) line->met = true;
    if (line && (line->hash == hash || shows_bytes(name))) return;
    if (line)
        snprintf(what, sizeof what, "%016llx, expected %016llx", (unsigned long long)hash,
                 (unsigned long long)line->hash);
    fault(name, dtype, line ? what : "is not in the file; `./dev bits --accept` stores it");
}

int bits_end(void) {
    for (size_t i = 0; i < table.n; i++) {
        struct line *line = &table.lines[i];
        if (!line->met && !table.quick)
            fault(line->name, line->dtype, "is in the file, but nothing computes it");
        free(line->name);
    }
    free(table.lines);
    if (table.faults) fprintf(stderr, "%s: %d faults\n", table.run ? table.run : "bits", table.faults);
    return table.faults;
}

/* ---- writing ---- */

/* Read a printed entry: its hash, and the rest of the line after it. */
static bool read_printed(FILE *file, char *text, char **rest) {
    if (!fgets(text, LINE, file)) return false;
    text[strcspn(text, "\n")] = 0;
    *rest = text + strcspn(text, " ");
    if (!**rest) return false;
    *(*rest)++ = 0;
    return true;
}

bool bits_write(const char *path, FILE *with_fma, FILE *without_fma) {
    char first[LINE], second[LINE], *name, *other;
    FILE *file = fopen(path, "w");
    bool well = file;
    if (file)
        fputs("# Hashes of results: with FMA instructions, without them (\"same\": no difference), dtype, "
              "name.\n"
              "# `./dev bits` compares, `./dev bits --accept` writes this file; docs/bits.md says more.\n",
              file);
    while (well && read_printed(with_fma, first, &name)) {
        well = read_printed(without_fma, second, &other) && strcmp(name, other) == 0;
        if (well) fprintf(file, "%s %-16s %s\n", first, strcmp(first, second) ? second : "same", name);
    }
    if (file && fclose(file)) well = false;
    if (!well) fprintf(stderr, "bits: %s was not written whole\n", path);
    return well;
}
