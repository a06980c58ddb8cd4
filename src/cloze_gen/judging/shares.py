"""A count of so many, as a share with its interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`.

    >>> Share(1, 4).value, Share(0, 0).value
    (0.25, None)
    """

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """A share of 1; None of nothing."""
        return self.count / self.of if self.of else None

    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % score interval, shares of 1; None of nothing.

        Source: Wilson 1927; it stays within [0, 1] and holds its level for the small counts that a judge comes to.

        >>> low, high = Share(189, 520).interval()
        >>> round(low, 4), round(high, 4)
        (0.3233, 0.4057)
        """
        if not self.of:
            return None
        from scipy.stats import binomtest  # here, for scipy's statistics take most of a second to load

        found = binomtest(self.count, self.of).proportion_ci(method="wilson")
        return float(found.low), float(found.high)
