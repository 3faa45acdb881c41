/* Pictures of plots: files, bytes, tensors and text. */
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/files/folders.h"
#include "base/options.h"
#include "io/output.h"
#include "base/machine/floating.h"
#include "plot/chart.h"

#define PIXELS 2.0 /* of a PNG in a point: sharp on screens of 144 pixels an inch */

static bool write_svg(struct scene *s, const char *title, struct output *out) {
    return scene_svg(s, title, out);
}
static bool write_png(struct scene *s, const char *title, struct output *out) {
    (void)title;
    return scene_png(s, PIXELS, out);
}
static const struct {
    const char *name;
    bool (*write)(struct scene *s, const char *title, struct output *out);
} formats[] = {{"svg", write_svg}, {"png", write_png}};

/* Return the number of a format; -1, with the fault set, if there is none. */
static int format_named(const char *name, struct fault *fault) {
    for (size_t i = 0; name && i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(name, formats[i].name)) return (int)i;
    fault_set(fault, E_ARGUMENT, "plot: format \"%s\"; expected svg or png", name ? name : "");
    return -1;
}

/* Begin a page and draw the plot on it; false sets the fault.  scene_end must be called in any case. */
static bool draw(struct scene *s, const ty_plot *p, struct fault *fault) {
    if (p->fault.set) {
        scene_begin(s, 1, 1, (struct colour){0});
        return fault_copy(fault, &p->fault);
    }
    scene_begin(s, p->o.width, p->o.height, theme_of(p)->page);
    if (!s->fault.set) chart_draw(s, p, (struct chart_form){0});
    return !s->fault.set || fault_copy(fault, &s->fault);
}

/* Write the plot to an output that has begun; false sets the fault. */
static bool write_to(const ty_plot *p, int format, struct output *out, struct fault *fault) {
    struct scene s;
    bool well = draw(&s, p, fault);
    if (well && !formats[format].write(&s, p->o.title, out))
        well = s.fault.set ? fault_copy(fault, &s.fault)
                           : fault_set(fault, E_FILE, "plot: it could not be written");
    scene_end(&s);
    return well;
}

bool ty_plot_write(ty_plot *plot, const char *path, ty_tensor **error) {
    FLOATING_DEFAULT;
    const ty_plot *p = plot_of(plot);
    struct fault fault = {0};
    const char *dot = path ? strrchr(folders_name(path), '.') : NULL;
    if (error) *error = NULL;
    if (p->fault.set) return options_told(error, tensor_fault(&p->fault));
    if (!dot)
        fault_set(&fault, E_ARGUMENT, "plot_write: \"%s\"; expected a name that ends in .svg or .png",
                  path ? path : "");
    int format = fault.set ? -1 : format_named(dot + 1, &fault);
    struct output out;
    if (format >= 0 && output_to_path(&out, path, &fault)) {
        bool well = write_to(p, format, &out, &fault);
        if (output_end(&out, well) && well) return true;
    }
    return options_told(error, tensor_fault(&fault));
}

bool ty_plot_send(ty_plot *plot, ty_sink sink, const char *format, ty_tensor **error) {
    FLOATING_DEFAULT;
    const ty_plot *p = plot_of(plot);
    struct fault fault = {0};
    struct output out;
    if (error) *error = NULL;
    int number = p->fault.set ? -1 : format_named(format, &fault);
    if (p->fault.set) fault_copy(&fault, &p->fault);
    if (!fault.set && !sink.write) fault_set(&fault, E_ARGUMENT, "plot_send: sink.write is NULL");
    if (!fault.set) {
        output_to_sink(&out, sink, &fault);
        bool well = write_to(p, number, &out, &fault);
        if (output_end(&out, well) && well) return true;
    }
    return options_told(error, tensor_fault(&fault));
}

