// The toolkit's cuda_runtime.h without those parts of the C++ library that a program in the style of C never uses.
// `nvcc -I common/cmake/lean` finds it before the toolkit's own; common/cmake/compile.sh decides when.
//
// The language is unchanged, and so are all functions of math.h and of CUDA. Two parts of GCC's library are left out.
// One is <utility>, of which cuda_runtime.h needs only std::forward, and cuda_fp16.h and cuda_bf16.h only std::move.
// The other is the special functions of <cmath>, std::beta to std::sph_neumann, which include iterators and algorithms.
// Both are a third of what nvcc reads.
#pragma once

#if __cplusplus >= 201103L && !defined(__CUDACC_EXTENDED_LAMBDA__) && __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_UTILITY 1
#define _CG_LIMIT_INCLUDED_DEPENDENCIES

namespace std
{
template <typename T> struct remove_reference {
    typedef T type;
};
template <typename T> struct remove_reference<T &> {
    typedef T type;
};
template <typename T> struct remove_reference<T &&> {
    typedef T type;
};

template <typename T> constexpr T &&forward(typename remove_reference<T>::type &value) noexcept
{
    return static_cast<T &&>(value);
}

template <typename T> constexpr typename remove_reference<T>::type &&move(T &&value) noexcept
{
    return static_cast<typename remove_reference<T>::type &&>(value);
}
} // namespace std
#endif

#include_next <cuda_runtime.h>
