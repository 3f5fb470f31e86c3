// clock.c: time.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double seconds(void); // on a clock that never jumps

#endif
