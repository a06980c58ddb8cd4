"""Who is let in: a token in a judge's link, a session in the browser's cookie; of both the disk has the SHA-256 alone."""

from __future__ import annotations

import hashlib
import secrets

from cloze_gen.store.judgements.database import Database
from cloze_gen.store.judgements.study_store import now

TOKEN, SESSION = "token", "session"
_BYTES = 32
_MOST_CHARS = 100  # of what a stranger sends; ours have 43


def new_pass(database: Database, judge: str, kind: str) -> str:
    """A new token or session for a judge, told this once."""
    secret = secrets.token_urlsafe(_BYTES)
    with database.writing() as connection:
        connection.execute("INSERT INTO passes (digest, kind, judge, made_at) VALUES (?, ?, ?, ?)", (_digest(secret), kind, judge, now()))
    return secret


def judge_of(database: Database, secret: str, kind: str) -> str | None:
    """The judge who holds this token or session; None where nobody does, or it was revoked."""
    if not secret or len(secret) > _MOST_CHARS:
        return None
    with database.reading() as connection:
        row = connection.execute(
            "SELECT judge FROM passes WHERE digest = ? AND kind = ? AND revoked_at IS NULL", (_digest(secret), kind)
        ).fetchone()
    return row[0] if row else None


def revoke(database: Database, judge: str) -> int:
    """Shut a judge out: every link and every open page; returns how many there were."""
    with database.writing() as connection:
        done = connection.execute("UPDATE passes SET revoked_at = ? WHERE judge = ? AND revoked_at IS NULL", (now(), judge))
        return done.rowcount


def is_shut_out(database: Database, judge: str) -> bool:
    """Whether a judge was let in once and every link and session of it was revoked since."""
    with database.reading() as connection:
        row = connection.execute("SELECT count(*), count(revoked_at) FROM passes WHERE judge = ?", (judge,)).fetchone()
    return 0 < row[0] == row[1]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
