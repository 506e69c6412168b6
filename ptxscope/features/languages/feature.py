"""Languages: macros of C; PTX in Rust, Python, LLVM, MLIR, Julia, Markdown, HTML, notebooks."""

from ...feature import Feature, Service

FEATURE = Feature(
    "languages",
    services={
        Service.READ_BLOCKS: f"{__package__}.readers:read_blocks",
        Service.READ_MACROS: f"{__package__}.macros:Macros",
    },
)
