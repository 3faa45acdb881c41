/*
 * Data in and out: files of arrays, archives, checkpoints, the built-in digits and MNIST.
 *
 * Files are untrusted: every size in them is compared with the bytes that are really there before any
 * memory is asked for, and what is wrong comes back as a sentence with the file's name.  Writing is
 * atomic: after a crash the old file or the new one stands there, never a part.  A symbolic link stays, and its target is
 * replaced.  Only devices, pipes and descriptors (/dev/stdout) are written in place.
 */
#ifndef TYTO_IO_H
#define TYTO_IO_H

#include <tyto/core.h>
#include <tyto/graph.h> /* ty_update */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data sets ------------------------------------------------------------------------------------- */

/* Samples first .. first + n - 1 of an endless set of handwritten-like digits: *images u8[n,28,28,1],
   *labels u8[n].  Sample i depends on (seed, i) only.  False: both are poisoned. */
TY_API bool ty_digits(uint64_t seed, int64_t first, int64_t n, ty_tensor **images, ty_tensor **labels);

/* The four files of MNIST in `directory`, plain or .gz, either the 60,000 for training or the 10,000 for
   testing: *images u8[n,28,28,1], *labels u8[n] below 10.  False: both are poisoned. */
TY_API bool ty_mnist(const char *directory, bool train, ty_tensor **images, ty_tensor **labels);

/* ---- files ------------------------------------------------------------------------------------------

   npy          one tensor: versions 1 to 3, C and Fortran order, either order of bytes.  bf16 is written as
                <V2, which npy has no name for, and read back so with `bf16` set
   npz          several, stored or deflated
   safetensors  several, with texts; little-endian
   csv          numbers in rows and columns, any delimiter
   mtx          Matrix Market's matrix, dense: an array, or coordinates among zeros, of which equal ones are added up; written
                as an array.  ty_matrix_market_load reads it sparse
   idx          one tensor: MNIST's format
   png          one image, u8 or u16 (H,W,C), C = 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA: samples of 1, 2 and 4 bits
                are stretched to 8; a palette is RGB; what counts as transparent gives alpha.  Takes libspng.
   jpeg         one image, u8 (H,W,C): grey, or RGB, to which four inks (CMYK) are mixed; read only.  Takes libjpeg.
   pnm          one image, u8 or u16 (H,W,1 or 3): PGM and PPM, P2 P3 P5 P6; a greatest sample other than 255 and 65535
                is stretched to one of them
   raw          elements and nothing else: the reader is told dtype and shape

   Images are written from (H,W) too.  An orientation in Exif data (JPEG, PNG) is applied, as viewers do: the first row is
   the top of the picture.

   Each may be inside gzip (x.csv.gz).  A format is recognised by its first bytes, else by the extension. */

/* What a reader or writer is told; zeros are the defaults. */
typedef struct ty_file_options {
    const char *format; /* "npy", ...; NULL: recognised (reading), the extension's (writing) */
    bool map;           /* read: elements stay in the file, mapped copy-on-write, where their form allows;
                             whoever cuts the file off meanwhile ends the program */
    bool bf16;          /* read: elements of two bytes without a name in npy are bf16 */
    bool deflate;       /* write: compress the members of an npz */
    uint64_t
        most_bytes; /* read: refuse what unpacks to more, all members of an npz together, the pixels of an
                             image, the cells of a csv inside gzip; 0: 16 times the file and 64 MiB */
    char delimiter; /* csv: 0: found out (reading), comma (writing); ' ': blanks */
    char comment; /* csv, read: lines from it to their end are skipped; 0: '#' where a line begins or between
                            blanks */
    int64_t skip_rows; /* csv, read: lines that are passed over first */
    /* csv, read: a column whose first cell that is there is a word has words; its cells count as their places among those of
       the column in the order of bytes, whose names are the text "words:3" of column 3, counted from 0 */
    bool words;
    bool
        rounded; /* csv, read: whole numbers of more digits than an f64 has may be rounded to one, which a blank or a
                        real number in the table makes of all */
    bool unturned;        /* images, read: the orientation of Exif data is not applied */
    const char *header;   /* csv, write: a first line */
    int precision;        /* csv, write: significant digits; 0: as few as read back the same */
    ty_dtype dtype;       /* raw, read */
    int rank;             /* raw, read: -1: one axis of as many elements as there are */
    const int64_t *shape; /* raw, read */
    uint64_t offset;      /* raw, read: bytes before the elements */
    int nmeta;            /* safetensors, write: texts with their keys */
    const char *const *keys, *const *values;
} ty_file_options;

