"""Languages: PTX in Rust, Python, LLVM, MLIR, Julia, Markdown, HTML and notebooks."""

from ...feature import Feature, Service

FEATURE = Feature("languages", services={Service.READ_BLOCKS: f"{__package__}.readers:read_blocks"})
