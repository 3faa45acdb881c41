/* Amounts by operators: nodes, operations, or ends of programs. */
#ifndef TOOLS_ONNX_TALLY_H
#define TOOLS_ONNX_TALLY_H
#include <stdbool.h>
#include <stdint.h>

struct proto_node;

/* An operator or a function of the model.  Words are those of the model. */
struct tally_row {
    const char *domain, *name;
    double amount;
};
/* All zero at first; free items with mem_free. */
struct tally {
    int64_t n, capacity;
    struct tally_row *items;
    double all;
    bool failed; /* memory ran out */
};
/* Add an amount to the operator of a node. */
void tally_add(struct tally *t, const struct proto_node *node, double amount);
/* Sort the rows: the largest amount first, then by domains and names. */
void tally_sort(struct tally *t);
/* Print a name such as ai.onnx.ml.Scaler, made safe for a terminal, unless the answer is JSON. */
void tally_say(const char *domain, const char *name);
#endif
