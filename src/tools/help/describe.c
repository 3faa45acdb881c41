/* The tables of commands and options as JSON, for programs that call the command. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "tools/help/help.h"
#include "tools/help/layout.h"
#include "tools/options/result.h"

static void add_value(void *context, const char *name) {
    (void)context;
    result_text(NULL, name);
}

static void describe_option(const struct option *o) {
    result_open(NULL, '{');
    result_text("name", o->name);
    result_text("argument", *o->name == '-' ? o->type->argument : NULL);
    result_flag("repeatable", o->type->list);
    result_text("doc", o->doc);
    result_open("values", '[');
    option_names_of(o, add_value, NULL);
    result_close();
    result_close();
}

/* Append the lines of the details that are examples. */
static void add_examples(const char *details) {
    struct line line;
    while (line_next(&details, &line)) {
        struct text t = {0};
        if (line.kind != LINE_EXAMPLE) continue;
        text_add_bytes(&t, line.text, line.length);
        if (t.data && !t.failed) result_text(NULL, t.data);
        text_drop(&t);
    }
}

void help_describe(const struct command *c) {
    result_open(NULL, '{');
    result_text("name", c->name);
    result_text("doc", c->doc);
    result_open("options", '[');
    for (int i = 0; options_table(c, i); i++)
        for (const struct option *o = options_table(c, i); o->name; o++) describe_option(o);
    result_close();
    result_open("examples", '[');
    add_examples(c->details);
    result_close();
    result_close();
}
