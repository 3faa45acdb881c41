/* Learns digits of 8 x 8 pixels without the library.  example_on_device writes digits_net.c and digits_data.h. */
#include "digits_net.h"

#include <stdio.h>
#include <string.h>

#include "digits_data.h"

/* All memory of the network.  Images stay in the constant memory of the program. */
static struct {
    digits_net_state net;
    float loss[1], classes[10];
} memory;

static int predicted(const uint8_t *image) {
    int best = 0, k;
    digits_net_predict(&memory.net, image, memory.classes);
    for (k = 1; k < 10; k++)
        if (memory.classes[k] > memory.classes[best]) best = k;
    return best;
}

int main(void) {
    uint32_t bits;
    int right = 0, i;
    printf("digits: %lu bytes\n", (unsigned long)sizeof memory);
    digits_net_begin(&memory.net);
    for (i = 1; i <= 400; i++) {
        int at = (i - 1) * BATCH % TRAIN;
        if (digits_net_step(&memory.net, train_images + 64 * at, train_labels + at, memory.loss)) return 1;
        memcpy(&bits, memory.loss, sizeof bits);
        if (i % 100 == 0) printf("step %d loss %08lx\n", i, (unsigned long)bits);
    }
    for (i = 0; i < TEST; i++) right += predicted(test_images + 64 * i) == test_labels[i];
    printf("digits: %d of %d right\n", right, (int)TEST);
    return right < TEST / 2;
}
