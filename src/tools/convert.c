/* tyto convert: copies the tensors of one file into another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/shape.h>
#include <unistd.h>
#include "io/archive.h"
#include "base/files/folders.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/out.h"
#include "tools/options/result.h"

struct settings {
    struct file_in in;
    struct file_out out;
    const char *name, *rename, *delimiter, *header;
    int64_t precision, rate, bits;
    int dtype; /* 0, or 1 + a ty_dtype */
    bool deflate;
};

/* Tensors to write. */
struct load {
    int n;
    const char **names;
    ty_tensor **tensors;
};

/* Append tensor i, from 0, of the archive, cast and renamed as requested, to l; false after a message on
   stderr if it is poison. */
static bool add(struct load *l, const struct settings *s, const ty_archive *a, int i) {
    ty_tensor *x = ty_archive_at(a, i);
    if (s->dtype) x = ty_cast(x, (ty_dtype)(s->dtype - 1));
    l->names[l->n] = s->rename ? s->rename : ty_archive_name(a, i);
    l->tensors[l->n++] = x;
    if (!ty_ok(x)) complain_of(x);
    return ty_ok(x);
}

/* Append the requested tensor of the archive to l, or all of them without --name; false after a message on
   stderr, also if there is no such tensor or --rename is given for several. */
static bool choose(struct load *l, const struct settings *s, const ty_archive *a) {
    struct nearest near = {.wanted = s->name};
    bool ok = true, found = !s->name;
    for (int i = 0; ok && i < ty_archive_count(a); i++) {
        bool wanted = !s->name || !strcmp(s->name, ty_archive_name(a, i));
        if (s->name) nearest_offer(&near, ty_archive_name(a, i));
        if (wanted) ok = found = add(l, s, a, i);
        if (wanted && !ok) return false;
    }
    if (!found && ty_archive_count(a) == 1 && !*ty_archive_name(a, 0))
        complain("--name %s: the one tensor of %s has no name; leave out --name", s->name, s->in.path);
    else if (!found)
        complain("%s: has no tensor %s%s", s->in.path, s->name,
                 nearest_known(&near, (char[NEAREST_KNOWN]){0}));
    if (found && s->rename && l->n > 1)
        complain("--rename: %s holds %d tensors: choose one by --name", s->in.path, l->n);
    return found && !(s->rename && l->n > 1);
}

/* Set keys[] and values[], which have room for all, to the texts of the archive except the checksum, which
   belongs to its file; return their number. The texts are borrowed. */
static int take_texts(const ty_archive *a, const char **keys, const char **values) {
    int n = 0;
    for (int i = 0; ty_archive_pair(a, i, &keys[n], &values[n]); i++)
        if (strcmp(keys[n], "checksum")) n++;
    return n;
}

/* Return the number of texts in an archive. */
static int count_texts(const ty_archive *a) {
    const char *key, *value;
    int n = 0;
    while (ty_archive_pair(a, n, &key, &value)) n++;
    return n;
}

/* Return true if OUT's format for n arrays is `name`. */
static bool writes(const struct settings *s, int n, const char *name) {
    const char *format = out_format(&s->out, n);
    return format && !strcmp(format, name);
}

/* Return true unless several arrays would go to a file of one; false after a message. */
static bool check_number(const struct settings *s, const struct load *l, const ty_archive *a) {
    struct fault fault = {0};
    const struct format *format = format_named(out_format(&s->out, l->n), &fault);
    char names[ARRAY_NAMES];
    if (l->n < 2 || !format || format->several) return true;
    return complain("%s has %s; a file of the format %s has one: --name %s selects it, or write .npz",
                    s->in.path, file_names(a, names), format->name, ty_archive_name(a, 0)) == EXIT_SUCCESS;
}

