/* Data sets: fields, a number of examples, and a kind that makes them. Sets are immutable, reference counted
   and thread-safe. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H
#include "base/for_command.h"
#include <stdatomic.h>
#include <tyto/data.h>
#include "array/tensor.h"
#include "base/arena.h"

/* Functions of one kind of data set; static tables. */
struct data_kind {
    /* Make example `index` from 0: values or promises into out[nfields], owned by the current scope. False
       sets the fault. Called from several threads. */
    bool (*get)(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault);
    /* Make all examples: values into out[nfields], examples along axis 0, owned by the current
       scope. False sets the fault. NULL: a loader stacks the examples. */
    bool (*get_all)(const ty_dataset *set, ty_tensor **out, struct fault *fault);
    /* Append the origin of an example, such as its path; NULL: its index suffices. */
    void (*where)(const ty_dataset *set, int64_t index, struct text *words);
    void (*drop)(ty_dataset *set); /* free memory of the kind outside the arena; NULL: none */
};

/* A data set, immutable after its construction and freed with the last reference. */
struct ty_dataset {
    atomic_int refs;
    const struct data_kind *kind;
    struct fault fault;
    struct arena arena;
    int64_t size;
    int nfields, nclasses;
    ty_field *fields;
    const char **classes;
    void *own; /* data of the kind, zeroed at first, in the arena */
};

/* Allocate a set without fields and with `bytes` of zeroed data for its kind. Never NULL: without memory
   return a static set with a fault; later failures set set->fault. ty_dataset_free frees it. */
ty_dataset *dataset_new(const struct data_kind *kind, size_t bytes);
/* Return the image of a file as u8 [H, W, channels], 1, 3 or 4 of them; poison if it cannot be read. */
ty_tensor *dataset_image(const char *path, int channels) FOR_COMMAND(dataset_image);
/* Return true if the name ends in an extension of images such as .png, upper and lower case alike. */
bool dataset_is_image(const char *name) FOR_COMMAND(dataset_is_image);
/* Allocate n fields, 1 to TY_MOST_FIELDS; false sets the set's fault. */
bool dataset_fields(ty_dataset *set, int n);
/* Describe field i of an example; name and shape, of `rank` sizes, are copied. False without memory, with
   the set's fault set. */
bool dataset_field(ty_dataset *set, int i, const char *name, ty_dtype dtype, int rank, const int64_t *shape);
/* Return a copy of n bytes of text with a final zero, in the set's memory; NULL without memory, with the
   set's fault set. */
char *dataset_text(ty_dataset *set, const char *text, size_t n);
/* Allocate n names of classes, all NULL; false without memory, with the set's fault set. */
bool dataset_classes(ty_dataset *set, int n);
/* Name ten classes "0" to "9"; false without memory, with the set's fault set. */
bool dataset_class_digits(ty_dataset *set);
/* Borrow the descriptions of fields and classes from `from`, which `set` must keep alive. */
void dataset_describe_as(ty_dataset *set, const ty_dataset *from);
/* Add a reference and return the set; for NULL a static set with a fault. */
ty_dataset *dataset_retain(const ty_dataset *set);
/* Return the set; for NULL a static set with a fault. */
const ty_dataset *dataset_of(const ty_dataset *set);

/* Evaluate all fields of example `index`, from 0, into values out[] owned by the current scope; false sets
   a fault that names the example. */
bool dataset_take(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault);
/* Set a fault of the name of example `index` followed by the message of `why`, with its code; always return false. */
bool dataset_blame(const ty_dataset *set, int64_t index, const struct fault *why, struct fault *fault);
/* Fill a set of the kind of ty_dataset_arrays without fields with n tensors, whose axis 0 is the example;
   names may be NULL. Return the set; failures set its fault. */
ty_dataset *dataset_fill(ty_dataset *set, int n, ty_tensor *const *fields, const char *const *names);
/* Allocate a set of the kind of ty_dataset_arrays, without fields; as dataset_new. */
ty_dataset *dataset_begin(void);
/* Return a view of the value x, with the given shape and strides in elements, that begins `offset` elements
   after x's first; owned by the current scope. */
ty_tensor *dataset_view(const ty_tensor *x, int64_t offset, int rank, const int64_t *shape,
                        const int64_t *strides);
/* Return true if x is not poisoned; else set the set's fault. */
bool dataset_check(ty_dataset *set, const ty_tensor *x);
/* Map a file as u8 [n], owned by the current scope; poison if it cannot be read. */
ty_tensor *dataset_bytes(const char *path);
/* Return "folder/name", with no second slash, in the set's memory; NULL without memory, with the set's
   fault set. */
const char *dataset_path(ty_dataset *set, const char *folder, const char *name);
/* Copy the first name of `at`, a line of csv names, unquoted and cut to `room` bytes, into `name`. Return
   the address of the next name, NULL after the last. */
const char *dataset_next_name(const char *at, char *name, size_t room);
/* Append "column 2 (width)": index k from 0, and its name unless `header` is NULL. */
void dataset_add_column(struct text *t, const char *header, int64_t k);
/* Read the lines of the text file at `path` (may be NULL) as names of n classes. If it cannot be read or
   has fewer, the set has no class names; then a fault is set only for want of memory. */
void dataset_class_lines(ty_dataset *set, const char *path, int n);
/* Set each of out[0..n) to poison with the fault's message. */
void dataset_poison(int n, ty_tensor **out, const struct fault *fault);
#endif