ty_tensor *ty_plot_image(ty_plot *plot, double scale) {
    FLOATING_DEFAULT;
    const ty_plot *p = plot_of(plot);
    struct fault fault = {0};
    struct scene s;
    int columns = 0, rows = 0;
    if (!(scale >= 0 && isfinite(scale)))
        return ty_poison_code(TY_ERROR_ARGUMENT, "plot_image: scale %g; expected above 0, or 0 for 2", scale);
    bool well = draw(&s, p, &fault);
    uint8_t *pixels = well ? scene_raster(&s, scale > 0 ? scale : PIXELS, &columns, &rows) : NULL;
    if (well && !pixels) fault_copy(&fault, &s.fault);
    scene_end(&s);
    struct ty_tensor *x = pixels ? tensor_new_value(TY_U8, 3, (int64_t[]){rows, columns, 4}) : NULL;
    if (x) memcpy(tensor_data(x), pixels, (size_t)rows * (size_t)columns * 4);
    mem_free(pixels);
    return fault.set ? tensor_fault(&fault) : tensor_return(x);
}

/* ---- text ---- */

/* Return the plot as text; NULL sets the fault. */
static char *text_of(const ty_plot *p, const ty_plot_text_options *o, struct fault *fault) {
    struct scene s;
    struct text t = {0};
    if (p->fault.set) {
        fault_copy(fault, &p->fault);
        return NULL;
    }
    int columns = o->columns ? o->columns : 80;
    /* rows: cells are twice as high as wide, and more than 30 would scroll the plot away */
    double fit = columns * p->o.height / p->o.width / 2;
    int rows = o->rows ? o->rows : (int)fmin(fmax(fit, 10), 30);
    struct terminal terminal = {columns, (enum terminal_colours)o->colours, o->ascii};
    struct chart_form form = {true, o->ascii, o->colours == TY_PLOT_COLOURS_NONE};
    scene_begin_cells(&s, columns, rows, theme_of(p)->page);
    if (!s.fault.set) chart_draw(&s, p, form);
    if (!s.fault.set) scene_terminal(&s, &terminal, &t);
    if (s.fault.set) fault_copy(fault, &s.fault);
    scene_end(&s);
    char *text = fault->set ? NULL : text_take(&t);
    text_drop(&t);
    return text;
}

char *ty_plot_to_string_sized(ty_plot *plot, const ty_plot_text_options *options, size_t size) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_plot_text_options o;
    if (!OPTIONS_READ(o, options, size, &fault) || !OPTIONS_UNUSED(&o, "text of a plot", &fault)) return NULL;
    if (o.columns < 0 || o.rows < 0 || (unsigned)o.colours >= TY_PLOT_COLOURS) return NULL;
    return text_of(plot_of(plot), &o, &fault);
}

/* Return the colours of the terminal by the usual variables of the environment. */
static ty_plot_colours colours_of_terminal(void) {
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM"), *more = getenv("COLORTERM");
    if ((none && *none) || !term || !*term || !strcmp(term, "dumb")) return TY_PLOT_COLOURS_NONE;
    if (more && (!strcmp(more, "truecolor") || !strcmp(more, "24bit"))) return TY_PLOT_COLOURS_TRUE;
    return strstr(term, "256") ? TY_PLOT_COLOURS_256 : TY_PLOT_COLOURS_16;
}

/* Return true if the user's locale has UTF-8, whether or not the program has called setlocale. */
static bool locale_has_utf8(void) {
    locale_t user = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (user == (locale_t)0) return false;
    const char *codes = nl_langinfo_l(CODESET, user);
    bool has = !strcasecmp(codes, "UTF-8") || !strcasecmp(codes, "utf8");
    freelocale(user);
    return has;
}

bool ty_plot_print(FILE *file, ty_plot *plot) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct winsize size;
    ty_plot_text_options o = {.ascii = !locale_has_utf8()};
    if (!file) return errno = EINVAL, false;
    int descriptor = fileno(file);
    if (descriptor >= 0 && isatty(descriptor)) {
        o.colours = colours_of_terminal();
        if (!ioctl(descriptor, TIOCGWINSZ, &size) && size.ws_col) {
            o.columns = size.ws_col < 1000 ? size.ws_col : 1000;
            if (size.ws_row > 6 && size.ws_row < 30) o.rows = size.ws_row - 2;
        }
    }
    char *text = text_of(plot_of(plot), &o, &fault);
    if (!text) return errno = fault.code == E_MEMORY ? ENOMEM : EINVAL, false;
    bool well = fputs(text, file) >= 0;
    mem_free(text);
    return well;
}
