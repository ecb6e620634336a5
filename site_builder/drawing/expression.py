"""Expressions of plots, such as `2x^2 + sin(x)`: read by a grammar of our own, never run as code.

sum     = product (("+" | "-") product)*
product = sign (("*" | "/" | "%" | nothing) sign)*
sign    = ("+" | "-") sign | power
power   = atom (("^" | "**") sign)?
atom    = number | name | name "(" sum ("," sum)* ")" | "(" sum ")" | "|" sum "|"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

MAX_LENGTH: Final = 500
MAX_NODES: Final = 200
MAX_DEPTH: Final = 40
"""Characters of an expression, operations in it, and brackets within brackets."""

Point: TypeAlias = Mapping[str, float]
Value: TypeAlias = Callable[[Point], float]
"""A parsed expression: the values of its variables -> its value, NaN where it has none."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-zπτ_θ]\w*)"
    r"|(?P<sign>\*\*|[-+*/^%(),|]))"
)
_SIGNS: Final = str.maketrans("−–×·÷（），", "--**/(),")


class ExpressionError(ValueError):
    """An expression that cannot be read; says why, in a few words."""


def _root(value: float, degree: float) -> float:
    odd = degree % 2 == 1
    size = abs(value) if odd else value
    return math.copysign(math.pow(size, 1 / degree), value)


def _sign(value: float) -> float:
    return float((value > 0) - (value < 0))


_CONSTANTS: Final = {
    "pi": math.pi, "π": math.pi, "tau": math.tau, "τ": math.tau, "e": math.e, "E": math.e,
    "PI": math.pi, "phi": (1 + math.sqrt(5)) / 2, "Infinity": math.inf, "inf": math.inf,
}  # fmt: skip
_UNARY: Final[Mapping[str, Callable[[float], float]]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "sec": lambda x: 1 / math.cos(x), "csc": lambda x: 1 / math.sin(x),
    "cot": lambda x: 1 / math.tan(x),
    "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh,
    "sqrt": math.sqrt, "cbrt": lambda x: _root(x, 3), "exp": math.exp, "abs": abs,
    "ln": math.log, "log": math.log, "log2": math.log2, "log10": math.log10, "lg": math.log10,
    "floor": math.floor, "ceil": math.ceil, "round": lambda x: math.floor(x + 0.5),
    "trunc": math.trunc, "sign": _sign, "gamma": math.gamma,
}  # fmt: skip
_BINARY: Final[Mapping[str, Callable[[float, float], float]]] = {
    "pow": math.pow, "atan2": math.atan2, "mod": lambda x, y: x - y * math.floor(x / y),
    "min": min, "max": max, "hypot": math.hypot, "nthRoot": _root,
    "log": lambda x, base: math.log(x) / math.log(base),
}  # fmt: skip
_FAILURES: Final = (ValueError, OverflowError, ZeroDivisionError)


