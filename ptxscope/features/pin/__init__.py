"""What differs between the pinned evaluation and the present one."""
