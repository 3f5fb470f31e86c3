// Basics, step 5: corner turning.
//
// A transpose reads rows and writes columns. If the lanes of a warp follow a row, their stores go
// to 32 different sectors, and each sector is used for one word only. So a block turns the corner
// in shared memory: it loads a tile along the rows of the input and stores it along the rows of the
// output. Only shared memory is read down a column. Those 32 words are all in one bank, unless each
// row of the tile is padded by one word.
//
// Passes when loads and stores use whole sectors, without bank conflicts: global_load_sectors <=
// n*n/6, global_store_sectors <= n*n/6, shared_excess == 0.
//
//     ctest --test-dir build -R 00-basics.05
#include "basics.h"

#define SIDE 32 // of a tile
#define ROWS 8 // of threads: each takes SIDE / ROWS elements of its column

// out[column][row] = in[row][column]; block (x, y) transposes the tile whose first element is in
// row y * SIDE, column x * SIDE.
__global__ void turn(float *out, const float *in, int width, int height)
{
    // TODO: Declare a tile in shared memory whose columns are spread over all banks. Load it:
    // thread (x, y) takes column x of rows y, y + ROWS, ... of the tile. Wait at a barrier. Then
    // store the tile to the rows of out; again, lane x writes next to lane x - 1. Which element of
    // the tile does it store? Threads past an edge load and store nothing. In out, width and
    // height swap roles.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void transpose(float *d_out, const float *d_in, int width, int height)
{
    if (width == 0 || height == 0)
        return;
    turn<<<dim3(ceil_div(width, SIDE), ceil_div(height, SIDE)), dim3(SIDE, ROWS)>>>(d_out, d_in, width, height);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return transpose_main(argc, argv, transpose);
}
