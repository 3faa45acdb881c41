/* Indexing: ranges, index tensors, masks; reading and replacing.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_INDEX_H
#define TYTO_INDEX_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
