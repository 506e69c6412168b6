"""The opcodes of PTX that the catalog lacks, by what is known of them."""

from __future__ import annotations

ONE_TYPE = frozenset("copysign cos cvta ex2 fma lg2 rcp rsqrt sin sqrt tanh".split())
"""Those whose operands all have the instruction's type."""
BRANCHES = frozenset(("bra", "brx"))
NEVER_FALLS_THROUGH = BRANCHES | {"exit", "ret", "trap"}
"""Those that the next statement follows only under a guard."""
BARRIERS = frozenset(("bar", "barrier"))
"""Those with a destination only if they reduce values: ``.red``."""
WITHOUT_DESTINATION = (BRANCHES | BARRIERS) | frozenset(
    """
    applypriority brkpt cp discard exit fence griddepcontrol membar nanosleep pmevent
    prefetch prefetchu red ret setmaxnreg st stackrestore stmatrix sured sust trap
    """.split()
)
WITHOUT_RESULT = WITHOUT_DESTINATION | frozenset(
    """
    alloca call clusterlaunchcontrol ld ldmatrix ldu mbarrier multimem tcgen05 tensormap wgmma
    """.split()
)
"""Those that compute no register from others. The result of a load counts as an input."""
NAMES = (ONE_TYPE | WITHOUT_RESULT) | frozenset(
    """
    activemask atom createpolicy elect getctarank isspacep istypep mapa match mma movmatrix redux
    shfl stacksave suld suq testp tex tld4 txq vote wmma
    """.split()
)
"""All of them."""
VALUE_PLACES = {"ld": 0, "ldu": 0, "st": 1}
"""The place of the value among the operands of a load or a store; the other is the address."""
ADDRESS_PLACES = {"atom": 1, "red": 0}
"""The place of the address among the operands of an atomic operation."""
