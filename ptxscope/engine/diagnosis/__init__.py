"""Why a result is not what was expected."""
