"""A kernel run by threads, step by step, in the explorer."""
