// Counters are made from tallies when they are read, not while warps run. docs/counters.md defines every counter.
#include "count/tally.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/opcodes.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// ---- launches

void add_reads(struct read_count *to, const struct read_count *from)
{
    to->requests += from->requests;
    to->passes += from->passes;
    to->ideal += from->ideal;
    to->conflicts += from->conflicts;
}

void add_memory(struct memory_count *to, const struct memory_count *from)
{
    enum { SUMS = offsetof(struct memory_count, same) / 8, ALL = offsetof(struct memory_count, joins) / 8 };
    uint64_t *out = (uint64_t *)to;
    const uint64_t *in = (const uint64_t *)from;
    for (int i = 0; i < ALL; i++)
        out[i] = i < SUMS ? out[i] + in[i] : larger(in[i], out[i]);
}

static void add_worker(struct tally *t, const struct worker *k)
{
    const struct module *m = t->module;
    for (uint32_t id = 0; id < m->origin_count; id++) {
        struct instruction_total *i = &t->of[id];
        uint32_t block = m->origins[id].block;
        if (!k->runs[block].warps)
            continue;
        i->warps += k->runs[block].warps;
        i->lanes += m->origins[id].ptx->guard >= 0 && k->guard_lanes[id] ? k->guard_lanes[id] : k->runs[block].lanes;
        i->diverged += k->diverged[id];
        add_memory(&i->memory, &counts_of(k)->memory[id]);
    }
}

void tally_launch(struct tally *t, const struct launch *launch, const struct worker *workers)
{
    const struct module *m = t->module;
    if (t->count < m->origin_count) {
        t->of = alloc_resize(t->of, m->origin_count, sizeof *t->of);
        memset(t->of + t->count, 0, (m->origin_count - t->count) * sizeof *t->of);
        t->count = m->origin_count;
    }
    for (uint32_t i = 0; i < launch->worker_count; i++)
        add_worker(t, &workers[i]);
}

void add_launch(struct launch_totals *to, const struct launch *launch, const struct worker *workers)
{
    bool loads = false, stores = false;
    to->launches++;
    to->spilled = larger(launch->code->spilled, to->spilled);
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        loads |= counts_of(&workers[i])->host_loads;
        stores |= counts_of(&workers[i])->host_stores;
        to->mixed += counts_of(&workers[i])->mixed;
        to->blocks += workers[i].blocks;
        to->warps += workers[i].warps;
        to->longest_block = larger(workers[i].longest, to->longest_block);
        to->barriers += workers[i].barriers;
        to->waits = larger(workers[i].waits, to->waits);
    }
    to->host_writes += loads; // as a copy would bring it
    to->host_reads += stores;
}

void read_launches(const struct launch_totals *from, struct simt_counters *to)
{
    to->launches += from->launches;
    to->blocks += from->blocks;
    to->warps += from->warps;
    to->longest_block = larger(from->longest_block, to->longest_block);
    to->barriers += from->barriers;
    to->waits = larger(from->waits, to->waits);
    to->host_writes += from->host_writes;
    to->host_reads += from->host_reads;
    to->mixed_warps += from->mixed;
    to->spilled_bytes = larger(from->spilled, to->spilled_bytes);
}

// ---- instructions

// Whether warps wait at the instruction for other warps of the block.
static bool warps_wait(const struct origin *o)
{
    const char *op = o->ptx->op;
    return is_block_barrier(o->op, op) && !strstr(op, ".arrive") && !strstr(op, ".cluster");
}

// Additions that one lane of an atomic makes, of floating-point numbers or of integers.
static uint64_t atomic_adds(const struct origin *o, bool floats)
{
    const char *op = o->ptx->op;
    if ((o->op != OP_atom && o->op != OP_red) || !strstr(op, ".add."))
        return 0;
    const char *type = strrchr(op, '.') + 1;
    return floats == (*type == 'f' || *type == 'b') ? element_count(op) : 0;
}

