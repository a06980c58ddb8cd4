"""Measure an SCS-style run: syntax check, class mix, frequencies, yield of six books; optionally
tagging speed.

    python benchmarks/scs_real.py --out DIR --run NAME [--tagging FOLDER] [--read 100 --read-to
        FILE] [--docs docs/explanation/scs.md]

Prints Markdown; `--docs` writes it between the two `scs_real` marks of that page. The syntax check
tags every finished sentence with each option in place. An option agrees if it gets the tag that its
form was inflected for, "same form" if it gets any tag that the answer's form can have (`walked`:
VBD or VBN), and in class if the class is the answer's.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.adapters.tagging import Tagger
from cloze_gen.corpus.books import SENTENCES
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.english.penn_tags import CONTENT_CLASSES, coarse_class
from cloze_gen.recipes.scs.inflections import read_inflections
from cloze_gen.rng import derive_rng
from cloze_gen.store.runs import find_run, read_run, stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet

_START, _END = "<!-- scs_real: begin -->", "<!-- scs_real: end -->"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="output folder of the run")
    parser.add_argument("--run", default="scs-style")
    parser.add_argument(
        "--tagging", type=Path, help="a book folder of the store, to measure tagging on"
    )
    parser.add_argument(
        "--read", type=int, default=0, help="questions to write out for a reader, drawn by seed 1"
    )
    parser.add_argument("--read-to", type=Path)
    parser.add_argument("--docs", type=Path)
    options = parser.parse_args()
    run = find_run(options.out, options.run)
    records = list(read_jsonl(stage_artifact(run, "questions").path("questions.jsonl")))
    lines = [f"Run `{options.run}`, {len(records):,} questions.", ""]
    for part in (
        books_lines(records),
        class_lines(records),
        frequency_lines(records, run),
        syntax_lines(records, run),
    ):
        lines += [*part, ""]
    if options.tagging:
        lines += [*tagging_lines(options.tagging), ""]
    text = "\n".join(lines).rstrip() + "\n"
    print(text)
    if options.docs:
        page = options.docs.read_text(encoding="utf-8")
        head, rest = page.split(_START)
        options.docs.write_text(
            f"{head}{_START}\n{text}{_END}{rest.split(_END)[1]}", encoding="utf-8"
        )
    if options.read_to:
        options.read_to.write_text("".join(reader_lines(records, options.read)), encoding="utf-8")


def books_lines(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Questions by book."""
    yield "| book | questions |"
    yield "|---|---:|"
    yield from (
        f"| {book} | {count:,} |"
        for book, count in sorted(Counter(record["book_id"] for record in records).items())
    )


