/* Tables of files, memory and sources. */
#include <string.h>
#include <tyto/table.h>
#include "array/progress.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "io/foreign.h"
#include "io/tables.h"

/* An input and the limit of its bytes. */
struct text_input {
    struct input *in;
    ty_file_options options;
};

static bool read_text(void *context, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault) {
    struct text_input *t = context;
    if (!input_read(t->in, at, out, n, got, fault)) return false;
    return t->in->exact || at + *got <= unpack_limit(t->in, &t->options) ||
           unpack_refuse(t->in, &t->options, at + *got, fault);
}

static bool refuse_bytes(void *context, uint64_t bytes, struct fault *fault) {
    struct text_input *t = context;
    return unpack_refuse(t->in, &t->options, bytes, fault);
}

/* Return about the number of bytes of text, 0 if it is unknown.  The last 4 bytes of gzip have that of its last member,
   modulo 2^32. */
static uint64_t about_bytes(struct text_input *t) {
    struct input *packed = t->in->parent;
    struct fault fault = {0};
    uint8_t end[4];
    size_t got;
    if (t->in->exact) return t->in->size;
    if (!packed || packed->size < sizeof end) return 0;
    if (!input_read(packed, packed->size - sizeof end, end, sizeof end, &got, &fault) || got < sizeof end)
        return 0; /* a read that matters will fail, too */
    uint64_t n = end[0] | end[1] << 8 | end[2] << 16 | (uint64_t)end[3] << 24;
    return n <= unpack_limit(t->in, &t->options) ? n : 0;
}

ty_table *table_of_input(struct input *in, const ty_table_options *options, struct table_rules *rules) {
    struct text_input text = {in, {.most_bytes = options->most_bytes}};
    struct table_input source = {.name = in->name, .context = &text, .read = read_text};
    if (in->exact) source.size = in->size;
    source.about = about_bytes(&text);
    if (!in->exact && rules) {
        source.most = unpack_limit(in, &text.options);
        source.refuse = refuse_bytes;
    }
    return table_read(&source, options, rules);
}

/* Return false, with the fault set, if the bytes of an input are those of a format that is no text. */
static bool check_text(struct input *in, struct fault *fault) {
    uint8_t head[FORMAT_HEAD];
    size_t n = 0;
    struct fault unread = {0};
    if (!foreign_check(in, false, fault)) return false;
    if (!input_read(in, 0, head, sizeof head, &n, &unread)) return true; /* the reader meets it, too */
    const struct format *format = format_of_bytes(head, n);
    bool text = true;
    for (size_t i = 0; i < n; i++) text &= head[i] >= '\t' && head[i] != 0x7f;
    return text || !format ||
           fault_set(fault, E_FORMAT, "%s: is a file of the format %s, not a table as delimited text (csv)",
                     in->name, format->name);
}

/* Return the table of an input, which is closed; NULL is one with the fault set. */
static ty_table *read_input(struct input *in, const ty_table_options *options, struct fault *fault) {
    in = input_unwrap(in, fault);
    if (!in) return table_failed(fault);
    ty_table *t = check_text(in, fault) ? table_of_input(in, options, NULL) : table_failed(fault);
    input_close(in);
    return t;
}

/* Check that the signs differ and are none of those that mean something else; false sets the fault. */
static bool check_signs(const ty_table_options *o, struct fault *fault) {
    const struct {
        const char *name;
        char sign;
    } signs[] = {{"delimiter", o->delimiter},
                 {"decimal sign", o->decimal},
                 {"sign of thousands", o->thousands},
                 {"sign of comments", o->comment}};
    enum { SIGNS = sizeof signs / sizeof *signs };
    for (int i = 0; i < SIGNS; i++) {
        char c = signs[i].sign;
        if (c && ((unsigned char)c >= 0x80 || strchr("\"\r\n-+eE0123456789", c)))
            return fault_set(
                fault, E_ARGUMENT,
                "the %s is %s%c; expected a character of ASCII that is no quote, line end, digit, "
                "sign of numbers or e",
                signs[i].name, c == '\r' || c == '\n' ? "a line end, " : "", c);
        for (int k = 0; c && k < i; k++)
            if (signs[k].sign == c)
                return fault_set(fault, E_ARGUMENT,
                                 "the %s and the %s are both '%c'; expected different ones", signs[k].name,
                                 signs[i].name, c);
    }
    return true;
}

bool table_check(const ty_table_options *o, struct fault *fault) {
    if (o->header < TY_HEADER_GUESSED || o->header > TY_HEADER_NONE)
        return fault_set(fault, E_ARGUMENT,
                         "unknown header %d; expected TY_HEADER_GUESSED, TY_HEADER_FIRST or TY_HEADER_NONE",
                         (int)o->header);
    if (o->nmissing < 0 || (o->nmissing && !o->missing))
        return fault_set(fault, E_ARGUMENT, "the array of %d words for missing elements is NULL",
                         o->nmissing);
    for (int i = 0; i < o->nmissing; i++)
        if (!o->missing[i]) return fault_set(fault, E_ARGUMENT, "word %d for missing elements is NULL", i);
    if (o->skip_rows < 0 || o->rows < 0)
        return fault_set(fault, E_ARGUMENT, "%lld lines to skip and %lld rows to read; expected 0 or more",
                         (long long)o->skip_rows, (long long)o->rows);
    return check_signs(o, fault) && options_unused(&o->unused, sizeof o->unused, "table", fault);
}

/* Copy the caller's options and check them; false sets the fault. */
static bool read_options(ty_table_options *options, const ty_table_options *given, size_t size,
                         const char *function, struct fault *fault) {
    return options_read(options, sizeof *options, given, size, function, fault) &&
           table_check(options, fault);
}

ty_table *ty_table_read_sized(const char *path, const ty_table_options *given, size_t size) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("read");
    ty_table_options options;
    struct fault fault = {0};
    if (!read_options(&options, given, size, __func__, &fault)) return table_failed(&fault);
    return read_input(input_stream(path, options.most_bytes, &fault), &options, &fault);
}

ty_table *ty_table_parse_sized(const void *bytes, size_t n, const ty_table_options *given, size_t size) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("read");
    ty_table_options options;
    struct fault fault = {0};
    if (!read_options(&options, given, size, __func__, &fault)) return table_failed(&fault);
    return read_input(input_memory("table", bytes, n, &fault), &options, &fault);
}

ty_table *ty_table_receive_sized(const char *name, ty_source source, const ty_table_options *given,
                                 size_t size) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("read");
    ty_table_options options;
    struct fault fault = {0};
    if (!read_options(&options, given, size, __func__, &fault)) return table_failed(&fault);
    return read_input(input_source(name ? name : "source", source, &fault), &options, &fault);
}
