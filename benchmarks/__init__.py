"""Speed, reported as ratios against baselines of the same run; never a test."""