def class_lines(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Classes of the answers; impostors have the same class by construction."""
    classes = Counter(record["answer_class"] for record in records)
    yield (
        "Answers by class (impostors alike): "
        + ", ".join(f"{name} {classes[name] / len(records):.1%}" for name in CONTENT_CLASSES)
        + "."
    )


def frequency_lines(records: Sequence[dict[str, Any]], run: Path) -> Iterator[str]:
    """How often the answer is the most or the least frequent option; ties share the win."""
    table = read_counts(stage_artifact(run, "counts"))
    freq_of = dict(zip(table.words, table.freq.tolist(), strict=True))
    most = least = 0.0
    for record in records:
        freqs = [freq_of[word] for word in record["options"]]
        answer = freqs[record["answer_index"]]
        most += (answer == max(freqs)) / freqs.count(max(freqs))
        least += (answer == min(freqs)) / freqs.count(min(freqs))
    yield (
        f"Most frequent option: {most / len(records):.1%} of the questions; least frequent "
        f"option: {least / len(records):.1%}."
    )


def syntax_lines(records: Sequence[dict[str, Any]], run: Path) -> Iterator[str]:
    """Every finished sentence tagged with each option in place."""
    tagger = load_tagger(read_run(run)["settings"]["tagger"]["name"])
    seen: Counter[str] = Counter()
    same_tag: Counter[str] = Counter()
    same_form: Counter[str] = Counter()
    same_class: Counter[str] = Counter()
    cells = {
        (cell.lemma, cell.tag): cell.cells.split("+")
        for cell in read_inflections(stage_artifact(run, "inflections"))
    }
    for record, option, tag in tagged_options(records, tagger):
        kind = f"{record['answer_class']} {'answer' if option == record['answer'] else 'impostor'}"
        seen[kind] += 1
        same_tag[kind] += tag == record["answer_tag"]
        lemma = record["option_scores"][record["answer_index"]]["lemma"]
        same_form[kind] += tag in cells[lemma, record["answer_tag"]]
        same_class[kind] += coarse_class(tag) == record["answer_class"]
    impostors = [kind for kind in seen if kind.endswith("impostor")]
    total = sum(seen[kind] for kind in impostors)
    yield (
        "Impostors that take the focus word's tag in its sentence: "
        f"{sum(same_tag[kind] for kind in impostors) / total:.2%} of {total:,}; "
        "that tag or another that the focus word's form spells: "
        f"{sum(same_form[kind] for kind in impostors) / total:.2%}; "
        f"its class: {sum(same_class[kind] for kind in impostors) / total:.2%}."
    )
    yield ""
    yield (
        "| class | impostors | same tag | same form | same class | answers tagged again as chosen |"
    )
    yield "|---|---:|---:|---:|---:|---:|"
    for name in CONTENT_CLASSES:
        kind, own = f"{name} impostor", f"{name} answer"
        if seen[kind]:
            shares = (same_tag[kind], same_form[kind], same_class[kind])
            cells_of_row = " | ".join(f"{share / seen[kind]:.2%}" for share in shares)
            yield f"| {name} | {seen[kind]:,} | {cells_of_row} | {same_tag[own] / seen[own]:.2%} |"


def tagged_options(
    records: Sequence[dict[str, Any]], tagger: Tagger
) -> Iterator[tuple[dict[str, Any], str, str]]:
    """(record, option, the option's tag in the sentence)."""
    places = [(record, option) for record in records for option in record["options"]]
    filled = (
        [
            *(tokens := record["source"]["tokens"])[: record["source"]["position"]],
            option,
            *tokens[record["source"]["position"] + 1 :],
        ]
        for record, option in places
    )
    for (record, option), tags in zip(places, tagger.tag(filled), strict=True):
        yield record, option, tags[record["source"]["position"]]


def tagging_lines(folder: Path) -> Iterator[str]:
    """Tokens per CPU second on one book, the share of time outside the network, and peak memory."""
    sentences = [line.split(" ") for line in read_parquet(folder / SENTENCES)["tokens"].to_pylist()]
    tokens = sum(map(len, sentences))
    tagger = load_tagger()
    list(tagger.tag(sentences[:50]))
    started = time.process_time()
    list(tagger.tag(sentences))
    seconds = time.process_time() - started
    profile = cProfile.Profile()
    profile.runcall(lambda: list(tagger.tag(sentences)))
    stats = pstats.Stats(profile)
    network = sum(
        row[3]
        for (file, _, name), row in stats.stats.items()
        if "window_cnn" in file and name in {"predict", "add_types"}
    )  # type: ignore[attr-defined]
    total = stats.total_tt  # type: ignore[attr-defined]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield (
        f"Tagging one book of {tokens:,} tokens: {tokens / seconds:,.0f} tokens per second of "
        f"CPU, {1 - network / total:.0%} of the time "
        "outside the network (splitting, batching, labels); peak memory of the process "
        f"{peak:.2f} GiB."
    )


def reader_lines(records: Sequence[dict[str, Any]], n: int) -> Iterator[str]:
    """n questions for a reader, with the answer marked."""
    order = derive_rng(1, "benchmarks.scs_reading").permutation(len(records))[:n]
    for number, place in enumerate(sorted(order.tolist()), 1):
        record = records[place]
        tokens = [*record["tokens"]]
        tokens[record["position"]] = "_____"
        options = "  ".join(
            f"{word}{'*' if word == record['answer'] else ''}" for word in record["options"]
        )
        yield (
            f"{number}. [{record['id']} {record['answer_tag']}] {' '.join(tokens)}\n    {options}\n"
        )


if __name__ == "__main__":
    main()
