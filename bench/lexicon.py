"""Words that nobody wrote before: real notes keep bringing new ones, and a search index feels it.

A word once made up is used again, the older ones more often, as words are.
"""

from __future__ import annotations

import random

_ONSETS = (
    "b", "br", "c", "d", "dr", "f", "g", "gr", "h", "j", "k", "l", "m",
    "n", "p", "pl", "qu", "r", "s", "st", "t", "tr", "v", "w", "z",
)  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "io", "ou")
_CODAS = ("", "", "l", "n", "r", "s", "x")


def skewed(rng: random.Random, count: int) -> int:
    """A number below `count`, with a chance that falls as one over its rank (Zipf's law)."""
    return min(count - 1, int((count + 1) ** rng.random()) - 1)


class Lexicon:
    """Makes up words, half of them from `characters` (of a script without spaces) if there are any.

    Every word is made only once.
    """

    def __init__(self, rng: random.Random, characters: str) -> None:
        self._rng = rng
        self._characters = characters
        self._words: list[str] = []
        self._taken: set[str] = set()

    def coin(self) -> str:
        """A new word."""
        while (word := self._made_up()) in self._taken:
            continue
        self._taken.add(word)
        self._words.append(word)
        return word

    def recall(self) -> str:
        """A word made up before, rather an old one; a new word if there is none."""
        return self._words[skewed(self._rng, len(self._words))] if self._words else self.coin()

    def _made_up(self) -> str:
        if self._characters and self._rng.random() < 0.5:
            length = self._rng.choice((2, 2, 3))
            return "".join(self._rng.choice(self._characters) for _ in range(length))
        return "".join(
            self._rng.choice(_ONSETS) + self._rng.choice(_VOWELS) + self._rng.choice(_CODAS)
            for _ in range(self._rng.choice((2, 3, 3, 4)))
        )
