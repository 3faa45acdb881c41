/* Contractions given by labels and layouts in random memory, and their expected results, for tests of the compiler. */
#ifndef TESTS_SUPPORT_CONTRACTION_SPEC_H
#define TESTS_SUPPORT_CONTRACTION_SPEC_H
#include "contract/contraction.h"

enum { SPEC_LABELS = 12, SPEC_SIDES = 3 };

/* A contraction with its operands. */
struct spec {
    struct contract_attr attr;
    struct layout_room rooms[SPEC_SIDES];
    struct contract_operand operands[SPEC_SIDES];
    int64_t size[SPEC_LABELS],
        length[SPEC_SIDES]; /* sizes of plain labels; elements of memory of each side */
    void *memory[SPEC_SIDES];
};

/* Shuffle a list of n labels. */
void spec_shuffle(int n, uint8_t *list);
/* Set the labels of a side; call for left, right and out in this order. */
void spec_side(struct spec *s, int side, int n, const uint8_t *labels);
/* Choose sizes from the labels, and dense strides or, `wild`, any; a plain axis of an input sometimes gets size 1. */
void spec_layout(struct spec *s, int side, bool wild);
/* Choose layouts and dtypes and fill memory for all sides; out is dense, of the sizes after broadcasting. */
void spec_operands(struct spec *s, bool wild);
/* Return the expected bytes of out, including unreached ones, computed by a loop over labels. */
void *spec_expected(struct spec *s);
#endif
