"""Print every message of the program: help texts, errors, progress lines, settings, reports, cards and judges' pages.

    python scripts/messages.py [--kind KIND] [--check] [FOLDER ...]

Each line holds place, kind and text, separated by tabs; a `{placeholder}` stands for a value that
is known when the program runs. Collected from Python files: the docstrings of commands, and every
other string constant that reads as prose. From templates and scripts of pages: text and attributes.
With `--check` only messages that break a rule are printed, and the status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
IDIOM = frozenset(
    "told tell tells said says asked asks stands stand beside nobody whoever whatever dealt laid anew heard strangers worth wish speaks "
    "house floor floors wing wings law laws room rooms".split()
)
MAX_WORDS = 30  # in a sentence

_KEYWORDS = {"help": "help", "epilog": "help", "description": "setting", "desc": "progress"}
_CALLS = {"say": "progress", "note": "progress", "track": "progress", "phases": "progress", "show": "output", "echo": "output",
          "print": "output", "SettingField": "setting", "FileDoc": "artifact", "Column": "artifact"}  # fmt: skip
_SILENT = {"compile", "execute", "executescript", "executemany", "split", "getLogger", "fullmatch", "search", "match", "sub", "findall",
           "cast", "TypeVar", "NewType"}  # fmt: skip
_FOLDERS = {"release": "report", "judging": "judging", "cli": "output", "formats": "format"}
_REASONS = re.compile("Reasons?$|LEGEND|REASONS$|legends?$")
_QUERY = re.compile("(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN) ")
_PROSE = re.compile(r"[A-Za-z]{2,}[,;:]? +(?:\S+ +)*[A-Za-z]{2,}")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\$?\{[^{}]*\}", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-|#])")
_SCRIPT_TEXT = re.compile(r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.DOTALL)  # fmt: skip
_JINJA_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_JINJA_STATEMENT = re.compile(r"\{%.*?%\}", re.DOTALL)
_HIDDEN = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"""\b(?:alt|aria-label|placeholder|title|content)="([^"]*[A-Za-z][^"]*)\""""
)
_TAG = re.compile(r"<[^<>]*>")


class Message(NamedTuple):
    file: Path
    line: int
    kind: str
    text: str


def messages(paths: Sequence[Path]) -> Iterator[Message]:
    """The messages of files and folders, in order of file and line."""
    found = [path for top in paths for path in ([top] if top.is_file() else sorted(top.rglob("*")))]
    for path in found:
        readers = {
            ".py": python_messages,
            ".js": script_messages,
            ".html": template_messages,
            ".j2": template_messages,
        }
        if path.suffix in readers and path.is_file():
            yield from sorted(
                dict.fromkeys(readers[path.suffix](path)), key=lambda message: message.line
            )


# ---- Python


