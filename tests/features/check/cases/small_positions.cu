%%% E16 is a note where the position is small
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p * 8), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"((8 * p)), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p << 3), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p & 63), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p % 64u), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(sizeof(T)), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(POS), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(kPos), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(i * 8 + 4), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"((unsigned)(p * 8)), "r"(8));
%%% and a warning where it may be large
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p * q), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p & q), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p * 999), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p << 9), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(*p), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(&p), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p && 1), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p + 1), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(f(p * 8)), "r"(8));
%% a large length beside a small position
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p * 8), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(q * 8), "r"(n));
%% the note is given once in a file
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(p * 8), "r"(8));
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(q * 8), "r"(16));
%%% x.ptx a position in a register that is small
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; and.b32 %r1, %r2, 63; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; shl.b32 %r1, %r2, 3; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; mul.lo.u32 %r1, %r2, 8; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; cvt.u32.u8 %r1, %r2; bfe.u64 %d1, %d2, %r1, 8; }
%%% x.ptx and one that may be large
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; mul.hi.u32 %r1, %r2, 8; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; @%p1 and.b32 %r1, %r2, 3; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; and.b32 %r1, %r2, 256; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; shl.b32 %r1, %r2, %r3; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; cvt.u32.u16 %r1, %r2; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; shl.b32 %r1, %r2, 3; mov.u32 %r1, %r2; bfe.u64 %d1, %d2, %r1, 8; }
{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>; and.b32 %r1, %r2, 3; L: mov.b32 %r3, %r2; bfe.u64 %d1, %d2, %r1, 8; }
%%% x.ptx a position that a mov sets
{.reg .b64 %d<3>; .reg .b32 %r<3>; mov.u32 %r1, 16; bfe.u64 %d1, %d2, %r1, 8; }
