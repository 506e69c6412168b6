"""The dialogs and screens that features add."""

from __future__ import annotations

from tests.driving.feature_tables import extend_table

ADDED_DIALOGS: dict[str, tuple[str, ...]] = extend_table({}, "dialogs", "DIALOGS")
"""The keys that open each dialog."""
ADDED_SCREENS: dict[str, tuple[str, ...]] = extend_table(ADDED_DIALOGS, "dialogs", "SCREENS")
"""The keys that open each dialog, and each screen without a frame."""
