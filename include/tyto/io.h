/*
 * Files of arrays, archives, checkpoints and graphs.
 *
 * Files are untrusted: every size in them is compared with the bytes that exist before memory is allocated; errors
 * name the file.  Writing is atomic: after a crash the old or the new file exists, never a part.  A symbolic link
 * stays, and its target is replaced.  Only devices, pipes and descriptors (/dev/stdout) are written in place.
 */
#ifndef TYTO_IO_H
#define TYTO_IO_H

#include <tyto/core.h>
#include <tyto/graph.h> /* ty_update */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- files ----
 *
 *   npy          one tensor: versions 1 to 3, C and Fortran order, either byte order.  bf16 is written as <V2, since
 *                npy has no name for it, and read back so with `bf16` set.  A value in column order (ty_is_columns) is
 *                written in Fortran order, which NumPy does, too; reading gives column order.  Neither copies
 *   npz          several, stored or deflated; orders as in npy
 *   safetensors  several, with texts; little-endian
 *   csv          delimited text of numbers, read as ty_table_read (tyto/table.h) does, but to one array in the dtype of
 *                all cells: bool, i64, u64, f64, c128; a vector if there is one column.  Truth values beside numbers are
 *                0 and 1, and missing elements NaN.  A record of numbers alone has no names.  With the format "csv" in the
 *                options, the path may be a pipe
 *   mtx          Matrix Market's matrix, dense: an array, or coordinates among zeros, of which equal ones are added;
 *                written as an array.  ty_matrix_market_load reads it sparse
 *   idx          one tensor: MNIST's format
 *   png          one image, u8 or u16 (H,W,C), C = 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA: samples of 1, 2 and 4 bits
 *                are scaled to 8; a palette becomes RGB; a transparent colour gives alpha.  Needs libspng.
 *   jpeg         one image, u8 (H,W,C): grey, or RGB, to which CMYK is converted; read only.  Needs libjpeg.
 *   pnm          one image, u8 or u16 (H,W,1 or 3): PGM and PPM, P2 P3 P5 P6; a maximum other than 255 and 65535 is
 *                scaled to one of them
 *   wav          sound, u8, i16, i32, f32 or f64 (frames), or (frames, channels): PCM of 8 to 32 bits, i64 of 64, floats; 24
 *                bits are the upper ones of i32.  The texts "rate" (frames a second) and "bits" say more.  RIFF, RIFX,
 *                RF64 are read; RIFF is written, from 4 GiB on RF64
 *   raw          elements alone: the options give dtype and shape
 *
 * Images are written from (H,W) too.  An orientation in Exif data (JPEG, PNG) is applied, as viewers do: the first row
 * is the top of the picture.  Each format may be inside gzip (x.csv.gz).  It is recognised by its first bytes, else by
 * the extension.
 */

/* Options of readers and writers; zeros are the defaults. */
typedef struct ty_file_options {
    const char *format; /* "npy", ...; NULL: recognised (reading), the extension's (writing) */
    /* read: map elements copy-on-write instead of reading them, if dtype and layout allow; truncating the file
       meanwhile crashes the process */
    bool map;
    /* read: elements of two bytes without a name in npy are bf16 */
    bool bf16;
    /* write: compress the members of an npz */
    bool deflate;
    /* read: limit in bytes for unpacked data: all members of an npz, the pixels of an image, the cells of a csv
       inside gzip; 0 means 16 times the file and 64 MiB */
    uint64_t most_bytes;
    /* csv: 0: detected (reading), comma (writing); ' ': blanks */
    char delimiter;
    /* csv, read: text from this character to the end of the line is skipped; 0 means '#' between blanks or before a
       line that has another number of cells */
    char comment;
    /* csv, read: number of lines to skip at the start */
    int64_t skip_rows;
    /* csv, read: columns may hold words.  Each cell becomes the index of its word among the column's words in byte
       order.  Their names are the text "words:3" of column 3, counted from 0.  Else a word is an error */
    bool words;
    /* csv, read: integers of more digits than an f64 holds may be rounded; a blank or a real number in the table
       makes all cells f64 */
    bool rounded;
    /* images, read: ignore the orientation of Exif data */
    bool unturned;
    /* csv, write: the first line */
    const char *header;
    /* csv, write: significant digits; 0 means as few as read back the same */
    int precision;
    /* raw, read */
    ty_dtype dtype;
    /* raw, read: -1: one axis of all elements */
    int rank;
    /* raw, read */
    const int64_t *shape;
    /* raw, read: bytes before the elements */
    uint64_t offset;
    /* safetensors, write: number of texts and their keys */
    int nmeta;
    const char *const *keys, *const *values;
    /* csv, read: as in ty_table_options (tyto/table.h): signs of numbers, short records, the line of names (a
       ty_header), and nmissing words for missing elements (NULL: those of docs/data.md) */
    char decimal, thousands;
    bool ragged;
    int names;
    int nmissing;
    const char *const *missing;
    /* wav, write: frames a second; needed */
    int64_t rate;
    /* wav, write: 24: the upper 24 bits of i32; 0: all bits of the dtype */
    int64_t bits;
} ty_file_options;

