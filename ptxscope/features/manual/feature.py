"""The manual: a key that opens its page about the focus, from any screen."""

from ...feature import Feature, Key

FEATURE = Feature(
    "manual",
    keys=(
        Key(
            "manual",
            "Program",
            "palette",
            "f1",
            "manual",
            "Read the manual about this panel",
            f"{__package__}.transitions:open_manual",
            is_everywhere=True,
        ),
    ),
)
