// clock.c: time.
#pragma once

double seconds(void); // on a clock that never jumps
