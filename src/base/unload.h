/* Whether the library goes while the process stays (dlclose), so that what it holds must be given back.  Asked by
   destructors: when the process ends other threads may still be at work, and nothing is given back. */
#ifndef BASE_UNLOAD_H
#define BASE_UNLOAD_H
#include <stdbool.h>
bool unloading(void);
/* There is something to give back from now on.  Called once main runs, not in constructors. */
void unload_expect(void);
#endif
