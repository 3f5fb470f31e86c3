#!/bin/sh
# A fixed workload of the kinds that tests consist of: nvcc, a C compiler, a loop, short processes. It uses nothing of the
# workbook, so it takes longer only on a slower or busier computer; budget.sh scales the tests by it. sh yardstick.sh FOLDER:
# about 1.5 s of CPU time.
mkdir -p "$1" && cd "$1" || exit 1
for i in $(seq 12); do
    cat <<EOS
__global__ void k$i(float *a, const float *b, int n)
{
    __shared__ float s[256];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += a[i] * b[(i + $i) % n];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int h = 128; h; h /= 2, __syncthreads())
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
    if (threadIdx.x == 0)
        a[blockIdx.x] = s[0] / $i;
}
EOS
done >yardstick.cu
for i in $(seq 80); do
    echo "double f$i(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * a[(i + $i) % n] / (1 + s); return s; }"
done >yardstick.c
"$NVCC" -arch=compute_75 -code=sm_75 -cubin yardstick.cu -o yardstick.cubin && cc -O2 -c yardstick.c -o yardstick.o || exit 1
awk 'BEGIN { for (i = 0; i < 2000000; i++) s += i % 7; exit s == 0 }' && for i in $(seq 40); do /bin/true; done
