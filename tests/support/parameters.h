/* The parameters of a function of expressions, read from its words, and values that suit them. */
#ifndef TESTS_SUPPORT_PARAMETERS_H
#define TESTS_SUPPORT_PARAMETERS_H

enum { PARAMETERS = 16, PARAMETER = 64 };
/* "x, axis:int=0, norm:(a b)="a"" into names, values that suit (a tensor is "x"), and words that are taken, or NULL; returns
   how many there are. */
int parameters_of(const char *parameters, char names[][PARAMETER], const char *values[], const char *words[]);
#endif
