/* Arrays, texts and memory, each of exactly the size that its parameters promise. */
#include <stdlib.h>
#include <string.h>
#include "tests/support/calls/take.h"

enum { AREA = 1 << 20 }; /* the largest result of a fuzzer */

size_t calls_elements(const struct calls *c) {
    int64_t n = c->count == NOT_SAID ? c->rank : c->count;
    return n < 0 ? 0 : n < CALLS_MOST ? (size_t)n : CALLS_MOST;
}

/* Return the length of an array: 3 if the header fixes it, otherwise the announced count or one for each
   axis. */
static size_t elements_named(const struct calls *c, const char *name) {
    if (strcmp(name, "size") == 0 || strcmp(name, "plane") == 0 || strcmp(name, "bytes") == 0) return 3;
    return calls_elements(c);
}

TAKE(c__Bool_p, const bool *) {
    size_t n = elements_named(c, name);
    bool *flags = calls_room(c, n + 1);
    for (size_t i = 0; i < n; i++) flags[i] = calls_choose(c, 2);
    return flags;
}

TAKE(c_int64_t_p, const int64_t *) {
    size_t n = elements_named(c, name);
    int64_t *numbers = calls_room(c, n * sizeof *numbers);
    bool low = strcmp(name, "low") == 0, bound = low || strcmp(name, "high") == 0; /* of slots of nests */
    for (size_t i = 0; bound && i < n; i++) numbers[i] = low ? 0 : 64;
    if (bound) return numbers;
    bool axes = strstr(name, "axes") || strcmp(name, "from") == 0 || strcmp(name, "to") == 0;
    int usual = calls_choose(c, 4) < 3; /* 2, 3, 1, 1, ... or axes in order; or anything */
    for (size_t i = 0; i < n; i++)
        numbers[i] = usual || calls_choose(c, 4) == 0 ? (axes     ? (int64_t)i
                                                         : i == 0 ? 2
                                                         : i == 1 ? 3
                                                                  : 1)
                                                      : take_int64_t(c, name);
    if (n && usual && calls_choose(c, 4) == 3) numbers[n - 1] = take_int64_t(c, name);
    for (size_t i = 0; i < n && strcmp(name, "shape") == 0; i++) c->empty |= !numbers[i];
    return numbers;
}

/* Zero strides stay within the memory of take_c_void_p for every shape. */
TAKE(byte_strides, const int64_t *) {
    (void)name;
    return calls_room(c, calls_elements(c) * sizeof(int64_t));
}

TAKE(c_int_p, const int *) {
    size_t n = calls_elements(c);
    int *numbers = calls_room(c, n * sizeof *numbers);
    bool usual = calls_choose(c, 4) < 3;
    for (size_t i = 0; i < n; i++) numbers[i] = usual ? (int)i : take_int(c, name);
    return numbers;
}

TAKE(c_double_p, const double *) {
    size_t n = calls_elements(c);
    double *numbers = calls_room(c, n * sizeof *numbers);
    bool usual = calls_choose(c, 4) < 3;
    for (size_t i = 0; i < n; i++) numbers[i] = usual ? 1.0 / (double)n : take_double(c, name);
    return numbers;
}

TAKE(c_ty_dtype_p, const ty_dtype *) {
    size_t n = calls_elements(c);
    ty_dtype *dtypes = calls_room(c, n * sizeof *dtypes);
    for (size_t i = 0; i < n; i++) dtypes[i] = take_ty_dtype(c, name);
    return dtypes;
}

TAKE(c_ty_index_p, const ty_index *) {
    size_t n = calls_elements(c);
    ty_index *items = calls_room(c, n * sizeof *items);
    for (size_t i = 0; i < n; i++) {
        int kind = calls_choose(c, 8);
        if (kind == 0)
            items[i] = TY_WHOLE;
        else if (kind == 1)
            items[i] = TY_AT(take_int64_t(c, name));
        else if (kind == 2)
            items[i] = TY_NEW;
        else if (kind == 3)
            items[i] = TY_DOTS;
        else if (kind == 4)
            items[i] = TY_OF(calls_tensor(c, "index"));
        else if (kind == 5)
            items[i] = TY_OF(NULL);
        else
            items[i] = (ty_index){(ty_index_kind)(kind == 6 ? 0 : take_enumerator(c, 5)),
                                  take_int64_t(c, name), take_int64_t(c, name), take_int64_t(c, name), NULL};
    }
    return items;
}

TAKE(c_ty_padding_p, const ty_padding *) {
    size_t n = c->rank > 0 ? (size_t)c->rank : 0; /* one for each axis of x */
    ty_padding *padding = calls_room(c, n * sizeof *padding);
    (void)name;
    for (size_t i = 0; i < n; i++)
        padding[i] = (ty_padding){take_option(c, 1), take_option(c, 1), take_option(c, 0)};
    return padding;
}

