// particles.h: the memory layout of particles' fields, for chapter 00-basics.
#pragma once

enum field { X, Y, Z, VX, VY, VZ, MASS, FIELDS };

#define PER_TILE 32 // particles: as many as a warp has lanes

enum layout {
    STRUCTURES, // an array of structures: all fields of particle 0, then all of particle 1, ...
    ARRAYS,     // a structure of arrays: the field X of all n particles, then all Y, ...
    TILES       // an array of tiles: each holds PER_TILE particles as a structure of arrays; the last one has the same
                // capacity, and is unused after particle n - 1
};
