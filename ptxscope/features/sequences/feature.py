"""Sequences: statements that compute a CUDA intrinsic, named in listings, runs and checks."""

from ...feature import Feature, Service

FEATURE = Feature(
    "sequences",
    services={Service.FIND_SEQUENCES: f"{__package__}.intrinsic_sequences:find_sequences"},
)
