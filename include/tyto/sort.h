/* Ordering: sorting, searching, sets, quantiles, histograms.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_SORT_H
#define TYTO_SORT_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
