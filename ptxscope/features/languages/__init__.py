"""Macros of C, and PTX in Rust, Python, LLVM, MLIR, Julia, Markdown, HTML and notebooks."""