TAKE(c_ty_branch_p, const ty_branch *) {
    size_t n = calls_elements(c);
    ty_branch *branches = calls_room(c, n * sizeof *branches);
    for (size_t i = 0; i < n; i++)
        branches[i] = calls_choose(c, 16) == 15 ? NULL : take_callback_ty_branch(c, name);
    return branches;
}

TAKE(c_ty_form_p, const ty_form *) {
    size_t n = calls_elements(c);
    ty_form *forms = calls_room(c, n * sizeof *forms);
    for (size_t i = 0; i < n; i++) forms[i] = take_ty_form(c, name);
    return forms;
}

static int64_t *sizes_of(struct calls *c, int rank) {
    int n = rank < 0 ? 0 : rank < CALLS_MOST ? rank : CALLS_MOST;
    int64_t *sizes = calls_room(c, (size_t)n * sizeof *sizes);
    for (int i = 0; i < n; i++) sizes[i] = take_option(c, 3);
    return sizes;
}

TAKE(c_ty_einsum_operand_p, const ty_einsum_operand *) {
    size_t n = calls_elements(c);
    ty_einsum_operand *operands = calls_room(c, n * sizeof *operands);
    for (size_t i = 0; i < n; i++) {
        int rank = calls_choose(c, 8) < 7 ? 2 : take_rank_int(c, name), constant = calls_choose(c, 8);
        operands[i] = (ty_einsum_operand){rank, constant == 7 ? NULL : sizes_of(c, rank),
                                          constant == 6 ? calls_tensor(c, "constant") : NULL};
    }
    return operands;
}

TAKE(c_ty_contraction_operand_p, const ty_contraction_operand *) {
    ty_contraction_operand *operand = calls_room(c, sizeof *operand);
    int rank = calls_choose(c, 8) < 7 ? 2 : take_rank_int(c, name);
    int64_t *shape = sizes_of(c, rank), *strides = calls_choose(c, 8) == 7 ? sizes_of(c, rank) : NULL;
    *operand = (ty_contraction_operand){take_ty_dtype(c, name), rank,
                                        calls_choose(c, 16) == 15 ? NULL : shape, strides, take_option(c, 0)};
    return operand;
}

/* Columns of the tables of take_handles.c, and one that they lack. */
static const char *const table_columns[] = {"x", "y", "z", "d"};

TAKE(c_ty_group_column_p, const ty_group_column *) {
    size_t n = calls_elements(c);
    ty_group_column *columns = calls_room(c, n * sizeof *columns);
    for (size_t i = 0; i < n; i++)
        columns[i] = (ty_group_column){calls_choose(c, 16) == 15 ? NULL : table_columns[calls_choose(c, 4)],
                                       take_ty_group_value(c, name), calls_choose(c, 8) == 7 ? "z" : NULL};
    return columns;
}

TAKE(ty_tensor_pc_p, ty_tensor *const *) {
    size_t n = calls_elements(c);
    ty_tensor **tensors = calls_room(c, n * sizeof(ty_tensor *));
    bool optional = strcmp(c->function, "ty_run_into") == 0; /* NULL: no destination */
    for (size_t i = 0; i < n; i++) {
        bool none = calls_choose(c, 32) == 31 || (optional && calls_choose(c, 2));
        tensors[i] = none ? NULL : calls_tensor(c, name);
    }
    return tensors;
}

/* Tensors to be filled: *error, new states, or results. Some functions fill one more than their count. */
TAKE(ty_tensor_p_p, ty_tensor **) {
    bool states = strcmp(name, "states") == 0;
    size_t n = states                                               ? TY_RULE_STATES
               : strcmp(name, "error") == 0 || c->count == NOT_SAID ? 2
                                                                    : calls_elements(c) + 1;
    if (strcmp(name, "hessians") == 0) n *= n; /* a block for each pair */
    ty_tensor **tensors = calls_room(c, n * sizeof(ty_tensor *));
    for (size_t i = 0; i < n && states; i++) tensors[i] = calls_tensor(c, name);
    calls_fills(c, tensors, n);
    c->is_error = strcmp(name, "error") == 0;
    return tensors;
}

TAKE(ny_results, ty_tensor **) {
    c->count = c->operands;
    return take_ty_tensor_p_p(c, name);
}

/* ---- texts ---- */

