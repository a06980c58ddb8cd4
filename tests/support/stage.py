"""The artifact of a stage without a run."""

from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.fingerprint import StageKey


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
