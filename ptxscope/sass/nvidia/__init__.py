"""NVIDIA's assembler and disassembler, and GPUs through the CUDA driver."""
