// Functions with every kind of control flow, for a thread with number t and a value x. control.cu runs them for the
// lanes of warps, test_control.c for one thread after another: the results must agree.
#pragma once

#ifdef __CUDACC__
#define FUNCTION static __device__ __noinline__
#else
#define FUNCTION static
#endif

FUNCTION int nested_ifs(int t, int x)
{
    int r = 0;
    if (t & 1) {
        r += 1;
        if (t & 2) {
            r += x;
            if (t & 4)
                r *= 3;
            else
                r ^= 5;
        } else
            r -= t;
        r += 7;
    } else if (t % 3 == 0) {
        if (x & 8)
            r = x / (t + 1);
        else
            r = 11;
    }
    return r + t;
}

FUNCTION int break_and_continue(int t, int x)
{
    int r = 0;
    for (int i = 0; i < 40; i++) {
        if (i % 4 == t % 4)
            continue;
        if (i > t)
            break;
        for (int k = 0; k < i; k++) {
            if (k * k > x + t)
                break;
            r += k ^ i;
        }
        r += i;
    }
    return r;
}

FUNCTION int switched(int t, int x)
{
    unsigned r = x;
    for (int i = 0; i < 3; i++)
        switch ((t + i) % 9) {
        case 0: r += 1; break;
        case 1: r ^= 77; break;
        case 2: r *= 3; // falls through
        case 3: r -= 5; break;
        case 4: return (int)r;
        case 5: r = (r << 3) | (r >> 7 & 3); break;
        case 6: r += t * t; break;
        case 7: r = ~r; break;
        default: r /= 2;
        }
    return (int)r;
}

FUNCTION int early_return(int t, int x)
{
    if (t % 5 == 0)
        return -1;
    for (int i = 0;; i++) {
        x = (int)((unsigned)x * 1103515245u + 12345u);
        if ((x >> 16 & 31) == t % 32)
            return i;
        if (i == 200)
            return -2;
    }
}

FUNCTION int collatz(int t, int x)
{
    int steps = 0;
    for (unsigned v = (unsigned)(t + 1 + (x & 3)); v != 1; steps++)
        v = v % 2 ? 3 * v + 1 : v / 2;
    return steps;
}

FUNCTION int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

FUNCTION int recursion(int t, int x)
{
    return fibonacci(t % 11) + (x & 1);
}

FUNCTION int is_odd(int n);

FUNCTION int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

FUNCTION int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

FUNCTION int each_other(int t, int x)
{
    return is_even((t + x) % 15 < 0 ? 1 : (t + (x & 7)) % 15) * 2 + is_odd(t % 7);
}

FUNCTION int call_in_a_branch(int t, int x)
{
    int r = 0;
    if (t % 3 == 0)
        r = break_and_continue(t / 2, x);
    else if (t % 3 == 1)
        r = nested_ifs(x & 31, t);
    r += collatz(t % 6, 0);
    while (r > t + 9)
        r -= early_return(t | 1, r) < 0 ? 3 : 5;
    return r;
}

typedef int any_function(int, int);

FUNCTION int by_address(int t, int x)
{
    any_function *f = t % 4 == 0 ? nested_ifs : t % 4 == 1 ? collatz : t % 4 == 2 ? switched : recursion;
    int r = f(t, x);
    return (int)((unsigned)r + (unsigned)f(t + 1, r & 15));
}

static
#ifdef __CUDACC__
    __device__
#endif
        any_function *const functions[] = {nested_ifs, break_and_continue, switched,         early_return, collatz,
                                           recursion,  each_other,         call_in_a_branch, by_address};
#define FUNCTIONS 9
