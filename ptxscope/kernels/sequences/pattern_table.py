"""Sequences that compute an intrinsic of CUDA, each proved for all operands.

`python3 -m tools.intrinsic_sequences` writes this from what nvcc 13.0.88 makes of the intrinsics
for sm_75, sm_80, sm_90, sm_100, sm_120, and of the same written by hand.

A line has the intrinsic and its operations in order: of letters, the parameters; of numbers, the
results of earlier operations, from 0; of constants, in hexadecimal. The last one is the result.
"""

PATTERNS = """\
__vabs2(a) prmt.b32 a 0x0 0xbb99; xor.b32 a 0; and.b32 0 0x10001; add.s32 1 2
__vabs4(a) xor.b32 a 0x80808080; vabsdiff4.u32.u32.u32 0 0x80808080 0x0
__vabs4(a) prmt.b32 a 0x0 0xba98; xor.b32 0 a; and.b32 0 0x1010101; add.s32 2 1
__vabsdiffs2(ab) xor.b32 b a; sub.s32 a b; xor.b32 0 1; and.b32 2 0x10000; add.s32 3 1; xor.b32 4 a; and.b32 5 0; xor.b32 6 4; prmt.b32 7 0x0 0xbb99; xor.b32 4 8; and.b32 8 0x10001; add.s32 9 10
__vabsdiffs2(ab) mov.b32.0 b; mov.b32.1 b; neg.s16 0; neg.s16 1; mov.b32 2 3; add.s16x2 a 4; xor.b32 b a; xor.b32 5 a; and.b32 7 6; xor.b32 8 5; prmt.b32 9 0x0 0xbb99; xor.b32 10 5; and.b32 10 0x10001; add.s32 11 12
__vabsdiffs4(ab) xor.b32 a 0x80808080; xor.b32 b 0x80808080; vabsdiff4.u32.u32.u32 0 1 0x0
__vabsdiffu2(ab) not.b32 b; or.b32 a 0; xor.b32 a 0; and.b32 2 0xfffefffe; shr.u32 3 0x1; sub.s32 1 4; prmt.b32 5 0x0 0xbb99; xor.b32 b a; and.b32 7 6; xor.b32 8 b; xor.b32 8 a; sub.s32 9 10
__vabsdiffu2(ab) not.b32 b; or.b32 a 0; xor.b32 a 0; shr.u32 2 0x1; and.b32 3 0x7fff7fff; sub.s32 1 4; prmt.b32 5 0x0 0xbb99; xor.b32 b a; and.b32 7 6; xor.b32 8 b; xor.b32 8 a; sub.s32 9 10
__vabsss2(a) prmt.b32 a 0x0 0xbb99; xor.b32 a 0; and.b32 0 0x10001; add.s32 1 2; prmt.b32 3 0x0 0xbb99; xor.b32 4 3
__vabsss4(a) xor.b32 a 0x80808080; vabsdiff4.u32.u32.u32 0 0x80808080 0x0; prmt.b32 1 0x0 0xba98; xor.b32 2 1
__vadd2(ab) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3
__vadd2(ab) and.b32 a 0x7fff7fff; and.b32 b 0x7fff7fff; add.s32 1 0; xor.b32 b a; and.b32 3 0x80008000; xor.b32 2 4
__vadd4(ab) xor.b32 b a; and.b32 a 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; and.b32 0 0x80808080; add.s32 2 1; xor.b32 4 3
__vaddss2(ab) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3; xor.b32 4 a; xor.b32 4 b; and.b32 5 6; prmt.b32 7 0x0 0xbb99; prmt.b32 a 0x0 0xbb99; xor.b32 9 0x7fff7fff; not.b32 8; and.b32 4 11; and.b32 10 8; or.b32 12 13
__vaddss2(ab) add.u16x2 a b; xor.b32 0 a; xor.b32 0 b; and.b32 1 2; prmt.b32 3 0x0 0xbb99; prmt.b32 a 0x0 0xbb99; xor.b32 5 0x7fff7fff; not.b32 4; and.b32 0 7; and.b32 6 4; or.b32 9 8
__vaddss4(ab) and.b32 a 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; add.s32 1 0; xor.b32 2 b; xor.b32 2 a; and.b32 3 4; prmt.b32 5 0x0 0xba98; xor.b32 b a; prmt.b32 a 0x0 0xba98; xor.b32 8 0x7f7f7f7f; and.b32 7 0x80808080; xor.b32 2 10; not.b32 6; and.b32 11 12; and.b32 9 6; or.b32 13 14
__vaddus2(ab) and.b32 a 0xffff; and.b32 b 0xffff; shf.r.clamp.b32 a 0x0 0x10; shf.r.clamp.b32 b 0x0 0x10; add.s32 0 1; min.s32 4 0xffff; add.s32 2 3; min.s32 6 0xffff; shl.b32 7 0x10; add.s32 8 5
__vaddus2(ab) add.u16x2 a b; and.b32 b a; or.b32 b a; not.b32 0; and.b32 2 3; or.b32 4 1; prmt.b32 5 0x0 0xbb99; or.b32 6 0
__vaddus4(ab) and.b32 a 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; add.s32 1 0; and.b32 b a; or.b32 b a; xor.b32 b a; xor.b32 5 2; not.b32 6; and.b32 7 4; or.b32 8 3; prmt.b32 9 0x0 0xba98; and.b32 5 0x80808080; xor.b32 2 11; or.b32 12 10
__vavgs2(ab) and.b32 a 0xfffefffe; and.b32 b 0xfffefffe; xor.b32 a b; and.b32 a b; shr.u32 0 0x1; shr.u32 1 0x1; and.b32 2 0x10001; and.b32 2 0x80008000; and.b32 3 0x10001; add.s32 4 5; add.s32 9 8; xor.b32 10 7; shr.u32 11 0xf; not.b32 12; and.b32 13 6; add.s32 11 14
__vavgs4(ab) and.b32 a 0xfefefefe; and.b32 b 0xfefefefe; xor.b32 a b; and.b32 a b; shr.u32 0 0x1; shr.u32 1 0x1; and.b32 2 0x1010101; and.b32 2 0x80808080; and.b32 3 0x1010101; add.s32 4 5; add.s32 9 8; xor.b32 10 7; shr.u32 11 0x7; not.b32 12; and.b32 13 6; add.s32 11 14
__vavgu2(ab) or.b32 b a; xor.b32 b a; and.b32 1 0xfffefffe; shr.u32 2 0x1; sub.s32 0 3
__vavgu2(ab) or.b32 b a; xor.b32 b a; shr.u32 1 0x1; and.b32 2 0x7fff7fff; sub.s32 0 3
__vavgu4(ab) xor.b32 b a; or.b32 b a; and.b32 0 0xfefefefe; shr.u32 2 0x1; sub.s32 1 3
__vavgu4(ab) or.b32 b a; xor.b32 b a; shr.u32 1 0x1; and.b32 2 0x7f7f7f7f; sub.s32 0 3
__vcmpeq2(ab) xor.b32 b a; or.b32 0 0x80008000; sub.s32 0x10000 1; not.b32 0; and.b32 2 3; prmt.b32 4 0x0 0xbb99
__vcmpeq2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 2 0; not.b32 3; prmt.b32 4 0x0 0xbb99
__vcmpeq2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 0 2; not.b32 3; and.b32 4 0x80008000; prmt.b32 5 0x0 0xbb99
__vcmpeq4(ab) xor.b32 b a; or.b32 0 0x80808080; sub.s32 0x1010100 1; not.b32 0; and.b32 2 3; prmt.b32 4 0x0 0xba98
__vcmpeq4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 2 0; not.b32 3; prmt.b32 4 0x0 0xba98
__vcmpeq4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 0 2; not.b32 3; and.b32 4 0x80808080; prmt.b32 5 0x0 0xba98
__vcmpges2(ab) not.b32 a; and.b32 0 0x7fff7fff; and.b32 b 0x7fff7fff; add.s32 1 2; lop3.b32 a b 3 0x4d; prmt.b32 4 0x0 0xbb99
__vcmpges4(ab) not.b32 a; and.b32 0 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; add.s32 1 2; lop3.b32 a b 3 0x4d; prmt.b32 4 0x0 0xba98
__vcmpgeu2(ab) not.b32 b; or.b32 a 0; xor.b32 a 0; and.b32 2 0xfffefffe; shr.u32 3 0x1; sub.s32 1 4; prmt.b32 5 0x0 0xbb99
__vcmpgeu2(ab) not.b32 b; or.b32 a 0; xor.b32 a 0; shr.u32 2 0x1; and.b32 3 0x7fff7fff; sub.s32 1 4; prmt.b32 5 0x0 0xbb99
__vcmpgeu4(ab) not.b32 b; or.b32 a 0; xor.b32 a b; not.b32 2; and.b32 3 0xfefefefe; shr.u32 4 0x1; sub.s32 1 5; prmt.b32 6 0x0 0xba98
__vcmpgeu4(ab) not.b32 b; or.b32 a 0; xor.b32 b a; shr.u32 2 0x1; not.b32 3; and.b32 4 0x7f7f7f7f; sub.s32 1 5; prmt.b32 6 0x0 0xba98
__vcmpgts2(ab) not.b32 b; and.b32 a 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 2 1; lop3.b32 a b 3 0x8e; prmt.b32 4 0x0 0xbb99
__vcmpgts4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0x8e; prmt.b32 4 0x0 0xba98
__vcmpgtu2(ab) not.b32 b; xor.b32 a 0; and.b32 a 0; and.b32 1 0xfffefffe; shr.u32 3 0x1; add.s32 4 2; prmt.b32 5 0x0 0xbb99
__vcmpgtu2(ab) not.b32 b; xor.b32 a 0; and.b32 a 0; shr.u32 1 0x1; and.b32 3 0x7fff7fff; add.s32 4 2; prmt.b32 5 0x0 0xbb99
__vcmpgtu4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0xb2; prmt.b32 4 0x0 0xba98
__vcmpleu4(ab) not.b32 a; or.b32 b 0; xor.b32 0 b; and.b32 2 0xfefefefe; shr.u32 3 0x1; sub.s32 1 4; prmt.b32 5 0x0 0xba98
__vcmpltu2(ab) not.b32 a; and.b32 b 0; xor.b32 b 0; and.b32 b 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 3 4; and.b32 5 2; or.b32 6 1; prmt.b32 7 0x0 0xbb99
__vcmpltu4(ab) not.b32 a; and.b32 b 0; xor.b32 b 0; and.b32 b 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 3 4; and.b32 5 2; or.b32 6 1; prmt.b32 7 0x0 0xba98
__vcmpne2(ab) xor.b32 b a; or.b32 0 0x80008000; add.s32 1 0xfffeffff; or.b32 2 0; prmt.b32 3 0x0 0xbb99
__vcmpne2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 2 0; prmt.b32 3 0x0 0xbb99
__vcmpne4(ab) xor.b32 b a; or.b32 0 0x80808080; add.s32 1 0xfefefeff; or.b32 2 0; prmt.b32 3 0x0 0xba98
__vcmpne4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 2 0; prmt.b32 3 0x0 0xba98
__vhaddu2(ab) xor.b32 b a; and.b32 b a; and.b32 0 0xfffefffe; shr.u32 2 0x1; add.s32 3 1
__vhaddu2(ab) and.b32 b a; xor.b32 b a; shr.u32 1 0x1; and.b32 2 0x7fff7fff; add.s32 3 0
__vhaddu4(ab) xor.b32 b a; and.b32 b a; and.b32 0 0xfefefefe; shr.u32 2 0x1; add.s32 3 1
__vhaddu4(ab) and.b32 b a; xor.b32 b a; shr.u32 1 0x1; and.b32 2 0x7f7f7f7f; add.s32 3 0
__viaddmax_s16x2(abc) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3; shl.b32 4 0x10; shl.b32 c 0x10; max.s32 5 6; shr.u32 7 0x10; max.s32 4 c; and.b32 9 0xffff0000; or.b32 8 10
__viaddmax_s16x2(abc) add.s16x2 a b; max.s16x2 0 c
__viaddmax_s16x2_relu(abc) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3; shl.b32 4 0x10; shl.b32 c 0x10; max.s32 5 6; shr.u32 7 0x10; max.s32 4 c; and.b32 9 0xffff0000; or.b32 8 10; max.s32 7 0x0; shr.u32 12 0x10; max.s32 11 0x0; and.b32 14 0xffff0000; or.b32 15 13
__viaddmax_s16x2_relu(abc) add.s16x2 a b; max.relu.s16x2 0 c
__viaddmax_u16x2(abc) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3; and.b32 4 0xffff; and.b32 c 0xffff; max.u32 5 6; max.u32 4 c; and.b32 8 0xffff0000; or.b32 9 7
__viaddmax_u16x2(abc) add.u16x2 a b; max.u16x2 0 c
__viaddmin_s16x2(abc) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3; shl.b32 4 0x10; shl.b32 c 0x10; min.s32 5 6; shr.u32 7 0x10; min.s32 4 c; and.b32 9 0xffff0000; or.b32 8 10
__viaddmin_s16x2(abc) add.s16x2 a b; min.s16x2 0 c
__viaddmin_s16x2_relu(abc) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3; shl.b32 4 0x10; shl.b32 c 0x10; min.s32 5 6; shr.u32 7 0x10; min.s32 4 c; and.b32 9 0xffff0000; or.b32 8 10; max.s32 7 0x0; shr.u32 12 0x10; max.s32 11 0x0; and.b32 14 0xffff0000; or.b32 15 13
__viaddmin_s16x2_relu(abc) add.s16x2 a b; min.relu.s16x2 0 c
__viaddmin_u16x2(abc) xor.b32 b a; add.s32 b a; xor.b32 0 1; and.b32 2 0x10000; sub.s32 1 3; and.b32 4 0xffff; and.b32 c 0xffff; min.u32 5 6; min.u32 4 c; and.b32 8 0xffff0000; or.b32 9 7
__viaddmin_u16x2(abc) add.u16x2 a b; min.u16x2 0 c
__vimax3_s16x2(abc) shl.b32 a 0x10; shl.b32 b 0x10; max.s32 0 1; shr.u32 2 0x10; max.s32 a b; and.b32 4 0xffff0000; or.b32 3 5; shl.b32 c 0x10; max.s32 2 7; shr.u32 8 0x10; max.s32 6 c; and.b32 10 0xffff0000; or.b32 11 9
__vimax3_s16x2(abc) max.s16x2 a b; max.s16x2 0 c
__vimax3_s16x2_relu(abc) shl.b32 a 0x10; shl.b32 b 0x10; max.s32 0 1; shr.u32 2 0x10; max.s32 a b; and.b32 4 0xffff0000; or.b32 3 5; shl.b32 c 0x10; max.s32 2 7; shr.u32 8 0x10; max.s32 6 c; and.b32 10 0xffff0000; or.b32 11 9; max.s32 8 0x0; shr.u32 13 0x10; max.s32 12 0x0; and.b32 15 0xffff0000; or.b32 16 14
__vimax3_s16x2_relu(abc) max.relu.s16x2 a b; max.relu.s16x2 0 c
__vimax3_u16x2(abc) and.b32 a 0xffff; and.b32 b 0xffff; max.u32 0 1; max.u32 a b; and.b32 3 0xffff0000; or.b32 4 2; and.b32 c 0xffff; max.u32 2 6; max.u32 5 c; and.b32 8 0xffff0000; or.b32 9 7
__vimax3_u16x2(abc) max.u16x2 a b; max.u16x2 0 c
__vimax_s16x2_relu(ab) shl.b32 a 0x10; shl.b32 b 0x10; max.s32 0 1; shr.u32 2 0x10; max.s32 a b; and.b32 4 0xffff0000; or.b32 3 5; max.s32 2 0x0; shr.u32 7 0x10; max.s32 6 0x0; and.b32 9 0xffff0000; or.b32 10 8
__vimin3_s16x2(abc) shl.b32 a 0x10; shl.b32 b 0x10; min.s32 0 1; shr.u32 2 0x10; min.s32 a b; and.b32 4 0xffff0000; or.b32 3 5; shl.b32 c 0x10; min.s32 2 7; shr.u32 8 0x10; min.s32 6 c; and.b32 10 0xffff0000; or.b32 11 9
__vimin3_s16x2(abc) min.s16x2 a b; min.s16x2 0 c
__vimin3_s16x2_relu(abc) shl.b32 a 0x10; shl.b32 b 0x10; min.s32 0 1; shr.u32 2 0x10; min.s32 a b; and.b32 4 0xffff0000; or.b32 3 5; shl.b32 c 0x10; min.s32 2 7; shr.u32 8 0x10; min.s32 6 c; and.b32 10 0xffff0000; or.b32 11 9; max.s32 8 0x0; shr.u32 13 0x10; max.s32 12 0x0; and.b32 15 0xffff0000; or.b32 16 14
__vimin3_s16x2_relu(abc) min.relu.s16x2 a b; min.relu.s16x2 0 c
__vimin3_u16x2(abc) and.b32 a 0xffff; and.b32 b 0xffff; min.u32 0 1; min.u32 a b; and.b32 3 0xffff0000; or.b32 4 2; and.b32 c 0xffff; min.u32 2 6; min.u32 5 c; and.b32 8 0xffff0000; or.b32 9 7
__vimin3_u16x2(abc) min.u16x2 a b; min.u16x2 0 c
__vimin_s16x2_relu(ab) shl.b32 a 0x10; shl.b32 b 0x10; min.s32 0 1; shr.u32 2 0x10; min.s32 a b; and.b32 4 0xffff0000; or.b32 3 5; max.s32 2 0x0; shr.u32 7 0x10; max.s32 6 0x0; and.b32 9 0xffff0000; or.b32 10 8
__vmaxs2(ab) shl.b32 a 0x10; shl.b32 b 0x10; max.s32 0 1; shr.u32 2 0x10; max.s32 a b; and.b32 4 0xffff0000; or.b32 3 5
__vmaxs4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0x8e; prmt.b32 4 0x0 0xba98; and.b32 5 a; not.b32 5; and.b32 b 7; or.b32 6 8
__vmaxu2(ab) and.b32 a 0xffff; and.b32 b 0xffff; max.u32 0 1; max.u32 a b; and.b32 3 0xffff0000; or.b32 4 2
__vmaxu4(ab) not.b32 b; or.b32 a 0; xor.b32 a b; not.b32 2; and.b32 3 0xfefefefe; shr.u32 4 0x1; sub.s32 1 5; prmt.b32 6 0x0 0xba98; and.b32 7 a; not.b32 7; and.b32 b 9; or.b32 8 10
__vmaxu4(ab) not.b32 b; or.b32 a 0; xor.b32 b a; shr.u32 2 0x1; not.b32 3; and.b32 4 0x7f7f7f7f; sub.s32 1 5; prmt.b32 6 0x0 0xba98; and.b32 7 a; not.b32 7; and.b32 b 9; or.b32 8 10
__vmins2(ab) shl.b32 a 0x10; shl.b32 b 0x10; min.s32 0 1; shr.u32 2 0x10; min.s32 a b; and.b32 4 0xffff0000; or.b32 3 5
__vmins4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0x8e; prmt.b32 4 0x0 0xba98; not.b32 5; and.b32 a 6; and.b32 5 b; or.b32 7 8
__vminu2(ab) and.b32 a 0xffff; and.b32 b 0xffff; min.u32 0 1; min.u32 a b; and.b32 3 0xffff0000; or.b32 4 2
__vminu4(ab) not.b32 a; or.b32 b 0; xor.b32 0 b; and.b32 2 0xfefefefe; shr.u32 3 0x1; sub.s32 1 4; prmt.b32 5 0x0 0xba98; and.b32 6 a; not.b32 6; and.b32 b 8; or.b32 7 9
__vminu4(ab) not.b32 a; or.b32 b 0; xor.b32 b a; shr.u32 2 0x1; not.b32 3; and.b32 4 0x7f7f7f7f; sub.s32 1 5; prmt.b32 6 0x0 0xba98; and.b32 7 a; not.b32 7; and.b32 b 9; or.b32 8 10
__vneg2(a) neg.s32 a; xor.b32 a 0; and.b32 1 0x10000; sub.s32 2 a
__vneg2(a) and.b32 a 0x7fff7fff; sub.s32 0x80008000 0; and.b32 a 0x80008000; xor.b32 2 1; xor.b32 3 0x80008000
__vneg2(a) not.b32 a; add.u16x2 0 0x10001
__vneg4(a) and.b32 a 0x7f7f7f7f; and.b32 a 0x80808080; sub.s32 0x80808080 0; xor.b32 1 2; xor.b32 3 0x80808080
__vnegss2(a) neg.s32 a; xor.b32 a 0; and.b32 1 0x10000; sub.s32 2 a; and.b32 a 3; and.b32 4 0x80008000; shr.u32 5 0xf; sub.s32 3 6
__vnegss2(a) not.b32 a; add.u16x2 0 0x10001; and.b32 a 1; and.b32 2 0x80008000; shr.u32 3 0xf; sub.s32 1 4
__vnegss2(a) not.b32 a; add.u16x2 0 0x10001; and.b32 1 a; shr.u32 2 0xf; and.b32 3 0x10001; sub.s32 1 4
__vnegss2(a) mov.b32.0 a; mov.b32.1 a; neg.s16 0; neg.s16 1; mov.b32 2 3; add.s16x2 0x0 4; and.b32 5 a; shr.u32 6 0xf; and.b32 7 0x10001; sub.s32 5 8
__vnegss4(a) and.b32 a 0x7f7f7f7f; and.b32 a 0x80808080; sub.s32 0x80808080 0; xor.b32 1 2; xor.b32 3 0x80808080; and.b32 1 4; shr.u32 5 0x7; sub.s32 4 6
__vsads2(ab) xor.b32 b a; sub.s32 a b; xor.b32 0 1; and.b32 2 0x10000; add.s32 3 1; xor.b32 4 a; and.b32 5 0; xor.b32 6 4; prmt.b32 7 0x0 0xbb99; xor.b32 4 8; and.b32 8 0x10001; add.s32 9 10; shr.u32 11 0x10; and.b32 11 0xffff; add.s32 12 13
__vsads2(ab) mov.b32.0 b; mov.b32.1 b; neg.s16 0; neg.s16 1; mov.b32 2 3; add.s16x2 a 4; xor.b32 b a; xor.b32 5 a; and.b32 7 6; xor.b32 8 5; prmt.b32 9 0x0 0xbb99; xor.b32 10 5; and.b32 10 0x10001; add.s32 11 12; shr.u32 13 0x10; and.b32 13 0xffff; add.s32 14 15
__vsads4(ab) xor.b32 a 0x80808080; xor.b32 b 0x80808080; vabsdiff4.u32.u32.u32 0 1 0x0; and.b32 2 0xff00ff00; shr.u32 3 0x8; and.b32 2 0xff00ff; add.s32 4 5; shr.u32 6 0x10; and.b32 6 0x1ff; add.s32 7 8
__vsads4(ab) xor.b32 a 0x80808080; xor.b32 b 0x80808080; vabsdiff4.u32.u32.u32 0 1 0x0; shr.u32 2 0x8; and.b32 3 0xff00ff; and.b32 2 0xff00ff; add.s32 4 5; shr.u32 6 0x10; and.b32 6 0x1ff; add.s32 7 8
__vseteq2(ab) xor.b32 b a; not.b32 0; or.b32 0 0x80008000; sub.s32 0x10000 2; and.b32 1 3; and.b32 4 0x80008000; shr.u32 5 0xf
__vseteq2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 2 0; not.b32 3; and.b32 4 0x80008000; shr.u32 5 0xf
__vseteq2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 2 0; not.b32 3; shr.u32 4 0xf; and.b32 5 0x10001
__vseteq2(ab) xor.b32 b a; or.b32 0 0x80008000; sub.s32 0x10000 1; not.b32 0; and.b32 2 3; shr.u32 4 0xf; and.b32 5 0x10001
__vseteq2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 2 0; shr.u32 3 0xf; not.b32 4; and.b32 5 0x10001
__vseteq4(ab) xor.b32 b a; not.b32 0; or.b32 0 0x80808080; sub.s32 0x1010100 2; and.b32 1 3; and.b32 4 0x80808080; shr.u32 5 0x7
__vseteq4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 2 0; not.b32 3; and.b32 4 0x80808080; shr.u32 5 0x7
__vseteq4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 2 0; not.b32 3; shr.u32 4 0x7; and.b32 5 0x1010101
__vseteq4(ab) xor.b32 b a; or.b32 0 0x80808080; sub.s32 0x1010100 1; not.b32 0; and.b32 2 3; shr.u32 4 0x7; and.b32 5 0x1010101
__vseteq4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 2 0; shr.u32 3 0x7; not.b32 4; and.b32 5 0x1010101
__vsetges2(ab) not.b32 a; and.b32 0 0x7fff7fff; and.b32 b 0x7fff7fff; add.s32 1 2; lop3.b32 a b 3 0x4d; and.b32 4 0x80008000; shr.u32 5 0xf
__vsetges2(ab) not.b32 a; and.b32 0 0x7fff7fff; and.b32 b 0x7fff7fff; add.s32 1 2; lop3.b32 a b 3 0x4d; shr.u32 4 0xf; and.b32 5 0x10001
__vsetges4(ab) not.b32 a; and.b32 0 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; add.s32 1 2; lop3.b32 a b 3 0x4d; and.b32 4 0x80808080; shr.u32 5 0x7
__vsetges4(ab) not.b32 a; and.b32 0 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; add.s32 1 2; lop3.b32 a b 3 0x4d; shr.u32 4 0x7; and.b32 5 0x1010101
__vsetgeu2(ab) not.b32 a; and.b32 0 0x7fff7fff; and.b32 b 0x7fff7fff; add.s32 1 2; lop3.b32 a b 3 0x71; and.b32 4 0x80008000; shr.u32 5 0xf
__vsetgeu2(ab) not.b32 a; and.b32 0 0x7fff7fff; and.b32 b 0x7fff7fff; add.s32 1 2; lop3.b32 a b 3 0x71; shr.u32 4 0xf; and.b32 5 0x10001
__vsetgeu4(ab) not.b32 a; and.b32 0 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; add.s32 1 2; lop3.b32 a b 3 0x71; and.b32 4 0x80808080; shr.u32 5 0x7
__vsetgeu4(ab) not.b32 a; and.b32 0 0x7f7f7f7f; and.b32 b 0x7f7f7f7f; add.s32 1 2; lop3.b32 a b 3 0x71; shr.u32 4 0x7; and.b32 5 0x1010101
__vsetgts2(ab) not.b32 b; and.b32 a 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 2 1; lop3.b32 a b 3 0x8e; and.b32 4 0x80008000; shr.u32 5 0xf
__vsetgts2(ab) not.b32 b; and.b32 a 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 2 1; lop3.b32 a b 3 0x8e; shr.u32 4 0xf; and.b32 5 0x10001
__vsetgts4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0x8e; and.b32 4 0x80808080; shr.u32 5 0x7
__vsetgts4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0x8e; shr.u32 4 0x7; and.b32 5 0x1010101
__vsetgtu2(ab) not.b32 b; xor.b32 a 0; and.b32 a 0; and.b32 1 0xfffefffe; shr.u32 3 0x1; add.s32 4 2; and.b32 5 0x80008000; shr.u32 6 0xf
__vsetgtu2(ab) not.b32 b; and.b32 a 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 2 1; lop3.b32 a b 3 0xb2; and.b32 4 0x80008000; shr.u32 5 0xf
__vsetgtu2(ab) not.b32 b; and.b32 a 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 2 1; lop3.b32 a b 3 0xb2; shr.u32 4 0xf; and.b32 5 0x10001
__vsetgtu4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0xb2; and.b32 4 0x80808080; shr.u32 5 0x7
__vsetgtu4(ab) not.b32 b; and.b32 a 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 2 1; lop3.b32 a b 3 0xb2; shr.u32 4 0x7; and.b32 5 0x1010101
__vsetltu2(ab) not.b32 a; xor.b32 a 0x80008000; and.b32 b 1; xor.b32 1 b; and.b32 b 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 4 5; and.b32 6 3; or.b32 7 2; and.b32 8 0x80008000; shr.u32 9 0xf
__vsetltu2(ab) not.b32 a; xor.b32 a 0x80008000; and.b32 b 1; or.b32 b 1; and.b32 b 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 4 5; and.b32 6 3; or.b32 7 2; and.b32 8 0x80008000; shr.u32 9 0xf
__vsetltu2(ab) not.b32 a; xor.b32 a 0x80008000; and.b32 b 1; xor.b32 1 b; and.b32 b 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 4 5; and.b32 6 3; or.b32 7 2; shr.u32 8 0xf; and.b32 9 0x10001
__vsetltu2(ab) not.b32 a; and.b32 b 0; xor.b32 0 b; or.b32 a 0x80008000; and.b32 b 0x7fff7fff; sub.s32 3 4; and.b32 5 2; xor.b32 b 6; xor.b32 0 7; or.b32 1 8; shr.u32 9 0xf; and.b32 10 0x10001
__vsetltu2(ab) not.b32 a; and.b32 b 0; or.b32 b 0; and.b32 b 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 4 3; and.b32 5 2; or.b32 6 1; shr.u32 7 0xf; and.b32 8 0x10001
__vsetltu2(ab) not.b32 a; and.b32 b 0; xor.b32 0 b; and.b32 b 0x7fff7fff; and.b32 0 0x7fff7fff; add.s32 4 3; and.b32 5 2; or.b32 6 1; shr.u32 7 0xf; and.b32 8 0x10001
__vsetltu4(ab) not.b32 a; xor.b32 a 0x80808080; and.b32 b 1; xor.b32 1 b; and.b32 b 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 4 5; and.b32 6 3; or.b32 7 2; and.b32 8 0x80808080; shr.u32 9 0x7
__vsetltu4(ab) not.b32 a; xor.b32 a 0x80808080; and.b32 b 1; or.b32 b 1; and.b32 b 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 4 5; and.b32 6 3; or.b32 7 2; and.b32 8 0x80808080; shr.u32 9 0x7
__vsetltu4(ab) not.b32 a; xor.b32 a 0x80808080; and.b32 b 1; xor.b32 1 b; and.b32 b 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 4 5; and.b32 6 3; or.b32 7 2; shr.u32 8 0x7; and.b32 9 0x1010101
__vsetltu4(ab) not.b32 a; and.b32 b 0; xor.b32 0 b; or.b32 a 0x80808080; and.b32 b 0x7f7f7f7f; sub.s32 3 4; and.b32 5 2; xor.b32 b 6; xor.b32 0 7; or.b32 1 8; shr.u32 9 0x7; and.b32 10 0x1010101
__vsetltu4(ab) not.b32 a; and.b32 b 0; or.b32 b 0; and.b32 b 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 4 3; and.b32 5 2; or.b32 6 1; shr.u32 7 0x7; and.b32 8 0x1010101
__vsetltu4(ab) not.b32 a; and.b32 b 0; xor.b32 0 b; and.b32 b 0x7f7f7f7f; and.b32 0 0x7f7f7f7f; add.s32 4 3; and.b32 5 2; or.b32 6 1; shr.u32 7 0x7; and.b32 8 0x1010101
__vsetne2(ab) xor.b32 b a; or.b32 0 0x80008000; add.s32 1 0xfffeffff; or.b32 2 0; and.b32 3 0x80008000; shr.u32 4 0xf
__vsetne2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 2 0; and.b32 3 0x80008000; shr.u32 4 0xf
__vsetne2(ab) xor.b32 b a; and.b32 0 0x7fff7fff; add.s32 1 0x7fff7fff; or.b32 2 0; shr.u32 3 0xf; and.b32 4 0x10001
__vsetne2(ab) xor.b32 b a; or.b32 0 0x80008000; add.s32 1 0xfffeffff; or.b32 2 0; shr.u32 3 0xf; and.b32 4 0x10001
__vsetne4(ab) xor.b32 b a; or.b32 0 0x80808080; add.s32 1 0xfefefeff; or.b32 2 0; and.b32 3 0x80808080; shr.u32 4 0x7
__vsetne4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 2 0; and.b32 3 0x80808080; shr.u32 4 0x7
__vsetne4(ab) xor.b32 b a; and.b32 0 0x7f7f7f7f; add.s32 1 0x7f7f7f7f; or.b32 2 0; shr.u32 3 0x7; and.b32 4 0x1010101
__vsetne4(ab) xor.b32 b a; or.b32 0 0x80808080; add.s32 1 0xfefefeff; or.b32 2 0; shr.u32 3 0x7; and.b32 4 0x1010101
__vsub2(ab) xor.b32 b a; sub.s32 a b; xor.b32 0 1; and.b32 2 0x10000; add.s32 3 1
__vsub2(ab) or.b32 a 0x80008000; and.b32 b 0x7fff7fff; sub.s32 0 1; xor.b32 a b; not.b32 3; and.b32 4 0x80008000; xor.b32 5 2
__vsub2(ab) or.b32 a 0x80008000; and.b32 b 0x7fff7fff; sub.s32 0 1; xor.b32 b a; and.b32 3 0x80008000; xor.b32 4 2; xor.b32 5 0x80008000
__vsub2(ab) mov.b32.0 b; mov.b32.1 b; neg.s16 0; neg.s16 1; mov.b32 2 3; add.s16x2 a 4
__vsub4(ab) xor.b32 a b; not.b32 0; or.b32 a 0x80808080; and.b32 b 0x7f7f7f7f; and.b32 1 0x80808080; sub.s32 2 3; xor.b32 4 5
__vsub4(ab) or.b32 a 0x80808080; and.b32 b 0x7f7f7f7f; sub.s32 0 1; xor.b32 b a; and.b32 3 0x80808080; xor.b32 4 2; xor.b32 5 0x80808080
__vsubss2(ab) xor.b32 b a; sub.s32 a b; xor.b32 0 1; and.b32 2 0x10000; add.s32 3 1; xor.b32 4 a; and.b32 5 0; prmt.b32 6 0x0 0xbb99; prmt.b32 a 0x0 0xbb99; xor.b32 8 0x7fff7fff; not.b32 7; and.b32 4 10; and.b32 9 7; or.b32 11 12
__vsubss2(ab) mov.b32.0 b; mov.b32.1 b; neg.s16 0; neg.s16 1; mov.b32 2 3; add.s16x2 a 4; xor.b32 b a; xor.b32 5 a; and.b32 7 6; prmt.b32 8 0x0 0xbb99; prmt.b32 a 0x0 0xbb99; xor.b32 10 0x7fff7fff; not.b32 9; and.b32 5 12; and.b32 11 9; or.b32 14 13
__vsubss4(ab) xor.b32 b a; not.b32 0; or.b32 a 0x80808080; and.b32 b 0x7f7f7f7f; and.b32 1 0x80808080; sub.s32 2 3; xor.b32 4 5; xor.b32 6 a; and.b32 7 0; prmt.b32 8 0x0 0xba98; prmt.b32 a 0x0 0xba98; xor.b32 10 0x7f7f7f7f; not.b32 9; and.b32 6 12; and.b32 11 9; or.b32 13 14
__vsubss4(ab) xor.b32 b a; or.b32 a 0x80808080; and.b32 b 0x7f7f7f7f; and.b32 0 0x80808080; sub.s32 1 2; xor.b32 4 3; xor.b32 5 0x80808080; xor.b32 6 a; and.b32 7 0; prmt.b32 8 0x0 0xba98; prmt.b32 a 0x0 0xba98; xor.b32 10 0x7f7f7f7f; not.b32 9; and.b32 6 12; and.b32 11 9; or.b32 13 14
__vsubus2(ab) and.b32 a 0xffff; and.b32 b 0xffff; shr.u32 a 0x10; shr.u32 b 0x10; sub.s32 0 1; max.s32 4 0x0; sub.s32 2 3; max.s32 6 0x0; shl.b32 7 0x10; add.s32 8 5
__vsubus2(ab) mov.b32.0 b; mov.b32.1 b; neg.s16 0; neg.s16 1; mov.b32 2 3; add.s16x2 a 4; not.b32 a; and.b32 b 6; xor.b32 b 6; and.b32 5 8; or.b32 9 7; prmt.b32 10 0x0 0xbb99; not.b32 11; and.b32 5 12
__vsubus4(ab) or.b32 a 0x80808080; and.b32 b 0x7f7f7f7f; sub.s32 0 1; not.b32 b; or.b32 a 3; xor.b32 b a; or.b32 2 5; and.b32 6 4; prmt.b32 7 0x0 0xba98; not.b32 5; and.b32 9 0x80808080; xor.b32 10 2; and.b32 11 8
__vsubus4(ab) or.b32 a 0x80808080; and.b32 b 0x7f7f7f7f; sub.s32 0 1; not.b32 b; or.b32 a 3; xor.b32 b a; or.b32 2 5; and.b32 6 4; prmt.b32 7 0x0 0xba98; and.b32 5 0x80808080; xor.b32 2 9; xor.b32 10 0x80808080; and.b32 11 8
"""
