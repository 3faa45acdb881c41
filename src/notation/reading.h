/* Rules that make a graph easier to read.  They hold for real and complex numbers, but not for the bits of floats: 0 x
   is 0, sums and products are ordered anew.  Programs never use them. */
#ifndef NOTATION_READING_H
#define NOTATION_READING_H
#include <tyto/graph.h>

extern const ty_rewrite reading_rules[];
extern const int reading_count;
#endif
