/* Angles that both engines take from doubles of any size. */
#ifndef BASE_TURNS_H
#define BASE_TURNS_H

/*
 * The angle of 2^(iv) = e^(iv log 2) in whole turns, less its whole part: between -1/2 and 1/2, right to 2^-110 as
 * the sum of what is returned and *low.  1 <= |v| < infinity.
 */
double turns_of_exp2(double v, double *low);
#endif