/* The one tensor in a file of any format; poisoned when there are several or the file is damaged. */
TY_API ty_tensor *ty_load(const char *path);
/* Writes x to a file, atomically, in the format of the extension.  False: nothing changed on disk, and *error
   (when given; registered with the scope) tells why. */
TY_API bool ty_save(const char *path, ty_tensor *x, ty_tensor **error);
/* Elements that lie row-major in a file from byte `offset` on, mapped copy-on-write: read when they are used,
   never written.  Unmapped after the last use. */
TY_API ty_tensor *ty_map(const char *path, ty_dtype dtype, int rank, const int64_t *shape, uint64_t offset);

/* ---- archives: the named tensors of a file ------------------------------------------------------------ */

typedef struct ty_archive ty_archive;

/* Where bytes come from that are in no file: read_at with `size`, or read alone, front to end.  Both give up
   to n bytes and return how many: 0 at the end, negative for a failure. */
typedef struct ty_source {
    void *context;
    uint64_t size;
    int64_t (*read_at)(void *context, uint64_t at, void *out, size_t n);
    int64_t (*read)(void *context, void *out, size_t n);
} ty_source;

/* Opens a file of any format and reads what it holds, elements only when they are asked for.  Never NULL: see
   ty_archive_error.  Ended with ty_archive_free; tensors got from it live on. */
TY_API ty_archive *ty_archive_open(const char *path, ty_file_options options);
/* The same from n bytes in memory, which outlive the archive. */
TY_API ty_archive *ty_archive_parse(const void *bytes, size_t n, ty_file_options options);
/* The same from the caller's functions, which are called until the archive is ended; `name` is for sentences
   and outlives it. */
TY_API ty_archive *ty_archive_read(const char *name, ty_source source, ty_file_options options);
/* NULL is allowed. */
TY_API void ty_archive_free(ty_archive *archive);

/* "" when the archive is well. */
TY_API const char *ty_archive_error(const ty_archive *archive);
/* "npy", ...; "" of a failed one. */
TY_API const char *ty_archive_format(const ty_archive *archive);
/* How many tensors it holds, in the order in the file; 0 of a failed one. */
TY_API int ty_archive_count(const ty_archive *archive);
/* Name i, "" in formats without names; NULL outside.  Lives as long as the archive. */
TY_API const char *ty_archive_name(const ty_archive *archive, int i);
/* Form of tensor i, without reading it; false outside, or when only reading tells.  *shape lives as long as
   the archive. */
TY_API bool ty_archive_form(const ty_archive *archive, int i, ty_dtype *dtype, int *rank,
                            const int64_t **shape);
/* A tensor with the elements of the name; poisoned when there is none, or they are damaged. */
TY_API ty_tensor *ty_archive_get(const ty_archive *archive, const char *name);
/* The same of tensor i. */
TY_API ty_tensor *ty_archive_at(const ty_archive *archive, int i);
/* The text that goes with the key (safetensors; "columns": a csv's first line); NULL when there is none.
   Lives as long as the archive. */
TY_API const char *ty_archive_meta(const ty_archive *archive, const char *key);
/* Pair i of texts in the order of the file; false outside. */
TY_API bool ty_archive_pair(const ty_archive *archive, int i, const char **key, const char **value);

/* Where bytes go that are for no file; false stops the writing. */
typedef struct ty_sink {
    void *context;
    bool (*write)(void *context, const void *bytes, size_t n);
} ty_sink;

/* Writes n named tensors (promises are evaluated in one program; names are distinct) to `path`, atomically.
   npy, csv, idx, raw hold one, of any name.  False: nothing changed on disk, and *error (when given;
   registered with the scope) tells why. */
TY_API bool ty_archive_save(const char *path, int n, const char *const *names, ty_tensor *const *tensors,
                            ty_file_options options, ty_tensor **error);