// Multiplications and additions of one warp in a product of matrices.
static uint64_t product_flops(const char *op)
{
    unsigned m, n, k;
    if (!product_shape(op, &m, &n, &k))
        return 0;
    bool four = m == 8 && k == 4 && strstr(op, ".f16"); // products in parallel
    return (uint64_t)2 * m * n * k * (four ? 4 : 1);
}

// cp.async.bulk and cp.reduce.async.bulk, also of tensors, st.async, red.async.
static bool is_bulk_copy(const char *op)
{
    bool waits = strstr(op, "_group") && !strstr(op, ".bulk_group");
    return (strstr(op, ".async.bulk") && !waits && !strstr(op, ".prefetch")) || is_family(op, "st.async") ||
           is_family(op, "red.async");
}

// What instruction `id` of t adds to every counter by line.
static void add_instruction(const struct tally *t, uint32_t id, struct simt_counters *c)
{
    const struct instruction_total *i = &t->of[id];
    const struct origin *o = &t->module->origins[id];
    const struct opcode_info *info = &opcode_table[o->op];
    const char *op = o->ptx->op;
    c->warp_instructions += i->warps;
    c->thread_instructions += i->lanes;
    c->integer_adds += (info->class == INTEGER_ADD) * i->lanes + atomic_adds(o, false) * i->lanes;
    c->flops += atomic_adds(o, true) * i->lanes;
    c->flops += info->class == FLOP ? i->lanes : info->class == FLOP_TWO ? 2 * i->lanes : 0;
    if (o->op == OP_bra && o->ptx->guard >= 0)
        c->branches += i->warps;
    c->divergent_branches += i->diverged;
    c->barrier_waits += warps_wait(o) ? i->warps : 0;
    c->cluster_waits += is_family(op, "barrier.cluster.wait") ? i->warps : 0;
    c->bulk_copies += is_bulk_copy(op) ? i->lanes : 0;
    c->warp_barriers += is_family(op, "bar.warp") ? i->warps : 0;
    if (i->warps && (o->op == OP_shfl || is_vote(o->op)) && o->result_read)
        *(o->op == OP_shfl ? &c->shuffles : &c->votes) += i->warps;
    c->tensor_instructions += is_product(o->op, op) ? i->warps : 0;
    c->tensor_flops += is_product(o->op, op) ? i->warps * product_flops(op) : 0;
}

// Bytes that one lane of a load or store moves.
static uint64_t lane_bytes(const char *op)
{
    const char *type = strrchr(op, '.') + 1;
    return (uint64_t)element_count(op) * ptx_type_size(ptx_type_parse(type, strlen(type)));
}

// cp.async: loads from global memory, and as many stores to shared memory.
static void add_copy(const struct memory_count *m, struct simt_counters *c)
{
    c->async_copies += m->requests;
    c->global_load_requests += m->requests;
    c->global_load_sectors += m->sectors;
    c->global_load_sectors_ideal += m->sectors_ideal;
    c->shared_store_requests += m->requests;
    c->shared_store_wavefronts += m->wavefronts;
    c->shared_store_wavefronts_ideal += m->wavefronts_ideal;
    c->shared_excess += m->conflicts;
}

// Loads by other instructions.
static void add_other_loads(const struct memory_count *m, struct simt_counters *c)
{
    c->global_load_requests += m->reads.requests;
    c->global_load_sectors += m->reads.passes;
    c->global_load_sectors_ideal += m->reads.ideal;
    c->shared_load_requests += m->shared_reads.requests;
    c->shared_load_wavefronts += m->shared_reads.passes;
    c->shared_load_wavefronts_ideal += m->shared_reads.ideal;
    c->shared_excess += m->shared_reads.conflicts;
}

// Atomics, by the memory of their addresses.
static void add_atomic(const struct memory_count *m, struct simt_counters *c)
{
    c->shared_atomic_requests += m->shared_requests;
    c->shared_atomics += m->shared_lanes;
    c->shared_atomic_wavefronts += m->wavefronts;
    c->shared_atomic_wavefronts_ideal += m->wavefronts_ideal;
    c->shared_atomic_same = larger(m->shared_same, c->shared_atomic_same);
    c->shared_atomic_warps = larger(m->warps, c->shared_atomic_warps);
    c->global_atomic_requests += m->requests;
    c->global_atomics += m->lanes;
    c->global_atomic_sectors += m->sectors;
    c->global_atomic_same = larger(m->same, c->global_atomic_same);
}

