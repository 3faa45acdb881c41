/*
 * The `tyto` command. A subcommand is one file with a struct command, which has a table of options and is
 * listed in main.c. Types of options are tables, too (option_type).
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H
#include <stdbool.h>
#include <stddef.h>
#include "ops/core/field_value.h"
struct text;

/* EXIT_TIMEOUT: --timeout has passed, as of timeout(1); EXIT_SIGNAL: plus the number of the signal. */
enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_SIGNAL = 128 };

/* Type of an option's value; static tables. */
struct option_type {
    const char *argument; /* placeholder in the help, such as "N"; NULL: a flag without argument */
    struct field value;   /* type and range */
    const char *expected; /* words for messages; NULL: those of field_expected */
    bool (*parse)(const char *text, void *place); /* NULL: field_parse; of a list, it checks the text */
    bool
        list; /* the value is a struct option_list; as a positional argument it consumes all remaining ones */
    bool (*takes)(const char *text); /* of a flag: true if the next argument is its value; NULL: none is */
    bool written; /* a file that the command writes, "-" for the standard output: checked before it runs */
    bool read;    /* a file that the command reads, "-" for the standard input, or NAME=FILE */
};
extern const struct option_type option_flag;                             /* bool */
extern const struct option_type option_count;                            /* int64_t, at least 1 */
extern const struct option_type option_width;                            /* int64_t: a number of threads */
extern const struct option_type option_seed;                             /* uint64_t */
extern const struct option_type option_dtype;                            /* int: 1 + a ty_dtype */
extern const struct option_type option_number;                           /* double, above 0 */
extern const struct option_type option_share;                            /* double, at least 0 and below 1 */
extern const struct option_type option_name, option_file, option_folder; /* const char *, not empty */
extern const struct option_type option_source;               /* const char *: a file, folder or name */
extern const struct option_type option_target;               /* const char *: a file to write */
extern const struct option_type option_equation;             /* const char *: any text, even "" */
extern const struct option_type option_words;                /* const char *: any text, even "" */
extern const struct option_type option_text;                 /* const char *: an expression */
extern const struct option_type option_names, option_inputs; /* struct option_list: may be repeated */
extern const struct option_type
    option_any_inputs; /* the same as option_inputs; the command refuses texts without = */
extern const struct option_type option_files, option_sizes; /* struct option_list of FILE and of NAME=SIZE */
extern const struct option_type option_threads;             /* struct option_threads_list, such as "1,2" */

/* A type whose values are the names that named(i) returns, up to NULL; stored is an int, the index. */
#define OPTION_NAMED(placeholder, function)                                                                  \
    {                                                                                                        \
        .argument = placeholder, .value = {.type = FIELD_NAME, .size = sizeof(int), .named = function }      \
    }

/* Values of an option that may be repeated, borrowed from the command line; options_drop frees the items. */
struct option_list {
    int n, capacity;
    const char **items;
};

enum { OPTION_THREADS = 16 };
/* A list of n numbers of threads. */
struct option_threads_list {
    int n, counts[OPTION_THREADS];
};

/* An option of a command. */
struct option {
    const char *name; /* such as "--batch"; without a dash a positional argument: "NETWORK", "[DATA]" */
    const struct option_type *type;
    size_t place;    /* offset of the value in the settings */
    const char *doc; /* "csv: ..." or "npy: ...": the option has an effect on files of this format alone */
};

/* A subcommand. */
struct command {
    const char *name, *doc;
    const char *details; /* lines for its help (help/layout.h); examples begin with two blanks and "tyto" */
    const struct option *options; /* ended by an entry without a name */
    const void *defaults;         /* default settings of `bytes` bytes */
    size_t bytes;
    /* returns the exit status; appends the results to result.h's document, for --json */
    int (*run)(const void *settings);
    bool own_line; /* no progress line: it draws one itself, or measures times */
    bool computes; /* it has --engine */
    bool forks;    /* its children call engine_begin, as drivers do not survive forks */
    bool prints;   /* it has --precision: it prints numbers */
    bool words;    /* options that it lacks are positional arguments */
};
extern const struct command command_train, command_demo, command_info, command_eval, command_convert,
    command_einsum, command_contraction, command_bench, command_graph, command_profile, command_summary,
    command_infer, command_predict, command_evaluate, command_fit, command_devices, command_table,
    command_run, command_check, command_compile, command_generate, command_plot, command_help;

/* Settings that several commands have. */
struct common {
    double timeout;     /* seconds; 0: none */
    int64_t cache;      /* bytes of freed memory to keep; -1: as TY_CACHE says */
    const char *engine; /* NULL: that of the environment */
    int64_t precision;  /* digits of printed numbers; 0: the usual ones */
    bool json, help;
};
/* Return table i, from 0, of the options of a command: its own, those for its kind of results, those of computing
   commands, those of all; NULL after the last. */
const struct option *options_table(const struct command *command, int i);
/* Append the command's arguments as a synopsis writes them: "NETWORK [DATA] [OPTION]...". */
void options_synopsis(struct text *t, const struct command *command);

/* Parse the n arguments after the command's name into settings and *common; false after a message on stderr.  Call
   options_drop in any case. */
bool options_parse(const struct command *command, int n, char **arguments, void *settings,
                   struct common *common);
/* Free the lists of the settings. */
void options_drop(const struct command *command, void *settings);
/* Return true if all files that the command will write, as settings say, can be written now; false after a
   message on stderr. */
bool options_try(const struct command *command, const void *settings);
/* Return true if each given option for files of one format may have an effect: a file that is read may have that format;
   and if only one thing is written to the standard output.  False after a message on stderr. */
bool options_matter(const struct command *command, const void *settings);
/* Return the limit of --most-bytes in the settings; 0: none. */
uint64_t options_most_bytes(const struct command *command, const void *settings);
/* Choose the engine that engine_begin uses: a name borrowed from the command line; NULL: that of the environment. */
void engine_choose(const char *name);
/* Let the calling thread compute on the chosen engine; a device is opened.  False, with the fault set, on failure: the
   message lists the engines and devices that are there. */
bool engine_begin(struct fault *fault);
/* Wait until the thread's engine has computed what it was given, for measurements; false after a message on stderr. */
bool engine_wait(void);
/* Stop computations `seconds` from now; 0: never. */
void deadline_set(double seconds);
/* Stop computations `seconds` from now, or at the limit of --timeout if that is earlier; INFINITY: only at that
   limit. */
void deadline_within(double seconds);
/* Return true if the time of deadline_set has passed. */
bool deadline_passed(void);
/* Print words made safe for a terminal, cut or padded to `width` characters. */
void print_padded(const char *words, int width);
/* Return the ending of a noun after the number n: "" for 1, else "s". */
static inline const char *plural(int64_t n) { return n == 1 ? "" : "s"; }
/* Print "tyto: ..." and a line break to stderr, or keep the message for --json (options/message.h); always return
   EXIT_FAILED. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
