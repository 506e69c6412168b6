"""An interpreter of the pseudocode under *Operation*, written from what its notes say alone.

It shares no code with the plans: expressions become Python's on exact integers, and floats are
decoded by `struct`.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ptxscope.engine.isa.types import Form

FLOATS = {"f16": ("<e", 2), "f32": ("<f", 4), "f64": ("<d", 8)}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    **dict.fromkeys(("lt", "lo"), lambda x, y: x < y),
    **dict.fromkeys(("le", "ls"), lambda x, y: x <= y),
    **dict.fromkeys(("gt", "hi"), lambda x, y: x > y),
    **dict.fromkeys(("ge", "hs"), lambda x, y: x >= y),
}
_TOKEN = re.compile(
    r"\s*(0x[0-9a-f]+|1\.0|\d+|half-word|hex digit|CC\.CF|[a-z]\.[abd]sel|[a-e]\.[bh]\d|\.[a-z]\w*"
    r"|[A-Za-z_]\w*|\.\.|==|!=|<=|>=|<<|>>|[-+*/%&|^~?:,(){}<>\[\]])"
)


class Bits(int):
    """A pattern that knows its width."""

    width: int

    @classmethod
    def of(cls, value: int, width: int) -> Bits:
        made = cls(value & ((1 << width) - 1))
        made.width = width
        return made


def width_of(type_: str) -> int:
    """The bits of a type; of one lane if it has several."""
    return 1 if type_ == "pred" else int(re.findall(r"\d+", type_.removeprefix("b"))[0])


def read(bits: int, type_: str) -> float:
    """Bits as a number of a type."""
    base = type_.partition("x")[0]
    if base == "bf16":
        return read((bits & 0xFFFF) << 16, "f32")
    if base in FLOATS:
        code, size = FLOATS[base]
        return float(
            struct.unpack(code, (bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"))[0]
        )
    width = width_of(base)
    low = bits & ((1 << width) - 1)
    return low - (1 << width) if base[0] == "s" and low >> (width - 1) else low


class Machine:
    """Runs lines for a form and operands."""

    def __init__(self, form: Form, operands: Mapping[str, int], widths: Mapping[str, int]) -> None:
        self.form, self.widths = form, widths
        self.values: dict[str, object] = {
            ("CC.CF" if name == "cc" else name): Bits.of(x, widths.get(name, 32))
            for name, x in operands.items()
        }
        self.i = 0
        self.written: dict[str, int] = {}

    def run(self, lines: Sequence[str]) -> dict[str, int]:
        """Run all lines and return what they write."""
        self._run_block([x.partition("  #")[0].rstrip() for x in lines])
        return self.written

    # --- statements ----------------------------------------------------------------------

    def _run_block(self, lines: Sequence[str]) -> None:
        at, is_done = 0, False
        while at < len(lines):
            line = lines[at]
            end = at + 1
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            body = [x[4:] for x in lines[at + 1 : end]]
            at = end
            if match := re.fullmatch(r"for i in ([\d, ]+):", line):
                for number in match[1].split(", "):
                    self.i = int(number)
                    self._run_block(body)
            elif match := re.fullmatch(r"(if|else if|else)(?: (.*?))?:(?: (.*))?", line):
                word, condition, rest = match.groups()
                is_done = is_done and word != "if"
                if not is_done and (word == "else" or self._decide(condition)):
                    is_done = True
                    self._run_block([*([rest] if rest else []), *body])
            else:
                assert not body, line
                self._assign(line)

    def _assign(self, line: str) -> None:
        target, _, text = line.partition(" = ")
        assert text, line
        value = self.evaluate(text, target)
        if match := re.fullmatch(r"(byte|half-word) i of d", target):
            self._write_part(8 if match[1] == "byte" else 16, self.i, value)
        elif target == "d.dsel":
            assert self.form.dsel
            self.values["d"] = self.written["d"]
            self._write_part(self.form.dsel.unit, self.form.dsel.lanes[0], value)
        elif match := re.fullmatch(r"d\.([bh])(\d)", target):
            self.values["d"] = self.written["d"]
            self._write_part(8 if match[1] == "b" else 16, int(match[2]), value)
        elif target in ("d", "p", "q", "CC.CF"):
            width = self.widths[target.replace("CC.CF", "cf")]
            assert int(value) in range(1 << width), (line, value)
            self.written[target.replace("CC.CF", "cf")] = int(value)
            self.values[target] = value
        elif target.endswith("[i]"):
            lanes = self.values.setdefault(target, {})
            assert isinstance(lanes, dict)
            lanes[self.i] = value
        else:
            self.values[target] = value

    def _write_part(self, unit: int, index: int, value: float) -> None:
        assert int(value) in range(1 << unit), value
        mask = (1 << unit) - 1 << unit * index
        old = self.written.get("d", 0)
        self.written["d"] = old & ~mask | int(value) << unit * index

    # --- conditions ----------------------------------------------------------------------

    def _decide(self, text: str) -> bool:
        if " or " in text and text.endswith(", but not both"):
            x, y = text.removesuffix(", but not both").split(" or ")
            return self._decide(x) != self._decide(y)
        return bool(Reader(self, text).read_condition())

    def has_modifiers(self, words: Sequence[str]) -> bool:
        """Whether the form has one of some modifiers that its syntax lists."""
        form = self.form
        flags = ("ftz", "po", "sat", "relu", "cc", "shiftamt")
        slots = (form.boolop, form.secop, form.mode, form.scale, form.direction)
        written = {str(x) for x in (*slots, form.product_word, form.byte_pair)}
        return not (written | {x for x in flags if form.get(x)}).isdisjoint(words)

    # --- expressions ---------------------------------------------------------------------

    def evaluate(self, text: str, target: str = "") -> float:
        """The value of an expression."""
        if re.fullmatch(r"\w+\[\d\](:\w+\[\d\])+", text):
            parts = [self.find_value(f"{x[0]}[i]", int(x[2])) for x in text.split(":")]
            unit = 32 // len(parts)
            assert all(int(x) in range(1 << unit) for x in parts)
            return sum(int(x) << unit * at for at, x in enumerate(reversed(parts)))
        reader = Reader(self, text, target)
        value = reader.read_choice()
        assert reader.at == len(reader.tokens), (text, reader.tokens[reader.at :])
        return value

    def find_value(self, name: str, index: int) -> float:
        values = self.values[name]
        assert isinstance(values, dict)
        return values[index]  # type: ignore[no-any-return]

    def get(self, name: str) -> float:
        return self.values[name]  # type: ignore[return-value]

    def find_type(self, name: str) -> str:
        """The type of a slot, or one that the notes derive from others."""
        form = self.form
        if name == "final":
            is_signed = "s32" in (form.atype, form.btype) or form.nega != form.negb or form.negc
            return "s32" if is_signed else "u32"
        if name == "dot":
            return "u32" if form.atype == form.btype == "u32" else "s32"
        if name == "product":
            assert form.stype
            wide = form.stype[0] + str(2 * width_of(form.stype))
            return wide if form.product_word == "wide" else str(form.stype)
        return str(form.get(name)) if name.endswith("type") else name


class Reader:
    """A recursive descent over one expression."""

    def __init__(self, machine: Machine, text: str, target: str = "") -> None:
        self.machine, self.text, self.target = machine, text, target
        self.tokens = _TOKEN.findall(text)
        assert "".join(self.tokens).replace(" ", "") == text.replace(" ", ""), text
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        token = self.peek()
        assert not wanted or token in wanted, (self.text, token, wanted)
        self.at += 1
        return token

    def accept(self, *words: str) -> bool:
        found = self.tokens[self.at : self.at + len(words)] == list(words)
        self.at += len(words) * found
        return found

    # --- what a form has -----------------------------------------------------------------

    def _read_words(self) -> list[str]:
        words = [self.take()[1:]]
        while self.peek() in (",", "or") and self.tokens[self.at + 1].startswith("."):
            self.take()
            words.append(self.take()[1:])
        return words

    def _read_form_condition(self) -> bool | None:
        """A condition on the form; None for any other text."""
        machine, form, start = self.machine, self.machine.form, self.at
        word = self.peek()
        if word.startswith(".") and len(word) > 1 and word[1].isalpha():
            return machine.has_modifiers(self._read_words())
        if word == "not" and self.tokens[self.at + 1] in (*"abce", "asel"):
            return None
        self.take()
        if word in ("asel", "bsel", "dsel", "mask") and self.peek() != "[":
            selector = form.get(word)
            if not self.accept("is", "a"):
                return selector is not None
            return str(selector)[0] == self.take("byte", "half-word")[0]
        if self.accept("is", "negated"):
            return bool(form.get(f"neg{word}"))
        if self.accept("is", "written"):
            return form.dst is None or word in form.dst or not set(form.dst) & set("pqd")
        if self.accept("is", "signed"):
            return machine.find_type(word)[0] == "s"
        if self.accept("is", "a", "float"):
            return "f" in machine.find_type(word)
        if word == "mode":
            mode = str(form.permute_mode)
            return (
                mode in self._read_words() if self.accept("is") else form.permute_mode is not None
            )
        if self.accept("is"):
            return str(form.get(word)) in self._read_words()
        if word == "i" and self.accept("in", "mask"):
            return form.mask is None or machine.i in form.mask.lanes
        self.at = start
        return None

    def read_condition(self) -> float:
        found = self._read_form_condition()
        return found if found is not None else self.read_operation(0)

    # --- operators -----------------------------------------------------------------------

    def read_choice(self) -> float:
        value = self.read_condition()
        if not self.accept("?"):
            return value
        # both branches are read, and either may have no value for this form
        chosen = self.read_choice()
        self.take(":")
        other = self.read_choice()
        return chosen if value else other

    _LEVELS = (
        ("boolop", "and", "or", "xor"),
        ("cmp", "==", "!=", "<", ">", "<=", ">="),
        ("|", "^"),
        ("&",),
        ("<<", ">>"),
        ("+", "-"),
        ("*", "/", "%"),
    )

    def read_operation(self, level: int) -> float:
        if level == len(self._LEVELS):
            return self.read_unary()
        value = self.read_operation(level + 1)
        while self.peek() in self._LEVELS[level]:
            if self.peek() == "|" and self.is_inside_bars:
                break
            sign = self.take()
            value = self._apply(sign, value, self.read_operation(level + 1))
        if level == 0 and self.accept("with", "low"):
            return self._insert(int(value))
        return value

    is_inside_bars = False

    def _apply(self, sign: str, x: float, y: float) -> float:
        form = self.machine.form
        if sign == "boolop":
            sign = str(form.boolop)
        if sign == "cmp":
            return compare(str(form.cmp), x, y)
        if sign in ("<", ">", "<=", ">=", "==", "!="):
            name = {"<": "lt", ">": "gt", "<=": "le", ">=": "ge", "==": "eq", "!=": "ne"}[sign]
            return compare(name, x, y)
        assert isinstance(x, int)
        assert isinstance(y, int)
        x, y = int(x), int(y)
        match sign:
            case "+":
                return x + y
            case "-":
                return x - y
            case "*":
                return x * y
            case "<<":
                return x << y
            case ">>":
                return x >> y
            case "&" | "and":
                return x & y
            case "|" | "or":
                return x | y
            case "^" | "xor":
                return x ^ y
        if y == 0:
            return 0  # in the branch of a choice that is not taken
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return quotient if sign == "/" else x - y * quotient

    def _insert(self, base: int) -> int:
        length = int(self.read_unary())
        self.take("bits")
        self.take("of")
        field = int(self.read_unary()) & ((1 << length) - 1)
        self.take("at")
        self.take("bit")
        position = int(self.read_unary())
        mask = ((1 << length) - 1) << position
        return ((base & ~mask) | field << position) & ((1 << self.machine.widths["d"]) - 1)

    # --- what stands between operators -----------------------------------------------------

    def read_unary(self) -> float:
        machine, token = self.machine, self.take()
        if token == "-":
            return -self.read_unary()
        if token == "~":
            width = machine.widths["d"]
            x = self.read_unary()
            return ~int(x) if not isinstance(x, Bits) else ~int(x) & ((1 << width) - 1)
        if token == "not":
            return int(not self.read_unary())
        if token == "(":
            value = self.read_choice()
            self.take(")")
            return value
        if token == "|":
            self.is_inside_bars = True
            value = abs(self.read_operation(0))
            self.is_inside_bars = False
            self.take("|")
            return value
        if token in ("low", "bit", "bits", "byte", "half-word", "hex digit", "leading", "reverse"):
            return self._read_bits(token)
        if token == "ones":
            self.take("in")
            return int(self.read_unary()).bit_count()
        if token == "sum":
            return self._read_sum()
        if token == "find":
            return self._read_find()
        if token == "width":
            self.take("of")
            return width_of(machine.find_type(self.take()))
        if token == "{":
            return self._read_pair(32)
        if token == "1.0":
            return 1.0
        if token[0].isdigit():
            return int(token, 0)
        if self.accept("("):
            return self._read_call(token)
        return self._read_name(token)

    def _read_name(self, token: str) -> float:
        machine = self.machine
        if re.fullmatch(r"[ab]\.[ab]sel", token):
            selector = machine.form.get(token[2:])
            if selector is None:
                return Bits.of(0, 32)
            unit, lane = selector.unit, selector.lanes[0]  # type: ignore[attr-defined]
            return Bits.of(int(machine.get(token[0])) >> unit * lane, unit)
        if match := re.fullmatch(r"([a-e])\.([bh])(\d)", token):
            unit = 8 if match[2] == "b" else 16
            return Bits.of(int(machine.get(match[1])) >> unit * int(match[3]), unit)
        if token == "i":
            return machine.i
        if self.accept("["):
            index = machine.i if self.peek() == "i" else int(self.peek())
            self.take()
            self.take("]")
            if token in ("asel", "bsel"):
                return self._find_lane(token, index)
            return machine.find_value(f"{token}[i]", index)
        return machine.get(token)

    def _find_lane(self, slot: str, index: int) -> int:
        """The part of {b, a} that a lane takes: a has its own without asel, b without bsel."""
        selector = self.machine.form.get(slot)
        if selector is not None:
            return selector.lanes[index]  # type: ignore[attr-defined, no-any-return]
        return index + self.count_lanes() * (slot == "bsel")

    def count_lanes(self) -> int:
        return int(self.machine.form.opcode[-1])

    def _read_pair(self, width: int) -> int:
        high = int(self.read_unary())
        self.take(",")
        low = int(self.read_unary())
        self.take("}")
        return high << width | low

    def _read_bits(self, token: str) -> float:
        if token == "leading":
            self.take("zeros")
            self.take("of")
            value = int(self.read_unary())
            self.take("in")
            width = int(self.take())
            self.take("bits")
            return width - value.bit_length()
        if token == "reverse":
            width = int(self.take())
            self.take("bits")
            self.take("of")
            return int(f"{int(self.read_unary()):0{width}b}"[::-1], 2)
        if token == "low":
            width = self._find_width() if self.peek() == "bits" else int(self.read_unary())
            self.take("bits")
            self.take("of")
            return Bits.of(int(self.read_unary()), width)
        high = int(self.read_operation(5))
        if token == "bits":
            self.take("..")
            low = int(self.take())
            self.take("of")
            return int(self.read_unary()) >> low & ((1 << high - low + 1) - 1)
        self.take("of")
        value = int(self.read_unary())
        unit = {"bit": 1, "byte": 8, "half-word": 16, "hex digit": 4}[token]
        return Bits.of(value >> unit * high, unit)

    def _find_width(self) -> int:
        machine = self.machine
        if self.target == "d.dsel":
            assert machine.form.dsel
            return machine.form.dsel.unit
        return machine.widths[self.target]

    def _read_sum(self) -> int:
        self.take("of")
        name = self.take()
        for word in ("[", "i", "]", "for", "i", "in", "mask"):
            self.take(word)
        mask = self.machine.form.mask
        lanes = mask.lanes if mask else range(self.count_lanes())
        return sum(int(self.machine.find_value(f"{name}[i]", i)) for i in lanes)

    def _read_find(self) -> int:
        self.take("one")
        count = int(self.read_unary())
        self.take("of")
        value = int(self.read_unary())
        for word in ("from", "bit"):
            self.take(word)
        start = int(self.read_unary())
        if count == 0:
            return start if start < 32 and value >> start & 1 else -1
        places = (
            range(start, 32) if count > 0 else range(min(start, 32 if start < 32 else -1), -1, -1)
        )
        found = [i for i in places if value >> i & 1]
        return found[abs(count) - 1] if len(found) >= abs(count) else -1

    def _read_call(self, name: str) -> float:
        machine, form = self.machine, self.machine.form
        if name == "lut":
            a, b, c = self._read_arguments()
            table = form.lut or 0
            return sum(
                (table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i
                for i in range(32)
            )
        if name == "clamp":
            value = int(self.read_choice())
            self.take(",")
            if self.accept("range", "of"):
                type_ = machine.find_type(self.take())
                width, is_signed = width_of(type_), type_[0] == "s"
                low, high = (
                    (-(1 << width - 1), (1 << width - 1) - 1)
                    if is_signed
                    else (0, (1 << width) - 1)
                )
            else:
                low = int(self.read_unary())
                self.take("..")
                high = int(self.read_unary())
            self.take(")")
            return min(max(value, low), high)
        if name == "round":
            self.take("(")
            total = int(self.read_choice())
            for word in (")", "/"):
                self.take(word)
            half = Fraction(total, int(self.take()))
            self.take(")")
            return (
                math.floor(half + Fraction(1, 2)) if half >= 0 else math.ceil(half - Fraction(1, 2))
            )
        arguments = self._read_arguments()
        if name in ("min", "max"):
            return (min if name == "min" else max)(arguments)
        (x,) = arguments
        if name in ("signed", "unsigned"):
            assert isinstance(x, Bits)
            is_negative = name == "signed" and x.width and x >> (x.width - 1)
            return int(x) - (1 << x.width) if is_negative else int(x)
        if name == "ftz":
            type_ = str(form.stype or form.ctype)
            fraction = {"bf16": 7, "f16": 10, "f32": 23}[type_.partition("x")[0]]
            width = width_of(type_)
            exponent = int(x) >> fraction & ((1 << width - 1 - fraction) - 1)
            return Bits.of(int(x) if exponent else int(x) & 1 << width - 1, width)
        type_ = machine.find_type(name).partition("x")[0]
        if x == 1.0 and isinstance(x, float):
            return encode_one(type_)
        return read(int(x), type_)

    def _read_arguments(self) -> list[int]:
        values = [self.read_choice()]
        while self.accept(","):
            values.append(self.read_choice())
        self.take(")")
        return values  # type: ignore[return-value]


def encode_one(type_: str) -> int:
    """The bits of 1.0."""
    if type_ == "bf16":
        return encode_one("f32") >> 16
    if type_ not in FLOATS:
        return 0  # in the branch of a choice that is not taken
    return int.from_bytes(struct.pack(FLOATS[type_][0], 1.0), "little")


def compare(name: str, x: float, y: float) -> int:
    """1 if a comparison is true; with a NaN, only `nan` and names that end in u are."""
    is_unordered = x != x or y != y
    if name in ("nan", "num"):
        return int(is_unordered == (name == "nan"))
    if len(name) == 3:
        return int(is_unordered or _COMPARISONS[name[:2]](x, y))
    return int(not is_unordered and _COMPARISONS[name](x, y))