static const char *usual_text(const struct calls *c, const char *name) {
    if (strcmp(name, "path") == 0 || strcmp(name, "directory") == 0) return c->path;
    if (strcmp(name, "equation") == 0) return strstr(c->function, "plan") ? "ij,ij->ij" : "ij,kj->ik";
    if (strcmp(name, "json") == 0) return "{}";
    if (strcmp(name, "method") == 0) return "linear";
    if (strcmp(name, "text") == 0) return strstr(c->function, "expression") ? "a + 1" : "0";
    if (strcmp(name, "device") == 0) return "cpu";
    return strcmp(c->function, "ty_use_engine") == 0 ? "cpu" : "a";
}

TAKE(c_char_p, const char *) {
    static const char *const menu[] = {"",
                                       "a + b",
                                       "-1, ..., none",
                                       "@0, @1",
                                       "::-1",
                                       "ij->",
                                       "...,...->...",
                                       "[[a,b],[b,c]->[a,c]]",
                                       "sgd",
                                       "edge",
                                       "\xff\x1b[2J%s%n",
                                       "(((((((((((((((",
                                       "99999999999999999999:",
                                       "lower",
                                       "nearest",
                                       "a(a=1)[a]",
                                       "1e999 ** 1e999"};
    int which = calls_choose(c, 2 * (int)(sizeof menu / sizeof *menu) + 2) - 2;
    const char *text = which < 0 ? usual_text(c, name) : menu[which / 2];
    if (strcmp(name, "path") == 0 && which >= 0)
        text = "/nonexistent/a.bin"; /* writing a text's file must fail */
    if (which == -1 && c->bytes == 0 && text != c->path) text = "sum(a, axis=-9223372036854775808)";
    char *copy = calls_room(c, strlen(text) + 1);
    memcpy(copy, text, strlen(text) + 1);
    c->bytes = strlen(text);
    return copy;
}

TAKE(format, const char *) {
    (void)name;
    return strncmp(c->function, "ty_plot_", 8) ? "one" : "svg";
}

TAKE(c_char_pc_p, const char *const *) {
    static const char *const others[] = {"a", "b", "c", "d", "checksum", "", "\xff"};
    const char *const *menu = strncmp(c->function, "ty_table_", 9) ? others : table_columns;
    size_t n = calls_elements(c);
    const char **texts = calls_room(c, n * sizeof *texts);
    (void)name;
    for (size_t i = 0; i < n; i++)
        texts[i] = calls_choose(c, 8) < 7 ? menu[i % 4] : others[calls_choose(c, 7)];
    for (size_t i = 0; i < n; i++)
        if (calls_choose(c, 32) == 31) texts[i] = NULL;
    return texts;
}

/* ---- memory ---- */

#define ROOM_FOR_ONE(kind, type)                                                                             \
    TAKE(kind, type *) {                                                                                     \
        (void)name;                                                                                          \
        return calls_room(c, sizeof(type));                                                                  \
    }
ROOM_FOR_ONE(c_char_p_p, const char *)
ROOM_FOR_ONE(int_p, int)
ROOM_FOR_ONE(int64_t_p, int64_t)
ROOM_FOR_ONE(c_int64_t_p_p, const int64_t *)
ROOM_FOR_ONE(size_t_p, size_t)
ROOM_FOR_ONE(ty_dtype_p, ty_dtype)
ROOM_FOR_ONE(ty_sparsity_p, ty_sparsity)
ROOM_FOR_ONE(ty_report_p, ty_report)
ROOM_FOR_ONE(ty_memory_state_p, ty_memory_state)
ROOM_FOR_ONE(ty_function_memory_p, ty_function_memory)
ROOM_FOR_ONE(ty_attribute_p, ty_attribute)
ROOM_FOR_ONE(ty_einsum_report_p, ty_einsum_report)
ROOM_FOR_ONE(ty_profile_row_p, ty_profile_row)
ROOM_FOR_ONE(ty_print_options_p, ty_print_options)
ROOM_FOR_ONE(ty_onnx_operator_p, ty_onnx_operator)
ROOM_FOR_ONE(ty_onnx_port_p, ty_onnx_port)

/* Room for the numbers that take_few allows. */
TAKE(few_int64_t_p, int64_t *) {
    (void)name;
    return calls_room(c, CALLS_FEW * sizeof(int64_t));
}
TAKE(few_double_p, double *) {
    (void)name;
    return calls_room(c, CALLS_FEW * sizeof(double));
}

TAKE(void_p, void *) {
    static _Alignas(64) long double area[AREA / sizeof(long double)];
    (void)name;
    c->bytes = AREA;
    return area;
}
TAKE(c_void_p, const void *) { return take_void_p(c, name); }
TAKE(char_p, char *) { return take_void_p(c, name); }

static void close_file(void *file) { fclose(file); }

TAKE(FILE_p, FILE *) {
    (void)name;
    FILE *file = fopen("/dev/null", "w");
    if (!file) abort();
    return calls_own(c, file, close_file);
}
