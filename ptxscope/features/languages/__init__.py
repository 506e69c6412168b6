"""PTX in Rust, Python, LLVM, MLIR and Julia, and in Markdown, HTML and notebooks."""
