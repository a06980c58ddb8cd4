"""How often somebody may ask: a bucket of tokens each, filled at a steady rate (RFC 2697 names the parts)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_MOST_BUCKETS = 10_000  # a stranger with many addresses must not fill our memory


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests at once, and so many a second after that."""

    burst: float
    per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How often anybody may ask.

    Attributes:
        judge: somebody who is known, however many browsers; one that was away sends all that it kept.
        visit: links of one judge followed into a browser that has no session of it; each makes one.
        stranger: an address that is not known; behind a proxy that is all strangers.
        wrong: links that are nobody's, from one address.
    """

    judge: Rate = Rate(120, 20)
    visit: Rate = Rate(30, 1 / 60)
    stranger: Rate = Rate(120, 20)
    wrong: Rate = Rate(10, 0.1)


@dataclass(slots=True)
class Buckets:
    """One bucket for everybody who asks.

    Attributes:
        clock: seconds that only grow.
    """

    rate: Rate
    clock: Callable[[], float] = time.monotonic
    _filled: dict[str, tuple[float, float]] = field(default_factory=dict)  # whose -> tokens left, when that was
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, whose: str) -> float:
        """Take a token; returns 0, or the seconds until there is one again.

        >>> moments = iter([0.0, 0.0, 0.0, 2.0])
        >>> buckets = Buckets(Rate(2, 0.5), lambda: next(moments))
        >>> [buckets.wait("ann") for _ in range(4)]
        [0.0, 0.0, 2.0, 0.0]
        """
        with self._lock:
            moment = self.clock()
            left, since = self._filled.pop(whose, (self.rate.burst, moment))
            left = min(self.rate.burst, left + (moment - since) * self.rate.per_second)
            allowed = left >= 1
            left -= allowed
            if len(self._filled) >= _MOST_BUCKETS:
                self._filled.pop(next(iter(self._filled)))  # who asked longest ago
            self._filled[whose] = (left, moment)
            return 0.0 if allowed else (1 - left) / self.rate.per_second
