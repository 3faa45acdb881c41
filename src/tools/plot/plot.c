/* tyto plot: data of files, pipes and expressions as pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tyto/graph.h>
#include "tools/options/out.h"
#include "tools/options/result.h"
#include "tools/options/message.h"
#include "tools/plot/kinds.h"

struct settings {
    struct option_list arguments;
    const char *out, *by, *title, *x, *y;
    int kind, format, log;
    int64_t bins, columns, width, height;
    double rate;
    bool dark, numbers, share;
    struct reader_in reader;
};

enum { FORMAT_NONE, FORMAT_SVG, FORMAT_PNG };
enum { LOG_NONE, LOG_X, LOG_Y, LOG_BOTH };
static const char *const formats[] = {"terminal", "svg", "png", NULL};
static const char *format_named(int i) { return formats[i]; }
static const char *log_named(int i) {
    static const char *const names[] = {"none", "x", "y", "xy", NULL};
    return names[i];
}

static bool write_bytes(void *context, const void *bytes, size_t n) {
    return fwrite(bytes, 1, n, context) == n;
}

static bool add_bytes(void *context, const void *bytes, size_t n) {
    struct text *t = context;
    text_add_bytes(t, bytes, n);
    return !t->failed;
}

/* Write the plot to the standard output in a format; false after a message on stderr. */
static bool send(ty_plot *p, int format) {
    ty_tensor *error = NULL;
    bool well = ty_plot_send(p, (ty_sink){stdout, write_bytes}, formats[format], &error);
    if (!well && ferror(stdout)) return complain("standard output could not be written") == EXIT_SUCCESS;
    return well || complain_of(error) == EXIT_SUCCESS;
}

/* Append the picture to the JSON: as SVG, or as the text that a pipe receives.  False after a message on stderr. */
static bool append_picture(ty_plot *p, int format) {
    ty_tensor *error = NULL;
    struct text t = {0};
    if (!format) return result_take("picture", ty_plot_to_string(p, (ty_plot_text_options){0}));
    bool well = ty_plot_send(p, (ty_sink){&t, add_bytes}, formats[format], &error);
    if (well) return result_take("picture", text_take(&t));
    text_drop(&t);
    return complain_of(error) == EXIT_SUCCESS;
}

/* Append what is drawn to the JSON. */
static void describe(const struct plot_data *d, enum plot_kind kind) {
    result_text("kind", kind_name(kind));
    result_open("operands", '[');
    for (int i = 0; i < d->n; i++) result_port(d->operands[i].label, d->operands[i].x);
    result_close();
}

/* Write or print the plot; false after a message on stderr. */
static bool deliver(const struct settings *s, ty_plot *p) {
    ty_tensor *error = NULL;
    if (s->out && !out_is_standard(s->out)) {
        if (!ty_plot_write(p, s->out, &error)) return complain_of(error) == EXIT_SUCCESS;
        result_written(1, &s->out);
        return true;
    }
    if (result_json()) return append_picture(p, s->format);
    if (s->format) return send(p, s->format);
    return ty_plot_print(stdout, p) || complain("the plot could not be printed") == EXIT_SUCCESS;
}

/* Return true if the file's name ends in the format. */
static bool ends_in(const char *path, const char *format) {
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot + 1, format);
}

/* Return true, or false after a message if a plot cannot be so wide or high; 0: chosen. */
static bool is_side(const char *option, int64_t pixels) {
    const int64_t least = 192, most = 14400; /* the limits of ty_plot_options, two pixels a point */
    return !pixels || (pixels >= least && pixels <= most) ||
           complain("%s %lld: expected %lld to %lld pixels", option, (long long)pixels, (long long)least,
                    (long long)most) == EXIT_SUCCESS;
}

/* Return true, or false after a message if options are out of range or exclude each other. */
static bool agree(const struct settings *s) {
    bool standard = s->out && out_is_standard(s->out);
    if (standard && !s->format) return complain("-o -: expected --to svg or --to png, too") == EXIT_SUCCESS;
    if (s->out && !standard && !ends_in(s->out, "svg") && !ends_in(s->out, "png"))
        return complain("-o %s: expected a name that ends in .svg or .png", s->out) == EXIT_SUCCESS;
    if (s->out && !standard && s->format && !ends_in(s->out, formats[s->format]))
        return complain("-o %s and --to %s: expected one of them, or the same format", s->out,
                        formats[s->format]) == EXIT_SUCCESS;
    if (s->format == FORMAT_PNG && !s->out && result_json())
        return complain("--json and --to png: expected -o FILE, too; JSON has no bytes") == EXIT_SUCCESS;
    if (s->format == FORMAT_PNG && (!s->out || standard) && isatty(STDOUT_FILENO))
        return complain("--to png: the terminal would show bytes; expected -o FILE, or > FILE") ==
               EXIT_SUCCESS;
    if (s->dark && !s->out && !s->format)
        return complain("--dark: expected -o or --to, too; the terminal has its own background") ==
               EXIT_SUCCESS;
    if ((s->width || s->height) && !s->out && !s->format)
        return complain("--width and --height: expected -o or --to, too; the terminal's size is that of the "
                        "window") == EXIT_SUCCESS;
    return is_side("--width", s->width) && is_side("--height", s->height);
}

