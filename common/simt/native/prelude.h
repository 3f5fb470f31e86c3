// The helpers of generated code: rows, masks, and loads and stores of lanes whose addresses are evenly spaced. Text
// that goes into every generated file, after face.h and exec/lane.h; nothing else includes it.
#define INLINE static inline __attribute__((always_inline, unused))
#define ROW __attribute__((aligned(64)))
#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < 32; l++)

// What few blocks need is not held in registers from the function's beginning on.
#define K (s->constants)
#define P (s->params)
#define T0 (s->tid[0])
#define T1 (s->tid[1])
#define T2 (s->tid[2])
#define C (s->calls)
#define D (s->diverged)
#define G (s->guard_lanes)
#define W (s->pending)

typedef int vector_s32 __attribute__((vector_size(64)));

// Lanes of a row of 0 and -1 as bits; read as wide as it was written.
INLINE u32 row_bits(const s32 *t)
{
    u32 m = 0;
#if defined __AVX512DQ__
    m = (u32)__builtin_ia32_cvtd2mask512(*(const vector_s32 *)t);
    m |= (u32)__builtin_ia32_cvtd2mask512(*(const vector_s32 *)(t + 16)) << 16;
#elif defined __AVX2__
    typedef float vector_f32 __attribute__((vector_size(32)));
    for (int i = 0; i < 4; i++)
        m |= (u32)__builtin_ia32_movmskps256(*(const vector_f32 *)(t + 8 * i)) << 8 * i;
#else
    for (int l = 0; l < 32; l++)
        m |= (u32)(t[l] & 1) << l;
#endif
    return m;
}

// Addresses first, first + step, ...; is: they are so, and step is small enough that nothing wraps around.
struct spaced {
    u64 first, step;
    int is;
};

typedef u32 vector_u32 __attribute__((vector_size(32)));
typedef u64 vector_u64 __attribute__((vector_size(32)));

INLINE struct spaced spaced_32(const u32 *a)
{
    u32 first = a[0], step = a[1] - first;
    vector_u32 expected = first + step * (vector_u32){0, 1, 2, 3, 4, 5, 6, 7}, wrong = {0};
    for (int i = 0; i < 4; i++, expected += 8 * step)
        wrong |= ((const vector_u32 *)a)[i] ^ expected;
    vector_u64 w = (vector_u64)wrong;
    return (struct spaced){first, step, !(w[0] | w[1] | w[2] | w[3]) && step < 1u << 24};
}

INLINE struct spaced spaced_64(const u64 *a)
{
    u64 first = a[0], step = a[1] - first;
    if (step >= 1u << 24)
        return (struct spaced){0};
    vector_u64 expected = first + (vector_u64){0, step, 2 * step, 3 * step}, wrong = {0};
    for (int i = 0; i < 8; i++, expected += 4 * step)
        wrong |= ((const vector_u64 *)a)[i] ^ expected;
    return (struct spaced){first, step, !(wrong[0] | wrong[1] | wrong[2] | wrong[3])};
}

// As shared_holds of the machine.
INLINE int shared_holds(const struct native_warp *s, u64 low, u64 high)
{
    if (high > s->shared_size || low >= high)
        return 0;
    if (!s->owner || low >= s->dynamic_start)
        return 1;
    return high <= s->shared_extent && s->owner[low] && s->owner[low] == s->owner[high - 1];
}

INLINE int global_holds(const struct native_warp *s, u64 low, u64 high, struct native_span *span)
{
    u64 at = low - span->base;
    return (at < span->size && high - low <= span->size - at) || s->calls->holds(low, high - low, span);
}

// The usual cases, all 32 lanes at neighbouring elements of size bytes or (step 0) at one: where lane 0's lies in host
// memory. NULL: it is not so, or not within bounds.
INLINE u8 *shared_row(const struct native_warp *s, struct spaced a, u64 base, u64 size, const u64 step)
{
    int is = a.is && a.step == step && !(base & (size - 1));
    return is && shared_holds(s, base, base + 31 * step + size) ? s->shared + base : 0;
}

INLINE u8 *global_row(const struct native_warp *s, struct spaced a, u64 base, u64 size, const u64 step,
                      struct native_span *span)
{
    int is = a.is && a.step == step && !(base & (size - 1));
    return is && global_holds(s, base, base + 31 * step + size, span) ? (u8 *)base : 0;
}

// Addresses of an instruction: a row of 32 or 64 bits a lane, what is added to them, and how they lie.
struct addresses {
    const void *row;
    u64 add;
    int narrow;
    struct spaced spaced;
};

