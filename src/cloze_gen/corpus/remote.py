"""Books elsewhere (`s3://`, `gs://`, `hf://` and others): copied once into the store, then local.

An address may contain credentials, so only `public_address` is printed or stored. Names and sizes
that a server lists are untrusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow.fs

from cloze_gen.corpus.layouts import is_catalog
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.manifest import MANIFEST_NAME
from cloze_gen.corpus.readers import ending_of
from cloze_gen.engine.progress import track
from cloze_gen.errors import ClozeGenError, CorpusError, UsageError
from cloze_gen.parsing import name_list, one_line, quote
from cloze_gen.store.artifacts import ArtifactWriter, Store
from cloze_gen.store.files import stays_within
from cloze_gen.store.fingerprint import StageKey

COPY, FILES = "copy", "files"
_STAGED = ".copies"  # in the store: finished files of a copy that is not complete
_OF_ARROW = {"s3", "gs", "gcs"}
_CHUNK_BYTES = 1024 * 1024
_MOST_NAME_BYTES = 240  # of one part of a path
_RESERVE_BYTES = 100 * 1024 * 1024  # of the disk, left free
_MOST_FILES = 1_000_000


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file as its server lists it; `version` changes with its bytes; a size of -1 is unknown."""

    name: str
    path: str
    size: int
    version: str


class _Server(Protocol):
    def list(self, path: str) -> Iterator[RemoteFile]:
        """All files below a path, or the file itself, by its last name."""

    def open(self, path: str) -> BinaryIO: ...


def public_address(address: str) -> str:
    """Without user, password and query.

    >>> public_address("s3://KEY:SECRET@bucket/books/*.txt?endpoint_override=host")
    's3://bucket/books/*.txt'
    """
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2].partition('?')[0]}{slash}{path.partition('?')[0]}"


def local_copy(address: str, store: Store, *, say: Callable[[str], None]) -> Location:
    """The books at an address as files of the store; nothing is copied twice while the listing is
    the same. A copy that was stopped goes on with the next file.

    Raises:
        UsageError: a package is missing, the server refuses, no book, or too little disk.
    """
    shown = public_address(address)
    if "::" in address:
        raise UsageError(
            f"{quote(shown)}: addresses with `::` are not read. Give a simple address."
        )
    with _server_errors(address, shown):
        server, root, pattern = _connected(address)
        listed = list(_listed(server.list(root), shown))
    if len(listed) == 1 and not pattern and listed[0].path.rstrip("/") == root.rstrip("/"):
        pattern = str(Location(Path(), re.sub(r"([*?[])", r"[\1]", listed[0].name)).pattern)
    files = _chosen(listed, Location(Path(), pattern), shown, say)
    key = _key(shown, files)
    with store.writing(key, say=say) as writer:
        if writer is not None:
            staged = store.store / _STAGED / key.folder_name
            with _server_errors(address, shown):
                _copy(server, files, staged, shown, say)
            _take(files, staged, writer)
            writer.facts |= {"address": shown, "files": len(files)}
    shutil.rmtree(store.store / _STAGED / key.folder_name, ignore_errors=True)
    return Location(store.folder(key) / FILES, pattern)


def is_copy(folder: Path, store: Store) -> bool:
    """Whether `local_copy` made this folder in this store."""
    real = Path(os.path.realpath(folder))
    return (
        real.name == FILES
        and real.parent.name.startswith(f"{COPY}-")
        and real.parents[1] == Path(os.path.realpath(store.store))
    )


# ---- servers


class _Arrow:
    """`s3://` and `gs://`, by pyarrow's own file systems."""

    def __init__(self, files: pyarrow.fs.FileSystem) -> None:
        self.files = files

    def list(self, path: str) -> Iterator[RemoteFile]:
        found = self.files.get_file_info(path)
        infos = [found]
        if found.type == pyarrow.fs.FileType.Directory:
            infos = self.files.get_file_info(pyarrow.fs.FileSelector(path, recursive=True))
        for one in infos:
            if one.type == pyarrow.fs.FileType.File:
                name = one.path.removeprefix(path).lstrip("/") or one.base_name
                yield RemoteFile(name, one.path, one.size or 0, str(one.mtime_ns))

    def open(self, path: str) -> BinaryIO:
        return self.files.open_input_stream(path, compression=None)


