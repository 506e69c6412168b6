"""SASS, the machine code of NVIDIA GPUs: its meaning, proofs about it, tools and GPUs."""