def parse_expression(text: str, variables: Sequence[str]) -> Value:
    """Reads an expression in these variables.

    What it returns never raises: where there is no real value it gives NaN.
    Raises `ExpressionError`.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression is longer than {MAX_LENGTH} characters")
    parser = _Parser(_tokens(text.translate(_SIGNS).replace("Math.", "")), frozenset(variables))
    value = parser.sum()
    if parser.at < len(parser.tokens):
        raise ExpressionError(f"`{parser.tokens[parser.at][1]}` is not expected there")

    def real(point: Point) -> float:
        try:
            return float(value(point))
        except _FAILURES:
            return math.nan

    return real


def constant(text: str) -> float:
    """The value of an expression without variables, such as `2*pi`. Raises `ExpressionError`."""
    value = parse_expression(text, ())({})
    if math.isnan(value):
        raise ExpressionError(f"`{text}` has no value")
    return value


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    text = text.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ExpressionError(f"`{text[at]}` belongs to no expression")
        kind = token.lastgroup or ""
        found.append((kind, token[kind]))
        at = token.end()
    return found


@dataclass(slots=True)
class _Parser:
    tokens: Sequence[tuple[str, str]]
    variables: frozenset[str]
    at: int = 0
    nodes: int = 0
    depth: int = 0
    _bars: list[bool] = field(default_factory=list)

    def sum(self) -> Value:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"brackets are nested deeper than {MAX_DEPTH} levels")
        left = self._product()
        while (sign := self._sign_here()) in ("+", "-"):
            self.at += 1
            left = self._joined(sign, left, self._product())
        self.depth -= 1
        return left

    def _product(self) -> Value:
        left = self._signed()
        while True:
            sign = self._sign_here()
            if sign in ("*", "/", "%"):
                self.at += 1
            elif self._begins_factor():
                sign = "*"
            else:
                return left
            left = self._joined(sign, left, self._signed())

    def _signed(self) -> Value:
        negative = False
        while (sign := self._sign_here()) in ("+", "-"):
            negative ^= sign == "-"
            self.at += 1
        value = self._power()
        if not negative:
            return value
        self._count()
        return lambda point: -value(point)

    def _power(self) -> Value:
        base = self._atom()
        if self._sign_here() not in ("^", "**"):
            return base
        self.at += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"powers are nested deeper than {MAX_DEPTH} levels")
        exponent = self._signed()
        self.depth -= 1
        self._count()
        return lambda point: math.pow(base(point), exponent(point))

    def _atom(self) -> Value:
        if self.at >= len(self.tokens):
            raise ExpressionError("the expression ends too early")
        kind, text = self.tokens[self.at]
        self.at += 1
        self._count()
        if kind == "number":
            number = float(text)
            return lambda _: number
        if kind == "name":
            return self._named(text)
        if text == "(":
            inner = self._inside(bar=False)
            self._expect(")")
            return inner
        if text == "|":
            inner = self._inside(bar=True)
            self._expect("|")
            return lambda point: abs(inner(point))
        raise ExpressionError(f"`{text}` is not expected there")

    def _inside(self, *, bar: bool) -> Value:
        self._bars.append(bar)
        inner = self.sum()
        self._bars.pop()
        return inner

    def _named(self, name: str) -> Value:
        if name in self.variables:
            return lambda point: point[name]
        if name in _CONSTANTS:
            number = _CONSTANTS[name]
            return lambda _: number
        if name not in _UNARY and name not in _BINARY:
            raise ExpressionError(f"`{name[:40]}` is neither a variable nor a known function")
        self._expect("(")
        arguments = [self._inside(bar=False)]
        while self._sign_here() == ",":
            self.at += 1
            arguments.append(self._inside(bar=False))
        self._expect(")")
        if len(arguments) == 1 and name in _UNARY:
            function, argument = _UNARY[name], arguments[0]
            return lambda point: function(argument(point))
        if len(arguments) == 2 and name in _BINARY:
            binary, (first, second) = _BINARY[name], arguments
            return lambda point: binary(first(point), second(point))
        raise ExpressionError(f"`{name}` does not take {len(arguments)} arguments")

    def _joined(self, sign: str, left: Value, right: Value) -> Value:
        self._count()
        if sign == "+":
            return lambda point: left(point) + right(point)
        if sign == "-":
            return lambda point: left(point) - right(point)
        if sign == "*":
            return lambda point: left(point) * right(point)
        if sign == "/":
            return lambda point: left(point) / right(point)
        return lambda point: math.fmod(left(point), right(point))

    def _begins_factor(self) -> bool:
        """Whether what comes next is multiplied though no sign says so: `2x`, `2(x + 1)`."""
        if self.at >= len(self.tokens):
            return False
        kind, text = self.tokens[self.at]
        closes_bar = bool(self._bars) and self._bars[-1]
        return kind == "name" or text == "(" or (text == "|" and not closes_bar)

    def _sign_here(self) -> str:
        at = self.at
        return self.tokens[at][1] if at < len(self.tokens) and self.tokens[at][0] == "sign" else ""

    def _expect(self, sign: str) -> None:
        if self._sign_here() != sign:
            raise ExpressionError(f"a `{sign}` is missing")
        self.at += 1

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise ExpressionError(f"an expression has more than {MAX_NODES} operations")
