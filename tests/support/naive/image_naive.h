/* Interpolation, grid sampling, RoiAlign and non-maximum suppression as their specifications define them: loops
   over doubles. */
#ifndef TESTS_SUPPORT_IMAGE_NAIVE_H
#define TESTS_SUPPORT_IMAGE_NAIVE_H
#include <tyto/tyto.h>

/* Compute the weight of each of the n elements in element i of m, by ONNX's Resize along one axis; start
   and end are the roi's. False: i lies outside the input, and its value is the extrapolation value. */
bool naive_weights(const ty_interpolation *o, int64_t n, int64_t m, double scale, double start, double end,
                   int64_t i, double *weights);
/* Return the value of x [h,w] at the point (gx, gy) by ONNX's GridSample in two dimensions. */
double naive_point(const double *x, int64_t h, int64_t w, double gx, double gy, const ty_grid_options *o);
/* Return bin (i, j) of a region (x1, y1, x2, y2) of one channel [h,w] by ONNX's RoiAlign. */
double naive_bin(const double *x, int64_t h, int64_t w, const double region[4], const ty_roi_options *o,
                 int64_t i, int64_t j);
/* Write the indices of the kept boxes among n to out and return their number. */
int64_t naive_suppression(int64_t n, const double *boxes, const double *scores, const ty_nms_options *o,
                          int64_t *out);
#endif
