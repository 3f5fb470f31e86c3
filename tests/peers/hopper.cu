// Chapter 10-hopper on one GPU, in one process: step 1 compared with cub::DeviceHistogram::HistogramEven with as many
// bins, step 2 with a copy on the device, steps 5 to 8 with cublasGemmEx: Gflop/s in place of GB/s.
//
// See peer.h and products.h; also for halves.h, the histogram of step 1. All answers are checked. Step 3 has the rate
// of its own --bench beside that of the copy.
#include <cooperative_groups.h>
#include <cub/device/device_histogram.cuh>

#include "hopper.h"

// Of chapter 7 only the types: no driver runs these steps here.
#define WORKBOOK_SERVED
#include "matmul.h"
#undef WORKBOOK_SERVED
static int drive_matmul_bf16(struct invocation, matmul_bf16_function *)
{
    return 0;
}
#include "device/matmul_boxes.h"
#include "device/registers.h"
#include "device/wgmma.h"

#define main exercise_main
namespace clusters
{
#include "10-hopper/01-cluster-histogram.cu"
}
#undef BLOCK
namespace bulk
{
#include "10-hopper/02-bulk-copy.cu"
}
namespace multicast
{
#include "10-hopper/05-multicast.cu"
}
#undef WARPS
namespace specialists
{
#include "10-hopper/06-specialists.cu"
}
#undef CONSUMERS
#undef THREADS
namespace warpgroups
{
#include "10-hopper/07-wgmma.cu"
}
#undef CONSUMERS
#undef THREADS
#include "device/matmul_products.h" // step 8 has these functions of step 7 from here
namespace persistent
{
#include "10-hopper/08-persistent.cu"
}
#undef main
#include "halves.h"
#include "products.h"

struct work {
    struct hopper h;
    void *d_cub;
    size_t cub_bytes;
};

static void make_case(struct work *w, size_t n)
{
    name_case(&w->h, "uniform", n);
    w->h.x = host_alloc(in_bytes(&w->h, n));
    fill(&w->h, &INPUTS[0]);
    w->h.d_in = device_copy(w->h.x, in_bytes(&w->h, n), 0);
    w->h.d_out = device_alloc(out_bytes(&w->h, n));
}

static void end_case(struct work *w)
{
    check_cuda(cudaFree(w->h.d_out));
    check_cuda(cudaFree(w->h.d_in));
    host_free(w->h.x);
}

static void run_ours(void *context)
{
    call(&((struct work *)context)->h);
}

static void run_cub(void *context)
{
    struct work *w = (struct work *)context;
    check_cuda(cub::DeviceHistogram::HistogramEven(w->d_cub, w->cub_bytes, (const unsigned short *)w->h.d_in,
                                                   (unsigned *)w->h.d_out, w->h.bins + 1, 0, w->h.bins,
                                                   (long long)w->h.n));
}

static void run_copy(void *context)
{
    struct work *w = (struct work *)context;
    check_cuda(cudaMemcpyAsync(w->h.d_out, w->h.d_in, in_bytes(&w->h, w->h.n), cudaMemcpyDeviceToDevice));
}

static void compare_counts(const char *name, cluster_function *histogram, int bins, size_t n)
{
    struct work w = {};
    char label[64];
    w.h.histogram = histogram;
    w.h.bins = bins;
    make_case(&w, n);
    run_cub(&w); // queries the size of the temporary memory
    w.d_cub = device_alloc(w.cub_bytes);
    run_cub(&w);
    check_answer(&w.h);
    run_ours(&w);
    check_answer(&w.h);
    snprintf(label, sizeof label, "%s %d bins, DeviceHistogram", name, bins);
    struct duel d = {label, (long long)n, (double)in_bytes(&w.h, n), &w, run_ours, run_cub, NULL, NULL, 1};
    duel(&d);
    check_cuda(cudaFree(w.d_cub));
    end_case(&w);
}

static void compare_copies(size_t n)
{
    struct work w = {};
    w.h.mirror = bulk::mirror;
    make_case(&w, n);
    run_ours(&w);
    check_answer(&w.h);
    struct duel d = {"02 bulk copy, cudaMemcpy", (long long)n, 8.0 * (double)n, &w, run_ours, run_copy, NULL, NULL, 1};
    duel(&d);
    end_case(&w);
}

template <matmul_bf16_function *MULTIPLY> static void run_product(void *context)
{
    struct product *p = (struct product *)context;
    MULTIPLY(p->ours, (const bf16 *)p->a, (const bf16 *)p->b, p->s);
}

static void compare_products(int n)
{
    static const struct {
        const char *label;
        void (*run)(void *context);
    } steps[] = {{"05 multicast, cublasGemmEx", run_product<multicast::multiply>},
                 {"06 specialists, cublasGemmEx", run_product<specialists::multiply>},
                 {"07 wgmma, cublasGemmEx", run_product<warpgroups::multiply>},
                 {"08 persistent, cublasGemmEx", run_product<persistent::multiply>}};
    struct product p = random_product<bf16>(n);
    for (int i = 0; i < 4; i++) {
        struct duel d = {steps[i].label, n, 2.0 * n * n * n, &p, steps[i].run, tensor_cublas, NULL, NULL, 1};
        check_and_time(&d, 1);
    }
    end_product(&p);
}

int main(int argc, char **argv)
{
    const int sides[] = {1024, 2048, 4096, 8192};
    const int bins[] = {2048, 4096, 16384, MOST_BINS};
    open_table(argc, argv, __FILE__, "CUB, a copy, cublasGemmEx", 1 << 28);
    size_t n = harness.n < 0 ? (size_t)1 << 28 : (size_t)harness.n;
    for (int i = 0; i < 4; i++)
        compare_counts("01", clusters::histogram, bins[i], n);
    for (int i = 0; i < 4; i++)
        compare_counts("halves.h", halves::histogram, bins[i], n);
    compare_copies(n);
    for (int i = 0; i < (harness.n < 0 ? 4 : 1); i++)
        compare_products(sides[i]);
    close_table();
}