/* Append the format of OUT, the written tensors and the file to the JSON. */
static void tell(const struct settings *s, const struct load *l, const char *format) {
    result_text("format", format);
    result_open("tensors", '[');
    for (int i = 0; i < l->n; i++) result_port(l->names[i], l->tensors[i]);
    result_close();
    result_written(1, &s->out.path);
}

/* Return the options of a writer that the settings give. */
static ty_file_options writer_options(const struct settings *s) {
    ty_file_options options = {.deflate = s->deflate, .header = s->header, .precision = (int)s->precision};
    options.delimiter = character_of(s->delimiter);
    options.rate = s->rate;
    options.bits = s->bits;
    return options;
}

/* Return the number in a text of the archive; 0 if there is none. */
static int64_t text_number(const ty_archive *a, const char *key) {
    const char *text = ty_archive_meta(a, key);
    return text ? strtoll(text, NULL, 10) : 0;
}

/* Write the tensors of l, and the archive's texts if the format has them, to OUT; false after a message on
   stderr. */
static bool write_out(const struct settings *s, const struct load *l, const ty_archive *a) {
    size_t room = (size_t)count_texts(a) + 1;
    const char **texts = calloc(2 * room, sizeof *texts);
    if (!texts) return !complain("out of memory");
    ty_file_options options = writer_options(s);
    if (!s->header) options.header = ty_archive_meta(a, "columns");
    options.keys = texts;
    options.values = texts + room;
    int n = take_texts(a, texts, texts + room);
    if (writes(s, l->n, "safetensors")) options.nmeta = n;
    bool sound = writes(s, l->n, "wav");
    if (sound && !s->rate) options.rate = text_number(a, "rate");
    if (sound && !s->bits && !s->dtype) options.bits = text_number(a, "bits");
    bool lost = n > 0 && !options.nmeta && !sound && !ty_archive_meta(a, "columns");
    bool written = out_save(&s->out, l->n, l->names, l->tensors, options);
    free(texts);
    if (written) tell(s, l, out_format(&s->out, l->n));
    if (written && lost)
        complain("%s: the texts of %s are left out, because only safetensors can store them", s->out.path,
                 s->in.path);
    return written;
}

/* Convert the requested tensors of the archive to OUT; false after a message on stderr. */
static bool convert(const struct settings *s, const ty_archive *a) {
    size_t n = (size_t)ty_archive_count(a) + 1;
    struct load l = {0, calloc(n, sizeof *l.names), calloc(n, sizeof *l.tensors)};
    ty_scope *scope = ty_open();
    bool ok = l.names && l.tensors ? choose(&l, s, a) && check_number(s, &l, a) && write_out(s, &l, a)
                                   : !complain("out of memory");
    ty_close(scope);
    free(l.names);
    free(l.tensors);
    return ok;
}

/* Convert the array or the columns that IN, as FILE:KEY, selects; false after a message on stderr. */
static bool convert_one(const struct settings *s) {
    ty_scope *scope = ty_open();
    ty_tensor *x = file_tensor(s->in.path, &s->in.reader);
    bool ok = ty_ok(x);
    if (ok && s->dtype) x = ty_cast(x, (ty_dtype)(s->dtype - 1));
    if (ok && !ty_ok(x)) ok = complain_of(x) == EXIT_SUCCESS;
    const char *colon = folders_key(s->in.path), *name = s->rename ? s->rename : colon ? colon + 1 : "x";
    ty_file_options options = writer_options(s);
    const struct load l = {1, &name, &x};
    if (ok && s->name) ok = complain("--name %s: %s selects already", s->name, s->in.path) == EXIT_SUCCESS;
    ok = ok && out_save(&s->out, 1, &name, &x, options);
    if (ok) tell(s, &l, out_format(&s->out, 1));
    ty_close(scope);
    return ok;
}