def python_messages(path: Path) -> Iterator[Message]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    folder = next((_FOLDERS[part] for part in path.parts if part in _FOLDERS), "text")
    commands = set(_commands(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in commands and ast.get_docstring(node):
            yield Message(path, node.lineno, "help", str(ast.get_docstring(node)))
    for line, kind, text in _strings(tree, folder):
        plain = _without_placeholders(text)
        prose = _WORD if kind in {"help", "error", "setting"} else _PROSE
        if prose.search(plain) and not _QUERY.match(text):
            yield Message(path, line, kind, text)


def _commands(tree: ast.Module) -> Iterator[str]:
    """Functions decorated with, or given to, `app.command()` or `app.callback()`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from (node.name for one in node.decorator_list if _is_command(one))
        elif isinstance(node, ast.Call) and _is_command(node.func):
            yield from (one.id for one in node.args if isinstance(one, ast.Name))


def _is_command(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) in {"command", "callback"}


def _name(node: ast.expr | None) -> str:
    return (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )


def _defined(node: ast.ClassDef | ast.Assign | ast.AnnAssign) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return node.name if isinstance(node, ast.ClassDef) else _name(target)


def _strings(node: ast.AST, kind: str) -> Iterator[tuple[int, str, str]]:
    """(line, kind, text) of all strings below a node but docstrings."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    text = _text(node)
    if text is not None:
        yield getattr(node, "lineno", 0), kind, text
        for inner in _inside(node):
            yield from _strings(inner, kind)
        return
    if isinstance(node, ast.Call):
        name = _name(node.func)
        if name in _SILENT:
            return
        kind = _CALLS.get(name, kind)
        if re.search(r"(Error|Refusal|Failure|Request)$", name):
            kind = "error"
    elif isinstance(node, ast.Raise):
        kind = "error"
    elif isinstance(node, ast.ClassDef | ast.Assign | ast.AnnAssign):
        kind = "reason" if _REASONS.search(_defined(node)) else kind
    elif isinstance(node, ast.keyword):
        kind = _KEYWORDS.get(node.arg or "", kind)
    for child in ast.iter_child_nodes(node):
        yield from _strings(child, kind)


def _text(node: ast.AST) -> str | None:
    """The text of a constant, an f-string or a sum of such, with {placeholders}; else None."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(part) for part in node.values)
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)):
        return None
    parts = (_text(node.left), _text(node.right))
    return None if parts == (None, None) else _part(node.left) + _part(node.right)


def _part(node: ast.expr) -> str:
    text = _text(node)
    value = node.value if isinstance(node, ast.FormattedValue) else node
    return f"{{{ast.unparse(value)}}}" if text is None else text


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions that a text's placeholders stand for."""
    if isinstance(node, ast.JoinedStr):
        yield from (part.value for part in node.values if isinstance(part, ast.FormattedValue))
    elif isinstance(node, ast.BinOp):
        for side in (node.left, node.right):
            yield from [side] if _text(side) is None else _inside(side)


# ---- templates and scripts of pages


def script_messages(path: Path) -> Iterator[Message]:
    text = path.read_text(encoding="utf-8")
    for found in _SCRIPT_TEXT.finditer(text):
        words = next((group for group in found.groups() if group), "")
        if _PROSE.search(_without_placeholders(words)):
            yield Message(path, text.count("\n", 0, found.start()) + 1, "page", words)


def template_messages(path: Path) -> Iterator[Message]:
    text = path.read_text(encoding="utf-8")
    for pattern in (_JINJA_COMMENT, _HIDDEN):
        text = pattern.sub(_newlines, text)
    code = [*_JINJA_STATEMENT.finditer(text), *re.finditer(r"\{\{.*?\}\}", text, re.DOTALL)]
    for found in [one for part in code for one in re.finditer(r'"([^"]*)"', part[0])]:
        if _PROSE.search(found[1]):
            place = text.index(found[0])
            yield Message(path, text.count("\n", 0, place) + 1, "page", found[1])
    text = _JINJA_STATEMENT.sub(_newlines, text)
    for found in _ATTRIBUTE.finditer(text):
        if _PROSE.search(found[1]):
            yield Message(path, text.count("\n", 0, found.start()) + 1, "page", found[1])
    for number, line in enumerate(
        _TAG.sub(lambda tag: "\n" * tag[0].count("\n") or " ", text).split("\n"), 1
    ):
        if _WORD.search(_without_placeholders(line)):
            yield Message(path, number, "page", line)


def _without_placeholders(text: str, instead: str = "") -> str:
    found = 1
    while found:  # from the inner ones to the outer ones
        text, found = _PLACEHOLDER.subn(instead, text)
    return text


def _newlines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


# ---- rules


def faults(text: str) -> list[str]:
    """The rules that a message breaks.

    >>> faults("3 judges are asked about {asked}."), faults("word " * 31)
    (['idiom: asked'], ['a sentence of 31 words'])
    """
    plain = _without_placeholders(text, " X ")
    idiom = sorted({word for word in _WORD.findall(plain.lower()) if word in IDIOM})
    lengths = [len(_WORD.findall(sentence)) for sentence in _SENTENCE_END.split(plain)]
    long = [length for length in lengths if length > MAX_WORDS]
    return [f"idiom: {word}" for word in idiom] + [f"a sentence of {n} words" for n in long]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folders",
        nargs="*",
        type=Path,
        default=[ROOT / "src", ROOT / "pipelines"],
        metavar="FOLDER",
    )
    parser.add_argument(
        "--kind", help="only this kind: help, error, progress, setting, reason, report, ..."
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help=f"only messages with idiom or a sentence over {MAX_WORDS} words",
    )
    args = parser.parse_args()
    wrong = 0
    for message in messages(args.folders):
        broken = faults(message.text)
        if (args.kind and message.kind != args.kind) or (args.check and not broken):
            continue
        wrong += 1
        place = message.file.resolve()
        shown = place.relative_to(ROOT) if place.is_relative_to(ROOT) else place
        text = " ".join(message.text.split())
        print(
            f"{shown}:{message.line}",
            message.kind,
            text,
            *(["; ".join(broken)] if args.check else []),
            sep="\t",
        )
    return int(args.check and wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
