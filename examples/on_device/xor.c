/* Learns XOR without the library, in a state of fixed size and no other memory.  example_on_device writes xor_net.c. */
#include "xor_net.h"

#include <stdio.h>
#include <string.h>

/* All memory of the network: variables, intermediate results, arguments and results. */
static struct {
    xor_net_state net;
    float x[4][2], y[4][1], loss[1];
} memory;

int main(void) {
    uint32_t bits;
    int right = 0, i;
    printf("xor: %lu bytes\n", (unsigned long)sizeof memory);
    xor_net_begin(&memory.net);
    for (i = 0; i < 4; i++) {
        memory.x[i][0] = (float)(i >> 1), memory.x[i][1] = (float)(i & 1);
        memory.y[i][0] = (float)((i >> 1) ^ (i & 1));
    }
    for (i = 1; i <= 200; i++) {
        xor_net_step(&memory.net, memory.x[0], memory.y[0], memory.loss);
        memcpy(&bits, memory.loss, sizeof bits);
        if (i % 50 == 0) printf("step %d loss %08lx\n", i, (unsigned long)bits);
    }
    for (i = 0; i < 4; i++) {
        float one[1];
        xor_net_predict(&memory.net, memory.x[i], one);
        right += (one[0] > 0.5f) == ((i >> 1) ^ (i & 1));
    }
    printf("xor: %d of 4 right\n", right);
    return right != 4;
}
