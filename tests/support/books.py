"""Books of a location, as a run collects them."""

import io
import tarfile
import tempfile
import zipfile
from pathlib import Path

from cloze_gen.corpus.collect import InputSettings, collect, read_text
from cloze_gen.corpus.folder import Location
from cloze_gen.store.artifacts import Store


def collection(place, *, store=None, **settings):
    """The books of a folder, file or pattern; `settings` of the input."""
    scratch = store or Store(Path(tempfile.mkdtemp(prefix="cloze-gen-test-")))
    return collect(Location.parse(str(place)), scratch, settings=InputSettings(**settings))


def texts(place, **settings):
    """Book id -> its text, or the reason why it cannot be read."""
    return {
        book.book_id: book.fault[0] if book.fault else read_text(book)
        for book in collection(place, **settings).books
    }


def facts(place, **settings):
    """Book id -> its facts."""
    return {book.book_id: book.facts for book in collection(place, **settings).books}


def put(root, *files, text=""):
    """Files whose text is their path, so that no two are equal."""
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text or file)
    return root


def tarred(files, form=tarfile.PAX_FORMAT):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=form) as out:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return data.getvalue()


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            out.writestr(name, content)
    return data.getvalue()
