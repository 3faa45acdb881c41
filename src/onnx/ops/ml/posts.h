/* Scores of models of ai.onnx.ml: their transforms, and the labels of the greatest ones. */
#ifndef ONNX_OPS_ML_POSTS_H
#define ONNX_OPS_ML_POSTS_H
#include "onnx/ops/ml/labels.h"

enum { POST_NONE, POST_SOFTMAX, POST_LOGISTIC, POST_SOFTMAX_ZERO, POST_PROBIT };

/* Return the transform that the attribute post_transform names. */
int onnx_post_read(struct onnx_call *call);
/* Return scores (N,E) transformed. */
ty_tensor *onnx_post_transform(struct onnx_call *call, ty_tensor *y, int post);
/* Give the labels of the greatest scores (N,E), and the scores. */
bool onnx_classify(struct onnx_call *call, ty_tensor *scores, struct labels labels);

#endif