/* Return true, or false after a message if OUT's format gives an option no effect. */
static bool agree(const struct settings *s) {
    const char *text = s->precision   ? "--precision"
                       : s->header    ? "--to-header"
                       : s->delimiter ? "--to-delimiter"
                                      : NULL;
    if (!out_check(&s->out, "OUT")) return false;
    if (text && !writes(s, 1, "csv"))
        return complain("%s: it is for csv, not %s", text, out_format(&s->out, 1)) == EXIT_SUCCESS;
    if ((s->rate || s->bits) && !writes(s, 1, "wav"))
        return complain("%s: it is for wav, not %s", s->rate ? "--rate" : "--bits", out_format(&s->out, 1)) ==
               EXIT_SUCCESS;
    if (s->deflate && !writes(s, 2, "npz"))
        return complain("--deflate: it is for npz, not %s; the ending .gz compresses",
                        out_format(&s->out, 2)) == EXIT_SUCCESS;
    return true;
}

/* Run the command convert with the parsed settings `settings`; return the exit status. */
static int run(const void *settings) {
    const struct settings *s = settings;
    if (!s->in.path || !s->out.path) {
        complain("convert needs two files, IN and OUT; see tyto convert --help");
        return EXIT_USAGE;
    }
    if (!agree(s)) return EXIT_USAGE;
    bool whole = s->in.format || s->in.dtype || !access(s->in.path, F_OK) || !strpbrk(s->in.path, ":[") ||
                 reader_streams(s->in.path);
    if (!whole) return convert_one(s) ? EXIT_SUCCESS : EXIT_FAILED;
    ty_archive *a = file_open(&s->in);
    bool ok = a && convert(s, a);
    ty_archive_free(a);
    return ok ? EXIT_SUCCESS : EXIT_FAILED;
}

static const struct option options[] = {
    {"IN", &option_file, offsetof(struct settings, in.path),
     "npy, npz, safetensors, csv, mtx, idx, raw, png, jpeg, pnm, wav; also gzipped; FILE:KEY selects one "
     "array, "
     "and FILE.csv:COLUMN a column"},
    FILE_OUT_OPTIONS(
        struct settings, "OUT",
        "a file of the same formats, chosen by its extension; .gz compresses it; - is the standard output"),
    {"--name", &option_name, offsetof(struct settings, name), "convert only this tensor"},
    {"--rename", &option_name, offsetof(struct settings, rename),
     "with --name: write the tensor under this name"},
    {"--dtype", &option_dtype, offsetof(struct settings, dtype), "convert the elements: f32, i64, ..."},
    {"--deflate", &option_flag, offsetof(struct settings, deflate), "to npz: compress the tensors"},
    {"--precision", &option_count, offsetof(struct settings, precision),
     "to csv: write so many significant digits (as many as needed)"},
    {"--to-header", &option_name, offsetof(struct settings, header), "to csv: write this first line"},
    {"--to-delimiter", &option_character, offsetof(struct settings, delimiter),
     "to csv: write this character between cells (',')"},
    {"--rate", &option_count, offsetof(struct settings, rate),
     "to wav: write this number of frames a second (that of a wav read)"},
    {"--bits", &option_count, offsetof(struct settings, bits),
     "to wav: write 24 bits of i32 (all bits of the dtype, or those of a wav read)"},
    FILE_IN_OPTIONS(struct settings),
    {0}};
static const struct settings defaults = {0};
const struct command command_convert = {
    .name = "convert",
    .doc = "Copy the tensors of a file to a file of another format.",
    .details = "OUT is written atomically: if the command is interrupted, the old file remains.\n"
               "  tyto convert table.csv table.npy --dtype f32\n"
               "  tyto convert weights.safetensors weights.npz --deflate\n"
               "  tyto convert weights.npz bias.csv --name layer1.bias\n"
               "  tyto convert samples.bin samples.npy --raw-dtype i16 --raw-shape 1000,3\n"
               "  tyto convert samples.npy samples.wav --rate 44100\n"
               "npy, csv, mtx, idx, raw, wav and images hold one tensor; npz and safetensors hold several.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run};
