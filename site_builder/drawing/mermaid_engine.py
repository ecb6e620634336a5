"""The program that lays out Mermaid diagrams: Pele, in an embedded JavaScript engine without files,
network, clock or chance, bounded in time and memory."""

from __future__ import annotations

import importlib.util
import json
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import quickjs  # type: ignore[import-untyped]

from site_builder.drawing.text_width import BOLD, OTHER, WIDE, WIDE_FROM, WIDTHS

SECONDS: Final = 3
"""CPU time for one diagram; the largest of 131 real ones takes a hundredth of it."""

MEMORY: Final = 192 * 1024 * 1024
STACK: Final = 512 * 1024

_PACKAGE: Final = "mermaid_render"

_STILL: Final = """
(() => {
  const Real = Date, now = Real.UTC(2000, 0, 1);
  const read = (text) => {
    const time = Real.parse(`${text}Z`);
    return Number.isNaN(time) ? Real.parse(text) : time;
  };
  class Still extends Real {
    constructor(...parts) {
      if (parts.length > 1) super(Real.UTC(...parts));
      else if (parts.length === 0) super(now);
      else super(typeof parts[0] === "string" ? read(parts[0]) : parts[0]);
    }
    static now() { return now; }
    getTimezoneOffset() { return 0; }
  }
  const units = ["FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds"];
  for (const unit of units) {
    Still.prototype[`get${unit}`] = Real.prototype[`getUTC${unit}`];
    Still.prototype[`set${unit}`] = Real.prototype[`setUTC${unit}`];
  }
  Still.prototype.getDay = Real.prototype.getUTCDay;
  globalThis.Date = Still;
  Math.random = () => 0.5;
})();
"""
"""No clock, no time zone, no chance: equal diagrams on every machine and day."""

_REQUEST: Final = """
const widths = %s;
const measurer = {width(text, size, style) {
  let sum = 0;
  for (const c of text) {
    sum += widths[c] ?? (/\\p{Mark}/u.test(c) ? 0 : c.codePointAt(0) >= %d ? %s : %s);
  }
  return sum * size * (style & 1 ? %s : 1);
}};
function draw(source) {
  try {
    const drawn = pele.render(pele.parse(source), {
      responsive: false, autoDirection: false, images: false, links: false, measurer,
    });
    const {type: kind, svg, width, height} = drawn;
    return JSON.stringify({kind, svg, width, height});
  } catch (error) {
    const {message, code, line} = error;
    return JSON.stringify({message: String(message), code: String(code ?? ""), line: +line || 0});
  }
}
"""


@dataclass(frozen=True, slots=True)
class Laid:
    """A diagram that was laid out. width and height: pixels at its natural size."""

    kind: str
    svg: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A diagram that was not. line: of the source, from 1; 0 if unknown.

    code: `syntax`, `unsupported-diagram`, `limit`, `time` and the like.
    """

    code: str
    message: str
    line: int = 0


class _ThisThread(threading.local):
    context: quickjs.Context | None = None


_THIS_THREAD: Final = _ThisThread()


def lay_out(source: str) -> Laid | Refused:
    """Lays out one diagram. An engine that ran out of time or memory is thrown away."""
    if _THIS_THREAD.context is None:
        _THIS_THREAD.context = _new_context()
    try:
        reply = json.loads(_THIS_THREAD.context.eval(f"draw({json.dumps(source)})"))
    except (quickjs.JSException, UnicodeError, ValueError) as error:
        _THIS_THREAD.context = None
        return Refused("time", f"{error}"[:200])
    if "svg" in reply:
        size = round(float(reply["width"])), round(float(reply["height"]))
        return Laid(str(reply["kind"]), str(reply["svg"]), *size)
    return Refused(str(reply["code"]), str(reply["message"]), int(reply["line"]))


def _new_context() -> quickjs.Context:
    context = quickjs.Context()
    context.set_memory_limit(MEMORY)
    context.set_max_stack_size(STACK)
    context.set_time_limit(SECONDS)
    context.eval(_STILL)
    context.eval(_bundle())
    widths = json.dumps(WIDTHS)
    context.eval(_REQUEST % (widths, WIDE_FROM, WIDE, OTHER, BOLD))
    return context


@cache
def _bundle() -> str:
    """Pele itself, from the package that ships it; the package's own modules are not imported."""
    found = importlib.util.find_spec(_PACKAGE)
    folders = found.submodule_search_locations if found else None
    if not folders:
        raise ModuleNotFoundError(f"the package {_PACKAGE} is not installed")
    return (Path(folders[0]) / "pele" / "pele.global.js").read_text(encoding="utf-8")
