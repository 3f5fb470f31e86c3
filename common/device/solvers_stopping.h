// solvers_stopping.h: when an iteration stops: for steps 04 and 09 of chapter 06-iterative-solvers.
#pragma once

// When to stop, and the outcome. There is a test after sweeps every, 2 * every, 3 * every, ...
struct stop {
    float enough; // stop at a test that finds the sum of the squared residuals no larger
    int every;    // sweeps from test to test, an even number
    int most;     // stop after so many sweeps in any case, a multiple of every
    int sweeps;   // out: how many were done
    int diverged; // out: 1 if the sum was not finite or above 16 times the first one, else 0
    float first;  // for solve: keeps the first sum
};
