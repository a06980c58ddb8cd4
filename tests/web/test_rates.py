"""How often somebody may ask, however many browsers, links or addresses there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.requests import Request

from cloze_gen.store.judgements.passes import TOKEN, new_pass
from cloze_gen.web.app import _address
from cloze_gen.web.rates import Rate, Rates
from tests.cases.served import OFTEN, rows, served
from tests.cases.studies import make_tiny_study


def test_sessions_do_not_multiply_a_rate(tmp_path: Path) -> None:
    """A judge in three browsers asks no oftener than in one, and others are not bound by it."""
    with served(make_tiny_study(tmp_path / "study"), rates=Rates(judge=Rate(6, 0.001)), clock=lambda: 0.0) as place:
        browsers = [place.browser("ann") for _ in range(3)]
        assert [browser.get("/").status for browser in 3 * browsers] == [303] * 6 + [429] * 3
        assert place.browser("bob").get("/").status == 303


def test_a_link_makes_few_sessions(tmp_path: Path) -> None:
    """Followed again and again without its cookie, a link stops making sessions, while the one who has a session goes on."""
    with served(make_tiny_study(tmp_path / "study"), rates=Rates(visit=Rate(2, 0.001)), clock=lambda: 0.0) as place:
        token = new_pass(place.study.store.database, "ann", TOKEN)
        ann = place.stranger()
        ann.enter(token)
        assert [place.stranger().get(f"/enter/{token}").status for _ in range(3)] == [303, 429, 429]
        assert [ann.get(f"/enter/{token}").status for _ in range(3)] == [303] * 3
        assert sum(kind == "session" for _, kind, *_ in rows(place.study.folder)["passes"]) == 2


def test_a_link_works_however_often_strangers_ask(tmp_path: Path) -> None:
    """Behind a proxy all come from one address: who floods it keeps out no judge who has a link."""
    rates = Rates(judge=OFTEN, stranger=Rate(1, 0.001), wrong=Rate(1, 0.001))
    with served(make_tiny_study(tmp_path / "study"), rates=rates) as place:
        stranger = place.stranger()
        assert [stranger.get(path).status for path in ("/", "/", "/enter/nobody")] == [403, 429, 429]
        assert place.browser("ann").get("/").status == 303


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::2:3:4:5", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("192.0.2.1", "192.0.2.2", False),
    ],
)
def test_a_network_of_ipv6_is_one_address(one: str, other: str, same: bool) -> None:
    """However an address is written, its first 64 bits count; those of IPv4 count whole."""
    found = [_address(Request({"type": "http", "client": (host, 1)})) for host in (one, other)]
    assert (found[0] == found[1]) is same
