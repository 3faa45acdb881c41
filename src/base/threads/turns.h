/* Angles modulo full turns for doubles of any size, used by the ref and the cpu engine. */
#ifndef BASE_TURNS_H
#define BASE_TURNS_H

/*
 * Return the angle of 2^(iv) = e^(iv log 2) in turns, modulo 1, between -1/2 and 1/2.  Result + *low is accurate
 * to 2^-110.  Requires 1 <= |v| < infinity.
 */
double turns_of_exp2(double v, double *low);
#endif
