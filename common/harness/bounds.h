// bounds.h: what a missed bound means, in the student's terms.
//
// A row is for the bounds `left <= ...`, `left >= ...` or `left == ...`; with per, for those whose other side names
// that counter. over: what it means to be above the bound, under: below it; NULL if no course table has such a
// bound. page: where docs/ explains it. name is the drivers' name for the same figure in their tables. The first
// matching row counts.
#pragma once

#include <stdlib.h>
#include <string.h>

struct bound_words {
    const char *left, *per, *name, *over, *under, *page, *lines;
};

static const struct bound_words BOUND_WORDS[] = {
    {"launches", NULL, "launches",
     "The program launches more kernels than this step needs: let one launch do more of the work.",
     "The program launches fewer kernels than this method needs: a level or a pass is missing, "
     "or it uses another method.",
     "docs/counters.md", NULL},
    {"nested_launches", NULL, "launches by a kernel", NULL,
     "The kernel launches fewer grids than it should: a thread with much work hands it to a launch of its own.",
     "docs/counters.md", NULL},
    {"blocks", NULL, "blocks started",
     "The launch starts more blocks than the device holds at once: let a thread take more elements.",
     "Too few blocks share the work: most multiprocessors stay idle.", "docs/counters.md", NULL},
    {"warps", NULL, "warps started",
     "The launch starts too many threads for the work: let a thread take more elements.",
     "Too few threads share the work: a few of them do what the whole grid should.", "docs/counters.md", NULL},
    {"longest_block", NULL, "instructions of the longest block",
     "One block does far more work than the others, and the launch waits for it: cap the work per block.", NULL,
     "docs/counters.md", NULL},
    {"warp_instructions", NULL, "warp instructions",
     "The warps issue far more instructions than this method needs: look for a loop that one thread runs alone, "
     "or that runs too often.",
     NULL, "docs/counters.md, \"Instructions\"", NULL},
    {"thread_instructions", "warp_instructions", "lanes at work", NULL,
     "Most lanes of a warp are idle while a few work: let consecutive threads do the work. Warps diverge here:",
     "docs/counters.md, \"Instructions\"", "divergent_branches"},
    {"barriers", NULL, "block barriers",
     "The blocks execute more barriers than this step needs: remove those that protect no shared word.", NULL,
     "docs/counters.md", NULL},
    {"barrier_waits", NULL, "block barriers, per warp",
     "The warps wait at more barriers than this step needs: remove those that protect no shared word.", NULL,
     "docs/counters.md", NULL},
    {"shuffles", NULL, "shuffles",
     "The lanes exchange more values than this step needs: let a thread work on its own elements first.",
     "The lanes exchange hardly any values: use shuffles, not shared memory.", "docs/counters.md", NULL},
    {"shuffles + votes", NULL, "shuffles and votes", NULL,
     "The lanes exchange hardly any values: use shuffles, not shared memory.", "docs/counters.md", NULL},
    {"shuffles + shared_store_requests", NULL, "shuffles and shared stores", NULL,
     "The blocks exchange hardly any values: the scan of each tile is missing, or one thread does it alone.",
     "docs/counters.md", NULL},
    {"votes", NULL, "votes, matches and warp reductions", NULL,
     "The lanes of a warp hardly vote: let the whole warp decide by a vote.", "docs/counters.md", NULL},
    {"tensor_flops", NULL, "operations of tensor cores", NULL,
     "The tensor cores do not do all products: each product of A and B belongs to one of their instructions.",
     "docs/counters.md, \"Instructions\"", NULL},
    {"tensor_instructions", NULL, "products of matrices by tensor cores",
     "The products are small: one wgmma of a warpgroup computes 64 x 16 by 16 x 256 words, and counts as four.",
     "Few products, if any, run on the tensor cores: one multiply_add per warp computes a 16 x 16 by 16 x 8 product.",
     "docs/counters.md, \"Instructions\"", NULL},
    {"flops", NULL, "floating-point operations",
     "The device does more arithmetic than this method needs: look for a value that is computed twice, "
     "or by every thread.",
     "The device does less arithmetic than the answer requires: part of it is done elsewhere.", "docs/counters.md",
     NULL},
    {"integer_adds", NULL, "integer additions",
     "The device does more additions than this method needs: the work should grow with n, "
     "not with n log n or n squared.",
     NULL, "docs/counters.md", NULL},
    {"local_bytes", NULL, "bytes in local memory",
     "An array of the thread does not fit into registers, or is indexed by a variable: it is in local memory.", NULL,
     "docs/counters.md", NULL},
    {"spilled_bytes", NULL, "bytes of spilled registers",
     "The assembler spills registers to local memory: the launch bounds leave a thread too few, "
     "or it has too many values.",
     NULL, "docs/counters.md", NULL},
    {"host_reads", NULL, "host reads",
     "The host copies results back during the run, and the device waits: leave the decision to a kernel.",
     "The host reads too little to know when to stop.", "docs/counters.md", NULL},
    {"host_writes", NULL, "host writes",
     "The host writes to device memory more often than this step needs: let a kernel compute the values, "
     "or let one copy bring more.",
     "The program copies less to the device than its kernels need.", "docs/counters.md", NULL},

    // Global memory.
    {"global_load_sectors", "global_load_requests", "sectors loaded",
     "A load touches too many sectors: the lanes of a warp read words that are not neighbours.",
     "A load touches few sectors: let every lane load 16 bytes at once.", "docs/counters.md, \"Sectors\"", NULL},
    {"global_load_sectors", "global_load_sectors_ideal", "sectors loaded",
     "A load touches more sectors than its words fill: the lanes of a warp read words that are not neighbours.", NULL,
     "docs/counters.md, \"Sectors\"", NULL},
    {"global_load_sectors", NULL, "sectors loaded",
     "The kernels load the same data more than once, or the lanes load words that are not neighbours.",
     "The kernels load less than this step needs: some of the input is never read, or the host did the work.",
     "docs/counters.md, \"Sectors\"", NULL},
    {"global_load_requests", NULL, "global load requests",
     "The kernels issue more loads than the data needs: they load the same data twice, "
     "or in pieces that are too small.",
     NULL, "docs/counters.md, \"Sectors\"", NULL},
    {"32*global_load_sectors", NULL, "bytes loaded",
     "The kernels load more bytes than this step needs: they read the same data more than once, "
     "or use only a part of each sector.",
     NULL, "docs/counters.md, \"Sectors\"", NULL},
    {"32*global_load_requests", NULL, "global loads, in lanes",
     "The kernels issue more loads than this step needs: a thread loads a value that a neighbour has loaded.", NULL,
     "docs/counters.md, \"Sectors\"", NULL},
    {"global_store_sectors", "global_store_requests", "sectors stored",
     "A store touches too many sectors: the lanes of a warp write words that are not neighbours.", NULL,
     "docs/counters.md, \"Sectors\"", NULL},
    {"global_store_sectors", "global_store_sectors_ideal", "sectors stored",
     "A store touches more sectors than its words fill: the lanes of a warp write words that are not neighbours.", NULL,
     "docs/counters.md, \"Sectors\"", NULL},
    {"global_store_sectors", NULL, "sectors stored",
     "The kernels store results more than once, or the lanes store words that are not neighbours.",
     "The kernels store less than this step needs: a result is missing, or the host computed it.",
     "docs/counters.md, \"Sectors\"", NULL},
    {"global_store_requests", NULL, "global store requests",
     "The kernels issue more stores than there are results: add up in a register and store once.", NULL,
     "docs/counters.md, \"Sectors\"", NULL},
    {"global_store_sectors_ideal", "global_store_sectors", "sectors that the stored words fill",
     "Lanes of a warp store the same word in one request: let one lane store it.", NULL,
     "docs/counters.md, \"Sectors\"", NULL},
    {"waits", NULL, "time slices of one block that only polled, with a block that stalls",
     "Each tile waits for the previous one: look-back must need only the aggregates of earlier tiles.", NULL,
     "docs/counters.md", NULL},
    {"growth", NULL, "loads of an element in a larger input, over those counted",
     "The more tiles, the further each looks back: "
     "a tile must publish its inclusive prefix, and look-back must stop there.",
     NULL, "docs/counters.md", NULL},
    {"asked", NULL, "queries of the number of multiprocessors", NULL,
     "The grid is made for one device: ask how many multiprocessors there are, and limit the number of blocks by that.",
     "docs/counters.md", NULL},
    {"constant_passes", NULL, "passes of loads from constant memory",
     "The kernels load through constant memory what this step loads from global memory: "
     "its 64 KB cannot hold a large input.",
     NULL, "docs/counters.md", NULL},
    {"copied_sectors", NULL, "sectors that copies on the device read and write",
     "cudaMemcpy moves data on the device that a kernel should load where it lies: "
     "such a copy costs as much as a kernel.",
     NULL, "docs/counters.md, \"Sectors\"", NULL},
    {"overlaps", NULL, "copies that a kernel may run beside", NULL,
     "Copies and kernels wait for each other needlessly: put independent work on separate streams, "
     "and page-lock the host's memory.",
     "docs/counters.md", NULL},
    {"32*global_store_sectors", NULL, "bytes stored",
     "The kernels store more bytes than this step needs: they write the same data more than once, "
     "or fill only a part of each sector.",
     NULL, "docs/counters.md, \"Sectors\"", NULL},
    {"32*(global_load_sectors + global_store_sectors)", NULL, "bytes moved through global memory",
     "The kernels move more bytes through global memory than this step needs: they move data more than once, "
     "or use only a part of each sector.",
     NULL, "docs/counters.md, \"Sectors\"", NULL},
    {"global_atomics", NULL, "global atomics",
     "More atomics go to global memory than this step needs: combine values in the block first.",
     "Fewer atomics go to global memory than this step needs: one for every value, or every tile.",
     "docs/counters.md, \"Banks\"", NULL},

    // Bulk copies.
    {"bulk_load_bytes", NULL, "bytes loaded by bulk copies",
     "Bulk copies load more bytes than this step needs: a tile is copied twice, or its halo is too wide.",
     "Bulk copies load too little: let one thread issue a copy of each tile, and no thread load its words.",
     "docs/counters.md", NULL},
    {"bulk_store_bytes", NULL, "bytes stored by bulk copies", NULL,
     "Bulk copies store too little: let one thread issue a copy of each tile, and no thread store its words.",
     "docs/counters.md", NULL},
    {"bulk_copies", NULL, "bulk copies",
     "The threads issue many small copies: let one copy move all bytes that are contiguous.", NULL, "docs/counters.md",
     NULL},
    {"mixed_warps", NULL, "warps that copy and multiply",
     "A warp issues bulk copies and multiplies as well: leave all copies to a warp that does nothing else.", NULL,
     "docs/counters.md", NULL},
    {"cluster_accesses", NULL, "accesses to other blocks", NULL,
     "Few samples, if any, are counted in the memory of other blocks: spread the bins over the cluster.",
     "docs/counters.md", NULL},

    // Shared memory.
    {"shared_excess", NULL, "bank conflicts",
     "Lanes of a warp access different words of one bank, which serves them one after another.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_load_requests", NULL, "shared loads",
     "The warps read shared memory more often than this method needs: let only active threads read, "
     "and keep a value in a register.",
     NULL, "docs/counters.md, \"Banks\"", NULL},
    {"shared_store_requests", NULL, "shared stores",
     "The warps write shared memory more often than this method needs: let only active threads write.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_load_requests + shuffles", NULL, "shared loads and shuffles", NULL,
     "The lanes hardly share what they have loaded: keep a tile in shared memory and read the words from there.",
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_load_requests + shared_store_requests", NULL, "shared accesses",
     "Values still go through shared memory, though the lanes of a warp can exchange them directly.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_store_wavefronts", NULL, "passes of shared stores", NULL,
     "The warps write too little to shared memory: each has a table of its own to set to zero.",
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_atomics", NULL, "shared atomics",
     "The block adds up values with shared atomics: this step has another way.",
     "The block does not count in shared memory: each sample is one atomic on its table.",
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_atomics + votes", NULL, "shared atomics and votes",
     "The block combines values first: in this step every one goes straight to global memory.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_atomics + shuffles", NULL, "shared atomics and shuffles",
     "The block combines values first: in this step every one goes straight to global memory.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_atomic_wavefronts", NULL, "passes of shared atomics",
     "Lanes conflict in a bank while they count: the copies of a bin must lie in different banks.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_atomic_same", NULL, "most lanes of a warp on one word",
     "Lanes of a warp add to one word at the same time, one after another: spread them over copies.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
    {"shared_atomic_warps", NULL, "most warps on one word",
     "Several warps of a block add to one word: give each warp a table of its own.", NULL,
     "docs/counters.md, \"Banks\"", NULL},
};

// The words for a relation; sign points at its operator. NULL: there are none.
static inline const struct bound_words *find_bound_words(const char *text, const char *sign)
{
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof BOUND_WORDS / sizeof *BOUND_WORDS; i++) {
        const struct bound_words *words = &BOUND_WORDS[i];
        size_t length = strlen(words->left);
        if (!strncmp(text, words->left, length) && text + length + strspn(text + length, " ") == sign &&
            (!words->per || strstr(sign, words->per)))
            return words;
    }
    return NULL;
}

// A bound of the form `left <= 5*blocks` is easier to read as 5 per block. Returns the word after "per", *factor being
// the number before it; NULL if the bound, the text after the relation sign, has another form.
static inline const char *bound_unit(const char *right, double *factor)
{
    static const char *const units[][2] = {{"blocks", "block"},
                                           {"warps", "warp"},
                                           {"n", "element"},
                                           {"launches", "launch"},
                                           {"warp_instructions", "instruction"},
                                           {"global_load_sectors_ideal", "sector that the words fill"},
                                           {"global_store_sectors_ideal", "sector that the words fill"},
                                           {"global_load_requests", "request"},
                                           {"global_store_requests", "request"},
                                           {"shared_atomic_requests", "request"}};
    char *at;
    right += strspn(right, "<>= ");
    *factor = strtod(right, &at);
    if (at == right)
        *factor = 1;
    at += at > right && *at == '*';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(at, units[i][0]))
            return units[i][1];
    return NULL;
}
