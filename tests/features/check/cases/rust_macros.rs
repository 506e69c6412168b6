%% macros in the asm of Rust
macro_rules! f { ($ty:literal, $x:expr, $($r:expr),*) => { unsafe {
  asm!(concat!("add.", $ty, " {0}, {1}, {1};"), out(reg32) d, in(reg32) a);
  asm!(concat!("vadd4.u32.", $ty, ".u32 {0}, {1}, {1}, {1};"), out(reg32) d, in(reg32) a);
  asm!(concat!("vadd4.u32", ".u32.u32", " {0}, {1},",
    " {1}, {1};"), "and.u32 {0}, {1}, {1};", out(reg32) d, in(reg32) a);
  asm!($("vadd4.u32.u32.", $x, ".u32 {0};",)* "vsub4.u32.u32.u32 {0}, {1}, {1}, {1};",
    out(reg32) d, in(reg32) a);
  asm!("vmin4.u32.u32.u32 {0}, {1}, {2}, {3};", out(reg32) d, $(in(reg32) $r),*);
} } }