// Places in host memory of the lanes of mask (some), into at. False: some touch what is not theirs, or no multiple of
// size bytes. span: NULL for shared memory.
static int find_places(const struct native_warp *s, const struct addresses *a, u64 size, u32 mask,
                       struct native_span *span, u64 *at)
{
    u64 low = UINT64_MAX, high = 0, bits = 0, origin = span ? 0 : (u64)s->shared;
    u64 one = a->narrow ? ((const u32 *)a->row)[__builtin_ctz(mask)] : ((const u64 *)a->row)[__builtin_ctz(mask)];
    if (a->narrow)
        EACH_LANE at[l] = (u32)((mask >> l & 1 ? ((const u32 *)a->row)[l] : (u32)one) + (u32)a->add);
    else
        EACH_LANE at[l] = (mask >> l & 1 ? ((const u64 *)a->row)[l] : one) + a->add;
    for (int l = 0; l < 32; l++) {
        low = at[l] < low ? at[l] : low;
        high = at[l] > high ? at[l] : high;
        bits |= at[l];
        at[l] += origin;
    }
    if (bits & (size - 1) || high + size < high)
        return 0;
    return span ? global_holds(s, low, high + size, span) : shared_holds(s, low, high + size);
}

// The same where addresses are evenly spaced: the place of lane 0, which need not be in mask. NULL: not within bounds.
static u8 *find_first(const struct native_warp *s, const struct addresses *a, u64 size, u32 mask,
                      struct native_span *span)
{
    u64 step = a->spaced.step, base = a->spaced.first + a->add;
    base = a->narrow ? (u32)base : base;
    u64 low = base + (u64)__builtin_ctz(mask) * step, high = base + (31 - (u64)__builtin_clz(mask)) * step + size;
    if ((base | step) & (size - 1))
        return 0;
    if (span)
        return global_holds(s, low, high, span) ? (u8 *)base : 0;
    return shared_holds(s, low, high) ? s->shared + base : 0;
}

// One element after the other: instructions that gather are slower on many processors.
#define APART __asm__ volatile("")
#define EACH_APART for (int l = 0; l < 32; ({ l++; APART; }))
#define EACH_OF(mask) for (u32 left = (mask), l; left && (l = (u32)__builtin_ctz(left), 1); left &= left - 1)

// Elements of the lanes of mask into a row and out of it. False: nothing was done.
#define LOAD_STEPS(T) \
    for (int l = 0; l < 32; l += 4, from += 4 * step) { \
        T x = *(const T *)from, y = *(const T *)(from + step); \
        row[l] = x; \
        row[l + 1] = y; \
        x = *(const T *)(from + 2 * step); \
        row[l + 2] = x; \
        y = *(const T *)(from + 3 * step); \
        row[l + 3] = y; \
        APART; \
    }
#define STORE_STEPS(T) \
    for (int l = 0; l < 32; l += 4, to += 4 * step) { \
        *(T *)to = row[l]; \
        *(T *)(to + step) = row[l + 1]; \
        *(T *)(to + 2 * step) = row[l + 2]; \
        *(T *)(to + 3 * step) = row[l + 3]; \
        APART; \
    }
#define ELEMENT(T, name) \
    static __attribute__((noinline, unused)) int load_##name(const struct native_warp *s, const struct addresses *a, \
                                                             u32 mask, T *row, struct native_span *span) \
    { \
        u64 at[32] ROW, step = a->spaced.step; \
        const u8 *from = a->spaced.is ? find_first(s, a, sizeof(T), mask, span) : 0; \
        if (!from && !find_places(s, a, sizeof(T), mask, span, at)) \
            return 0; \
        if (from && step == sizeof(T)) { \
            EACH_LANE row[l] = mask >> l & 1 ? ((const T *)from)[l] : row[l]; \
        } else if (from && mask == NATIVE_ALL) { \
            LOAD_STEPS(T) \
        } else if (from) { \
            EACH_OF(mask) row[l] = *(const T *)(from + (u64)l * step); \
        } else if (mask == NATIVE_ALL) { \
            EACH_APART row[l] = *(const T *)at[l]; \
        } else \
            EACH_OF(mask) row[l] = *(const T *)at[l]; \
        return 1; \
    } \
    static __attribute__((noinline, unused)) int store_##name(const struct native_warp *s, const struct addresses *a, \
                                                              u32 mask, const T *row, struct native_span *span) \
    { \
        u64 at[32] ROW, step = a->spaced.step; \
        u8 *to = a->spaced.is ? find_first(s, a, sizeof(T), mask, span) : 0; \
        if (!to && !find_places(s, a, sizeof(T), mask, span, at)) \
            return 0; \
        if (to && step == sizeof(T)) { \
            EACH_LANE if (mask >> l & 1)((T *)to)[l] = row[l]; \
        } else if (to && mask == NATIVE_ALL) { \
            STORE_STEPS(T) \
        } else if (to) { \
            EACH_OF(mask) *(T *)(to + (u64)l * step) = row[l]; \
        } else if (mask == NATIVE_ALL) { \
            EACH_APART *(T *)at[l] = row[l]; \
        } else \
            EACH_OF(mask) *(T *)at[l] = row[l]; \
        return 1; \
    }
