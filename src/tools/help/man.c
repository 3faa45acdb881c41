/* Man pages in the macros of man(7). */
#include <ctype.h>
#include <string.h>
#include <tyto/core.h>
#include "base/text.h"
#include "engine/environment.h"
#include "tools/help/help.h"
#include "tools/help/layout.h"

/* Append n bytes of words; characters that roff would change are escaped. */
static void add_bytes(struct text *t, const char *words, size_t n) {
    static const char escaped[][2][5] = {{"\\", "\\e"},  {"-", "\\-"},   {"'", "\\(aq"}, {"`", "\\(ga"},
                                         {"^", "\\(ha"}, {"~", "\\(ti"}, {"\"", "\\(dq"}};
    if (n && *words == '.') text_add(t, "\\&");
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < sizeof escaped / sizeof *escaped && escaped[k][0][0] != words[i]) k++;
        if (k < sizeof escaped / sizeof *escaped)
            text_add(t, "%s", escaped[k][1]);
        else
            text_add_bytes(t, words + i, 1);
    }
}

static void add(struct text *t, const char *words) { add_bytes(t, words, strlen(words)); }

/* Append words between the marks of a font, "B" or "I". */
static void add_font(struct text *t, const char *font, const char *words) {
    text_add(t, "\\f%s", font);
    add(t, words);
    text_add(t, "\\fR");
}

/* Append the entry of a list: `name` in bold and `argument` in italics, then the text. */
static void add_entry(struct text *t, const char *font, const char *name, const char *argument,
                      const char *words) {
    text_add(t, ".TP\n");
    add_font(t, font, name);
    if (argument) {
        text_add(t, " ");
        add_font(t, "I", argument);
    }
    text_add(t, "\n");
    add(t, words);
    text_add(t, "\n");
}

static void add_options(struct text *t, const struct command *c) {
    text_add(t, ".SH OPTIONS\n");
    for (int i = 0; options_table(c, i); i++)
        for (const struct option *o = options_table(c, i); o->name; o++)
            add_entry(t, *o->name == '-' ? "B" : "I", o->name, *o->name == '-' ? o->type->argument : NULL,
                      o->doc);
}

/* Append the lines of the details that are examples, or the others. */
static void add_details(struct text *t, const char *details, bool examples) {
    struct line line;
    bool open = false; /* in lines that are not filled */
    while (line_next(&details, &line)) {
        if ((line.kind == LINE_EXAMPLE) != examples) continue;
        bool whole = line.kind != LINE_WORDS;
        if (whole != open) text_add(t, whole ? ".RS\n.nf\n" : ".fi\n.RE\n.PP\n");
        open = whole;
        if (!line.length)
            text_add(t, ".PP");
        else
            add_bytes(t, line.text, line.length);
        if (line.comment_length) {
            text_add(t, "\n    \\fI");
            add_bytes(t, line.comment, line.comment_length);
            text_add(t, "\\fR");
        }
        text_add(t, "\n");
    }
    if (open) text_add(t, ".fi\n.RE\n");
}

static void add_ends(struct text *t) {
    text_add(t, ".SH EXIT STATUS\n");
#define EXIT(status, words) add_entry(t, "B", status, NULL, words);
#include "tools/options/exits.def"
    text_add(t, ".SH ENVIRONMENT\n");
    const struct environment_row *row;
    for (int i = 0; (row = environment_row(i)); i++) {
        add_entry(t, "B", row->name, NULL, row->doc);
        text_add(t, "Values: ");
        add(t, row->values);
        text_add(t, ".\n");
    }
    add_entry(t, "B", "COLUMNS", NULL, "Width of the help in characters, instead of the terminal's.");
}

static void add_heading(struct text *t, const char *name, const char *words) {
    text_add(t, ".TH TYTO%s", *name ? "-" : "");
    for (const char *at = name; *at; at++) text_add(t, "%c", toupper((unsigned char)*at));
    text_add(t, " 1 \"\" \"tyto %s\" \"Tyto\"\n.SH NAME\ntyto%s%s \\- ", ty_version(), *name ? "\\-" : "",
             name);
    size_t n = strlen(words);
    text_add(t, "%c", tolower((unsigned char)*words));
    add_bytes(t, words + 1, n - 1 - (words[n - 1] == '.'));
    text_add(t, "\n");
}

/* Append references to the pages of all commands but one. */
static void add_see_also(struct text *t, const struct command *but) {
    text_add(t, ".SH SEE ALSO\n");
    if (but) text_add(t, ".BR tyto (1)");
    for (int i = 0; commands[i]; i++)
        if (commands[i] != but) text_add(t, "%s.BR tyto\\-%s (1)", i || but ? ",\n" : "", commands[i]->name);
    text_add(t, "\n");
}

static char *page_of_command(const struct command *c) {
    struct text t = {0}, arguments = {0};
    add_heading(&t, c->name, c->doc);
    text_add(&t, ".SH SYNOPSIS\n\\fBtyto %s\\fR ", c->name);
    options_synopsis(&arguments, c);
    add_bytes(&t, arguments.data ? arguments.data : "", arguments.length);
    text_add(&t, "\n.SH DESCRIPTION\n");
    add(&t, c->doc);
    text_add(&t, "\n");
    add_details(&t, c->details, false);
    add_options(&t, c);
    text_add(&t, ".SH EXAMPLES\n");
    add_details(&t, c->details, true);
    add_ends(&t);
    add_see_also(&t, c);
    t.failed = t.failed || arguments.failed;
    text_drop(&arguments);
    return text_take(&t);
}

static char *page_of_all(void) {
    struct text t = {0};
    add_heading(&t, "", "Arrays, graphs, gradients, and a compiler for them");
    text_add(&t, ".SH SYNOPSIS\n\\fBtyto\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n");
    add(&t,
        "Compute with arrays, tables and networks in files.  The commands have pages of their own, such as");
    text_add(&t, "\n.BR tyto\\-eval (1).\n.SH COMMANDS\n");
    for (int i = 0; commands[i]; i++) add_entry(&t, "B", commands[i]->name, NULL, commands[i]->doc);
    text_add(&t, ".SH OPTIONS\n");
    add_entry(&t, "B", "--help", NULL, "Print the commands; behind a command, its help.");
    add_entry(&t, "B", "--version", NULL, "Print the version.");
    text_add(&t, ".SH EXAMPLES\n");
    for (int i = 0; commands[i]; i++) {
        const char *details = commands[i]->details;
        struct line line;
        while (line_next(&details, &line) && line.kind != LINE_EXAMPLE) continue;
        if (line.kind != LINE_EXAMPLE) continue;
        text_add(&t, "%s", i ? ".PP\n" : "");
        add_bytes(&t, line.text, line.length);
        text_add(&t, "\n");
    }
    add_ends(&t);
    add_see_also(&t, NULL);
    return text_take(&t);
}

char *man_page(const struct command *c) { return c ? page_of_command(c) : page_of_all(); }
