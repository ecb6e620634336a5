"""What a question asks: its terms, the names it insists on, and the kind of answer it wants."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from manifest.query_plan import query_terms
from manifest.tokens import normalise, runs


class Wanted(StrEnum):
    """The kind of answer a question wants. The first that fits, in this order."""

    PERSON = "person"
    TIME = "time"
    QUANTITY = "quantity"
    VERSION = "version"
    IDENTIFIER = "identifier"
    EXPANSION = "expansion"
    DIFFERENCE = "difference"
    REASON = "reason"
    LIST = "list"
    METHOD = "method"
    DEFINITION = "definition"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    terms: what search would look up, in order. names: tokens that an answer must be about
    (abbreviations, identifiers, proper names). numbers: figures it states. count: how many things
    it asks for (0: not said). unit: what a quantity is counted in (empty: not said). asked: what
    follows `how` (all of it where that is not asked); listed: what follows `which` (empty where
    that is not asked); both in the form in which terms compare. sides: words of what it compares,
    where that can be told. cjk: whether it is written in a script without spaces.
    """

    text: str
    terms: tuple[str, ...]
    names: frozenset[str]
    numbers: frozenset[str]
    wanted: Wanted
    count: int
    unit: str
    asked: str
    listed: str
    sides: tuple[str, ...]
    cjk: bool


def analyse(text: str) -> Question:
    """Takes a question apart."""
    cjk = any(run.bigrams for run in runs(text))
    count, unit = _count_and_unit(text)
    sides = _sides(text)
    stated = _NUMBER.findall(normalise(text))
    return Question(
        text=text,
        terms=tuple(term.term for term in query_terms(_without_courtesy(text))),
        names=frozenset([*_names(text, cjk=cjk), *sides]),
        numbers=frozenset(stated),
        wanted=_wanted(text, unit=unit),
        count=count,
        unit=unit,
        asked=normalise(_HOW.split(text, maxsplit=1)[-1]),
        listed=normalise(match[1]) if (match := _LISTED.search(text)) else "",
        sides=tuple(sides),
        cjk=cjk,
    )


_COURTESY = re.compile(
    "您好|你好|大家好|请教一下|请教|想请教|请问|请|谢谢|多谢|麻烦|劳驾|帮忙|"
    "讲一下|讲讲|说说|解释一下|"
    r"\b(?:hello|hi|please|thanks?|thank you|could you(?: please)?|can you|tell me)\b|"
    r"\b(?:i wonder|explain)\b",
    re.IGNORECASE,
)


def _without_courtesy(text: str) -> str:
    return _COURTESY.sub(" ", text)


_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.'+#/][A-Za-z0-9]+)*[+#]*|\d+(?:\.\d+)?[A-Za-z]+")
_NUMBER = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)*(?![\w])|(?<=[^\W\d_])(?<![a-z])\d+(?:\.\d+)*(?![\w])"
)
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+)$")


def _names(text: str, *, cjk: bool) -> list[str]:
    """In a Chinese question every Latin word is a name. In an English one those are that are
    written unlike ordinary words: capitals after the sentence's start, digits, joints."""
    found: list[str] = []
    for match in _WORD.finditer(_without_courtesy(text) if cjk else text):
        word = match[0]
        if cjk or _is_name(word, first=_SENTENCE_START.search(text[: match.start()]) is not None):
            found.extend(term.term for term in query_terms(word))
    return list(dict.fromkeys(found))


def _is_name(word: str, *, first: bool) -> bool:
    if word == "I" or word.startswith("I'"):
        return False
    inner = word[1:]
    if any(character.isdigit() or character in "_+#/." for character in word):
        return True
    if any(character.isupper() for character in inner):
        return True
    return word[0].isupper() and not first


_DIGITS = {digit: value for value, digit in enumerate("一二三四五六七八九十", start=1)} | {"两": 2}
_ENGLISH = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10}
_COUNTER = "大|个方面|部分|方面|[个种类条点项步层级维]"
_COUNT = re.compile(
    f"哪([两二三四五六七八九十])(?:{_COUNTER})|"
    f"([两二三四五六七八九十])(?:{_COUNTER})[^，。？?]*?(?:是什么|有哪|是哪|分别|各)"
)
_ENGLISH_COUNT = re.compile(rf"\b(?:which|what|the) ({'|'.join(_ENGLISH)})\b", re.I)
_UNIT = re.compile(
    "(?:多少|几|多大|多长)个?(毫秒|微秒|秒钟?|分钟|小时|天|日|周|个?月|年|岁|度|米|公里|元|块|倍|位|字节|比特|次|"
    "人|台|版|[kKMG]?[bB])"
)
_LISTED = re.compile(
    f"(?:哪些|哪[几一二两三四五六七八九十](?:{_COUNTER})?|几[种类])([^，。？?！]*)"
)
_HOW = re.compile("怎么|怎样|如何")


