/* Archives (open files of tensors) and the table of file formats: an entry of formats.def and functions that
   open and write. */
#ifndef IO_ARCHIVE_H
#define IO_ARCHIVE_H
#include "base/for_command.h"
#include <tyto/io.h>
#include "array/dtype.h"
#include "base/arena.h"
#include "io/formats/crc.h"
#include "io/input.h"
#include "io/output.h"

/* One tensor of a file: its dtype, its shape, and the position and encoding of its elements. */
struct archive_entry {
    const char *name;
    bool unread; /* dtype and shape are not known yet */
    ty_dtype dtype;
    int rank;
    int64_t *shape;
    /* First byte and one past the last, in the input; for npz those of the packed member. */
    uint64_t begin, end;
    bool swapped;      /* byte order differs from the machine's */
    bool fortran;      /* column-major order: the first axis varies fastest */
    bool open_end;     /* bytes may follow the elements (raw) */
    bool deflated;     /* npz: member is compressed with deflate */
    uint64_t unpacked; /* npz: size of the member after inflating, in bytes */
    uint32_t crc;      /* npz: CRC-32 of the unpacked member */
};

/* A text of a file's metadata under its key. */
struct archive_pair {
    const char *key, *value;
};

/* Contents of a file: `count` tensors and npairs texts, in memory of the archive's arena. */
struct archive_index {
    int count, npairs;
    struct archive_entry *entries;
    struct archive_pair *pairs;
};

struct format;

/* An open file of tensors. It owns its input and its arena; it has no lock. */
struct ty_archive {
    struct fault fault;
    struct arena arena;
    struct input *input;
    const struct format *format;
    ty_file_options options;
    bool streamed;     /* read from a pipe */
    bool checked;      /* a missing checksum is an error */
    char sum[12];      /* safetensors: digits of the checksum that the file has; "" if it has none */
    uint64_t unpacked; /* npz: total size of all deflated members after inflating, in bytes */
    struct archive_index index;
    ty_tensor *held; /* csv: the tensor, read on opening; owned by the archive */
};

/* Arguments of a write: n tensors, row-major values (or in column order, format->columns), and the output. */
struct writing {
    const char *path; /* path for messages; NULL if the output is not a file */
    struct output *out;
    int n;
    const char *const *names;
    ty_tensor *const *tensors;
    const ty_file_options *options;
    struct fault *fault;
};

/* A file format: a static entry of the table of formats. */
struct format {
    const char *name;
    const char *extensions; /* extensions of file names, separated by blanks */
    bool several;
    bool columns; /* files state if elements are in column order, and `write` takes such values, too */
    bool (*matches)(const uint8_t *head, size_t n);
    /* Read the headers and fill a->index, allocated from a->arena; false sets a->fault. */
    bool (*open)(struct ty_archive *a);
    /* Return the elements of an entry as a tensor owned by the current scope; NULL sets the fault. */
    ty_tensor *(*get)(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
    bool (*write)(struct writing *w);
    const char *doc;
};

enum { FORMAT_HEAD = 64 };
/* Append the names of all formats to a text. */
void format_names(struct text *names);
/* Find a format by name; NULL sets the fault, which lists all names. */
const struct format *format_named(const char *name, struct fault *fault) FOR_COMMAND(format_named);
/* Find a format by the extension of `path`; *gzip says if ".gz" followed it and was ignored. NULL if no
   format has the extension. */
const struct format *format_of_path(const char *path, bool *gzip) FOR_COMMAND(format_of_path);
/* Return true if the ending of the path's name, without ".gz", is one of a list in lower case, separated by blanks. */
bool format_has_ending(const char *path, const char *endings);
/* Find a format by the first n bytes of a file, `head`; NULL if none matches. */
const struct format *format_of_bytes(const uint8_t *head, size_t n) FOR_COMMAND(format_of_bytes);

/* Allocate the only entry of an archive with one unnamed tensor and return it; NULL without memory, with a's
   fault set. */
struct archive_entry *archive_single(struct ty_archive *a);
/* Copy a shape of `rank` sizes into the entry, in memory of the arena; false without memory, with the fault
   set. */
bool entry_shape(struct archive_entry *e, struct arena *arena, int rank, const int64_t *shape,
                 struct fault *fault);
/* Return a copy of n bytes of text in the archive's arena, ended with a zero; NULL without memory, with a's
   fault set. */
const char *archive_text(struct ty_archive *a, const char *text, size_t n);
/* Read the elements of e, which begin at byte e->begin of `in`, or map them if `map` is set and alignment
   and byte order allow. Return a tensor owned by the current scope; NULL sets the fault. */
ty_tensor *elements_read(struct input *in, const struct archive_entry *e, bool map, struct fault *fault);
/* Check an entry's sizes against the bytes that the input has, before anything is allocated, and set
   e->end. `last`: bytes after the elements are an error, too. False sets the fault, also above the unpack
   limit. */
bool elements_check(const struct input *in, struct archive_entry *e, bool last,
                    const ty_file_options *options, struct fault *fault);
/* Return the tensor of entry e, read from the archive's own input: the `get` of most formats. NULL sets the
   fault, also if bytes follow the last elements. */
ty_tensor *archive_get_plain(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
/* Return the most bytes that unpacking `in`, or all its members, may produce: options->most_bytes, or 16
   times the file plus 64 MiB. */
uint64_t unpack_limit(const struct input *in, const ty_file_options *options);
/* Set a fault that unpacking `in` to `bytes` bytes exceeds unpack_limit; always return false. */
bool unpack_refuse(const struct input *in, const ty_file_options *options, uint64_t bytes,
                   struct fault *fault);
/* Write the elements of x, a value without gaps and negative steps, as they lie in memory, in the given byte order;
   false after an error of the output. */
bool elements_write(struct output *out, const ty_tensor *x, bool big_endian);
/* Add the elements of the contiguous value x, in the given byte order, to a checksum of what `out` gets.  False, with the
   output's fault set, at a request to stop. */
bool elements_checksum(struct crc *crc, const ty_tensor *x, bool big_endian, struct output *out);
/* Return true if exactly one tensor and no texts are to be written; else set a fault that names the
   format. */
bool writing_single(struct writing *w, const char *format);
/* Check that no tensor has a dtype for storage, which text does not have; false sets the fault. */
bool writing_numbers(struct writing *w, const char *format);

/* Return true on machines that store the lowest byte first. */
bool machine_is_little_endian(void);

#define FORMAT(name, ...)                                                                                    \
    bool name##_open(struct ty_archive *a);                                                                  \
    bool name##_write(struct writing *w);
#include "io/formats.def"
/* Return true if the file of an open archive is the one whose checksum was verified when it was opened, or has none.
   Called after its tensors were read, it finds changes that were made meanwhile. False sets the fault. */
bool archive_unchanged(const ty_archive *archive, struct fault *fault);
#endif
