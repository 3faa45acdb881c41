/* Wrapping of help: words, commands, rows of two columns, details of commands. */
#include "tools/help/layout.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/machine/environment.h"

/* Lines longer than WIDEST are hard to read.  A column of SIDE characters holds most options; below ROOMY characters a
   row has too little room beside it. */
enum { INDENT = 2, BELOW = 4 }; /* blanks before a row, and before its further lines besides */
enum { NARROWEST = 20, USUAL = 80, WIDEST = 100, SIDE = 24, ROOMY = 60 };

struct layout layout_begin(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int64_t width = USUAL;
    if (!columns || !environment_number(columns, 1 << 20, &width) || !width)
        width = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : USUAL;
    return (struct layout){.side = SIDE,
                           .width = (int)(width < NARROWEST ? NARROWEST
                                          : width > WIDEST  ? WIDEST
                                                            : width)};
}

void layout_end(struct layout *l) {
    if (l->column) putchar('\n');
    l->column = 0;
}

/* Write blanks up to `column`. */
static void pad(struct layout *l, int column) {
    for (; l->column < column; l->column++) putchar(' ');
}

static void put(struct layout *l, const char *bytes, size_t n) {
    fwrite(bytes, 1, n, stdout);
    l->column += (int)n;
}

/* Return the length of the word that n bytes begin with; of a command, blanks within quotes are a part of it. */
static size_t word_length(const char *words, size_t n, bool command) {
    size_t length = 0;
    char quote = 0;
    for (; length < n && (quote || words[length] != ' '); length++) {
        if (command && quote == words[length])
            quote = 0;
        else if (command && !quote && strchr("'\"", words[length]))
            quote = words[length];
    }
    return length;
}

/* Write words, behind a blank if they continue a line and are not `first`; lines of a command end in a backslash. */
static void fill(struct layout *l, int indent, const char *words, size_t n, bool first, bool command) {
    for (size_t at = 0, length; at < n; at += length, first = false) {
        at += strspn(words + at, " ");
        if (at >= n) return;
        length = word_length(words + at, n - at, command);
        int most = l->width - (command && at + length < n ? 2 : 0), begin = l->column + !first;
        if (l->column > indent && begin + (int)length > most) {
            if (command) fputs(" \\", stdout);
            layout_end(l);
            pad(l, indent);
        } else {
            pad(l, begin);
        }
        for (; !command && l->column + (int)length > l->width; layout_end(l), pad(l, indent)) {
            size_t part = (size_t)(l->width - l->column);
            put(l, words + at, part);
            at += part;
            length -= part;
        }
        put(l, words + at, length);
    }
}

void layout_words(struct layout *l, int indent, const char *words, size_t n) {
    fill(l, indent, words, n, true, false);
}

void layout_command(struct layout *l, int indent, const char *command, size_t n) {
    fill(l, indent, command, n, true, true);
}

void layout_row(struct layout *l, const char *left, const char *right) {
    int side = l->width < ROOMY ? INDENT + BELOW : l->side;
    pad(l, INDENT);
    layout_words(l, INDENT + BELOW, left, strlen(left));
    if (l->column + 2 > side) layout_end(l);
    pad(l, side);
    layout_words(l, side, right, strlen(right));
    layout_end(l);
}

/* ---- details ---- */

bool line_next(const char **details, struct line *line) {
    const char *text = *details;
    size_t n = strcspn(text, "\n"), blanks = strspn(text, " ");
    if (!*text) return false;
    *details = text + n + (text[n] == '\n');
    *line = (struct line){.kind = LINE_WORDS, .text = text, .length = n};
    if (!blanks || blanks >= n) return true;
    bool example = !strncmp(text + blanks, "tyto ", 5) || !strncmp(text + blanks, "TY_", 3);
    line->kind = example ? LINE_EXAMPLE : LINE_INDENTED;
    line->text = text + blanks;
    line->length = n - blanks;
    if (!example) return true;
    for (size_t at = 0; at < line->length; at += strspn(line->text + at, " ")) {
        at += word_length(line->text + at, line->length - at, true);
        size_t gap = strspn(line->text + at, " ");
        if (gap < 2 || at + gap >= line->length) continue;
        line->comment = line->text + at + gap;
        line->comment_length = line->length - at - gap;
        line->length = at;
    }
    return true;
}

static void write_example(struct layout *l, const struct line *line) {
    pad(l, INDENT);
    layout_command(l, INDENT + BELOW, line->text, line->length);
    if (line->comment_length) {
        layout_end(l);
        pad(l, INDENT + BELOW);
        layout_words(l, INDENT + BELOW, line->comment, line->comment_length);
    }
    layout_end(l);
}

/* Write a line that begins with blanks: as it is, if it fits. */
static void write_indented(struct layout *l, const struct line *line) {
    pad(l, INDENT);
    if (INDENT + (int)line->length <= l->width)
        put(l, line->text, line->length);
    else
        layout_words(l, INDENT + BELOW, line->text, line->length);
    layout_end(l);
}

bool layout_details(struct layout *l, const char *details, bool examples) {
    struct line line;
    bool any = false;
    while (line_next(&details, &line)) {
        if ((line.kind == LINE_EXAMPLE) != examples) continue;
        any = true;
        if (line.kind == LINE_WORDS) {
            fill(l, 0, line.text, line.length, !l->column, false);
            if (!line.length) {
                layout_end(l);
                putchar('\n');
            }
            continue;
        }
        layout_end(l);
        if (examples)
            write_example(l, &line);
        else
            write_indented(l, &line);
    }
    layout_end(l);
    return any;
}
