"""What may be asked at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloze_gen.store.judgements.passes import SESSION, TOKEN, new_pass
from tests.cases.served import rows, served
from tests.cases.studies import make_tiny_study


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(("mode", "destination", "status"), [("navigate", "document", 303), ("navigate", "iframe", 403),
                                                             ("no-cors", "image", 403), ("cors", "empty", 403)])  # fmt: skip
def test_other_pages_can_only_lead_here(site: str, mode: str, destination: str, status: int, tmp_path: Path) -> None:
    """Another port, another name of the domain or another site may have a link to follow; none can make a session behind the scenes."""
    with served(make_tiny_study(tmp_path / "study")) as place:
        token = new_pass(place.study.store.database, "ann", TOKEN)
        told = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination}
        assert place.stranger().get(f"/enter/{token}", **told).status == status
        assert sum(kind == SESSION for _, kind, *_ in rows(place.study.folder)["passes"]) == (status == 303)
