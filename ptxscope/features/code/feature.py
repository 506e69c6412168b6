"""Code: the functions of a line or a block, in C and in Python, as formats of a document."""

from ...feature import DocumentFormat, Feature

FEATURE = Feature(
    "code",
    formats=(
        DocumentFormat("c", f"{__package__}.functions:render_c", ("c",), after="json"),
        DocumentFormat(
            "python", f"{__package__}.functions:render_python", ("py", "python"), after="c"
        ),
    ),
)
