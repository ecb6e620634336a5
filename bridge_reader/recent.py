"""Things used last, kept up to a total weight."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """A bounded memory by key; what was used longest ago goes first."""

    def __init__(self, limit: int) -> None:
        """limit: the weight of all that is kept; a thing of more than a quarter of it is not."""
        self._limit = limit
        self._weight = 0
        self._kept: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """What is kept under a key."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: Hashable, value: T, weight: int) -> None:
        """Keeps a value, if its key is new and it is not too heavy."""
        if weight > self._limit // 4 or key in self._kept:
            return
        self._kept[key] = (value, weight)
        self._weight += weight
        while self._weight > self._limit:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._weight -= dropped
