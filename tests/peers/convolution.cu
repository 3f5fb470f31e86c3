// Chapter 08-convolution on one GPU, in one process. Step 8 with 5 x 5 weights is compared with a copy of the image,
// with 15 x 15 with the plain kernel: a thread for every output and the filter in constant memory. Step 7 with 15 + 15
// weights is compared with the copy, also in one pass (fused.h).
//
// See peer.h. n is the side of a square image of whole numbers; each result is checked, on the timed image.
#include "convolution.h"
#define main exercise_main
namespace strips
{
#include "08-convolution/08-register-window.cu"
}
#undef ROWS
namespace passes
{
#include "08-convolution/07-separable.cu"
}
#undef main
#undef THREADS
#undef ROWS
#undef LANES
#undef OUTPUTS
#include "fused.h"
#include "peer.h"

// ---- One case -----------------------------------------------------------------------------------------------
static void make_case(struct convolution *c, int side, int radius)
{
    uint64_t state = case_seed((uint64_t)side);
    name_case(c, INPUTS[WHOLE].name, side, side, radius);
    c->exact = 1;
    make_images(c);
    fill_matrix(&c->in, &INPUTS[WHOLE], 0, &state);
    fill_filter(c, &INPUTS[WHOLE], &state);
}

static void run_ours(void *context)
{
    call(context);
}

// ---- The copy -----------------------------------------------------------------------------------------------
__global__ void copy_quads(float *out, const float *in, struct plane p)
{
    int column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    store_quad(out, p.out_pitch, blockIdx.y, column, p.height, p.width, quad_or_zero(in, p, blockIdx.y, column));
}

static void run_copy(void *context)
{
    struct convolution *c = (struct convolution *)context;
    struct plane p = {c->width, c->height, c->radius, (int)c->in.wide, (int)c->out.wide};
    copy_quads<<<tiles_over(p, 1024, 1), 256>>>((float *)c->out.device, (const float *)c->in.device, p);
    check_cuda(cudaGetLastError());
}

// ---- The plain kernel, of 15 x 15 weights --------------------------------------------------------------------
#define PLAIN 7
__constant__ float plain_weights[(2 * PLAIN + 1) * (2 * PLAIN + 1)];

__global__ void plain(float *out, const float *in, struct plane p)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (row >= p.height || column >= p.width)
        return;
#pragma unroll
    for (int j = -PLAIN; j <= PLAIN; j++)
#pragma unroll
        for (int k = -PLAIN; k <= PLAIN; k++)
            sum += plain_weights[(PLAIN + j) * (2 * PLAIN + 1) + PLAIN + k] * word_or_zero(in, p, row + j, column + k);
    out[(size_t)row * p.out_pitch + column] = sum;
}

static void filter_plainly(float *d_out, const float *d_in, const float *d_filter, struct plane p)
{
    check_cuda(cudaMemcpyToSymbolAsync(plain_weights, d_filter, sizeof plain_weights, 0, cudaMemcpyDeviceToDevice));
    plain<<<tiles_over(p, 32, 8), dim3(32, 8)>>>(d_out, d_in, p);
    check_cuda(cudaGetLastError());
}

static void run_plain(void *context)
{
    struct convolution plainly = *(struct convolution *)context;
    plainly.image = filter_plainly;
    call(&plainly);
}

// ---- Comparisons --------------------------------------------------------------------------------------------
static void compare(const char *label, struct convolution *c, int side, int radius, void (*peer)(void *context))
{
    make_case(c, side, radius);
    if (peer == run_plain) {
        peer(c);
        check_output(c, &INPUTS[WHOLE]);
    }
    run_ours(c);
    check_output(c, &INPUTS[WHOLE]);
    struct duel d = {label, side, 8.0 * side * side, c, run_ours, peer, NULL, NULL, 1};
    duel(&d);
    free_images(c);
}

int main(int argc, char **argv)
{
    const int sides[] = {1024, 4096, 16384};
    struct convolution image = {}, separable = {}, in_one_pass = {};
    image.problem = IMAGE;
    image.image = strips::filter;
    separable.problem = SEPARABLE;
    separable.separable = passes::filter;
    in_one_pass.problem = SEPARABLE;
    in_one_pass.separable = fused::filter;
    open_table(argc, argv, __FILE__, "a copy; the plain kernel", LONGEST);
    for (int i = 0; i < 3 && (harness.n < 0 || i == 0); i++) {
        int side = harness.n < 0 ? sides[i] : (int)harness.n;
        compare("08 5 x 5, a copy", &image, side, 2, run_copy);
        compare("08 15 x 15, the plain kernel", &image, side, 7, run_plain);
        compare("07 15 + 15, a copy", &separable, side, 7, run_copy);
        compare("the same in one pass, a copy", &in_one_pass, side, 7, run_copy);
    }
    close_table();
}
