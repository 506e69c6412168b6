"""Trials of another launch as a whole: another model, or code with an added statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from time import monotonic
from typing import NamedTuple

from ....engine.program.program import Program
from ....engine.semantics.models import PTXAS_MODELS
from ....engine.syntax.opcodes import BARRIERS
from .asm_registers import iter_shared_registers
from .device_code import DeviceCode
from .expected_results import ExpectedResults
from .kernel_run import DEFAULT_MAX_STEPS, KernelRun, Launch
from .run_diagnosis import RunExplanation
from .statement_changes import iter_missing_statements
from .thread_state import LaunchError

_MISSING_COST = 3


class LaunchTrials(NamedTuple):
    """Runs of launches like one."""

    launch: Launch
    result: KernelRun | None
    """The run of the launch."""
    functions: Sequence[Program]
    """The functions that the launch runs."""
    elements: ExpectedResults
    on_progress: Callable[[int, int], None] | None

    @property
    def own_count(self) -> int:
        """The number of elements that the launch gives."""
        return self.elements.count_matches(self.result) if self.result else 0

    def iter_models(self) -> Iterator[RunExplanation]:
        """Yield the first of the assemblers that give all expected elements."""
        instructions = [y.instruction for x in self.functions for y in x.statements]
        if not any(x.errata for x in instructions if x):
            return
        for model in PTXAS_MODELS:
            if model == self.launch.model:
                continue
            count = self._count_matches(self.launch._replace(model=model), inf)
            if count == self.elements.element_count:
                yield RunExplanation(None, "", f"under the model {model.name}", 0, count)
                return

    def try_shared_registers(self, end: float) -> tuple[list[RunExplanation], int]:
        """Run the launch with each register that asm statements may share, until a time.

        Return the registers with which all elements are right, and the number tried.
        """
        text, explanations, count = self.launch.code.text, list[RunExplanation](), 0
        changes = (y for x in self.functions for y in iter_shared_registers(x, text))
        for x in changes:
            if monotonic() > end:
                break
            count += 1
            match_count = self._count_code_matches(x.apply(self.launch.code), end)
            if match_count == self.elements.element_count:
                first, *copies = x.statements
                explanations.append(
                    RunExplanation(first, first.text, x.phrase, 0, match_count, tuple(copies))
                )
        return explanations, count

    def try_missing_statements(
        self, end: float, *, has_shared: bool
    ) -> tuple[list[RunExplanation], int, int]:
        """Run the launch with each statement that may be missing, until a time.

        Return the statements with which more elements are right than in the run, the number tried,
        and the number of all. With shared memory, ``has_shared``, barriers may be missing.
        """
        missing = [
            addition
            for function in self.functions
            for addition in iter_missing_statements(function, has_shared=has_shared)
        ]
        own_count = self.own_count
        explanations: list[RunExplanation] = []
        for index, x in enumerate(missing):
            if monotonic() > end:
                return explanations, index, len(missing)
            if self.on_progress:
                self.on_progress(index, len(missing))
            count = self._count_code_matches(x.insert(self.launch.code), end)
            if count > own_count:
                text = x.statement.text
                explanations.append(RunExplanation(x.place, text, x.phrase, _MISSING_COST, count))
        return explanations, len(missing), len(missing)

    def try_barriers(self, end: float) -> tuple[list[RunExplanation], int]:
        """Run the launch, whose elements are right, with each barrier that may be missing.

        Return those with which no threads race, and the number tried, until a time.
        """
        explanations, count = list[RunExplanation](), 0
        missing = (y for x in self.functions for y in iter_missing_statements(x, has_shared=True))
        for x in (x for x in missing if x.statement.opcode in BARRIERS):
            if monotonic() > end:
                break
            count += 1
            result = self._run(self._change_code(x.insert(self.launch.code)), end)
            if result and result.is_complete and not result.conflicts:
                match_count = self.elements.count_matches(result)
                if match_count == self.elements.element_count:
                    phrase = f"{x.phrase}, which ends the race,"
                    text = x.statement.text
                    explanations.append(
                        RunExplanation(x.place, text, phrase, _MISSING_COST, match_count)
                    )
        return explanations, count

    def _count_code_matches(self, code: DeviceCode, end: float) -> int:
        return self._count_matches(self._change_code(code), end)

    def _change_code(self, code: DeviceCode) -> Launch:
        kernel = code.functions[self.launch.kernel.name]
        return self.launch._replace(code=code, kernel=kernel)

    def _count_matches(self, launch: Launch, end: float) -> int:
        """Return the number of right elements of another launch, if it ends in time."""
        result = self._run(launch, end)
        return self.elements.count_matches(result) if result else 0

    def _run(self, launch: Launch, end: float) -> KernelRun | None:
        """Return the run of another launch; None if it does not end, or not in time."""
        max_steps = 2 * self.result.step_count + 1024 if self.result else DEFAULT_MAX_STEPS

        def check_time(*_: object) -> None:
            if monotonic() > end:
                raise TimeoutError

        try:
            return launch._replace(max_steps=max_steps).run(check_time)
        except (LaunchError, TimeoutError):
            return None
