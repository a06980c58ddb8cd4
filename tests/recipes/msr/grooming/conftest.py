"""A finished run, groomed by other settings."""

import pytest

from cloze_gen.recipes.msr.grooming.rules import GroomingSettings
from cloze_gen.recipes.msr.grooming.stage import write_grooming
from cloze_gen.store.artifacts import Store
from cloze_gen.store.runs import stage_artifact
from tests.support.stage import made


@pytest.fixture(scope="package")
def inputs(finished):
    names = ("focus", "index", "contexts", "forward", "counts")
    return {name: stage_artifact(finished.folder, name) for name in names}


@pytest.fixture(scope="package")
def groom(inputs, tmp_path_factory):
    """The finished run's candidates groomed by the settings given."""
    store = Store(tmp_path_factory.mktemp("groomed"))

    def groom(identity="", **changed):
        settings = GroomingSettings(**changed)
        more = {"tagger_identity": identity, "offensive": ["lamp"]}
        return made(store, "grooming", write_grooming, **inputs, settings=settings, **more)

    return groom
