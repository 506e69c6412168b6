/* What a C programmer writes for each form of throughput.py: plain loops, to compare with. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef const uint32_t *restrict words;
typedef const uint8_t *restrict truths;

static inline int between(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
static inline int64_t wide_between(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}
static inline int s8(uint32_t word, int lane) { return (int8_t)(word >> 8 * lane); }
static inline int u8(uint32_t word, int lane) { return (uint8_t)(word >> 8 * lane); }
static inline int s16(uint32_t word, int lane) { return (int16_t)(word >> 16 * lane); }
static inline uint32_t put8(int x, int lane) { return (uint32_t)(uint8_t)x << 8 * lane; }
static inline uint32_t put16(int x, int lane) { return (uint32_t)(uint16_t)x << 16 * lane; }

#define WORDS(name) \
    void name(words a, words b, words c, uint32_t *restrict d, size_t count) \
    { \
        for (size_t i = 0; i < count; i++) \
            d[i] = name##_of(a[i], b[i], c[i]); \
    }
#define UNUSED (void)c

static inline uint32_t vadd4_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d = 0;
    for (int i = 0; i < 4; i++)
        d |= put8(between(s8(a, i) + u8(b, i), -128, 127), i);
    UNUSED;
    return d;
}
WORDS(vadd4)

static inline uint32_t vabsdiff4_of(uint32_t a, uint32_t b, uint32_t c)
{
    static const int first[] = {2, 2, 0, 7}, second[] = {5, 6, 3, 1};
    const uint64_t both = (uint64_t)b << 32 | a;
    uint32_t d = c;
    for (int i = 0; i < 4; i++) {
        int x = (int8_t)(both >> 8 * first[i]), y = (uint8_t)(both >> 8 * second[i]);
        if (i != 2)
            d = (d & ~put8(255, i)) | put8(x < y ? y - x : x - y, i);
    }
    return d;
}
WORDS(vabsdiff4)

static inline uint32_t vset4_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t below = 0;
    for (int i = 0; i < 4; i++)
        below += s8(a, i) < u8(b, i);
    return below + c;
}
WORDS(vset4)

static inline uint32_t vavrg2_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d = 0;
    for (int i = 0; i < 2; i++) {
        int sum = s16(a, i) + s16(b, i);
        d |= put16((sum + (sum >= 0)) >> 1, i);
    }
    UNUSED;
    return d;
}
WORDS(vavrg2)

static inline uint32_t vmin2_of(uint32_t a, uint32_t b, uint32_t c)
{
    int x = s16(a, 0), y = s16(b, 0);
    return (c & 0xffff0000) | put16(x < y ? x : y, 0);
}
WORDS(vmin2)

static inline uint32_t vadd_of(uint32_t a, uint32_t b, uint32_t c)
{
    int64_t t = wide_between((int64_t)s16(a, 1) + b, INT32_MIN, INT32_MAX);
    return t > (int32_t)c ? (uint32_t)t : c;
}
WORDS(vadd)

static inline uint32_t vmad_of(uint32_t a, uint32_t b, uint32_t c)
{
    int64_t t = (int64_t)(int32_t)a * (int32_t)b + (int32_t)c;
    return (uint32_t)wide_between(t >> 15, INT32_MIN, INT32_MAX);
}
WORDS(vmad)

static inline uint32_t vsub4_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d = 0;
    for (int i = 0; i < 4; i++)
        d |= put8(between(s8(a, i) - s8(b, i), -128, 127), i);
    UNUSED;
    return d;
}
WORDS(vsub4)

static inline uint32_t vmax4_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d = 0;
    for (int i = 0; i < 4; i++) {
        int x = u8(a, i), y = s8(b, i);
        d |= put8(x > y ? x : y, i);
    }
    UNUSED;
    return d;
}
WORDS(vmax4)

static inline uint32_t vshl_of(uint32_t a, uint32_t b, uint32_t c)
{
    return (b > 31 ? 0 : a << b) + c;
}
WORDS(vshl)

static inline uint32_t vshr_of(uint32_t a, uint32_t b, uint32_t c)
{
    return (c & 0xffffff00) | put8((int32_t)a >> (b & 31), 0);
}
WORDS(vshr)

static inline uint32_t vset_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t t = (int32_t)a < (int64_t)b;
    return t < c ? t : c;
}
WORDS(vset)

static inline uint32_t set_of(uint32_t a, uint32_t b, uint32_t c)
{
    UNUSED;
    return (int32_t)a <= (int32_t)b ? 0x3f800000 : 0;
}
WORDS(set)

static inline uint32_t slct_of(uint32_t a, uint32_t b, uint32_t c)
{
    return (int32_t)c >= 0 ? a : b;
}
WORDS(slct)

void selp(words a, words b, truths c, uint32_t *restrict d, size_t count)
{
    for (size_t i = 0; i < count; i++)
        d[i] = c[i] ? a[i] : b[i];
}

/* the bits of a float, of which those below the least normal number are 0 */
static inline float flushed(uint32_t bits)
{
    float number;
    if ((bits & 0x7fffffff) < 0x00800000)
        bits &= 0x80000000;
    memcpy(&number, &bits, sizeof number);
    return number;
}

void setp(words a, words b, truths c, uint8_t *restrict p, uint8_t *restrict q, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t below = !(flushed(a[i]) >= flushed(b[i]));
        p[i] = below & c[i];
        q[i] = (uint8_t)!below & c[i];
    }
}
