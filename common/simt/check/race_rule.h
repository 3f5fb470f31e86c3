// The rule of races for two accesses to one word, by values alone. race_shared.c and race_global.c unpack their records
// for it; a truth table holds it (tests/simt/test_race_rule.c).
#ifndef SIMT_RACE_RULE_H
#define SIMT_RACE_RULE_H

#include <stdbool.h>

// What a record says of the past.
struct race_past {
    bool atomic;
    bool strong;     // promises to be seen by others
    bool narrow;     // promises it to its own block alone
    bool same_block, same_warp, same_lane; // as the access of now
    bool several;    // the record stands for more accesses than the one it names
    bool wide;       // those are of several warps
    bool blocks;     // and of several blocks
    bool recent;     // no barrier of the whole block came after it
};

// The access of now.
struct race_now {
    bool load;
    bool relaxed;    // atomic, or .relaxed and stronger
    bool is_volatile;
    bool promises;   // relaxed, or volatile as a flag is
    bool narrow;     // relaxed at the scope of the block
    bool starts_cas; // a plain load that a loop of compare-and-swap begins with
};

// Both promise to be seen by the other: no race, whatever the order. Volatile accesses promise it across warps, and
// beside atomics (what a loop of compare-and-swap reads first).
static inline bool race_both_strong(const struct race_past *past, const struct race_now *now)
{
    if (now->starts_cas && past->atomic)
        return true;
    if (!past->same_block && (past->narrow || now->narrow))
        return false;
    if (!past->atomic && !past->strong)
        return false;
    if (!past->same_warp || (past->atomic && now->load))
        return now->promises;
    return now->relaxed && !(past->strong && now->is_volatile);
}

// What shows that the past is over for the lane of now.
enum race_proof {
    PROOF_ALWAYS,   // nothing more: a barrier of the block lies between
    PROOF_KNOWN,    // that the lane knows of the moment
    PROOF_MEETING,  // a meeting of some warps, or an order by fences: who they all were is not known
    PROOF_OWN_WARP, // a meeting of the lane's warp: the lane's own access, and another one's about the same time
    PROOF_TAKEN_UP, // anything that the block has taken up from others: of them the record keeps too little
};

static inline enum race_proof race_proof(const struct race_past *past)
{
    bool own = past->same_block && past->same_warp && past->same_lane;
    if (past->wide && past->same_block && past->recent)
        return PROOF_MEETING;
    if (!own || !past->several)
        return PROOF_KNOWN;
    if (!past->wide)
        return PROOF_OWN_WARP;
    return past->blocks ? PROOF_TAKEN_UP : PROOF_ALWAYS;
}

#endif
