/* What a data set is: fields, a number of examples, and a kind that makes them.  Sets never change, are counted, and are
   asked from several threads at once. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H
#include <stdatomic.h>
#include <tyto/data.h>
#include "array/tensor.h"
#include "base/arena.h"

struct data_kind {
    /* Values or promises of an example into out[nfields], in the scope that is open; false with a sentence. */
    bool (*get)(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault);
    /* Words for where it comes from; NULL: its number says all. */
    void (*where)(const ty_dataset *set, int64_t index, struct text *words);
    void (*drop)(ty_dataset *set); /* what the kind holds beyond the arena; NULL: nothing */
};

struct ty_dataset {
    atomic_int refs;
    const struct data_kind *kind;
    struct fault fault;
    struct arena arena;
    int64_t size;
    int nfields, nclasses;
    ty_field *fields;
    const char **classes;
    void *own; /* the kind's, zeroed at first */
};

/* A set of a kind without fields, with `bytes` of its own; never NULL.  What fails later stands in its fault. */
ty_dataset *dataset_new(const struct data_kind *kind, size_t bytes);
/* Room for fields; false: no memory, told. */
bool dataset_fields(ty_dataset *set, int n);
/* Gives field i its form; name and shape are copied. */
bool dataset_field(ty_dataset *set, int i, const char *name, ty_dtype dtype, int rank, const int64_t *shape);
/* A copy of n bytes with a zero behind them, in the set's memory; NULL: no memory, told. */
char *dataset_text(ty_dataset *set, const char *text, size_t n);
/* Room for n names of classes. */
bool dataset_classes(ty_dataset *set, int n);
/* Copies the fields' and classes' descriptions; they live as long as `from`, which `set` must hold on to. */
void dataset_describe_as(ty_dataset *set, const ty_dataset *from);
ty_dataset *dataset_retain(const ty_dataset *set);
const ty_dataset *dataset_of(const ty_dataset *set);

/* All fields of an example, as values, in the scope that is open; false with a sentence that names the example. */
bool dataset_take(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault);
/* Puts the example's name in front of a sentence; false. */
bool dataset_blame(const ty_dataset *set, int64_t index, const char *sentence, struct fault *fault);
/* What is seen of x, a value, at `offset` elements from its first: a view, registered with the scope. */
ty_tensor *dataset_view(const ty_tensor *x, int64_t offset, int rank, const int64_t *shape,
                        const int64_t *strides);
/* False with a sentence when x is poisoned. */
bool dataset_check(ty_dataset *set, const ty_tensor *x);
/* The bytes of a file as u8[n], mapped, registered with the scope. */
ty_tensor *dataset_bytes(const char *path);
/* "folder/name" in the set's memory; NULL: no memory, told. */
const char *dataset_path(ty_dataset *set, const char *folder, const char *name);
/* One name of a line of names as csv has it (quotes stand twice in quotes), cut to `room`, and where the next begins; NULL:
   it was the last. */
const char *dataset_next_name(const char *at, char *name, size_t room);
/* Writes "column 2 (width)": its number from 0, and its name where `header` is not NULL. */
void dataset_add_column(struct text *t, const char *header, int64_t k);
/* The lines of a text file as names of classes; nothing happens when it cannot be read, or has others than n. */
void dataset_class_lines(ty_dataset *set, const char *path, int n);
/* Puts a sentence into each of out[0..n). */
void dataset_poison(int n, ty_tensor **out, const struct fault *fault);
#endif
