// CUB's device-wide algorithms on small inputs, each compared with the host: PART picks one, since they take long to
// compile.
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "program.h"

static const int sizes[] = {0, 1, 31, 33, 1000, 5000, 20011};

template <typename T> static T *on_device(const std::vector<T> &v)
{
    T *p;
    CUDA(cudaMalloc(&p, (v.size() + 1) * sizeof(T)));
    CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <typename T> static std::vector<T> from_device(const T *p, size_t n)
{
    std::vector<T> v(n);
    CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

static std::vector<int> numbers(int n)
{
    std::vector<int> v(n);
    unsigned x = 12345;
    for (int &e : v)
        e = (int)((x = x * 1664525u + 1013904223u) >> 8) - (1 << 23);
    return v;
}

// Calls a CUB algorithm twice, as documented: for the size of its workspace, then to run.
template <typename F> static void run(F algorithm)
{
    void *temp = nullptr;
    size_t bytes = 0;
    CUDA(algorithm(temp, bytes));
    CUDA(cudaMalloc(&temp, bytes));
    CUDA(algorithm(temp, bytes));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(temp));
}

#if PART == 1
static void check(int n)
{
    std::vector<int> v = numbers(n);
    int *in = on_device(v), *out = on_device(std::vector<int>(1));
    run([=](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, in, out, n); });
    EXPECT(from_device(out, 1)[0] == std::accumulate(v.begin(), v.end(), 0));
    if (n) {
        run([=](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, in, out, n); });
        EXPECT(from_device(out, 1)[0] == *std::max_element(v.begin(), v.end()));
    }
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}
#elif PART == 2
static void check(int n)
{
    std::vector<int> v = numbers(n), want(n);
    int *in = on_device(v), *out = on_device(v);
    run([=](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, in, out, n); });
    std::partial_sum(v.begin(), v.end(), want.begin());
    EXPECT(from_device(out, n) == want);
    run([=](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, in, out, n); });
    for (int i = 0; i < n; i++)
        want[i] -= v[i];
    EXPECT(from_device(out, n) == want);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}
#elif PART == 3
static void check(int n)
{
    std::vector<int> v = numbers(n), want(64);
    for (int &e : v)
        want[e = (e & 0xffff) % 70 % 64]++;
    int *in = on_device(v), *out = on_device(want);
    run([=](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, in, out, 65, 0, 64, n); });
    EXPECT(from_device(out, 64) == want);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}
#elif PART == 4
static void check(int n)
{
    std::vector<int> v = numbers(n), order(n), want;
    std::iota(order.begin(), order.end(), 0);
    int *in = on_device(v), *out = on_device(v), *values = on_device(order), *moved = on_device(order);
    run([=](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, in, out, values, moved, n); });
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return v[x] < v[y]; });
    EXPECT(from_device(moved, n) == order);
    want = v;
    std::sort(want.begin(), want.end());
    EXPECT(from_device(out, n) == want);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    CUDA(cudaFree(values));
    CUDA(cudaFree(moved));
}
#else
struct odd {
    __host__ __device__ bool operator()(int x) const
    {
        return x & 1;
    }
};

static void check(int n)
{
    std::vector<int> v = numbers(n), want;
    std::copy_if(v.begin(), v.end(), std::back_inserter(want), odd());
    int *in = on_device(v), *out = on_device(v), *count = on_device(std::vector<int>(1));
    run([=](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, in, out, count, n, odd()); });
    EXPECT(from_device(count, 1)[0] == (int)want.size() && from_device(out, want.size()) == want);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    CUDA(cudaFree(count));
}
#endif

int main()
{
    for (int n : sizes)
        check(n);
    return finish();
}
