"""Search for instructions by words: ``average four bytes``, ``clamp``, ``vcmpgts4``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ..engine.isa.catalog import CATALOG, list_shapes
from ..engine.isa.entry import Entry, Slot, SlotPlace
from ..engine.isa.grammar import SLOT_NAMES, is_selector_slot, is_type_slot
from ..engine.isa.intrinsics import Intrinsic, map_intrinsics
from ..engine.isa.types import Type

_MAX_QUERY_CHARS, _MAX_WORDS = 80, 8
"""Maximum characters and words of a query."""
_NOISE = frozenset(
    "a an are by each for from how i in into is it many of per that the to what which with".split()
)
_WORD = re.compile(r"[a-z0-9_]++|[^\sa-z0-9_.,;]")
_NUMBERS = {"one": "1", "two": "2", "four": "4", "1st": "1", "2nd": "2"}

_LANES = {
    1: "1 scalar word byte half halfword 16bit 8bit 32bit",
    2: "2 dual pair pairs half halves halfword word simd packed lanes 16bit short",
    4: "4 quad byte simd packed lanes 8bit char pixel rgba",
}
"""Common words for lane counts."""
_SLOTS = {
    "sat": "sat saturate saturation clamp clamped limit",
    "mask": "mask masked keep merge write enable lanes",
    "dsel": "merge keep insert",
    "asel": "select selector permute shuffle swizzle reorder extract prmt",
    "secop": "accumulate reduce running sum",
    "ftz": "flush subnormal denormal zero",
    "mode": "shift amount",
    "scale": "scale fixed point rounding",
    "po": "plus one",
    "nega": "negate negative minus",
    "boolop": "combine logic boolean predicate",
}
"""Common words for a slot, in addition to its name and values."""


class _Weights(NamedTuple):
    """Weights of a query's word, by the kind of text that contains it."""

    name: float = 12.0
    family: float = 8.0
    about: float = 5.0
    lanes: float = 3.0
    slot: float = 2.0


_W = _Weights()
_INTRINSIC = 0.1
"""Weight of an intrinsic without its name: less than its instruction's."""
_CURRENT_LANES_BONUS = 0.5
"""Tie-breaker of instructions with the current lane count."""


def search_instructions(query: str, lanes: int = 1) -> tuple[str, ...]:
    """Return opcodes and intrinsics that match every word, best first; ties favour ``lanes``.

    If none matches every word, return those that match the most words.
    """
    return tuple(_score_query(query[:_MAX_QUERY_CHARS], lanes))


@lru_cache(maxsize=16)
def find_unmatched_words(query: str, lanes: int = 1) -> tuple[str, ...]:
    """Return the unmatched words of a query, as written."""
    words = _split_spoken_words(query[:_MAX_QUERY_CHARS])
    names = _score_query(query[:_MAX_QUERY_CHARS], lanes)
    if not names:
        return ()
    unfit = (
        word
        for word in _list_content_words(words[:_MAX_WORDS])
        if not any(_score_word(_normalise_word(word))[name] for name in names)
    )
    return tuple(dict.fromkeys((*unfit, *words[_MAX_WORDS:])))


@lru_cache(maxsize=16)
def _score_query(query: str, lanes: int) -> Mapping[str, float]:
    content_words = _list_content_words(_split_words(query)[:_MAX_WORDS])
    if not content_words:
        return {}
    index = _build_index()
    scores_by_word = {word: _score_word(word) for word in content_words}
    term_scores = {name: [scores_by_word[word][name] for word in content_words] for name in index}
    maximum = max(sum(x > 0 for x in scores) for scores in term_scores.values())
    if not maximum or maximum * 2 <= len(content_words) - 1:
        return {}
    order = {name: index_in_order for index_in_order, name in enumerate(index)}
    ranked_names = {
        name: sum(scores) + (_CURRENT_LANES_BONUS if _count_lanes(name) == lanes else 0)
        for name, scores in term_scores.items()
        if sum(x > 0 for x in scores) == maximum
    }
    return dict(sorted(ranked_names.items(), key=lambda x: (-x[1], order[x[0]])))


def _list_content_words(words: Sequence[str]) -> Sequence[str]:
    """Return the content words; ``and`` is one at either end: ``bitwise and``."""
    return [
        word
        for index, word in enumerate(words)
        if word not in _NOISE and (word != "and" or index in (0, len(words) - 1))
    ] or words


def _split_words(text: str) -> list[str]:
    """Return the words of a text: lower case, numbers as digits, plurals as singulars."""
    return list(map(_normalise_word, _split_spoken_words(text)))


def _split_spoken_words(text: str) -> list[str]:
    """Return the words of a text as written, in lower case."""
    text = text.lower().replace("half-word", "halfword").replace("half word", "halfword")
    text = text.replace("-bit", "bit")  # 8-bit
    return [word.rstrip("_") or word for word in _WORD.findall(text)]


