"""Who is asking: the session in a cookie, made of a link's token, and the words that only our own page can send with it."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from cloze_gen.records.judgement import Role
from cloze_gen.store.judgements.passes import SESSION, TOKEN, judge_of, new_pass
from cloze_gen.studies.study import Study

_KEPT_SECONDS = 90 * 24 * 3600  # a browser that was closed still holds what it could not send


@dataclass(frozen=True, slots=True)
class Sitting:
    """A judge at a browser; `secret` is the session."""

    judge: str
    secret: str


class Sessions:
    """The sessions of one study."""

    def __init__(self, study: Study, *, secure: bool) -> None:
        """
        Args:
            secure: the page is reached by https.
        """
        self._study, self._secure = study, secure
        # Browsers keep cookies by host and not by port, so another study on this host must have another name. `__Host-` (RFC 6265bis,
        # 4.1.3.2) keeps other names of a domain from setting ours.
        told = hashlib.sha256(f"cookie:{study.facts.secret}".encode()).hexdigest()[:12]
        self._cookie = f"{'__Host-' if secure else ''}cloze-gen-{told}"

    def of(self, request: Request) -> Sitting | None:
        """Who sent a request; None where nobody is known, or was shut out."""
        secret = request.cookies.get(self._cookie, "")
        judge = judge_of(self._study.store.database, secret, SESSION)
        return Sitting(judge, secret) if judge is not None and self._person(judge) else None

    def enter(self, token: str) -> str | None:
        """The judge whose link this is; None where it is nobody's, or was revoked."""
        judge = judge_of(self._study.store.database, token, TOKEN)
        return judge if judge is not None and self._person(judge) else None

    def begin(self, judge: str, response: Response) -> None:
        """Give the browser a session.

        Lax, not Strict: who follows the link out of a mail in the browser comes from another site, and a Strict cookie would not be sent
        with the page that the link leads on to. Lax sends it with such a step to a page and never with a POST from elsewhere; a POST needs
        its origin and `csrf` besides.
        """
        secret = new_pass(self._study.store.database, judge, SESSION)
        response.set_cookie(self._cookie, secret, max_age=_KEPT_SECONDS, path="/", secure=self._secure, httponly=True, samesite="lax")

    def csrf(self, sitting: Sitting) -> str:
        """What our page sends with every verdict: only who was shown it can know it, and it tells nothing of the session.

        It is the same after the server was started again, so that what waits in a browser can still be sent.
        """
        return hmac.new(sitting.secret.encode(), f"csrf:{self._study.facts.secret}".encode(), hashlib.sha256).hexdigest()

    def whose(self, sitting: Sitting) -> str:
        """Tells this judge of this study from others in the same browser; no secret, and no name."""
        return hashlib.sha256(f"whose:{self._study.facts.secret}:{sitting.judge}".encode()).hexdigest()[:12]

    def is_from_page(self, sitting: Sitting, told: str) -> bool:
        """Whether a request carries what our page was given, compared in constant time."""
        return hmac.compare_digest(self.csrf(sitting).encode(), told.encode("utf-8", "surrogatepass"))

    def _person(self, judge: str) -> bool:
        known = self._study.standing().judges.get(judge)
        return known is not None and known.role is not Role.MACHINE
