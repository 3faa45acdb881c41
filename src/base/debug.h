/* What TY_DEBUG asks to see on stderr: 0 nothing, 1 times of the passes, 2 programs, 3 contractions as well; read once. */
#ifndef BASE_DEBUG_H
#define BASE_DEBUG_H
int debug_level(void);
/* Milliseconds of a steady clock. */
double debug_clock(void);
#endif
