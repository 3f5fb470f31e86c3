// The arguments of a student's function on the wire. A chapter's calls.h names the function's type; both sides of a
// call follow from it: remote::call<TYPE> in the judge, remote::serve_function<TYPE> in the submission.
//
// Values cross as they are, and pointers to device memory do. A pointer to host memory means nothing in the other
// process: functions that take one have a struct of their own, by hand.
#ifndef REMOTE_ARGUMENTS_H
#define REMOTE_ARGUMENTS_H

#ifdef WORKBOOK_SERVED
#include "remote/serve.h"
#else // in a judge
#include "remote/judge.h"
#endif

namespace remote
{
template <typename... A> struct values {
};
template <typename First, typename... Rest> struct values<First, Rest...> {
    First first;
    values<Rest...> rest;
};

// What crosses for a function of this type, there and back.
template <typename F> struct message;
template <typename R, typename... A> struct message<R(A...)> {
    values<A...> arguments;
    R result;
};
template <typename... A> struct message<void(A...)> {
    values<A...> arguments;
};

#ifdef WORKBOOK_SERVED
// Calls f with the values that are left, behind those that were taken out already.
template <typename R, typename F, typename... Taken> R call_with(F *f, const values<> *, Taken... taken)
{
    return f(taken...);
}

template <typename R, typename F, typename First, typename... Rest, typename... Taken>
R call_with(F *f, const values<First, Rest...> *left, Taken... taken)
{
    return call_with<R>(f, &left->rest, taken..., left->first);
}

template <typename R, typename... A> void answer(R (*f)(A...), message<R(A...)> *m)
{
    m->result = call_with<R>(f, &m->arguments);
}

template <typename... A> void answer(void (*f)(A...), message<void(A...)> *m)
{
    call_with<void>(f, &m->arguments);
}

// The student's function number `which`, of type F.
template <typename F, int which> F *student;

template <typename F, int which> void run_student(void *m)
{
    answer(student<F, which>, (message<F> *)m);
}

// For main's last line. numbers: what the driver is to know of the step.
template <typename F, typename... N> int serve_function(struct invocation own, const char *driver, F *f, N... numbers)
{
    void (*const run[])(void *) = {run_student<F, 0>};
    const int64_t all[4] = {(int64_t)numbers...};
    student<F, 0> = f;
    return serve(own, driver, all, run);
}

// The same for two functions of one type.
template <typename F> int serve_functions(struct invocation own, const char *driver, F *first, F *second)
{
    void (*const run[])(void *) = {run_student<F, 0>, run_student<F, 1>};
    const int64_t none[4] = {};
    student<F, 0> = first;
    student<F, 1> = second;
    return serve(own, driver, none, run);
}

#else
static inline void fill(values<> *)
{
}

template <typename First, typename... Rest> void fill(values<First, Rest...> *v, First first, Rest... rest)
{
    v->first = first;
    fill(&v->rest, rest...);
}

template <typename F, int which> struct stub;
template <typename R, typename... A, int which> struct stub<R(A...), which> {
    static R call(A... arguments)
    {
        message<R(A...)> m = {};
        fill(&m.arguments, arguments...);
        remote_call(which, &m, sizeof m);
        return m.result;
    }
};
template <typename... A, int which> struct stub<void(A...), which> {
    static void call(A... arguments)
    {
        message<void(A...)> m = {};
        fill(&m.arguments, arguments...);
        remote_call(which, &m, sizeof m);
    }
};

// Function number `which` of the submission, of type F, to be called like any other.
template <typename F, int which = 0> constexpr F *call = stub<F, which>::call;
#endif
} // namespace remote
#endif
