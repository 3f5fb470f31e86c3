// Drills. Each topic makes a program from a seed; the machine runs it to find the answer, so no answers are stored.
#include "learn/drills.h"
#include "learn/lab.h"
#include "course/course.h"
#include "judge/findings.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- random numbers

struct draw {
    uint64_t state;
};

// splitmix64: http://prng.di.unimi.it/splitmix64.c
static uint64_t next_bits(struct draw *draw)
{
    uint64_t z = draw->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// A number from low to high.
static int between(struct draw *draw, int low, int high)
{
    return low + (int)(next_bits(draw) % (uint64_t)(high - low + 1));
}

// ---- access patterns

// The index of a lane's word: level 1, a power of two as stride; 2, any stride up to most and an offset; 3, folded or
// swapped.
static char *draw_index(struct draw *draw, int level, int most)
{
    int stride = between(draw, 2, most), offset = between(draw, 1, 31);

    if (level == 1)
        return text_format("%d * lane", 1 << between(draw, 0, most < 32 ? 3 : 5));
    if (level == 2)
        return text_format("%d * lane + %d", stride, offset);
    return between(draw, 0, 1) ? text_format("(%d * lane + %d) %% %d", stride, offset, between(draw, 20, 200))
                               : text_format("%d * (lane ^ %d) + lane / %d", stride, offset, between(draw, 2, 9));
}

static const char access_program[] = "#include <stdio.h>\n"
                                     "#include \"simt/simt.h\"\n"
                                     "#define AT(lane) (%s)\n"
                                     "__global__ void load(const int *x, int *y)\n"
                                     "{\n"
                                     "    __shared__ int s[2048];\n"
                                     "    int lane = threadIdx.x;\n"
                                     "    for (int i = lane; i < 2048; i += 32)\n"
                                     "        s[i] = i;\n"
                                     "    __syncwarp();\n"
                                     "    y[lane] = %s;\n"
                                     "}\n"
                                     "int main(void)\n"
                                     "{\n"
                                     "    int *x, *y;\n"
                                     "    struct simt_counters c;\n"
                                     "    cudaMalloc(&x, 2048 * sizeof *x);\n"
                                     "    cudaMalloc(&y, 32 * sizeof *y);\n"
                                     "    cudaMemset(x, 0, 2048 * sizeof *x);\n"
                                     "    simt_reset();\n"
                                     "    load<<<1, 32>>>(x, y);\n"
                                     "    cudaDeviceSynchronize();\n"
                                     "    simt_read(&c);\n"
                                     "    printf(\"answer: %%d\\n%s\", (int)c.%s);\n"
                                     "    for (int lane = 0; lane < 32; lane++)\n"
                                     "        printf(\" %%d\", AT(lane) %s);\n"
                                     "    printf(\"\\n\");\n"
                                     "    return 0;\n"
                                     "}\n";

static struct drill make_access(struct draw *draw, int level, bool shared)
{
    char *index = draw_index(draw, level, shared ? 40 : 9); // from 8 on every lane has a sector of its own
    struct drill drill = {NULL};

    if (shared) {
        drill.question = text_format("How many passes through the 32 banks does this load of one warp take?\n\n"
                                     "    __shared__ int s[2048];\n    y[lane] = s[%s];",
                                     index);
        drill.program = text_format(access_program, index, "s[AT(lane)]",
                                    "banks of lanes 0 to 31:", "shared_load_wavefronts", "% 32");
    } else {
        drill.question = text_format("How many 32-byte sectors does this load of one warp touch? x, an array of int, "
                                     "begins at a multiple of 256 bytes.\n\n    y[lane] = x[%s];",
                                     index);
        drill.program = text_format(access_program, index, "x[AT(lane)] + s[lane]",
                                    "sectors of lanes 0 to 31:", "global_load_sectors", "/ 8");
    }
    free(index);
    return drill;
}

static struct drill make_sectors(struct draw *draw, int level)
{
    return make_access(draw, level, false);
}

static struct drill make_banks(struct draw *draw, int level)
{
    return make_access(draw, level, true);
}

// ---- races

// Level 1: other warps' words; 2, those of a partner at any distance; 3, those of a neighbour or of a group's first.
// far: whether some are another warp's.
static char *draw_partner(struct draw *draw, int level, bool *far)
{
    static const char *const across[] = {"tid ^ 32", "63 - tid", "(tid + 32) % 64"};
    int distance = 1 << between(draw, level == 3, 5);

    *far = level == 1 || (level == 2 ? distance == 32 : between(draw, 0, 1));
    if (level == 1)
        return text_format("%s", across[between(draw, 0, 2)]);
    if (level == 2)
        return text_format("tid ^ %d", distance);
    return *far ? text_format("(tid + %d) %% 64", distance) : text_format("tid / %d * %d", distance, distance);
}

// Half of the programs are right: both barriers are enough. In the others one is too weak or missing, or both are.
static struct drill make_races(struct draw *draw, int level)
{
    static const char *const meet[] = {"", "    __syncwarp();\n", "    __syncthreads();\n"};
    bool far;
    char *index = draw_partner(draw, level, &far), *code;
    int enough = far ? 2 : 1, weak = between(draw, 0, 1) ? 0 : level == 1 ? 1 : between(draw, 1, 3);
    const char *first = meet[weak & 1 ? between(draw, 0, enough - 1) : between(draw, enough, 2)];
    const char *second = meet[weak & 2 ? between(draw, 0, enough - 1) : between(draw, enough, 2)];
    struct drill drill = {.by_race = true};

    code = text_format("    s[tid] = x[tid];\n%s    int v = s[%s];\n%s    s[tid] = v;\n", first, index, second);
    drill.question =
        text_format("A block of 64 threads. Does it have a race? 1: yes, 0: no.\n\n    __shared__ int s[64];\n"
                    "    int tid = threadIdx.x;\n%s",
                    code);
    drill.program =
        text_format("__global__ void race(int *x)\n{\n    __shared__ int s[64];\n    int tid = threadIdx.x;\n%s"
                    "    x[tid] = s[tid];\n}\nint main(void)\n{\n    int *x;\n    cudaMalloc(&x, 256);\n"
                    "    cudaMemset(x, 0, 256);\n    race<<<1, 64>>>(x);\n    cudaDeviceSynchronize();\n"
                    "    return 0;\n}\n",
                    code);
    free(code);
    free(index);
    return drill;
}

// ---- fences: one block writes data, then a flag, for which the other one waits

#define FENCE "        __threadfence();\n"
#define BLOCK_FENCE "        __threadfence_block();\n"
#define BARRIER "    __syncthreads();\n"

// Level 1: the fence of the writer may be left out; 2, two words, and one of both fences may be left out or too weak;
// 3, the words of 64 threads, and one of two barriers may be left out, too. About half of the programs are right.
// Words, value and the block that writes vary, so that a program must be read, not remembered.
static char *draw_handshake(struct draw *draw, int level)
{
    static const char *const weak[] = {"", BLOCK_FENCE}, *const words[] = {"tid", "63 - tid", "tid ^ 32"};
    int defect = between(draw, 0, level == 1 ? 1 : 2 * level + level % 2), kind = level == 1 ? 0 : between(draw, 0, 1);
    const char *write = defect == 0 ? weak[kind] : FENCE, *read = level > 1 && defect == 1 ? weak[kind] : FENCE;
    int writer = between(draw, 0, 1), value = between(draw, 10, 99), word = between(draw, 0, 30);
    char *more, *code;

    if (level == 3)
        return text_format(
            "    int tid = threadIdx.x;\n    if (blockIdx.x == %d)\n        data[tid] = %d;\n%s"
            "    if (blockIdx.x == %d && tid == 0) {\n%s        flag[0] = 1;\n    }\n"
            "    if (blockIdx.x == %d && tid == 0) {\n        while (flag[0] == 0)\n            ;\n%s    }\n%s"
            "    if (blockIdx.x == %d)\n        out[tid] = data[%s];\n",
            writer, value, defect == 2 ? "" : BARRIER, writer, write, !writer, read, defect == 3 ? "" : BARRIER,
            !writer, words[between(draw, 0, 2)]);
    more = level == 2 ? text_format("        data[%d] = %d;\n", word + 1, value / 2) : text_format("%s", "");
    code = text_format("    if (blockIdx.x == %d) {\n        data[%d] = %d;\n%s%s        flag[0] = 1;\n    } else {\n"
                       "        while (flag[0] == 0)\n            ;\n%s        out[0] = data[%d];\n    }\n",
                       writer, word, value, more, write, read, word + (level == 2 ? between(draw, 0, 1) : 0));
    free(more);
    return code;
}

static struct drill make_fences(struct draw *draw, int level)
{
    char *code = draw_handshake(draw, level);
    const char *threads = level < 3 ? "one thread" : "64 threads";
    struct drill drill = {.by_race = true};

    drill.question =
        text_format("Two blocks of %s; flag is volatile. Does it have a race? 1: yes, 0: no.\n\n%s", threads, code);
    drill.program =
        text_format("__global__ void pass(int *data, volatile int *flag, int *out)\n{\n%s}\nint main(void)\n{\n"
                    "    int *x;\n    cudaMalloc(&x, 3 * 256);\n    cudaMemset(x, 0, 3 * 256);\n"
                    "    pass<<<2, %d>>>(x, x + 64, x + 128);\n    cudaDeviceSynchronize();\n    return 0;\n}\n",
                    code, level < 3 ? 1 : 64);
    free(code);
    return drill;
}

// ---- occupancy

// Level 1: threads that divide 2048. Level 2: threads that may not, and shared memory, which may be the limit. Level 3:
// shared memory is the limit.
static struct drill make_occupancy(struct draw *draw, int level)
{
    int threads = level == 1 ? 1 << between(draw, 6, 10) : 32 * between(draw, level == 2 ? 9 : 1, level == 2 ? 32 : 8);
    int most = 2048 / threads < 32 ? 2048 / threads : 32;
    int bytes = level == 1 ? 0 : 1024 * (level == 2 ? between(draw, 1, 48) : between(draw, 228 / most, 48));
    struct drill drill = {.by_race = false};

    drill.question =
        text_format("A multiprocessor holds at most 2048 threads and 32 blocks, and 228 KB of shared memory; "
                    "each block takes 1 KB more than it asks for. Registers do not limit it. "
                    "How many blocks of %d threads with %d bytes of shared memory does it hold?",
                    threads, bytes);
    drill.program =
        text_format("#include <stdio.h>\n__global__ void small(int *x)\n{\n    extern __shared__ int s[];\n"
                    "    x[threadIdx.x] = threadIdx.x;\n}\nint main(void)\n{\n    int blocks = 0;\n"
                    "    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, %d, %d);\n"
                    "    printf(\"answer: %%d\\nby threads %d, by blocks 32, by shared memory %d\\n\", blocks);\n"
                    "    return 0;\n}\n",
                    threads, bytes, 2048 / threads, 228 * 1024 / (bytes + 1024));
    return drill;
}

// ---- phases: mbarriers, whose arrivals and bytes one thread makes

static const char phases_program[] =
    "#include <stdio.h>\n"
    "typedef unsigned long long mbarrier;\n"
    "__device__ unsigned at(mbarrier *m) { return (unsigned)__cvta_generic_to_shared(m); }\n"
    "__device__ void init(mbarrier *m, int arrivals)\n"
    "{ asm volatile(\"mbarrier.init.shared.b64 [%%0], %%1;\" ::\"r\"(at(m)), \"r\"(arrivals)); }\n"
    "__device__ void arrive(mbarrier *m)\n"
    "{ asm volatile(\"mbarrier.arrive.shared.b64 _, [%%0];\" ::\"r\"(at(m))); }\n"
    "__device__ void arrive_and_expect(mbarrier *m, int bytes)\n"
    "{ asm volatile(\"mbarrier.arrive.expect_tx.shared.b64 _, [%%0], %%1;\" ::\"r\"(at(m)), \"r\"(bytes)); }\n"
    "__device__ void copied(mbarrier *m, int bytes)\n"
    "{ asm volatile(\"mbarrier.complete_tx.shared.b64 [%%0], %%1;\" ::\"r\"(at(m)), \"r\"(bytes)); }\n"
    "__device__ int complete(mbarrier *m, int phase)\n"
    "{\n"
    "    int yes;\n"
    "    asm volatile(\"{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%%1], %%2; selp.s32 %%0, 1, 0, p; "
    "}\"\n"
    "                 : \"=r\"(yes) : \"r\"(at(m)), \"r\"(phase & 1));\n"
    "    return yes;\n"
    "}\n"
    "__global__ void count(int *answer)\n"
    "{\n"
    "    __shared__ mbarrier m[8];\n"
    "    int n = 0;\n"
    "%s"
    "    *answer = n;\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    int *d_answer, answer;\n"
    "    cudaMalloc(&d_answer, sizeof answer);\n"
    "    count<<<1, 1>>>(d_answer);\n"
    "    cudaMemcpy(&answer, d_answer, sizeof answer, cudaMemcpyDeviceToHost);\n"
    "    printf(\"answer: %%d\\n%s\\n\", answer);\n"
    "    return 0;\n"
    "}\n";

// The drill's program, of the lines that set n, and a reason. Frees both.
static struct drill phases_drill(char *question, char *code, char *why)
{
    struct drill drill = {.question = question, .program = text_format(phases_program, code, why)};

    free(code);
    free(why);
    return drill;
}

// Phases that a number of arrivals completes.
static struct drill draw_arrivals(struct draw *draw)
{
    int expected = between(draw, 3, 9), made = between(draw, 20, 60);

    return phases_drill(
        text_format("An mbarrier is initialised with %d arrivals. No bytes are expected. "
                    "After %d arrivals in all, how many phases are complete?",
                    expected, made),
        text_format("    init(m, %d);\n    for (int i = 0; i < %d; i++) {\n        arrive(m);\n"
                    "        n += complete(m, n);\n    }\n",
                    expected, made),
        text_format("Each phase takes %d arrivals; %d more are in the next.", expected, made % expected));
}

// Bytes that a phase still lacks: some copies have arrived in part.
static struct drill draw_bytes(struct draw *draw)
{
    int rows = between(draw, 4, 18), words = 4 * between(draw, 2, 16), there = between(draw, 2, rows - 1);
    int all = rows * words * 4, some = there * words * 4;

    return phases_drill(
        text_format("A tile of floats has %d rows and %d columns; a bulk copy brings each row. "
                    "Thread 0 has called arrive_and_expect for the whole tile, the only arrival of the phase. "
                    "%d rows have arrived. How many bytes does the phase still lack?",
                    rows, words, there),
        text_format("    init(m, 1);\n    arrive_and_expect(m, %d);\n    copied(m, %d);\n"
                    "    for (; !complete(m, 0); n += 4)\n        copied(m, 4);\n",
                    all, some),
        text_format("It expects %d rows of %d bytes.", rows, words * 4));
}

// Phases of a stage of a ring.
static struct drill draw_stage(struct draw *draw)
{
    int stages = between(draw, 3, 7), stage = between(draw, 0, stages - 1), tiles = between(draw, 2 * stages, 40);

    return phases_drill(text_format("A ring has %d stages: tile k is in stage k %% %d, "
                                    "and its arrival completes a phase of the mbarrier full[k %% %d]. "
                                    "Tiles 0 to %d have arrived. How many phases of full[%d] are complete?",
                                    stages, stages, stages, tiles - 1, stage),
                        text_format("    for (int s = 0; s < %d; s++)\n        init(m + s, 1);\n"
                                    "    for (int k = 0; k < %d; k++) {\n        arrive(m + k %% %d);\n"
                                    "        n += k %% %d == %d && complete(m + %d, n);\n    }\n",
                                    stages, tiles, stages, stages, stage, stage),
                        text_format("Its tiles are %d, %d, %d, ...", stage, stage + stages, stage + 2 * stages));
}

// Tiles that a producer may copy: as far ahead of the slowest warp as the ring is long.
static struct drill draw_ahead(struct draw *draw)
{
    enum { WARPS = 4 };
    int stages = between(draw, 2, 6), slowest = between(draw, 3, 30), last = between(draw, 0, WARPS - 1), done[WARPS];

    for (int i = 0; i < WARPS; i++)
        done[i] = slowest + (i == last ? 0 : between(draw, 0, stages));
    return phases_drill(
        text_format("A ring has %d stages: tile k is in stage k %% %d. Each of four warps uses every tile, "
                    "and then arrives at the mbarrier \"empty\" of its stage. "
                    "They are done with %d, %d, %d and %d tiles. "
                    "How many tiles has the producer copied, if it copies as soon as it may?",
                    stages, stages, done[0], done[1], done[2], done[3]),
        text_format("    int done[] = {%d, %d, %d, %d};\n    for (int s = 0; s < %d; s++)\n        init(m + s, %d);\n"
                    "    n = %d;\n    for (int k = 0; k < 64; k++) {\n        for (int w = 0; w < %d; w++)\n"
                    "            if (k < done[w])\n                arrive(m + k %% %d);\n"
                    "        n += complete(m + n %% %d, n / %d - 1);\n    }\n",
                    done[0], done[1], done[2], done[3], stages, WARPS, stages, WARPS, stages, stages, stages),
        text_format("The slowest warp is done with %d; tile k takes the stage of tile k - %d.", slowest, stages));
}

// Level 1: one phase; 2: a stage's phases; 3: the producer and the slowest warp.
static struct drill make_phases(struct draw *draw, int level)
{
    if (level == 1)
        return between(draw, 0, 1) ? draw_arrivals(draw) : draw_bytes(draw);
    return level == 2 ? draw_stage(draw) : draw_ahead(draw);
}

// ---- topics

static const struct topic {
    const char *name;
    struct drill (*make)(struct draw *draw, int level);
    char *arch; // for which its programs are compiled
} topics[] = {{"sectors", make_sectors, "80"}, {"banks", make_banks, "80"},         {"races", make_races, "80"},
              {"fences", make_fences, "80"},   {"occupancy", make_occupancy, "80"}, {"phases", make_phases, "90"}};

enum { TOPICS = sizeof topics / sizeof *topics };

const char *topic_name(int topic)
{
    return topics[topic].name;
}

int topic_find(const char *name)
{
    for (int i = 0; i < TOPICS; i++)
        if (strcmp(topics[i].name, name) == 0)
            return i;
    fprintf(stderr, "workbook: there is no topic '%s'; choose from", name);
    for (int i = 0; i < TOPICS; i++)
        fprintf(stderr, "%s %s", i > 0 ? "," : "", topics[i].name);
    fprintf(stderr, "\n");
    return -1;
}

struct drill drill_make(int topic, uint64_t seed, int level)
{
    struct draw draw = {seed * 1000003 + (uint64_t)(topic * 10 + level)};
    struct drill drill = topics[topic].make(&draw, level);

    drill.arch = topics[topic].arch;
    return drill;
}

// ---- answers

// The lines after "answer: ", or the findings.
static bool read_answer(const struct drill *drill, char *said, struct answer *answer)
{
    const char *at = strstr(said, "answer: ");
    char *finding = findings_first(said);

    if (drill->by_race) {
        answer->number = finding != NULL;
        answer->why = finding ? finding : text_format("The machine reports nothing.");
        return true;
    }
    free(finding);
    if (!at)
        return false;
    answer->number = atol(at + 8);
    at = line_end(at);
    answer->why = text_format("%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

bool drill_answer(const struct drill *drill, struct answer *answer)
{
    char *folder = text_format("%s/drills", course.build), *source = text_format("%s/drill.cu", folder);
    char *program = text_format("%s/drill", folder), *words = NULL;
    bool good =
        folder_make(folder) && file_write(source, drill->program) && lab_build(drill->arch, source, program, &words);

    if (good) {
        // As the grader: with `acquire` a barrier after a poll does not replace the reader's fence.
        struct lab_run run = lab_run(program, "", drill->by_race ? "race,acquire" : "none", "random:1");

        good = (run.exit == 0 || drill->by_race) && read_answer(drill, run.said, answer);
        free(run.said);
    }
    if (!good)
        fprintf(stderr, "%sworkbook: the machine gives no answer\n", words ? words : "");
    free(words);
    free(program);
    free(source);
    free(folder);
    return good;
}

void drill_free(struct drill *drill)
{
    free(drill->question);
    free(drill->program);
}