class _Fsspec:
    """`hf://` and whatever else fsspec reads."""

    def __init__(self, files: Any) -> None:
        self.files = files

    def list(self, path: str) -> Iterator[RemoteFile]:
        found = self.files.find(path, detail=True) or {path: self.files.info(path)}
        for place, info in found.items():
            if info["type"] != "directory":
                name = place.removeprefix(path).lstrip("/") or place.rsplit("/", 1)[-1]
                size = info.get("size")
                yield RemoteFile(name, place, -1 if size is None else int(size), _version(info))

    def open(self, path: str) -> BinaryIO:
        return self.files.open(path, "rb")


_VERSIONS = (
    "etag",
    "blob_id",
    "sha256",
    "checksum",
    "mtime",
    "last_modified",
    "updated",
    "created",
)


def _version(info: dict[str, Any]) -> str:
    known = {name.lower().replace("lastmodified", "last_modified"): info[name] for name in info}
    return next((str(known[name]) for name in _VERSIONS if known.get(name)), "")


def _connected(address: str) -> tuple[_Server, str, str]:
    """The server, the deepest folder without wildcard there, and the pattern below it."""
    scheme, _, rest = address.partition("://")
    path, mark, query = rest.partition("?")
    parts = path.rstrip("/").split("/")
    count = next((at for at, part in enumerate(parts) if re.search(r"[*[]", part)), len(parts))
    with_query = scheme.lower() in {*_OF_ARROW, "http", "https"}
    folder = f"{scheme}://{'/'.join(parts[:count])}{mark + query if with_query else ''}"
    pattern = "/".join(parts[count:])
    if scheme.lower() in _OF_ARROW:
        files, place = pyarrow.fs.FileSystem.from_uri(folder)
        return _Arrow(files), place, pattern
    import fsspec.core  # type: ignore[import-untyped]

    try:
        fsspec.core.get_filesystem_class(scheme)
    except ValueError:
        raise UsageError(
            f"{public_address(address)}: {quote(f'{scheme}://')} is not a known kind of "
            "address. Use s3://, gs://, hf:// or https://."
        ) from None
    files, place = fsspec.core.url_to_fs(folder)
    return _Fsspec(files), str(place), pattern


@contextlib.contextmanager
def _server_errors(address: str, shown: str) -> Iterator[None]:
    """One message for whatever a file system raises, without the address's secrets."""
    try:
        yield
    except ClozeGenError:
        raise
    except ImportError as error:
        raise UsageError(
            f"{shown}: needs packages that are not installed ({_hidden(error, address)}). Install "
            "them: pip install 'cloze-gen[remote]'"
        ) from None
    except FileNotFoundError:
        raise UsageError(f"{shown}: nothing is there. Check the address.") from None
    except Exception as error:  # noqa: BLE001 - every file system has its own classes of errors
        raise UsageError(
            f"{shown}: cannot be read ({type(error).__name__}: {_hidden(error, address)}). Check "
            "the address, your network and your credentials."
        ) from None


