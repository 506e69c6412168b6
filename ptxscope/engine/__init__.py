"""What an instruction computes, and how: no Textual, no Rich, no files, no printing."""
