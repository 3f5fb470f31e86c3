// The arguments of a student's function on the wire. A chapter's calls.h names the function's type; both sides of a
// call follow from it: remote::call<TYPE> in the judge, remote::submission<TYPE> in the submission.
//
// Values cross unchanged, and so do pointers to device memory. A pointer to host memory means nothing in the other
// process: after CROSSES_WHOLE(T), the object that a T * points to crosses instead, in both directions.
#pragma once

#ifdef WORKBOOK_SERVED
#include "remote/serve.h"
#else // in a judge
#include "harness/todo.h"
#include "remote/judge.h"
#endif

namespace remote
{
// What crosses for a parameter of type P.
template <typename P> struct crossing {
    typedef P type;
};
template <typename P> constexpr bool whole = false;
template <typename R> constexpr bool returns = true;
template <> constexpr bool returns<void> = false;

#define CROSSES_WHOLE(T) \
    template <> struct remote::crossing<T *> { \
        typedef T type; \
    }; \
    template <> constexpr bool remote::whole<T *> = true;

template <typename First, typename... Rest> struct values {
    typename crossing<First>::type first;
    values<Rest...> rest;
};
template <typename Last> struct values<Last> {
    typename crossing<Last>::type first;
    char end[whole<Last> ? 0 : 1];
};

// What crosses for a function of this type, in both directions.
template <typename F> struct message;
template <typename R, typename... A> struct message<R(A...)> {
    values<A...> arguments;
    R result;
};
template <typename... A> struct message<void(A...)> {
    values<A...> arguments;
};

#ifdef WORKBOOK_SERVED
template <typename P> P argument(typename crossing<P>::type *value)
{
    if constexpr (whole<P>)
        return value;
    else
        return *value;
}

// Calls f with the remaining values, after those already consumed.
template <typename R, typename F, typename First, typename... Rest, typename... Taken>
R call_with(F *f, values<First, Rest...> *left, Taken... taken)
{
    if constexpr (sizeof...(Rest) > 0)
        return call_with<R>(f, &left->rest, taken..., argument<First>(&left->first));
    else
        return f(taken..., argument<First>(&left->first));
}

template <typename R, typename... A> void answer(R (*f)(A...), message<R(A...)> *m)
{
    if constexpr (returns<R>)
        m->result = call_with<R>(f, &m->arguments);
    else
        call_with<R>(f, &m->arguments);
}

// The student's function number `which`, of type F.
template <typename F, int which> F *student;

template <typename F, int which> void run_student(void *m)
{
    answer(student<F, which>, (message<F> *)m);
}

template <int which, typename F, typename... Rest> void enter(void (**run)(void *), F *f, Rest *...rest)
{
    student<F, which> = f;
    run[which] = run_student<F, which>;
    if constexpr (sizeof...(Rest) > 0)
        enter<which + 1>(run, rest...);
}

// For main's last line: functions of these types, then numbers that describe the step to the driver.
template <typename... F> struct submission {
    template <typename... N> static int serve(struct invocation own, const char *driver, F *...functions, N... numbers)
    {
        void (*run[sizeof...(F)])(void *);
        const int64_t all[4] = {(int64_t)numbers...};
        enter<0>(run, functions...);
        return ::serve(own, driver, all, run);
    }
};

#else
template <typename First, typename... Rest> void fill(values<First, Rest...> *v, First first, Rest... rest)
{
    if constexpr (whole<First>)
        v->first = *first;
    else
        v->first = first;
    if constexpr (sizeof...(Rest) > 0)
        fill(&v->rest, rest...);
}

// Copies back the objects that crossed.
template <typename First, typename... Rest> void take_back(const values<First, Rest...> *v, First first, Rest... rest)
{
    if constexpr (whole<First>)
        *first = v->first;
    if constexpr (sizeof...(Rest) > 0)
        take_back(&v->rest, rest...);
}

template <typename F, int which> struct stub;
template <typename R, typename... A, int which> struct stub<R(A...), which> {
    static R call(A... arguments)
    {
        message<R(A...)> m = {};
        fill(&m.arguments, arguments...);
        remote_call(which, &m, sizeof m);
        take_back(&m.arguments, arguments...);
        if constexpr (returns<R>)
            return m.result;
    }
};

// Function number `which` of the submission, of type F, to be called like any other.
template <typename F, int which> constexpr F *call = stub<F, which>::call;

// A driver's parameters after the first: functions of the submission, of which `functions` are consumed, then numbers.
template <typename... P> struct parameters {
};

template <int functions, typename D, typename... Taken>
void drive(D *driver, struct invocation own, const int64_t *, parameters<>, Taken... taken)
{
    driver(own, taken...);
}

template <int functions, typename D, typename F, typename... Left, typename... Taken>
void drive(D *driver, struct invocation own, const int64_t *numbers, parameters<F *, Left...>, Taken... taken)
{
    drive<functions + 1>(driver, own, numbers, parameters<Left...>(), taken..., call<F, functions>);
}

template <int functions, typename D, typename N, typename... Left, typename... Taken>
void drive(D *driver, struct invocation own, const int64_t *numbers, parameters<N, Left...>, Taken... taken)
{
    drive<functions>(driver, own, numbers + 1, parameters<Left...>(), taken..., (N)*numbers);
}

template <typename... P>
void drive(int (*driver)(struct invocation, P...), struct invocation own, const int64_t *numbers)
{
    drive<0>(driver, own, numbers, parameters<P...>());
}
#endif
} // namespace remote