/* The same to the caller's function; options.format is given. */
TY_API bool ty_archive_send(ty_sink sink, int n, const char *const *names, ty_tensor *const *tensors,
                            ty_file_options options, ty_tensor **error);
/* The same into memory of *size bytes, which the caller frees with ty_free; NULL: failed. */
TY_API void *ty_archive_bytes(int n, const char *const *names, ty_tensor *const *tensors,
                              ty_file_options options, size_t *size, ty_tensor **error);

/* Format i of this build, for help texts: *extensions are separated by blanks.  NULL outside. */
TY_API const char *ty_format_name(int i, const char **extensions, const char **doc);

/* Checkpoints: safetensors with a checksum over the whole file.  Keys are distinct and not "checksum". */
TY_API bool ty_checkpoint_save(const char *path, int n, const char *const *names, ty_tensor *const *tensors,
                               int nmeta, const char *const *keys, const char *const *values,
                               ty_tensor **error);
/* Reads the whole file at once; without a valid checksum it is refused. */
TY_API ty_archive *ty_checkpoint_load(const char *path);

/* ---- graphs ------------------------------------------------------------------------------------------

   What promises compute, with the values that it is computed from: a safetensors file, whose texts have the structure as
   JSON (docs/graph_format.md).  A training step is the loss and the updates of its variables. */

typedef struct ty_graph ty_graph;

typedef struct ty_graph_options {
    const ty_update *updates; /* nupdates of them: which variables (ty_var) become what */
    int nupdates;
    bool no_values; /* leave out the values of variables: they are zeros when the graph is loaded */
} ty_graph_options;

/* Writes n outputs of distinct names, and everything that they and the updates are computed from, to `path`, atomically.
   What is shared stays shared; an output that is a value is a constant.  False: nothing changed on disk, and *error (when
   given; registered with the scope) tells why. */
TY_API bool ty_graph_save(const char *path, int n, const char *const *names, ty_tensor *const *outputs,
                          ty_graph_options options, ty_tensor **error);
/* The same into memory of *size bytes, which the caller frees with ty_free; NULL: failed. */
TY_API void *ty_graph_bytes(int n, const char *const *names, ty_tensor *const *outputs,
                            ty_graph_options options, size_t *size, ty_tensor **error);
/* Records the graph of a file anew: dtypes and shapes are inferred again and compared with what the file says.  Never
   NULL: see ty_graph_error.  Of the options `map` and `most_bytes` count, which bounds what the structure and variables
   without values may take.  Ended with ty_graph_free; tensors got from it live on. */
TY_API ty_graph *ty_graph_load(const char *path, ty_file_options options);
/* The same from n bytes in memory. */
TY_API ty_graph *ty_graph_parse(const void *bytes, size_t n, ty_file_options options);
/* NULL is allowed. */
TY_API void ty_graph_free(ty_graph *graph);
/* "" when the graph is well. */
TY_API const char *ty_graph_error(const ty_graph *graph);
/* How many outputs it has, in the order in which they were saved; 0 of a failed one. */
TY_API int ty_graph_count(const ty_graph *graph);
/* Name of output i; NULL outside.  Lives as long as the graph. */
TY_API const char *ty_graph_name(const ty_graph *graph, int i);
/* The output of that name: a promise, or the value that it was.  Poison when there is none. */
TY_API ty_tensor *ty_graph_get(const ty_graph *graph, const char *name);
/* The same of output i. */
TY_API ty_tensor *ty_graph_at(const ty_graph *graph, int i);
/* How many variables it reads or updates. */
TY_API int ty_graph_variables(const ty_graph *graph);
/* Variable i (ty_name tells its name), which ty_assign gives a value; poison outside. */
TY_API ty_tensor *ty_graph_variable(const ty_graph *graph, int i);
/* The variable of that name; poison when there is none, or several. */
TY_API ty_tensor *ty_graph_find(const ty_graph *graph, const char *name);
/* The *n updates, for ty_compile; they live as long as the graph. */
TY_API const ty_update *ty_graph_updates(const ty_graph *graph, int *n);

#ifdef __cplusplus
}
#endif
#endif
