#include "include/tyto/one.h"
int ty_one(void) { return 1; }
