"""SASS, the machine code of NVIDIA GPUs: its meaning, proofs of what it does, tools and GPUs."""
