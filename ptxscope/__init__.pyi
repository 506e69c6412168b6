"""The types of the names of the package, written by `python3 dev.py stubs`."""

from .blocks.block_parser import evaluate_block as evaluate_block
from .blocks.block_parser import parse_block as parse_block
from .blocks.block_parser import trace_block as trace_block
from .diagnosis.explanations import diagnose as diagnose
from .documents import export as export
from .engine.syntax.errors import Problem as Problem
from .engine.syntax.errors import PtxError as PtxError
from .engine.syntax.instruction import Instruction as Instruction
from .engine.syntax.parser import parse as parse
from .engine.syntax.parser import parse_all as parse_all
from .engine.tracing.basic_block import BasicBlock as BasicBlock
from .engine.tracing.evaluation import evaluate as evaluate
from .engine.tracing.trace import Trace as Trace
from .engine.tracing.trace import replay as replay
from .engine.tracing.trace import trace as trace
from .features.compare.comparison import KernelComparison as KernelComparison
from .features.compare.kernel_proof import prove_kernels as prove_kernels
from .features.kernels.launches.kernel_run import KernelRun as KernelRun
from .features.kernels.launches.kernel_run import run_kernel as run_kernel
from .features.kernels.launches.run_diagnosis import RunDiagnosis as RunDiagnosis
from .features.kernels.launches.run_diagnosis import RunExplanation as RunExplanation
from .features.kernels.launches.run_explanations import explain_kernel as explain_kernel
from .features.kernels.launches.thread_state import LaunchError as LaunchError
from .features.prove.equivalence import prove as prove
from .features.prove.operand_search import OperandSearch as OperandSearch
from .features.prove.operand_search import find as find
from .features.prove.proof import Proof as Proof

__all__: list[str]
__version__: str
