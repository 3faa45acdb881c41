/*
 * A file being exported.  Programs are compiled for the engine of engine.h; their leaves become members of the state,
 * numbers in the file, or parameters; their kernels become calls.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H
#include <tyto/export_c.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "compile/program.h"
#include "engine/text/text.h"
#include "export/names.h"

/* A leaf that is no parameter: a variable or a constant. */
struct leaf {
    ty_tensor *tensor; /* borrowed from the programs */
    ty_tensor *value;  /* the variable's present value, of the scope; constants: the tensor */
    ty_dtype dtype;    /* of its memory: bytes of numbers for storage */
    struct name name;  /* of the member of the state, and of the array */
    bool state;        /* a function updates it, so it is a member of the state */
    int64_t low, size; /* first element of its memory, relative to element 0; number of elements */
    int64_t written;   /* elements in the file: 1 of a member whose elements are equal, 0 if these are zero */
    int64_t offset;    /* bytes behind the head of the file of weights */
};

/* A parameter of a C function. */
struct parameter {
    struct name name;
    const ty_tensor *tensor;
    bool used; /* a call uses it */
    int block; /* outputs: the block of the program; -1: an earlier output has it */
};

/* A function of the file. */
struct function {
    const ty_export_function *given;
    struct name name;
    struct ty_program *program;
    struct parameter *inputs, *outputs;
};

/* The condition of #if for machines whose numbers begin with their highest byte. */
#define BIG_ENDIAN_MACHINE "defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__"

/* The first word of files of weights and of saved variables, and its bytes in reverse. */
#define ORDER_MARK UINT64_C(0x0102030405060708)
#define ORDER_TURNED UINT64_C(0x0807060504030201)

/* Kernels as a list of calls: those of a function, or of a body of a loop or branch. */
struct routine {
    const struct flow *flow;
    const struct memory_plan *plan;
    const struct function *function; /* NULL: a body */
    const struct body_code *code;    /* of a body */
    const struct body *body;
    struct text text;
    bool checks; /* a step of it may refuse values */
};
/* Memory as text: an expression of char * or const char *, and an offset in bytes. */
struct site {
    char base[6 * NAME_BYTES];
    int64_t offset;
};

struct exporting {
    ty_export_options options;
    struct name prefix;
    int nfunctions, nleaves;
    struct function *functions;
    struct leaf *leaves;
    struct map leaf_of; /* tensor -> index of its leaf */
    int64_t arena_bytes;
    int64_t turned_bytes; /* after the arena of big-endian machines: copies of blocks for one call */
    bool turns;           /* the function that makes them is in the file */
    int nrefusals;        /* kernels with checks, over all functions */
    struct arena arena;
    const struct text_program **programs; /* texts of kernels, each once */
    int nprograms;
    struct map part_of; /* hash of the text of a loop, branch or body -> its number */
    int nparts;
    struct text parts;                 /* their functions */
    struct text header, file, weights; /* weights: of the second file, C or bytes; empty: there is none */
    ty_export_report report;
    struct fault fault;
};

/* ---- data.c ---- */

/* Return C's type of elements of a dtype, as the header declares it.  Complex numbers are two, and numbers for storage are
   bytes. */
const char *data_type(ty_dtype dtype);
/* Write dtype and shape of x, such as "f32[2,3]", to words[room] and return it. */
const char *data_form(const ty_tensor *x, char *words, size_t room);
/* Find all leaves that are no inputs. False, with the fault set, on failure. */
bool data_collect(struct exporting *e);
/* Return the number of a leaf, -1 if it is none. */
int data_find(const struct exporting *e, const ty_tensor *leaf);
/* True if the values are in a file that the caller of the C functions reads. */
bool data_apart(const struct exporting *e);
/* Return the address of the first of a leaf's l->size elements. */
const char *data_of(const struct leaf *l);
/* Append the values of all leaves, or their declarations. */
void data_write(struct exporting *e);
/* Write the values to e->weights as bytes, and set the offset of each; append the function that checks them. */
void weights_write(struct exporting *e);
/* Write the address of the values of leaf i, of any pointer type, to words[room]. */
void data_address(const struct exporting *e, int i, char *words, size_t room);
/* Append the members of the state. */
void data_members(const struct exporting *e, struct text *t);
/* Append the assignments of the first values to the state. */
void data_begin(const struct exporting *e, struct text *t);

/* ---- calls.c ---- */

/* Append the body of a function: calls of the steps of all kernels of r, whose text is freed. */
void calls_write(struct exporting *e, struct routine *r, struct text *t);
/* Return the site of an operand's element 0.  *copies: as for order_turn. */
struct site site_of_operand(struct exporting *e, const struct routine *r, const struct operand *x,
                            int64_t *copies);
/* Return the site of the workspace of kernel number `number`. */
struct site site_of_workspace(const struct routine *r, int number);

/* ---- loops.c ---- */

/* Append the call of a loop or branch, and its functions to e->parts. */
void loops_call(struct exporting *e, struct routine *r, int number);
/* True if a word is the name of a function of a loop, branch or body. */
bool loops_names(const char *word);

/* ---- order.c ---- */

/* Return the size of the numbers that a machine orders: complex numbers are two. */
int64_t order_unit(ty_dtype dtype);
/* Let a call that reads block b, which lies at *p, as numbers of `dtype` have them in the order of a little-endian
   machine.  *copies: bytes of copies in use, at first those that live longer than the call. */
void order_turn(struct exporting *e, const struct block *b, ty_dtype dtype, int64_t *copies, struct site *p);
/* Append the definition of PREFIX_ARENA_BYTES, after all calls of order_turn. */
void order_arena(const struct exporting *e, struct text *t);
/* Append the function that order_turn's texts call, once, if any does. */
void order_write(struct exporting *e);

/* ---- checks.c ---- */

/* Append the numbers of errors, which the C functions return. */
void checks_codes(const struct exporting *e, struct text *t);
/* Append the check of a function's arguments; f NULL: of the state alone. */
void checks_arguments(const struct exporting *e, const struct function *f, struct text *t);
/* Append a refusal of machines that cannot address the largest array. */
void checks_sizes(const struct exporting *e, struct text *t);

/* ---- keep.c ---- */

/* Append the declarations of PREFIX_begin and, as the options say, of PREFIX_save, PREFIX_load and PREFIX_order. */
void keep_declare(const struct exporting *e, struct text *t);
/* Append the functions to e->file. */
void keep_write(struct exporting *e);

/* ---- tidy.c ---- */

/* Append the text `from` with constants of floats in decimal digits. */
void tidy(struct text *to, const char *from);

/* ---- file.c ---- */

/* Make the texts of the header and of the C file; `stem` is the name of the header without its end. */
bool file_make(struct exporting *e, const char *stem);
#endif
