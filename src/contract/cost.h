/* What a configuration costs, predicted (cost.c), and every constant of the compiler with its reason. */
#ifndef CONTRACT_COST_H
#define CONTRACT_COST_H
#include "contract/contraction.h"

struct contract_constants {
    double line; /* bytes of a cache line */
    double
        second_share; /* of L2 that blocks may fill: the rest is for what streams by, page tables, stacks */
    double
        stream_share; /* the same where right comes from memory box after box: what is done with stays for a
                            while */
    double roomy;     /* that share may be so many times as large */
    double
        roomy_gain; /* where it saves this share of the time at least: runs of right that are all of what lies
                            side by side there, in a small L2 (1 MiB: ecbfa,fd 1.8, dbea,ec 1.5, deca,be 1.4) */
    int64_t sliver_places; /* how often a box of right counts there that is read in slivers: where it lies,
                              its copy, the next slivers' lines, and what L2 keeps though it is done with:
                              larger boxes were slower, those for three places by up to 1.1 */
    int64_t rows_reached;  /* that pass by a box of right before the next one, if it may come from L3: it is
                              copied by way of there (sums over K of 384 rows 0.85) */
    double even_slack;     /* a box may need so many times its room, as steps are made even */
    double second_whole;   /* of L2 that a product may fill which stays there from beginning to end */
    double first_share; /* of L1 that a sliver of right and a panel of left may fill together: both are read
                           in order, and what does not stay comes from L2 about as fast as it is used */
    double sums_again;  /* K is cut when it exceeds the block by this: one block half as long again costs less
                           than reading and writing the sums twice */
    double window_depth; /* K of a block may be longer by this where windows overlap: taps share most of their
                            data */
    double far_depth;    /* and by this where sums do not stay in L2: a sliver and a panel come from there as
                            fast as they are used (70 values for 384 multiply-adds; depths of 256 and of 2048
                            run alike), and fewer blocks of K bring the sums less often */
    double far_sums;     /* sums of more than this part of L2 do not stay there */
    int64_t columns_most; /* of a box, while K is deep: beyond, packing left is below 2 per cent of the time
                             anyway */
    int64_t columns_wide; /* all of N is in a box up to this where left is packed and right fits half of L2:
                             left is packed but once */
    int64_t columns_shallow; /* of a box with few rows or few K whose sums go to memory: they are most of the
                                traffic, and long runs are wanted: 16 by 192, where both turn, is a line on one side
                                and most of a kilobyte on the other */
    double run_bytes;        /* of an operand side by side in a box: as long are read about as fast as any */
    double page;             /* bytes: places closer than this are one visit to memory */
    double visit_bytes; /* a visit takes as long as so many bytes in a row: some 45 ns, a miss of the TLB in a
                           virtual machine and of memory's open row */
    double pages_followed; /* of right, read in turns, come as fast as a stream: the prefetcher of L2 follows
                              so many, and about as many have entries of the first TLB */
    double read_gap; /* a run that is read costs as much as so many bytes more: prefetchers go on beyond its
                        end */
    double merged_bytes; /* a run that is stored in parts of lines as long as so many: some 70 ns, two lines
                              that are read, merged and written again */
    double parted_bytes; /* the same in a cache: a line that is fetched from L3, merged and sent back, some
                              10 ns */
    double depth_gain;   /* a block of K is made shorter where that saves this share of the time at least */
    double deeper_gain;  /* and longer, where all stays in L3 and the full model can be trusted further */
    double exposed;      /* of bringing rows again that are read in place, while the box before is computed */
    double runs_gain;    /* a box is made longer along a run while it saves this share of the time */
    double columns_gain; /* columns of short runs are exchanged where that saves this share: where 0.25 was
                              predicted it was 0.12 (dca,bd), where 0.15, 0.93 to 0.98 times as fast (dbea,ec) */
    double rows_gain; /* all rows are in one box where the model sees so much in it: 14^2 1024 > 2048 1x1/2,
                              0.2 predicted, 1.23 times as fast (Zen 5) */
    double refined_gain; /* neighbours of a box must save so much together: 0.10 to 0.2 predicted were 1.04 to
                               1.35 times as fast (dega, degb, degc), 0.03 to 0.09 0.7 to 1.07 (TCCG, Zen 4) */
    double refined_seconds; /* of a product whose box is worth a search */
    int64_t vector_depth;   /* rows of a matrix that a vector meets at once */
    int64_t vector_rows;    /* that meet all the machine's streams at once, as there is more to multiply */
    int64_t vector_bytes;   /* of the matrix that it meets at least, before the next box is found */
    int64_t rows_most;      /* of a box: more repay nothing, and leave fewer tasks */
    int64_t tiles_least; /* K of a block leaves room in L2 for so many tiles of rows: in boxes of fewer, calls
                            and bringing left again show (f64 1600 squared with 512 KiB: 1.04 to 1.2) */
    int64_t depth_short; /* steps of one product of a batch of a window's: with fewer, finding the next one
                              shows */
    int64_t lanes_run;   /* elements of a box along a C dimension that is the vector */
    int64_t lanes_fewest; /* vectors of it at least; between, shared taps fill a quarter of L1 */
    int64_t lane_least;   /* rows side by side that are worth a vector of their own: shorter lines under a
                             window are mostly edges, and turning a batch innermost costs less */
    int64_t sliver;       /* matrices with so few rows or columns leave most of a register tile empty */
    double
        turned_least; /* columns, cut vectors of pixels, that repay turning kernels which are no constants: 25
                              were 0.77 to 0.86, 36 1.13 to 1.9 times as fast (Zen 3) */
    double vectors_filled; /* columns that fill less of their vectors are swapped for rows where these are
                              many */
    double pack_bytes;     /* packing moves a byte as fast as so many bytes are read from L2 */
    double
        turn; /* so many times as long where rows become columns (from memory 4.5 GB/s, eafd,fbec, Zen 4) */
    double crowded_turn; /* and so many where they lie on one set of L1: each line comes again and again (1024
                              squared, a.T b.T: 2.5 GB/s, Zen 4) */
    double carried;      /* of that where kernels copy as they multiply */
    double awaited; /* right that is copied from memory by itself is waited for, so many times as long as it
                              takes to read (cad,dcb: 220 MB in runs of 512 bytes 54 ms, Zen 4); left is fetched
                              while the box before is computed */
    double spilled_bytes; /* a line of a copy that has left L2 and is written again in pieces takes as long as
                             so many bytes from L3, some 60 ns: it is fetched when it is first missed, one
                             after the other */
    double workspace;     /* of L2: what one thread may pack */
    double waiting;       /* and more where reading it again from L3 takes such a part of computing with it at
                              most (f64 aebf,dfce, 42 rows a box: 0.08, and 0.95 times as fast; 66 rows: 1.03, Zen 4;
                              f64 1000, 1500 and 1601 squared, 60 rows: 0.065, 1.02 to 1.08, Zen 3) */
    double task_seconds;  /* a task shorter than this is not worth a thread: waking one costs about as much */
    double even;          /* share of the threads' time that tasks should use */
    int64_t spans_most;   /* K is cut for threads into so many spans at most, by shape alone */
    int64_t spans_tiles;  /* and only where there are no more register tiles than this to share */
    int64_t reuse_left;   /* slivers of columns that must use a panel of left before packing it pays */
    int64_t reuse_along;  /* the same where its rows lie along K, not all of them on one set: the lines of a
                            tile's rows stay in L1 until they are used up */
    double scattered;     /* left is packed where finding the places of a box in memory (gaps.c) costs so many
                            times their own bytes: a copy finds them once, each sliver again */
    int64_t reuse_right;  /* panels of rows that must use a sliver of right before packing it pays */
    int64_t reuse_apart;  /* the same where rows are over a page apart and no worse: they miss entries of the
                            TLB, once for a sliver, and with huge pages hardly ever */
    int64_t reuse_many;   /* and for so many a copy is made however right lies: it takes 1 or 2 per cent of
                            their time, and rows that are further apart than a stretch 1 to 40 (Zen 3) */
    int64_t stretch;      /* bytes: right is one stretch of memory where a step of K is no longer */
    int64_t dense_step; /* bytes: right lies as well as packed where a step of K is no longer and rows do not
                            fall on each other's sets: up to half a page, two rows share an entry of the TLB */
    int64_t places_few; /* in L2 for where rows of left begin, and parts of them, block after block of K, come
                           slowly: 16 KB apart on a Zen 3, 196 columns took twice as long as with a copy */
    /* Of a whole tile's multiply-adds for each load, where lines of rows cut tiles: left with less is copied.
       Lines of seven rows gained 1.03 to 1.07 by that, and 1.3 to 1.8 where all fell on one set of L1 (Zen 4). */
    double lines_least;
    double nearly; /* a copy of so much of L1 still comes from there for the most part */
    /* A sliver of several lines a row may exceed its sets of L1 so many times: 128 squared f32 runs at 98 per
       cent of the peak in place (Zen 4).  One of single lines may not: 1.02 to 1.12 with a copy (18 products
       of 48 to 448, rows 256 to 1024 bytes apart, Zen 3). */
    double crowded_lines;
    int64_t alias;      /* bytes: lines that are a multiple of this apart compete for one set of L1 */
    int64_t edges_most; /* columns at the ends of a vector of rows that are computed apart; with more, copying
                           lines with zeros around them costs less */
    double untouched_most; /* a window whose copy has as many times the places touched is not copied */
    /* A window that vectors along a batch read is copied where a smaller part of so many rows meets all taps
       (7x7 taps on 7^2, a fiftieth: 1.5 to 1.9; on 9^2, a ninth: 1.07; 6^2 and 5x5: 0.93), or where what a
       line of out reads is so many times what its sets of L1 hold (28^2 with 512 and 1024 channels,
       7x7: 1.5, 2.8; 14^2, 3x3: 3.6 times 0.86, 7.1 times 1.5; Zen 3). */
    double batch_inner, batch_crowded;
    int64_t batch_rows;
    double inner_least; /* of a window's rows meet all taps where it is read in place by many columns */
    double
        inside_most; /* of a window's terms are computed apart from its padding, in pieces of few rows: 0.82
                           runs 1.12 to 1.27 times as fast, 0.91 1.07, 0.95 no faster */
    double inside_small; /* and of a copy's where L2 is below a megabyte: dilation 12 on 33^2, 0.57, runs 1.6
                            times as fast, 0.82 0.57 to 0.88 (Zen 3) */
    int64_t
        whole_again; /* an operand that would be packed more often than this is packed once for all tasks */
};
extern const struct contract_constants contract_constants;