// Texture fetches and surface loads count as loads; a filtering fetch counts once for each texel.
static bool is_load(const struct origin *o)
{
    return (is_object_access(o->op) && o->op != OP_sust) || o->op == OP_ld || o->op == OP_ldu || o->op == OP_ldmatrix ||
           is_family(o->ptx->op, "wmma.load");
}

// The operation of a memory instruction and its nonzero counts decide what it adds.
static void add_memory_instruction(const struct tally *t, uint32_t id, struct simt_counters *c)
{
    const struct memory_count *m = &t->of[id].memory;
    const struct origin *o = &t->module->origins[id];
    add_other_loads(m, c);
    c->constant_passes += m->constant;
    c->bulk_load_bytes += m->bulk_loaded;
    c->bulk_store_bytes += m->bulk_stored;
    c->cluster_accesses += m->peers;
    c->peer_requests += m->peer_requests;
    c->peer_atomics += m->peer_lanes;
    if (o->op == OP_cp) {
        add_copy(m, c);
        return;
    }
    if (o->op == OP_mbarrier)
        return; // not counted here: its phases are barriers (exec/async.c)
    if (o->op == OP_atom || o->op == OP_red) {
        add_atomic(m, c);
        c->global_exchanges += strstr(o->ptx->op, ".exch") ? m->requests : 0;
        return;
    }
    if (!m->requests)
        return;
    bool load = is_load(o);
    if (m->sectors) {
        c->global_polls += m->polls;
        *(load ? &c->global_load_requests : &c->global_store_requests) += m->requests;
        *(load ? &c->global_load_sectors : &c->global_store_sectors) += m->sectors;
        *(load ? &c->global_load_sectors_ideal : &c->global_store_sectors_ideal) += m->sectors_ideal;
    } else if (m->wavefronts) {
        *(load ? &c->shared_load_requests : &c->shared_store_requests) += m->requests;
        *(load ? &c->shared_load_wavefronts : &c->shared_store_wavefronts) += m->wavefronts;
        *(load ? &c->shared_load_wavefronts_ideal : &c->shared_store_wavefronts_ideal) += m->wavefronts_ideal;
        c->shared_excess += m->conflicts;
    } else
        c->local_bytes += m->lanes * lane_bytes(o->ptx->op);
}

void read_instruction(const struct tally *t, uint32_t id, const struct launch_totals *whole, struct simt_counters *to)
{
    add_instruction(t, id, to);
    add_memory_instruction(t, id, to);
    if (warps_wait(&t->module->origins[id]) && whole->warps) // warps reach it; counts once for all of them
        to->barriers += t->of[id].warps * whole->blocks / whole->warps;
}

// ---- counters

size_t counter_offset(const char *name)
{
#define COUNTER_OFFSET(field, meaning) \
    if (!strcmp(name, #field)) \
        return offsetof(struct simt_counters, field);
    SIMT_COUNTERS(COUNTER_OFFSET)
#undef COUNTER_OFFSET
    return NO_COUNTER;
}

bool is_maximum(size_t offset)
{
    return offset == offsetof(struct simt_counters, longest_block) || offset == offsetof(struct simt_counters, waits) ||
           offset == offsetof(struct simt_counters, spilled_bytes) ||
           offset == offsetof(struct simt_counters, global_atomic_same) ||
           offset == offsetof(struct simt_counters, shared_atomic_same) ||
           offset == offsetof(struct simt_counters, shared_atomic_warps);
}

void add_counters(struct simt_counters *to, const struct simt_counters *from)
{
    for (size_t at = 0; at < sizeof *to; at += sizeof(uint64_t)) {
        uint64_t a = counter_at(to, at), b = counter_at(from, at), both = is_maximum(at) ? larger(a, b) : a + b;
        memcpy((uint8_t *)to + at, &both, sizeof both);
    }
}
