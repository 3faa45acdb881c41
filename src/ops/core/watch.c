#include "ops/core/watch.h"

atomic_int launch_watched;