/* Read the only tensor in a file of any format, of the file's dtype and shape.  Poison if the file cannot be read,
   is damaged or holds several. */
TY_API ty_tensor *ty_load(const char *path);
/* Write x to a file, atomically, in the format of the extension; a promise is evaluated.  False on failure: nothing
   changed on disk, and *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_API bool ty_save(const char *path, ty_tensor *x, ty_tensor **error);
/* Map elements that lie row-major in a file from byte `offset` on, copy-on-write: they are read when used, and
   the file is never written.  Unmapped after the last use.  Poison if the file is missing or too short. */
TY_API ty_tensor *ty_map(const char *path, ty_dtype dtype, int rank, const int64_t *shape, uint64_t offset);

/* ---- archives: the named tensors of a file ------------------------------------------------------------ */

/* An open file with its named tensors. */
typedef struct ty_archive ty_archive;

/* A source of bytes other than a file: read_at with `size`, or read alone, front to end.  Both fill up to n bytes
   and return their number: 0 at the end, negative on failure. */
typedef struct ty_source {
    void *context;
    uint64_t size;
    int64_t (*read_at)(void *context, uint64_t at, void *out, size_t n);
    int64_t (*read)(void *context, void *out, size_t n);
} ty_source;

TY_API ty_archive *ty_archive_open_sized(const char *path, const ty_file_options *options, size_t size);
/* Open a file of any format and read its directory; elements are read on request, as `options` say.  Never NULL:
   ty_archive_error returns the reason of a failure.  The caller frees it with ty_archive_free; tensors from it
   live on. */
TY_INLINE ty_archive *ty_archive_open(const char *path, ty_file_options options) {
    return ty_archive_open_sized(path, &options, sizeof options);
}
TY_API ty_archive *ty_archive_parse_sized(const void *bytes, size_t n, const ty_file_options *options,
                                          size_t size);
/* Open an archive of n bytes in memory, which must outlive it, to read as `options` say.  Never NULL:
   ty_archive_error returns the reason of a failure.  The caller frees it with ty_archive_free. */
TY_INLINE ty_archive *ty_archive_parse(const void *bytes, size_t n, ty_file_options options) {
    return ty_archive_parse_sized(bytes, n, &options, sizeof options);
}
TY_API ty_archive *ty_archive_read_sized(const char *name, ty_source source, const ty_file_options *options,
                                         size_t size);
/* Open an archive from the caller's functions in `source`, which are called until it is freed, to read as `options`
   say.  `name` (NULL: "source") is for error messages and must outlive it.  Never NULL: ty_archive_error returns
   the reason of a failure.  The caller frees it with ty_archive_free. */
TY_INLINE ty_archive *ty_archive_read(const char *name, ty_source source, ty_file_options options) {
    return ty_archive_read_sized(name, source, &options, sizeof options);
}
/* Free an archive; tensors from it live on.  NULL is allowed. */
TY_API void ty_archive_free(ty_archive *archive);

/* Return the error message of an archive, "" if it is valid.  The text lives as long as the archive. */
TY_API const char *ty_archive_error(const ty_archive *archive);
/* Return the error of an archive as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_archive_failure(const ty_archive *archive);
/* Return the name of the format, such as "npy"; "" if the archive has failed. */
TY_API const char *ty_archive_format(const ty_archive *archive);
/* Return the number of tensors; 0 if the archive has failed.  They are numbered from 0 in the order of the file. */
TY_API int ty_archive_count(const ty_archive *archive);
/* Return the name of tensor i, counted from 0; "" in formats without names, NULL if i is outside.  It lives as
   long as the archive. */
TY_API const char *ty_archive_name(const ty_archive *archive, int i);
/* Get dtype, rank and shape of tensor i, counted from 0, without reading it; *shape lives as long as the
   archive.  False if i is outside, a pointer is NULL, or only reading tells. */
TY_API bool ty_archive_form(const ty_archive *archive, int i, ty_dtype *dtype, int *rank,
                            const int64_t **shape);
