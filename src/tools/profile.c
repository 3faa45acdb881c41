/* tyto profile: prints a profile against the peaks of this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <tyto/profile.h>
#include "tools/command.h"
#include "tools/roof.h"

enum { USUAL_ROWS = 30 };

struct settings {
    const char *path;
    int64_t rows;
    bool all, no_roof;
};

/* Run the command profile with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    if (!s->path) {
        complain("a file is missing; see tyto profile --help");
        return EXIT_USAGE;
    }
    ty_scope *scope = ty_open();
    ty_tensor *error = NULL;
    ty_profile *p = ty_profile_load(s->path, &error);
    int status = p ? EXIT_SUCCESS : complain("%s", ty_error(error));
    double flops = p && !s->no_roof ? roof_flops(TY_F32, ty_threads()) : 0;
    double bytes = p && !s->no_roof ? roof_stream(ty_threads()) : 0;
    char *table = p ? ty_profile_table(p, s->all ? 0 : (int)s->rows, flops, bytes) : NULL;
    if (flops > 0)
        printf("roof: %.1f GFLOP/s (f32) and %.1f GB/s, measured now with %d thread%s\n", 1e-9 * flops,
               1e-9 * bytes, ty_threads(), plural(ty_threads()));
    if (table)
        fputs(table, stdout);
    else if (p)
        status = complain("out of memory");
    ty_free(table);
    ty_profile_free(p);
    ty_close(scope);
    return status;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"FILE", &option_file, AT(path), "a profile, written by TY_PROFILE=FILE PROGRAM"},
    {"--rows", &option_count, AT(rows), "number of kernels to show (30)"},
    {"--all", &option_flag, AT(all), "show all kernels"},
    {"--no-roof", &option_flag, AT(no_roof), "do not measure the machine's peaks"},
    {0}};

const struct command command_profile = {
    .name = "profile",
    .doc = "Show the time of each kernel in a profile.",
    .details =
        "To write a profile, run any program that uses Tyto with TY_PROFILE=FILE in its environment.\n"
        "chrome://tracing and ui.perfetto.dev show FILE too.  \"roof\" is the shortest possible time of a\n"
        "kernel at this machine's peaks, as a percentage of its measured time; \"cache\" marks kernels that\n"
        "are faster than memory.\n"
        "  TY_PROFILE=lenet.json tyto train lenet --epochs 1\n"
        "  tyto profile lenet.json --rows 10",
    .options = options,
    .defaults = &(const struct settings){.rows = USUAL_ROWS},
    .bytes = sizeof(struct settings),
    .run = run,
    .own_line = true,
};