def _normalise_word(word: str) -> str:
    """Return a number as a digit, a plural as a singular."""
    word = _NUMBERS.get(word, word)
    is_plural = word.isalpha() and len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


@cache
def _build_index() -> Mapping[str, Mapping[str, float]]:
    """Return weighted words by opcode and intrinsic."""
    names = {
        name: _weigh_words(_iter_intrinsic_texts(intrinsic))
        for name, intrinsic in map_intrinsics().items()
    }
    return {**{opcode: _weigh_words(_iter_texts(x)) for opcode, x in CATALOG.items()}, **names}


@cache
def _list_vocabulary() -> frozenset[str]:
    return frozenset(word for terms in _build_index().values() for word in terms)


def _weigh_words(terms: Iterator[tuple[str, float]]) -> dict[str, float]:
    """Return every word with its greatest weight."""
    weights: dict[str, float] = {}
    for text, weight in terms:
        for word in _split_words(text):
            weights[word] = max(weight, weights.get(word, 0))
    return weights


def _iter_intrinsic_texts(intrinsic: Intrinsic) -> Iterator[tuple[str, float]]:
    """Yield an intrinsic's name and, with less weight, texts about its modifiers."""
    yield f"{intrinsic.name} {intrinsic.name.lstrip('_')}", _W.name
    opcode, *modifiers = intrinsic.ptx.partition(" ")[0].split(".")
    entry = CATALOG[opcode]
    mentioned_texts = [
        slot._replace(values=values)
        for slot in entry.slots
        if slot.place is SlotPlace.MODIFIER
        if (values := [value for value in slot.values if slot.format_value(value) in modifiers])
    ]
    for text, weight in _iter_texts(entry, mentioned_texts):
        yield text, weight * _INTRINSIC


def _iter_texts(entry: Entry, slots: Sequence[Slot] | None = None) -> Iterator[tuple[str, float]]:
    """Yield texts about an instruction with some of its slots, and the weights of their words."""
    yield entry.opcode, _W.name
    yield entry.base_opcode, _W.family
    yield entry.summary, _W.about
    yield entry.brief, _W.about
    for shape in list_shapes(entry.opcode):
        yield shape.words, _W.about
        yield shape.uses, _W.slot
    yield _LANES[entry.lanes] if entry.find_slot("asel") else "", _W.lanes
    yield entry.group, _W.slot
    for slot in entry.slots if slots is None else slots:
        yield SLOT_NAMES[slot.name], _W.slot
        yield _SLOTS.get(slot.name, ""), _W.slot
        if is_type_slot(slot):
            yield " ".join(_iter_type_names(slot)), _W.slot
        if not is_selector_slot(slot):
            yield " ".join(map(slot.format_value, slot.values)), _W.slot


def _iter_type_names(slot: Slot) -> Iterator[str]:
    """Yield the common names of a slot's types."""
    for value in slot.values:
        if isinstance(value, Type):
            yield "float" if value.is_float else "signed" if value.signed else "unsigned"


def find_opcode(intrinsic: Intrinsic) -> str:
    """Return the opcode of the instruction that computes an intrinsic."""
    return intrinsic.ptx.partition(".")[0]


def _count_lanes(name: str) -> int:
    intrinsic = map_intrinsics().get(name)
    return CATALOG[find_opcode(intrinsic) if intrinsic else name].lanes


def _score_word(word: str) -> dict[str, float]:
    """Return the weights of a query's word by name; without a match, try its letters in order."""
    similarities = {
        term: x for term in _list_vocabulary() if (x := _compute_similarity(word, term))
    }
    scores = {
        name: max(
            (weight * similarities.get(term, 0.0) for term, weight in terms.items()), default=0.0
        )
        for name, terms in _build_index().items()
    }
    if len(word) > 2 and not any(scores.values()):
        return {name: float(_is_spread(word, name)) for name in scores}
    return scores


def _compute_similarity(word: str, term: str) -> float:
    """Return 1 for equal words, less for a prefix, another ending or a part, 0 otherwise."""
    if word == term:
        return 1.0
    if term.startswith(word) and (len(word) > 1 or term in CATALOG):
        return 0.8
    if word.isalpha() and term.isalpha() and _has_same_stem(word, term):
        return 0.6
    return 0.4 if len(word) > 2 and word in term else 0.0


def _has_same_stem(x: str, y: str) -> bool:
    """Whether two words differ only in their endings: ``saturating``, ``saturate``."""
    prefix_size = max(4, len(x) - 4, len(y) - 4)
    return len(x) >= prefix_size and x[:prefix_size] == y[:prefix_size]


def _is_spread(word: str, name: str) -> bool:
    """Whether the letters of a word occur in a name in this order."""
    letters = iter(name)
    return all(letter in letters for letter in word)