def _hidden(error: Exception, address: str) -> str:
    """The error's message, with `***` for user, password and query."""
    parts = urlsplit(address)
    user_info = parts.netloc.rpartition("@")[0]
    secrets = {
        *(user_info, *user_info.split(":", 1), parts.query),
        *(value for _, value in parse_qsl(parts.query)),
    }
    text = one_line(str(error))
    for secret in sorted({*secrets, *map(unquote, secrets)} - {""}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text[:300]


# ---- which files


def _listed(files: Iterable[RemoteFile], shown: str) -> Iterator[RemoteFile]:
    for count, one in enumerate(files):
        if count == _MOST_FILES:
            raise UsageError(
                f"{shown}: more than {_MOST_FILES:,} files. Give a folder below it, or a pattern."
            )
        yield one


def _chosen(
    listed: list[RemoteFile], location: Location, shown: str, say: Callable[[str], None]
) -> list[RemoteFile]:
    """Files of books with their manifest and catalogues, sorted by name."""
    names = {one.name for one in listed}
    unsafe, others, chosen = [], Counter[str](), dict[str, RemoteFile]()
    for one in listed:
        is_book = bool(ending_of(one.name)) and location.matches(one.name)
        if any(part.startswith(".") for part in one.name.split("/")) and stays_within(one.name):
            continue
        if not (is_book or one.name == MANIFEST_NAME or is_catalog(one.name)):
            others[Path(one.name).suffix.lower()] += 1
        elif not _is_local_name(one.name, names):
            unsafe.append(quote(one.name))
        else:
            chosen[one.name] = one
    if unsafe:
        say(
            f"{shown}: skipped files whose names cannot be those of local files: {name_list(unsafe)}"
        )
    if not any(ending_of(name) for name in chosen):
        kinds = ", ".join(
            f"{count:,} {kind or 'without an ending'}" for kind, count in others.most_common(10)
        )
        raise UsageError(
            f"{shown}: no file of books there. {f'There are {kinds}.' if kinds else 'It is empty.'}"
        )
    return [chosen[name] for name in sorted(chosen)]


def _is_local_name(name: str, names: set[str]) -> bool:
    """Whether a listed name can be that of a file below a folder, and no other file is its folder."""
    parts = name.split("/")
    folders = {"/".join(parts[:count]) for count in range(1, len(parts))}
    try:
        fits = all(len(part.encode()) <= _MOST_NAME_BYTES for part in parts)
    except UnicodeEncodeError:
        return False
    return fits and stays_within(name) and name.isprintable() and not folders & names


def _key(shown: str, files: list[RemoteFile]) -> StageKey:
    content = "\n".join(repr((one.name, one.size, one.version)) for one in files)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return StageKey(COPY, 1, {}, {"address": shown, "files": digest})


# ---- the copy


def _copy(
    server: _Server, files: list[RemoteFile], staged: Path, shown: str, say: Callable[[str], None]
) -> None:
    staged.mkdir(parents=True, exist_ok=True)
    left = [one for one in files if not _is_there(staged / one.name, one)]
    total = sum(max(0, one.size) for one in left)
    free = shutil.disk_usage(staged).free - _RESERVE_BYTES
    if total > free:
        raise UsageError(
            f"{shown}: {total / 1e9:,.1f} GB are to be copied and {max(0, free) / 1e9:,.1f} GB are free "
            f"in {staged.parents[1]}. Free space, choose another --out, or give a pattern of fewer files."
        )
    kept = f"; {len(files) - len(left):,} are there already" if len(left) < len(files) else ""
    count = f"{len(left):,} file{'' if len(left) == 1 else 's'}"
    say(f"{shown}: copying {count}, {total / 1e6:,.1f} MB, to {staged.parents[1]}{kept}")
    chunks = sum(-(-max(1, one.size) // _CHUNK_BYTES) for one in left)
    for _ in track(
        (chunk for one in left for chunk in _copied(server, one, staged, free)),
        stage="copy",
        unit="MiB",
        total=chunks,
    ):
        pass


def _is_there(path: Path, file: RemoteFile) -> bool:
    return path.is_file() and file.size in {-1, path.stat().st_size}


def _copied(server: _Server, file: RemoteFile, staged: Path, free: int) -> Iterator[int]:
    """Copy one file under a temporary name; yields the bytes of each chunk."""
    path, partial = staged / file.name, staged / ".partial"
    path.parent.mkdir(parents=True, exist_ok=True)
    count, most = 0, free if file.size < 0 else file.size
    with server.open(file.path) as source, open(partial, "wb") as target:
        while chunk := source.read(_CHUNK_BYTES):
            count += len(chunk)
            if count > most:
                break
            target.write(chunk)
            yield len(chunk)
    if count != file.size >= 0 or count > most:
        partial.unlink()
        raise CorpusError(
            f"{quote(file.name)}: {'more than ' if count > most else ''}{count:,} bytes, but its server listed "
            f"{file.size:,}. It changed while it was copied. Run again. Finished files are kept."
        )
    partial.rename(path)


def _take(files: list[RemoteFile], staged: Path, writer: ArtifactWriter) -> None:
    """Link the copied files into the artifact, so that a kill before its end loses none."""
    for one in files:
        target = writer.path(f"{FILES}/{one.name}")
        try:
            os.link(staged / one.name, target)
        except OSError:  # a file system without hard links
            (staged / one.name).rename(target)
