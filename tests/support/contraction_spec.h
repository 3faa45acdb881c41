/* Contractions as labels and layouts in random memory, and what they should give: for the tests of the
 * compiler. */
#ifndef TESTS_SUPPORT_CONTRACTION_SPEC_H
#define TESTS_SUPPORT_CONTRACTION_SPEC_H
#include "contract/contraction.h"

enum { SPEC_LABELS = 12, SPEC_SIDES = 3 };

struct spec {
    struct contract_attr attr;
    struct layout_room rooms[SPEC_SIDES];
    struct contract_operand operands[SPEC_SIDES];
    int64_t size[SPEC_LABELS], length[SPEC_SIDES]; /* of plain labels; elements of memory */
    void *memory[SPEC_SIDES];
};

void spec_shuffle(int n, uint8_t *list);
/* Gives a side its labels; left, right and out in this order. */
void spec_side(struct spec *s, int side, int n, const uint8_t *labels);
/* Sizes from the labels, strides dense or, `wild`, of any kind; an input's plain axis is now and then 1. */
void spec_layout(struct spec *s, int side, bool wild);
/* Layouts, dtypes and filled memory for all sides; out is dense, of the sizes that remain after broadcasting.
 */
void spec_operands(struct spec *s, bool wild);
/* The bytes that out should have, what it does not reach included; from a loop over labels. */
void *spec_expected(struct spec *s);
#endif
