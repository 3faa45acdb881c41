/* Functions of the page that learns digits and reads drawings; one network at a time, one thread. */
#ifndef EXAMPLES_WEB_DIGITS_H
#define EXAMPLES_WEB_DIGITS_H
#include <stdbool.h>
#include <stdint.h>

/* Make a network and its examples anew, for a training of `steps` steps.  Return "" or the reason of a failure. */
const char *digits_begin(int seed, int steps);
/* Free everything. */
void digits_end(void);
/* Return the last error, "" if there is none. */
const char *digits_error(void);
/* Train for so many steps, but no more than planned.  Return the last loss; NaN on failure, or if all are done. */
double digits_train(int steps);
/* Return the number of steps done. */
int digits_steps(void);
/* Return the share of right answers on digits that training does not see; NaN on failure. */
double digits_accuracy(void);
/* Return the losses so far as a picture in SVG of this size in points, "" on failure. */
const char *digits_curve(double width, double height, bool dark);
/* Return room for n points, x and y each, y downwards, in any unit; NaN lifts the pen.  NULL: out of memory. */
float *digits_points(int n);
/* Return the digit that the first n points draw; -1 if they draw nothing, or on failure. */
int digits_guess(int n);
/* Return the 10 probabilities of the last guess. */
const float *digits_probabilities(void);
/* Return the last drawing as the network saw it, 28 x 28 bytes, 255 for ink. */
const uint8_t *digits_pixels(void);
#endif
