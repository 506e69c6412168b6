"""``python -m ptxscope``."""
# PYTHON_ARGCOMPLETE_OK

import sys

from .cli import main

sys.exit(main())
