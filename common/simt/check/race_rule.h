// The rule for races between two accesses to one word, as a pure function of values. race_shared.c and race_global.c
// unpack their records for it; a truth table tests it (tests/simt/test_race_rule.c).
#pragma once

#include <stdbool.h>

// The earlier access, from its record.
struct race_earlier {
    bool atomic;
    bool strong;                           // promises to be seen by others
    bool narrow;                           // promises it to its own block alone
    bool same_block, same_warp, same_lane; // as the current access
    bool several;                          // the record stands for more accesses than the one it names
    bool wide;                             // those are by several warps
    bool blocks;                           // and by several blocks
    bool torn;    // it and the current access overlap only in part, so neither sees the other whole
    bool spins;   // a read that is repeated until it returns the right value
    bool changes; // a write, or an atomic that changed the word
    bool announced;    // the current lane has read a flag that was set after it
    bool recent;  // no barrier of the whole block came after it
    bool is_volatile;
};

// The current access.
struct race_current {
    bool load;
    bool relaxed; // atomic, or .relaxed or stronger
    bool is_volatile;
    bool data;       // a strong load of a word that is not a flag: its value is used without polling
    bool spins;      // a strong load that is repeated until it returns the right value
    bool narrow;     // relaxed at the scope of the block
    bool starts_cas; // a plain load that starts a compare-and-swap loop
    bool overwrites; // an exchange whose result is not used
};

// Within a warp, volatile accesses rely on lock step, so they count as weak, unless one of the two polls. After another
// lane's atomic, a lane may load the word if the load is relaxed, or a volatile one of a flag.
static inline bool race_strong_in_warp(const struct race_earlier *past, const struct race_current *now)
{
    if (past->atomic && now->load)
        return now->relaxed || (now->is_volatile && !now->data);
    if (past->spins || now->spins)
        return now->relaxed || now->is_volatile;
    return now->relaxed && !(past->strong && now->is_volatile);
}

// Each access is visible to the other: no race, whatever the order. PTX wants the two to touch the same bytes ("morally
// strong"): half of a word may be new and half of it old. Between warps volatile accesses to flags promise it, too.
// Data that are passed on need an order: volatile data always, relaxed data if a flag announced them. Of two writes,
// one of them volatile, the last would win. (An atomic that reads the word before it writes may be intended to come at
// any time.)
static inline bool race_both_strong(const struct race_earlier *past, const struct race_current *now)
{
    if (past->torn)
        return false;
    if (now->starts_cas && past->atomic)
        return true;
    if (!past->same_block && (past->narrow || now->narrow))
        return false;
    if (!past->atomic && !past->strong)
        return false;
    if (past->same_warp)
        return race_strong_in_warp(past, now);
    if (now->data)
        return now->relaxed && !past->announced;
    if (now->is_volatile && !now->load)
        return !past->changes || past->several;
    if (now->overwrites && past->is_volatile && !past->atomic && past->changes)
        return false;
    return now->relaxed || now->is_volatile;
}

// What it takes to prove that the earlier access happens before the current one.
enum race_proof {
    PROOF_ALWAYS,   // nothing more: a barrier of the block lies between
    PROOF_KNOWN,    // that the lane knows the moment
    PROOF_MEETING,  // a synchronization of some warps, or an order by fences: the record does not name all
    PROOF_OWN_WARP, // a synchronization of the lane's warp, or another lane's release: its own access, and another's
    PROOF_ACQUIRED, // anything that the block has acquired from others: the record keeps too little of them
};

static inline enum race_proof race_proof(const struct race_earlier *past)
{
    bool own = past->same_block && past->same_warp && past->same_lane;
    if (past->wide && past->same_block && past->recent)
        return PROOF_MEETING;
    if (!own || !past->several)
        return PROOF_KNOWN;
    if (!past->wide)
        return PROOF_OWN_WARP;
    return past->blocks ? PROOF_ACQUIRED : PROOF_ALWAYS;
}
