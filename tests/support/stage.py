"""The artifact of a stage without a run."""

from cloze_gen.corpus.frequencies import COUNTS
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import write_tsv

HEADER = ("word", "count", "folded_count", "freq", "lower_share")


def counts_of(store, rows, *, word_tokens=1):
    """Word counts of training books, from rows of `HEADER`."""
    key = StageKey("counts", 1, {"rows": repr(rows)})
    with store.writing(key) as writer:
        if writer is not None:
            write_tsv(writer.path(COUNTS), HEADER, rows)
            writer.facts |= {"word_tokens": word_tokens}
    return store.open(key)


def made(store, name, write, *, workers=1, **given):
    """What `write` makes of the arguments; it is not written again if the store has it."""
    artifacts = {key: value for key, value in given.items() if isinstance(value, Artifact)}
    inputs = {key: value.manifest["fingerprint"] for key, value in artifacts.items()}
    texts = {
        key: repr(sorted(value)) if isinstance(value, frozenset) else str(value)
        for key, value in given.items()
    }
    settings = {key: text for key, text in texts.items() if key not in artifacts}
    stage = StageKey(name, 1, settings | {"workers": str(workers)}, inputs)
    engine = make_engine("local", workers=workers)
    with engine_scope(engine), store.writing(stage) as writer:
        if writer is not None:
            write(writer, StageContext(store, engine, name), **given)
    return store.open(stage)
