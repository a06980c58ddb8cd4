"""Rejections are data: whatever goes no further leaves one, and the funnel counts them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a record went no further. `reason` is a key of the funnel; `detail` is for a reader."""

    id: str
    reason: str
    detail: str = ""