/* Return the tensor of a name, read now, or with options.map mapped; the scope owns it.  Poison if there is none,
   or if its elements are damaged. */
TY_API ty_tensor *ty_archive_get(const ty_archive *archive, const char *name);
/* Return tensor i, counted from 0, read now, or with options.map mapped; the scope owns it.  Poison if i is
   outside, or if its elements are damaged. */
TY_API ty_tensor *ty_archive_at(const ty_archive *archive, int i);
/* Return the text of a key (safetensors; "columns": the names of columns of a csv); NULL if there is none.  It lives as
   long as the archive. */
TY_API const char *ty_archive_meta(const ty_archive *archive, const char *key);
/* Get key and text of pair i, counted from 0 in the order of the file (safetensors; the first line of a csv).
   They live as long as the archive.  False if i is outside. */
TY_API bool ty_archive_pair(const ty_archive *archive, int i, const char **key, const char **value);

/* A destination of bytes other than a file; `write` returns false to stop the writing. */
typedef struct ty_sink {
    void *context;
    bool (*write)(void *context, const void *bytes, size_t n);
} ty_sink;

TY_API bool ty_archive_save_sized(const char *path, int n, const char *const *names,
                                  ty_tensor *const *tensors, const ty_file_options *options, size_t size,
                                  ty_tensor **error);
/* Write n tensors of distinct names to the file `path`, atomically; promises are evaluated in one program.  npy,
   csv, idx and raw hold one tensor, of any name.  False on failure: nothing changed on disk, and *error, unless
   NULL, receives a poisoned tensor that the scope owns. */
TY_INLINE bool ty_archive_save(const char *path, int n, const char *const *names, ty_tensor *const *tensors,
                               ty_file_options options, ty_tensor **error) {
    return ty_archive_save_sized(path, n, names, tensors, &options, sizeof options, error);
}
TY_API bool ty_archive_send_sized(ty_sink sink, int n, const char *const *names, ty_tensor *const *tensors,
                                  const ty_file_options *options, size_t size, ty_tensor **error);
/* Write n tensors of distinct names to the caller's function sink.write; options.format is required.  False on
   failure: *error, unless NULL, receives a poisoned tensor that the scope owns.  Some bytes may have been
   written then. */
TY_INLINE bool ty_archive_send(ty_sink sink, int n, const char *const *names, ty_tensor *const *tensors,
                               ty_file_options options, ty_tensor **error) {
    return ty_archive_send_sized(sink, n, names, tensors, &options, sizeof options, error);
}
TY_API void *ty_archive_bytes_sized(int n, const char *const *names, ty_tensor *const *tensors,
                                    const ty_file_options *options, size_t options_size, size_t *size,
                                    ty_tensor **error);
/* Write n tensors of distinct names into new memory of *size bytes, which the caller frees with ty_free;
   options.format is required.  NULL on failure: *size is 0, and *error, unless NULL, receives a poisoned tensor
   that the scope owns. */
TY_INLINE void *ty_archive_bytes(int n, const char *const *names, ty_tensor *const *tensors,
                                 ty_file_options options, size_t *size, ty_tensor **error) {
    return ty_archive_bytes_sized(n, names, tensors, &options, sizeof options, size, error);
}

/* Return the name of format i of this build, counted from 0, for help texts; NULL if i is outside.  *extensions,
   separated by blanks, and *doc (either may be NULL) are static texts. */
TY_API const char *ty_format_name(int i, const char **extensions, const char **doc);

/* Write n tensors and nmeta pairs of key and text as a checkpoint: a safetensors file with a checksum over the
   whole file.  Names and keys are distinct; "checksum" is no key.  False on failure: nothing changed on disk,
   and *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_API bool ty_checkpoint_save(const char *path, int n, const char *const *names, ty_tensor *const *tensors,
                               int nmeta, const char *const *keys, const char *const *values,
                               ty_tensor **error);
/* Read a whole checkpoint at once; a file without a valid checksum is a failure.  Never NULL: ty_archive_error
   returns the reason of a failure.  The caller frees it with ty_archive_free. */
TY_API ty_archive *ty_checkpoint_load(const char *path);

/*
 * ---- graphs ----
 *
 * A graph file holds the operators of promises and the values that they are computed from: a safetensors file, whose
 * texts hold the structure as JSON (docs/graph_format.md).  A training step is the loss and the updates of its
 * variables.
 */

/* A graph read from a file. */
typedef struct ty_graph ty_graph;

