"""The opcodes of PTX that the catalog lacks, by what is known of them."""

from __future__ import annotations

ONE_TYPE = frozenset("copysign cos cvta ex2 fma lg2 rcp rsqrt sin sqrt tanh".split())
"""Those whose operands all have the instruction's type."""
JUMPS = frozenset(("bra",))
BRANCHES = JUMPS | {"brx"}
"""Those whose last operand is a label, or a list of labels."""
RETURNS = frozenset(("exit", "ret"))
ENDS = RETURNS | {"trap"}
NEVER_FALLS_THROUGH = BRANCHES | ENDS
"""Those that the next statement follows only under a guard."""
CALLS = frozenset(("call",))
"""Those with a destination only if the first operand is a list: ``(r)``."""
BARRIERS = frozenset(("bar", "barrier"))
"""Those with a destination only if they reduce values."""
REDUCING = "red"
"""The modifier with which a barrier has a destination."""
COLLECTIVES = frozenset("elect match redux shfl vote".split())
"""Those by which the threads of a warp exchange values."""
EXCHANGES = BARRIERS | COLLECTIVES | {"activemask", "mbarrier"}
"""Those by which the threads of a block depend on each other."""
ADDRESS_CONVERSIONS = frozenset(("cvta",))
FENCES = frozenset(("fence", "membar"))
LOADS = frozenset(("ld", "ldu"))
STORES = frozenset(("st",))
ATOMICS = frozenset(("atom", "red"))
MEMORY_WRITERS = STORES | ATOMICS | {"mbarrier"}
"""Those that write memory even if they have a result."""
WAITS = frozenset(
    """
    applypriority brkpt discard griddepcontrol nanosleep pmevent prefetch prefetchu setmaxnreg
    """.split()
)
"""Those that change neither registers nor memory."""
WITHOUT_DESTINATION = (NEVER_FALLS_THROUGH | BARRIERS | FENCES | STORES | WAITS) | frozenset(
    "cp red stackrestore stmatrix sured sust".split()
)
FREEING = "dealloc"
"""A modifier with which an instruction has no destination."""
WITHOUT_RESULT = (WITHOUT_DESTINATION | CALLS | LOADS) | frozenset(
    "alloca clusterlaunchcontrol ldmatrix mbarrier multimem tcgen05 tensormap wgmma".split()
)
"""Those that compute no register from others. The result of a load counts as an input."""
NAMES = (ONE_TYPE | WITHOUT_RESULT | COLLECTIVES | ATOMICS) | frozenset(
    """
    activemask createpolicy getctarank isspacep istypep mapa mma movmatrix stacksave suld suq testp
    tex tld4 txq wmma
    """.split()
)
"""All of them."""
WITHOUT_MODIFIERS = NEVER_FALLS_THROUGH | BARRIERS | CALLS | {"brkpt"}
"""Those that need no modifier."""
VALUE_PLACES = {**dict.fromkeys(LOADS, 0), **dict.fromkeys(STORES, 1)}
"""The place of the value among the operands of a load or a store; the other is the address."""
ADDRESS_PLACES = {"atom": 1, "red": 0}
"""The place of the address among the operands of an atomic operation."""
ACCESSES = VALUE_PLACES.keys() | ADDRESS_PLACES.keys()
_SIGNS = tuple((f"u{x}", f"s{x}") for x in (8, 16, 32, 64))
CONFUSABLE_MODIFIERS: dict[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(LOADS, _SIGNS[:3]),
    **dict.fromkeys(ATOMICS, (("add", "min", "max", "and", "or", "xor"), *_SIGNS[2:])),
    "shfl": (("up", "down", "bfly", "idx"),),
    "vote": (("all", "any"),),
    "cvt": (("rn", "rz", "rm", "rp"), ("rni", "rzi", "rmi", "rpi"), *_SIGNS[:3]),
}
"""Modifiers, one instead of the other; those of ``cvt`` are for floats, which the catalog lacks."""
CONFUSABLE_FLOAT_OPCODES = (("add", "sub"), ("min", "max"), ("neg", "abs"), ("mul", "div"))
