"""The differences between the pinned evaluation and the present one."""
