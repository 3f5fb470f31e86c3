// Basics, step 3: two dimensions.
//
// An image has rows and columns, and so can blocks and grids. But a warp is always 32 consecutive
// threads, and threadIdx.x varies fastest. So x runs along the columns, which are neighbours in
// memory, and a block is one warp wide. Rows are a pitch apart: the pitch is more bytes than a row
// fills, so that each row begins at an aligned address.
//
// Passes when the lanes of a warp read and write neighbours, and only those at the right edge are
// idle: global_load_sectors <= n*n/7, global_store_sectors <= n*n/28, thread_instructions >=
// 0.95*32*warp_instructions.
//
//     ctest --test-dir build -R 00-basics.03
#include "basics.h"

#define ROWS 8 // of a block
#define COLUMNS 32 // of a block: each row is a warp

// Each thread converts one pixel: grey = grey_of(colour).
__global__ void convert(struct image grey, struct image colour)
{
    // TODO: Compute the thread's column from x and its row from y. The last blocks reach past the
    // right and the bottom edge: threads without a pixel do nothing. Row r begins r * pitch bytes
    // after row 0, and each image has its own pitch, in bytes. A pixel of colour is a uchar4.
    int column = blockIdx.x * COLUMNS + threadIdx.x, row = blockIdx.y * ROWS + threadIdx.y;
    if (column >= colour.width || row >= colour.height)
        return;
    const uchar4 *from = (const uchar4 *)(colour.data + row * colour.pitch); // bytes, then pixels
    grey.data[row * grey.pitch + column] = grey_of(from[column]);
    // END TODO
}

static void to_grey(struct image grey, struct image colour)
{
    if (grey.width == 0 || grey.height == 0)
        return; // a grid has at least one block
    dim3 block, grid; // 1 x 1 x 1 so far
    // TODO: Set block to COLUMNS x ROWS threads, and grid to as many blocks as cover the
    // image. dim3 takes x first.
    block = dim3(COLUMNS, ROWS);
    grid = dim3(ceil_div(grey.width, COLUMNS), ceil_div(grey.height, ROWS));
    // END TODO
    convert<<<grid, block>>>(grey, colour);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return grey_main(argc, argv, to_grey);
}
