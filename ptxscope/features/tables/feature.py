"""Tables: ``eval`` of a CSV file or of NumPy's arrays."""

from ...feature import Feature, Service

FEATURE = Feature(
    "tables",
    services={
        Service.MAKE_EVAL_PARSER: f"{__package__}.table_request:make_parser",
        Service.EVALUATE_TABLE: f"{__package__}.table_request:evaluate_table",
    },
)
