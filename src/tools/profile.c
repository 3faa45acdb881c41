/* tyto profile: prints a profile against the peaks of this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <tyto/profile.h>
#include "compile/watch/profile.h"
#include "tools/command.h"
#include "tools/options/message.h"
#include "tools/options/result.h"
#include "tools/roof.h"

enum { USUAL_ROWS = 30 };

struct settings {
    const char *path;
    int64_t rows;
    bool all, no_roof;
};

/* Print the entries of a profile, the first `most` of them (0: all), against the peaks in operations and bytes a second
   (0: not measured).  False after a message on stderr. */
static bool show(const ty_profile *p, int most, double flops, double bytes) {
    char *table = profile_table(p, most, flops, bytes, precision_or(0));
    int n = ty_profile_count(p);
    if (!table) return complain("out of memory") == EXIT_SUCCESS;
    say("%s", table);
    ty_free(table);
    result_open("kernels", '[');
    for (int i = 0; i < n && (!most || i < most); i++) {
        ty_profile_row row;
        ty_profile_at(p, i, &row);
        result_open(NULL, '{');
        result_text("name", row.name);
        result_whole("calls", row.calls);
        result_number("milliseconds", row.ms);
        result_number("bytes", row.bytes);
        result_number("flops", row.flops);
        result_close();
    }
    result_close();
    result_whole("all_kernels", n);
    return true;
}

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
    if (!p) complain_of(error);
    double flops = p && !s->no_roof ? roof_flops(TY_F32, ty_threads()) : 0;
    double bytes = p && !s->no_roof ? roof_stream(ty_threads()) : 0;
    if (flops > 0) {
        say("roof: %s GFLOP/s (f32) and %s GB/s, measured now with %d thread%s\n",
            shown((char[SHOWN]){0}, 1, 1e-9 * flops), shown((char[SHOWN]){0}, 1, 1e-9 * bytes), ty_threads(),
            plural(ty_threads()));
        result_whole("threads", ty_threads());
        result_number("peak", flops);
        result_number("stream", bytes);
    }
    bool well = p && show(p, s->all ? 0 : (int)s->rows, flops, bytes);
    ty_profile_free(p);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"FILE", &option_file, AT(path), "a profile, written by TY_PROFILE=FILE PROGRAM"},
    {"--rows", &option_count, AT(rows), "show N kernels (30)"},
    {"--all", &option_flag, AT(all), "show all kernels"},
    {"--no-roof", &option_flag, AT(no_roof), "leave out the measurement of the machine's peaks"},
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
    .prints = true,
};
