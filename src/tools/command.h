/*
 * The `tyto` command: a subcommand is one file that ends in one struct with a table of options, listed in
 * main.c.  Options are rows; what a row's text may be is a row too (option_type).
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H
#include <stdbool.h>
#include <stddef.h>
#include "base/nearest.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 };

struct option_type {
    const char *argument; /* "N" in the help; NULL: a flag that takes nothing */
    const char *expected; /* "a whole number of at least 1" */
    bool (*parse)(const char *text, void *place);
    bool repeats; /* an argument without a dash takes all that follow */
    bool written; /* a file that the command writes: tried before it runs */
};
extern const struct option_type option_flag;                             /* bool */
extern const struct option_type option_count;                            /* int64_t, at least 1 */
extern const struct option_type option_width;                            /* the same: a number of threads */
extern const struct option_type option_seed;                             /* uint64_t */
extern const struct option_type option_number;                           /* double, above 0 */
extern const struct option_type option_share;                            /* double, 0 to below 1 */
extern const struct option_type option_name, option_file, option_folder; /* const char *, not empty */
extern const struct option_type option_target;                           /* the same: a file to be written */
extern const struct option_type option_equation;                         /* the same: any text, "" too */
extern const struct option_type option_text;                             /* the same: an expression */
extern const struct option_type option_names, option_inputs; /* struct option_list: given again and again */
extern const struct option_type option_files, option_sizes;  /* the same: of FILE, of NAME=SIZE */
extern const struct option_type option_threads;              /* struct option_threads_list: "1,2" */

enum { OPTION_LIST = 64 };
struct option_list {
    int n;
    const char *items[OPTION_LIST];
};

enum { OPTION_THREADS = 16 };
struct option_threads_list {
    int n, counts[OPTION_THREADS];
};

struct option {
    const char *name; /* "--batch"; an argument without a dash is the row whose name has none: "NETWORK" */
    const struct option_type *type;
    size_t place; /* offsetof the settings */
    const char *doc;
};

struct command {
    const char *name, *doc;
    const char *details;          /* a paragraph for its help, "" for none */
    const struct option *options; /* ends in a row without a name */
    const void *defaults;         /* of `bytes` settings */
    size_t bytes;
    int (*run)(const void *settings); /* returns the exit status */
};
extern const struct command command_train, command_demo, command_info, command_eval, command_convert,
    command_einsum, command_contraction, command_bench, command_graph, command_profile, command_summary,
    command_infer, command_predict;

/* Reads the arguments after the command's name into settings; false after a message on stderr. */
bool options_parse(const struct command *command, int n, char **arguments, void *settings);
/* Whether all files that the command will write can be written now; false after a message on stderr. */
bool options_try(const struct command *command, const void *settings);
/* "tyto: ..." and a line end on stderr; returns EXIT_FAILED. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
