"""SASS, the machine code of NVIDIA GPUs: its reading, its meaning, and proofs of what it does."""
