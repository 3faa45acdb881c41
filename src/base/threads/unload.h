/* Detection of dlclose: the library is unloaded while the process goes on, so its memory must be freed.  At
   the end of the process other threads may still run, and nothing is freed. */
#ifndef BASE_UNLOAD_H
#define BASE_UNLOAD_H
#include <stdbool.h>
/* True if the library is being unloaded while the process goes on, so that memory must be freed. Called by
   destructors. */
bool unloading(void);
/* Announce that there is memory to free if the library is unloaded. Call it after main has begun, not from
   constructors. */
void unload_expect(void);
#endif
