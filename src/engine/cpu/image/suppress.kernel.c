/* Template: the comparison of boxes for one instruction set; HIDES is its name.  Its loop has neither divisions nor
   branches, and a fixed length, so that compilers make vectors of it. */
#include "engine/cpu/image/suppress.h"

bool HIDES(const double *box, const double *kept, int64_t room, double share) {
    int found = 0;
    for (int i = 0; i < SUPPRESS_BLOCK; i++) {
        const double *at = kept + i;
        double low0 = at[0] > box[0] ? at[0] : box[0], high0 = at[2 * room] < box[2] ? at[2 * room] : box[2];
        double low1 = at[room] > box[1] ? at[room] : box[1];
        double high1 = at[3 * room] < box[3] ? at[3 * room] : box[3];
        double width = high0 - low0, height = high1 - low1, both = width * height;
        found |= (width > 0) & (height > 0) & (both >= share * (at[4 * room] + box[4] - both));
    }
    return found;
}