/* Return the options of the plot that the settings say.  A point has two pixels. */
static ty_plot_options options_of(const struct settings *s) {
    return (ty_plot_options){.title = s->title,
                             .x = s->x,
                             .y = s->y,
                             .dark = s->dark,
                             .width = (double)s->width / 2,
                             .height = (double)s->height / 2,
                             .x_log = s->log & LOG_X,
                             .y_log = s->log & LOG_Y};
}

/* Read the data, make the plot and deliver it; false after a message on stderr. */
static bool plot(const struct settings *s, struct plot_data *d) {
    if (!plot_data_read(d, &s->arguments)) return false;
    struct making m = {.data = d, .bins = s->bins, .columns = s->columns, .rate = s->rate};
    m.numbers = s->numbers, m.share = s->share, m.options = options_of(s);
    int n = d->n;
    if (s->by) {
        if (!plot_data_one(d, s->by, d->operands[0].table, &m.by)) return false;
        m.grouped = true;
        m.by.x = ty_eval(m.by.x);
        if (!ty_ok(m.by.x)) return complain_about(m.by.x, "--by %s", s->by) == EXIT_SUCCESS;
    }
    d->n = n; /* the operand of --by is none of the plot's */
    enum plot_kind kind = s->kind ? (enum plot_kind)s->kind : kind_choose(&m);
    ty_plot *p = kind_takes(&m, kind) ? kind_make(&m, kind) : NULL;
    if (p) describe(d, kind);
    bool well = p && deliver(s, p);
    ty_plot_free(p);
    d->n += s->by != NULL;
    return well;
}

static int run(const void *given) {
    const struct settings *s = given;
    if (!s->arguments.n) return complain("data are missing; see tyto plot --help"), EXIT_USAGE;
    if (!agree(s)) return EXIT_USAGE;
    struct plot_data *d = calloc(1, sizeof *d);
    if (!d) return complain("out of memory");
    d->reader = &s->reader;
    ty_scope *scope = ty_open();
    bool well = plot(s, d);
    plot_data_drop(d);
    ty_close(scope);
    free(d);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

static const struct option_type option_kind = OPTION_NAMED("KIND", kind_name);
static const struct option_type option_log = OPTION_NAMED("AXES", log_named);
static const struct option_type option_format = OPTION_NAMED("FORMAT", format_named);
static bool parse_data(const char *text, void *place) {
    (void)place;
    return *text;
}
static const struct option_type option_data = {.argument = "DATA",
                                               .expected = "a file, FILE:COLUMN or an expression",
                                               .parse = parse_data,
                                               .list = true,
                                               .read = true};

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"DATA", &option_data, AT(arguments),
     "FILE, FILE:KEY, FILE.csv:COLUMN, - for the standard input, an expression, or NAME=DATA for one"},
    {"-o", &option_target, AT(out),
     "write a picture: FILE.png or FILE.svg; without it, draw in the terminal"},
    {"--to", &option_format, AT(format), "write a picture to the standard output: svg or png"},
    {"--kind", &option_kind, AT(kind),
     "line, points, histogram, bars, heat, images, spectrum, spectrogram or confusion (chosen by the data)"},
    {"--by", &option_name, AT(by), "colour by a column of the same table, or by DATA"},
    {"--title", &option_name, AT(title), "write this title above the picture"},
    {"--x", &option_name, AT(x), "write this label at the horizontal axis, such as \"time (s)\""},
    {"--y", &option_name, AT(y), "write this label at the vertical axis"},
    {"--log", &option_log, AT(log), "make axes logarithmic: x, y or xy"},
    {"--rate", &option_number, AT(rate), "take a signal to have X samples a second"},
    {"--bins", &option_count, AT(bins), "divide a histogram into N intervals (chosen)"},
    {"--share", &option_flag, AT(share), "draw shares in the place of counts"},
    {"--numbers", &option_flag, AT(numbers), "write the numbers in the cells of a heat map"},
    {"--columns", &option_count, AT(columns), "show a grid of images in N columns (chosen)"},
    {"--dark", &option_flag, AT(dark), "draw light colours on a dark background"},
    {"--width", &option_count, AT(width), "make the picture N pixels wide (922)"},
    {"--height", &option_count, AT(height), "make the picture N pixels high (691)"},
    READER_OPTIONS(AT(reader)),
    {0}};
static const struct settings defaults = {0};

const struct command command_plot = {
    .name = "plot",
    .doc = "Plot data of files, pipes or expressions, as a picture or in the terminal.",
    .details =
        "  tyto plot titanic.csv:Age --by Survived -o age.png          a histogram for each class\n"
        "  tyto plot titanic.csv:Age titanic.csv:Fare --by Sex         points\n"
        "  tyto plot titanic.csv:Embarked                              bars of words\n"
        "  tyto plot 'sin(x) / x' 'x=linspace(-20, 20, 500)'           a line\n"
        "  tyto plot loss.npy --log y -o loss.svg                      a line over 0, 1, ...\n"
        "  tyto plot digits.npz:images --columns 10 -o digits.png      a grid of images\n"
        "  tyto plot sound.npy --kind spectrogram --rate 44100\n"
        "  tyto plot answers.csv:truth answers.csv:predicted --kind confusion\n"
        "  seq 100 | tyto plot - --title Numbers --to svg > numbers.svg\n"
        "Chosen by the data: words are counted in bars, a column has a histogram, two have points or, if\n"
        "the first ascends, a line; vectors are lines, matrices heat maps, more axes images.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .computes = true};
