// solvers_stopping.h: the stopping test of an iteration, for steps 04 and 09 of chapter 06-iterative-solvers.
#pragma once

// When to stop, and the outcome. The test runs after sweeps every, 2 * every, 3 * every, ...
struct stop {
    float enough; // stop at a test if the sum of the squared residuals is no larger
    int every;    // sweeps from test to test, an even number
    int most;     // stop after this many sweeps in any case; a multiple of every
    int sweeps;   // out: the number of sweeps
    int diverged; // out: 1 if the sum was not finite or above 16 times the first one, else 0
    float first;  // for solve: the first sum
};
