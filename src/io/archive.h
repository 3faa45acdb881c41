/* What a file turned out to hold, and what a format is: one row of formats.def and functions that open and
 * write. */
#ifndef IO_ARCHIVE_H
#define IO_ARCHIVE_H
#include <tyto/io.h>
#include "array/dtype.h"
#include "base/arena.h"
#include "io/crc.h"
#include "io/input.h"
#include "io/output.h"

/* One tensor of a file: where and how its elements lie. */
struct archive_entry {
    const char *name;
    bool unread; /* its form is not known yet */
    ty_dtype dtype;
    int rank;
    int64_t *shape;
    uint64_t begin, end; /* bytes in the input (npz: of the packed member) */
    bool swapped;        /* the other order of bytes */
    bool fortran;        /* the first axis runs fastest */
    bool open_end;       /* bytes may follow the elements (raw) */
    bool deflated;       /* npz */
    uint64_t unpacked;   /* npz: bytes of the member */
    uint32_t crc;        /* npz */
};

struct archive_pair {
    const char *key, *value;
};

struct archive_index {
    int count, npairs;
    struct archive_entry *entries;
    struct archive_pair *pairs;
};

struct format;

struct ty_archive {
    struct fault fault;
    struct arena arena;
    struct input *input;
    const struct format *format;
    ty_file_options options;
    bool checked;      /* a checksum is required */
    uint64_t unpacked; /* npz: bytes of all deflated members together */
    struct archive_index index;
    ty_tensor *held; /* csv: the tensor, read at once */
};

/* Tensors to be written: values, row-major. */
struct writing {
    const char *path; /* NULL: no file */
    struct output *out;
    int n;
    const char *const *names;
    ty_tensor *const *tensors;
    const ty_file_options *options;
    struct fault *fault;
};

struct format {
    const char *name;
    const char *extensions; /* separated by blanks */
    bool several;
    bool (*matches)(const uint8_t *head, size_t n);
    /* Fills a->index; memory from a->arena. */
    bool (*open)(struct ty_archive *a);
    /* The elements of an entry, registered with the scope; NULL with a sentence. */
    ty_tensor *(*get)(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
    bool (*write)(struct writing *w);
    const char *doc;
};

enum { FORMAT_HEAD = 64 };
/* By name; NULL with a sentence. */
const struct format *format_named(const char *name, struct fault *fault);
/* The format whose extension the path has, before ".gz" (then *gzip); NULL: none. */
const struct format *format_of_path(const char *path, bool *gzip);
/* The format of the first bytes; NULL: none. */
const struct format *format_of_bytes(const uint8_t *head, size_t n);

/* Room for one entry, which is returned; NULL: no memory, told. */
struct archive_entry *archive_single(struct ty_archive *a);
/* Remembers a shape in the entry, in memory of the arena. */
bool entry_shape(struct archive_entry *e, struct arena *arena, int rank, const int64_t *shape,
                 struct fault *fault);
/* A text in the archive's memory; NULL: no memory, told. */
const char *archive_text(struct ty_archive *a, const char *text, size_t n);
/* The elements of e, which lie in `in` at e->begin; mapped where `map` and their form allow. */
ty_tensor *elements_read(struct input *in, const struct archive_entry *e, bool map, struct fault *fault);
/* Checks an entry's sizes, sets e->end, and compares the bytes it needs with what the input has, before
   anything is allocated for them; `last`: nothing may follow them. */
bool elements_check(const struct input *in, struct archive_entry *e, bool last,
                    const ty_file_options *options, struct fault *fault);
/* elements_read on the archive's own input: the `get` of most formats. */
ty_tensor *archive_get_plain(struct ty_archive *a, const struct archive_entry *e, struct fault *fault);
/* What unpacking `in`, or all members of it, may come to: what the options say, or 16 times its file and 64 MiB. */
uint64_t unpack_limit(const struct input *in, const ty_file_options *options);
/* "would unpack to more ..."; false. */
bool unpack_refuse(const struct input *in, const ty_file_options *options, uint64_t bytes,
                   struct fault *fault);
/* Hands the elements of a contiguous value to `take`, piece by piece, in either order of bytes; false when it is. */
bool elements_each(const ty_tensor *x, bool big_endian, bool (*take)(void *to, const void *bytes, size_t n),
                   void *to);
/* Writes them; adds them to a checksum. */
bool elements_write(struct output *out, const ty_tensor *x, bool big_endian);
void elements_checksum(struct crc *crc, const ty_tensor *x, bool big_endian);
/* The one tensor of a format without names; false when there are others. */
bool writing_single(struct writing *w, const char *format);

/* Whether numbers lie in memory with their lowest byte first. */
bool machine_is_little_endian(void);
/* Reverses the bytes of `count` elements of 1, 2, 4 or 8 bytes. */
void bytes_reverse(void *data, size_t count, size_t width);

#define FORMAT(name, ...)                                                                                    \
    bool name##_open(struct ty_archive *a);                                                                  \
    bool name##_write(struct writing *w);
#include "io/formats.def"
#endif