ELEMENT(u16, 2)
ELEMENT(u32, 4)
ELEMENT(u64, 8)

// The same with vectors of count elements.
#define LOAD_NEAR_2(T) \
    { \
        T *x = d[0], *y = d[1]; \
        EACH_LANE x[l] = ((const T *)from)[2 * l], y[l] = ((const T *)from)[2 * l + 1]; \
    }
#define STORE_NEAR_2(T) \
    { \
        const T *x = d[0], *y = d[1]; \
        EACH_LANE((T *)to)[2 * l] = x[l], ((T *)to)[2 * l + 1] = y[l]; \
    }
#define LOAD_NEAR_4(T) \
    { \
        T *x = d[0], *y = d[1], *z = d[2], *w = d[3]; \
        EACH_LANE \
        { \
            const T *e = (const T *)from + 4 * l; \
            x[l] = e[0], y[l] = e[1], z[l] = e[2], w[l] = e[3]; \
        } \
    }
#define STORE_NEAR_4(T) \
    { \
        const T *x = d[0], *y = d[1], *z = d[2], *w = d[3]; \
        EACH_LANE \
        { \
            T *e = (T *)to + 4 * l; \
            e[0] = x[l], e[1] = y[l], e[2] = z[l], e[3] = w[l]; \
        } \
    }
#define VECTOR(T, name) \
    static __attribute__((noinline, unused)) int load_vector_##name(const struct native_warp *s, \
                                                                    const struct addresses *a, int count, u32 mask, \
                                                                    T *const *d, struct native_span *span) \
    { \
        u64 at[32] ROW, step = a->spaced.step; \
        const u8 *from = a->spaced.is ? find_first(s, a, sizeof(T) * (u64)count, mask, span) : 0; \
        if (!from && !find_places(s, a, sizeof(T) * (u64)count, mask, span, at)) \
            return 0; \
        if (from && step == 2 * sizeof(T) && count == 2 && mask == NATIVE_ALL) { \
            LOAD_NEAR_2(T) \
        } else if (from && step == 4 * sizeof(T) && count == 4 && mask == NATIVE_ALL) { \
            LOAD_NEAR_4(T) \
        } else if (from) { \
            EACH_OF(mask) for (int k = 0; k < count; k++) d[k][l] = ((const T *)(from + (u64)l * step))[k]; \
        } else \
            EACH_OF(mask) for (int k = 0; k < count; k++) d[k][l] = ((const T *)at[l])[k]; \
        return 1; \
    } \
    static __attribute__((noinline, unused)) int store_vector_##name(const struct native_warp *s, \
                                                                     const struct addresses *a, int count, u32 mask, \
                                                                     const T *const *d, struct native_span *span) \
    { \
        u64 at[32] ROW, step = a->spaced.step; \
        u8 *to = a->spaced.is ? find_first(s, a, sizeof(T) * (u64)count, mask, span) : 0; \
        if (!to && !find_places(s, a, sizeof(T) * (u64)count, mask, span, at)) \
            return 0; \
        if (to && step == 2 * sizeof(T) && count == 2 && mask == NATIVE_ALL) { \
            STORE_NEAR_2(T) \
        } else if (to && step == 4 * sizeof(T) && count == 4 && mask == NATIVE_ALL) { \
            STORE_NEAR_4(T) \
        } else if (to) { \
            EACH_OF(mask) for (int k = 0; k < count; k++)((T *)(to + (u64)l * step))[k] = d[k][l]; \
        } else \
            EACH_OF(mask) for (int k = 0; k < count; k++)((T *)at[l])[k] = d[k][l]; \
        return 1; \
    }
VECTOR(u16, 2)
VECTOR(u32, 4)
VECTOR(u64, 8)