/* Options of writing a graph. */
typedef struct ty_graph_options {
    const ty_update *updates; /* nupdates entries: variables (ty_var) and their new values */
    int nupdates;
    bool no_values; /* leave out the values of variables: they are zeros when the graph is loaded */
    bool unused[3];
} ty_graph_options;

TY_API bool ty_graph_save_sized(const char *path, int n, const char *const *names, ty_tensor *const *outputs,
                                const ty_graph_options *options, size_t size, ty_tensor **error);
/* Write n outputs of distinct names, and the graph of these and of options.updates, to `path`, atomically.
   Shared parts stay shared; an output that is a value becomes a constant.  False on failure: nothing changed on
   disk, and *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_INLINE bool ty_graph_save(const char *path, int n, const char *const *names, ty_tensor *const *outputs,
                             ty_graph_options options, ty_tensor **error) {
    return ty_graph_save_sized(path, n, names, outputs, &options, sizeof options, error);
}
TY_API void *ty_graph_bytes_sized(int n, const char *const *names, ty_tensor *const *outputs,
                                  const ty_graph_options *options, size_t options_size, size_t *size,
                                  ty_tensor **error);
/* Write a graph, as ty_graph_save, into new memory of *size bytes, which the caller frees with ty_free.  NULL on
   failure: *size is 0, and *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_INLINE void *ty_graph_bytes(int n, const char *const *names, ty_tensor *const *outputs,
                               ty_graph_options options, size_t *size, ty_tensor **error) {
    return ty_graph_bytes_sized(n, names, outputs, &options, sizeof options, size, error);
}
TY_API ty_graph *ty_graph_load_sized(const char *path, const ty_file_options *options, size_t size);
/* Read a graph from the file `path` and record it anew; inferred dtypes and shapes are compared with those in
   the file.  Of the options `map` and `most_bytes` count; the latter limits the bytes of the structure and of
   variables without values.  Never NULL: ty_graph_error returns the reason of a failure.  The caller frees it
   with ty_graph_free; tensors from it live on. */
TY_INLINE ty_graph *ty_graph_load(const char *path, ty_file_options options) {
    return ty_graph_load_sized(path, &options, sizeof options);
}
TY_API ty_graph *ty_graph_parse_sized(const void *bytes, size_t n, const ty_file_options *options,
                                      size_t size);
/* Read a graph from n bytes in memory, as ty_graph_load; they are needed during the call alone.  Never NULL:
   ty_graph_error returns the reason of a failure.  The caller frees it with ty_graph_free. */
TY_INLINE ty_graph *ty_graph_parse(const void *bytes, size_t n, ty_file_options options) {
    return ty_graph_parse_sized(bytes, n, &options, sizeof options);
}
/* Free a graph; tensors from it live on.  NULL is allowed. */
TY_API void ty_graph_free(ty_graph *graph);
/* Return the error message of a graph, "" if it is valid.  The text lives as long as the graph. */
TY_API const char *ty_graph_error(const ty_graph *graph);
/* Return the error of a graph as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_graph_failure(const ty_graph *graph);
/* Return the number of outputs; 0 if the graph has failed.  They are numbered from 0 in the order of saving. */
TY_API int ty_graph_count(const ty_graph *graph);
/* Return the name of output i, counted from 0; NULL if i is outside.  It lives as long as the graph. */
TY_API const char *ty_graph_name(const ty_graph *graph, int i);
/* Return the output of a name: a promise, or a value if it was one; the scope owns a reference.  Poison if there
   is none. */
TY_API ty_tensor *ty_graph_get(const ty_graph *graph, const char *name);
/* Return output i, counted from 0: a promise, or a value if it was one; the scope owns a reference.  Poison if i
   is outside. */
TY_API ty_tensor *ty_graph_at(const ty_graph *graph, int i);
/* Return the number of variables that the graph reads or updates, numbered from 0; 0 if it has failed. */
TY_API int ty_graph_variables(const ty_graph *graph);
/* Return variable i, counted from 0; ty_name gives its name, and ty_assign sets its value.  The scope owns a
   reference.  Poison if i is outside. */
TY_API ty_tensor *ty_graph_variable(const ty_graph *graph, int i);
/* Return the variable of a name; the scope owns a reference.  Poison if there is none, or several. */
TY_API ty_tensor *ty_graph_find(const ty_graph *graph, const char *name);
/* Return the updates of the graph, for ty_compile, and their number in *n; they live as long as the graph.  NULL
   if n is NULL. */
TY_API const ty_update *ty_graph_updates(const ty_graph *graph, int *n);

#ifdef __cplusplus
}
#endif
#endif