/* Multiply-adds of a register tile for each of its loads. */
double contract_adds_a_load(double rows, double vectors);

/* Predicted seconds of one thread.  Each part is for people as well (contraction_describe prints them). */
struct contract_cost {
    double seconds, arithmetic, memory, caches, packing, calls;
};
void contract_cost_of(const ty_contraction *c, const struct contract_machine *machine,
                      struct contract_cost *cost);
/* What the places of a box cost on a side, which stays in a cache or not, beyond their own bytes, as a
   multiple of these. */
double contract_gaps(const ty_contraction *c, ty_side side, const int64_t *extent, bool cached);
/* Pages that the places of a box lie in. */
double contract_pages(const ty_contraction *c, ty_side side, const int64_t *extent);
/* Whether the runs of a box are whole lines of memory. */
bool contract_whole_lines(const ty_contraction *c, ty_side side, const int64_t *extent);
/* Bytes of the lines that a whole side lies in. */
double contract_lines_bytes(const ty_contraction *c, ty_side side);
/* Copying a byte of a side takes as long as so many are read from L2. */
double contract_copied_bytes(const ty_contraction *c, ty_side side);
/* Bytes that one thread may pack. */
double contract_workspace(const struct contract_machine *machine);
/* Where a side is packed: the loop in each step of which packing takes least time in all, so that what the
   step packs fits `room` bytes; the innermost that steps the side if nothing is better.  -1: once.  *bytes:
   what it packs; *seconds: what all of it takes. */
int contract_pack_loop(const ty_contraction *c, const struct contract_machine *machine, ty_side side,
                       double room, double *bytes, double *seconds);
/* Whether the primitive reads a side of these boxes as well where it lies as from a copy (pass_pack.c). */
bool contract_lies_well(const ty_contraction *c, const struct contract_machine *machine, ty_side side);
/* Whether so much of a window is padding that it is computed in pieces without it, be it a copy or not. */
bool contract_is_padded(const ty_contraction *c, ty_side side);
/* Steps of the loops that threads may share: those before the first one over K. */
double contract_tasks(const ty_contraction *c);
/* The part of the threads' time that those tasks use, each thread one range of them: 1 when all ranges make
   as much of out. */
double contract_evenness(const ty_contraction *c, int threads);
#endif
