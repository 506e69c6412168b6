# Every task is one of dev.py's; this file only lets `make` start it.
PYTHON ?= python3
TASKS := explore test check thorough lint soak wheel bench screenshots lock

.PHONY: $(TASKS)
$(TASKS):
	@$(PYTHON) dev.py $@