def _count_and_unit(text: str) -> tuple[int, str]:
    match = _COUNT.search(text)
    count = _DIGITS[match[1] or match[2]] if match else 0
    if not count and (english := _ENGLISH_COUNT.search(text)):
        count = _ENGLISH[english[1].lower()]
    unit = _UNIT.search(text)
    return count, unit[1] if unit else ""


def _either(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_PATTERNS: tuple[tuple[Wanted, re.Pattern[str]], ...] = (
    (
        Wanted.PERSON,
        _either(
            "是谁|谁(?:在|提出|发明|写|创|先)|什么人|哪个人|哪位",
            r"\bwho (?:invent|creat|wrot|propos|design|found|introduc|develop|discover|won)",
        ),
    ),
    (
        Wanted.TIME,
        _either(
            "哪一?年|哪一?天|几月|几号|何年",
            r"\b(?:what|which) (?:year|month|day|date)\b|\bwhen (?:was|did|were)\b",
        ),
    ),
    (
        Wanted.VERSION,
        _either(
            "哪个版本|哪一版|几点几", r"\b(?:which|what) (?:\w+ )?(?:version|edition|release)\b"
        ),
    ),
    (
        Wanted.IDENTIFIER,
        _either(
            "(?:哪[个条]|什么)"
            "(?:命令|指令|参数|配置项|选项|注解|类(?!型|别|似)|函数|字段|端口|接口)",
            r"\b(?:which|what) (?:command|parameter|option|setting|flag)\b",
            r"\b(?:which|what) (?:function|class|annotation)\b",
        ),
    ),
    (Wanted.EXPANSION, _either("全称|缩写", r"\bstands? for\b|\bacronym\b")),
    (
        Wanted.QUANTITY,
        _either(
            "多少|多大|多长|多久|多高|多快|第几|几分之|阈值|默认值|初始值|上限是|下限是",
            "(?:最少|最多|至少|默认|启动|需要|部署|设成|设为)[^，。？?]{0,4}几",
            r"\bhow (?:many|much|long|large|big|often|fast|far|old)\b",
            r"\b(?:maximum|minimum|default|recommended) (?:\w+ ){0,2}?"
            r"(?:size|length|number|value|count|port|timeout|limit|ttl)\b",
            r"\b(?:what|which) (?:\w+ ){0,3}(?:range|port|percentage|size|limit|number of)\b",
        ),
    ),
    (
        Wanted.DIFFERENCE,
        _either(
            "区别|差别|差异|不同|差在|不一样|对比|相比|异同|优缺点|该?选|该用|还是",
            "更[好快短长高低大小强]",
            r"\bdiffer(?:s|ent|ence|ences)?\b|\bversus\b|\bvs\b|\bcompared?\b",
            r"\b(?:better|faster|slower|cheaper|safer) than\b",
            r"\bor\b.*\?$",
        ),
    ),
    (Wanted.REASON, _either("为什么|为何|为啥|凭什么|怎么会|原因|干嘛要", r"\bwhy\b|\breasons?\b")),
    (
        Wanted.LIST,
        _either(
            "有哪|哪几|哪些|哪[两二三四五六七八九十]|几种|几个|几类|有几|列举|包括什么|包含什么",
            r"\bwhich (?:\w+ )?\w+s\b|\blist\b",
            r"\bwhat are the\b.*\b(?:types|kinds|steps|parts|levels|phases|stages|layers)\b",
        ),
    ),
    (
        Wanted.METHOD,
        _either("怎么(?!回事)|怎样|如何|步骤|做法", r"\bhow (?:do|does|can|should|to|is|are)\b"),
    ),
    (
        Wanted.DEFINITION,
        _either(
            "什么是|是什么|什么叫|定义|什么意思|指的是|含义|概念|本质|核心思想",
            r"\bwhat (?:is|are|does .* mean)\b|\bmeaning of\b|\bdefine\b",
        ),
    ),
)


def _wanted(text: str, *, unit: str) -> Wanted:
    if unit and not _PATTERNS[1][1].search(text):
        return Wanted.QUANTITY
    return next((kind for kind, pattern in _PATTERNS if pattern.search(text)), Wanted.OTHER)


_SIDES = (
    re.compile(r"([A-Za-z][\w.+#-]*)\s*(?:和|与|跟|、|还是|相比|比)\s*([A-Za-z][\w.+#-]*)"),
    re.compile(r"\bbetween (.+?) and (.+?)(?: in | for | with |[?.,]|$)", re.I),
    re.compile(r"\b([\w.+#-]+) (?:or|vs\.?|versus) ([\w.+#-]+)", re.I),
)


def _sides(text: str) -> list[str]:
    """The things a question compares, which in English need not be written like names."""
    found = next((match for pattern in _SIDES if (match := pattern.search(text))), None)
    return [term.term for side in found.groups() for term in query_terms(side)] if found else []
