/* Parameters of a function of expressions, read from its description, and values that suit them. */
#ifndef TESTS_SUPPORT_PARAMETERS_H
#define TESTS_SUPPORT_PARAMETERS_H

enum { PARAMETERS = 16, PARAMETER = 64 };
/* Parse parameters such as "x, axis:int=0, norm:(a b)="a"" into names, suitable values (a tensor is "x"), and
   accepted words or NULL.  Returns their number. */
int parameters_of(const char *parameters, char names[][PARAMETER], const char *values[], const char *words[]);
#endif
