"""Check releases with the programs that strangers open them with: what each says, a line a check;
status 1 where one finds fault.

    python scripts/check_release.py artifacts/runs/holmes-style/release ...

Run it in an environment of its own with `pip install lm-eval datasets mlcroissant`, and
`inspect-ai` where there is time for it; this project need not be in it. Nothing reaches a network,
nothing is written into a release, and every program is called from another folder.

Looked at: every task and group of `harness/` with lm-evaluation-harness's dummy model, and every
    plain task from within that folder; that
no prompt with examples holds an item that is measured; every config and split with
`datasets.load_dataset`; `croissant.json` and its records; `CITATION.cff`; every Parquet file; every
task of `inspect_task.py` with a model that always says the same. What a release does not have is
said and passed over.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DOCUMENTS = 2  # a task is asked about
SHOTS, SHOT_DOCUMENTS = 3, 100  # examples a prompt, and prompts with examples a task at most
Record = dict[str, Any]


def check_harness(release: Path) -> Iterator[str]:
    """Every task and group by its name, and each task's file by its path."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    folder = release / "harness"
    manager = TaskManager(include_path=str(release), include_defaults=False)
    for name in [*manager.all_subtasks, *manager.all_groups]:
        if manager.task_index[name].yaml_path.parent == folder:  # a plain one is asked from within
            yield f"{name}: {_measured(simple_evaluate(**_dummy(manager, name)))}"
            if name in manager.all_subtasks:
                yield f"{name}: {_few_shot(manager, name, folder)}"
    for path in sorted(folder.glob("*.yaml")):
        if path.stem not in manager.all_tasks:
            raise ValueError(f"{path.name} is no task for the harness")
        if path.stem in manager.all_subtasks:
            manager.load([str(path)])
    yield "every task is found by its file's path too"
    for page in (release / "README.md", release / "harness" / "README.md"):
        asked = {
            name
            for names in re.findall(
                r"lm_eval run .*--tasks[= ]'?([^\s']+)", page.read_text(encoding="utf-8")
            )
            for name in names.split(",")
        }
        unknown = {
            name
            for name in asked
            if name not in manager.all_tasks
            and not name.endswith("_plain")
            and not name.startswith("HERE/")
        }
        if unknown or not asked:
            raise ValueError(
                f"{page.name} names tasks that are none: "
                f"{', '.join(sorted(unknown)) or 'none at all'}"
            )
    yield "what the pages tell to type names tasks that are there"


def check_plain_harness(release: Path) -> Iterator[str]:
    """Every task without code, from within the folder."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    before = Path.cwd()
    os.chdir(release / "harness")
    try:
        manager = TaskManager(include_path="plain", include_defaults=False)
        for name in manager.all_subtasks:
            yield f"{name}: {_measured(simple_evaluate(**_dummy(manager, name)))}"
            yield f"{name}: {_few_shot(manager, name, release / 'harness')}"
    finally:
        os.chdir(before)


def _dummy(manager: Any, name: str) -> dict[str, Any]:
    return {
        "model": "dummy",
        "tasks": [name],
        "task_manager": manager,
        "limit": DOCUMENTS,
        "bootstrap_iters": 0,
    }


def _few_shot(manager: Any, name: str, folder: Path) -> str:
    """Prompts with examples hold the text of no item that any task measures; where there are no
    examples there is no such prompt.
    """
    from lm_eval import simple_evaluate

    try:
        found = simple_evaluate(
            **_dummy(manager, name) | {"num_fewshot": SHOTS, "limit": SHOT_DOCUMENTS}
        )
    except AssertionError as error:
        if "no documents available" not in str(error):
            raise
        return "no examples, and prompts with examples are refused"
    measured = [
        _answered(one) for split in ("test", "validation") for one in _records(folder, split)
    ]
    examples = [_answered(one) for split in ("fewshot", "train") for one in _records(folder, split)]
    prompts = [
        (sample["doc"], sample["arguments"][0][0])
        for some in found["samples"].values()
        for sample in some
    ]
    for doc, prompt in prompts:
        shown = prompt.removesuffix(doc.get("context", doc.get("query")))
        if _answered(doc) in shown:
            raise ValueError(f"{name}: {doc['id']} is an example in its own prompt")
        if any(text in shown for text in measured):
            raise ValueError(
                f"{name}: the prompt of {doc['id']} has an item that is measured among its examples"
            )
        if sum(text in shown for text in examples) < SHOTS:
            raise ValueError(f"{name}: the prompt of {doc['id']} has fewer than {SHOTS} examples")
    return f"{len(prompts):,} prompts of {SHOTS} examples, none of them an item that is measured"


def _records(folder: Path, split: str) -> Iterator[Record]:
    for path in sorted(folder.glob(f"*.{split}.jsonl")):
        with open(path, encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _answered(doc: Record) -> str:
    """A document as an example shows it: question and right answer."""
    if "continuation" in doc:
        return str(doc["context"] + doc["continuation"])
    answer = doc["choices"][doc["gold"]] if "choices" in doc else doc["answer"]
    return f"{doc['query']} {answer}".strip()


def _measured(found: dict[str, Any]) -> str:
    """The metrics that the harness measured; nothing measured is a fault."""
    tasks = found["samples"]
    if not tasks or any(not samples or "id" not in samples[0]["doc"] for samples in tasks.values()):
        raise ValueError("no document was asked about, or one has no id")
    names = {
        name.split(",")[0]
        for row in found["results"].values()
        for name in row
        if "," in name and "stderr" not in name
    }
    return ", ".join(sorted(names))


def check_datasets(release: Path) -> Iterator[str]:
    """Every config and split; none may be empty."""
    from datasets import get_dataset_config_names, load_dataset

    for config in get_dataset_config_names(str(release)):
        for split, rows in load_dataset(str(release), config).items():
            if not len(rows):
                raise ValueError(f"{config}, {split}: no rows")
            features = ", ".join(
                f"{name} {_kind(feature)}" for name, feature in rows.features.items()
            )
            yield f"{config}, {split}: {len(rows):,} rows of {features}"


def _kind(feature: Any) -> str:
    inner = getattr(feature, "feature", None)
    return (
        f"list: {_kind(inner)}"
        if inner is not None
        else str(getattr(feature, "dtype", type(feature).__name__))
    )


def check_croissant(release: Path) -> Iterator[str]:
    """No error, and a first record of each record set."""
    import mlcroissant

    found = mlcroissant.Dataset(jsonld=str(release / "croissant.json"))
    if found.metadata.issues.errors:
        raise ValueError("; ".join(sorted(found.metadata.issues.errors)))
    for records in found.metadata.record_sets:
        first = next(iter(found.records(record_set=records.uuid)))
        yield f"{records.uuid}: {', '.join(sorted(key.split('/')[-1] for key in first))}"
    for warning in sorted(found.metadata.issues.warnings):
        yield f"warning: {' '.join(warning.split())}"


def check_citation(release: Path) -> Iterator[str]:
    import yaml

    found = yaml.safe_load((release / "CITATION.cff").read_text(encoding="utf-8"))
    lacking = {"cff-version", "message", "title", "authors"} - found.keys()
    if lacking:
        raise ValueError(f"lacks {', '.join(sorted(lacking))}")
    yield f"cff {found['cff-version']}, {found['title']}"


def check_parquet(release: Path) -> Iterator[str]:
    import pyarrow.parquet

    for path in sorted(release.rglob("*.parquet")):
        table = pyarrow.parquet.read_table(path)
        yield (
            f"{path.relative_to(release)}: {table.num_rows:,} rows of "
            f"{', '.join(table.column_names)}"
        )


def check_inspect(release: Path) -> Iterator[str]:
    """Every task of `inspect_task.py`, its error by book too, and that `eval.yaml` has the form
    that the hub and inspect-ai ask of one.
    """
    import yaml
    from inspect_ai import eval as inspect_eval
    from inspect_ai._eval.task.hf import HFTask
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(*_: Any) -> ModelOutput:
        """With its usage, or the mock model would fetch a tokenizer to count it."""
        said = ModelOutput.from_content("mockllm", "ANSWER: A")
        said.usage = ModelUsage()
        return said

    spec = importlib.util.spec_from_file_location("inspect_task", release / "inspect_task.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tasks = [
        make()
        for name, make in vars(module).items()
        if getattr(make, "__module__", "") == "inspect_task"
    ]
    model = get_model("mockllm/model", custom_outputs=answer)
    with tempfile.TemporaryDirectory() as logs:
        for log in inspect_eval(
            tasks, model=model, limit=DOCUMENTS, log_dir=logs, display="none", max_tasks=1
        ):
            if log.status != "success" or not log.results or not log.results.completed_samples:
                raise ValueError(
                    f"{log.eval.task}: {log.status}, "
                    f"{log.error.message if log.error else 'no sample was asked'}"
                )
            metrics = [metric for score in log.results.scores for metric in score.metrics.values()]
            if not any(metric.params.get("cluster") == "book" for metric in metrics):
                raise ValueError(
                    f"{log.eval.task}: no standard error by book among "
                    f"{', '.join(metric.name for metric in metrics)}"
                )
            yield f"{log.eval.task}: {', '.join(metric.name for metric in metrics)}"
    if (release / "eval.yaml").is_file():
        found = yaml.safe_load((release / "eval.yaml").read_text(encoding="utf-8"))
        lacking = {"name", "description", "evaluation_framework", "tasks"} - {
            key for key, value in found.items() if value
        }
        if lacking:
            raise ValueError(f"eval.yaml lacks {', '.join(sorted(lacking))}")
        for task in found["tasks"]:
            yield f"eval.yaml, {HFTask.model_validate(task).id}: {task['config']}, {task['split']}"


def check_decontamination(release: Path) -> Iterator[str]:
    """The files for trainers remove the items, and nothing else, with lm-eval's janitor, datatrove
    and Dolma. A release of pointers has hashes only, which only datatrove reads.
    """
    folder = release / "decontamination"
    hashes = next(folder.glob("*.index.hashes"))
    texts = [
        json.loads(line)["text"]
        for path in folder.glob("items.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    prose = " ".join(f"word{number}" for number in range(100))
    documents = [prose, *(f"{prose}\n{text}\n{prose}" for text in texts)]
    programs: list[tuple[str, Callable[[], list[bool]]]] = [
        ("lm_eval", lambda: _found_by_janitor(texts, documents)),
        ("datatrove", lambda: _found_by_datatrove(hashes.parent, documents)),
        ("dolma", lambda: _found_by_dolma(folder / "items.jsonl", documents)),
    ]
    for library, found_by in programs:
        if library != "datatrove" and not texts:
            yield f"{library}: skipped, a release of pointers has no text"
        elif importlib.util.find_spec(library) is None:
            yield f"{library}: skipped, it is not installed"
        else:
            clean, *found = found_by()
            if clean:
                raise ValueError(f"{library} removes a document without an item")
            missed = [text for text, there in zip(texts, found, strict=True) if not there]
            if long := [text for text in missed if _longest_run(text) >= 13]:
                raise ValueError(f"{library} does not find {long[0]!r}")
            size = f"{hashes.stat().st_size // 8:,} hashes"
            yield (
                f"{library}: finds {len(texts) - len(missed):,} of {len(texts):,} items"
                if texts
                else f"{library}: reads {size}, and removes no document without an item"
            )


def _longest_run(text: str) -> int:
    """Words in a row, without a mark between spaces: the janitor finds no n-gram across one."""
    runs = re.split(r"\n|(?<!\S)\W+(?!\S)", text)
    return max(len(run.split()) for run in runs)


def _found_by_janitor(texts: list[str], documents: list[str]) -> list[bool]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        from lm_eval.decontamination.janitor import Janitor

        janitor = Janitor()
        for text in texts:
            janitor.register_contaminant(text)
        return [janitor.clean(document) != [document] for document in documents]


def _found_by_datatrove(folder: Path, documents: list[str]) -> list[bool]:
    from datatrove.data import Document
    from datatrove.pipeline.decont import NGramsDecontConfig, NGramsDecontFilter
    from datatrove.utils.hashing import HashConfig

    config = NGramsDecontConfig(n_grams=13, hash_config=HashConfig(hash_fc="sha1"))
    step = NGramsDecontFilter(str(folder), config=config)
    return [step.filter(Document(text=text, id="")) is not True for text in documents]


def _found_by_dolma(items: Path, documents: list[str]) -> list[bool]:
    """Call Dolma's compiled part, which needs none of its many dependencies."""
    spec = importlib.util.find_spec("dolma")
    assert spec
    place = next(
        path
        for folder in spec.submodule_search_locations or ()
        for path in Path(folder).glob("dolma.*.so")
    )
    own = importlib.util.spec_from_file_location("dolma.dolma", place)
    assert own
    assert own.loader
    dolma = importlib.util.module_from_spec(own)
    own.loader.exec_module(dolma)
    with tempfile.TemporaryDirectory() as work:
        lines = [json.dumps({"id": "", "text": text.replace("\n", " ")}) for text in documents]
        for side, text in (("set", items.read_text(encoding="utf-8")), ("train", "\n".join(lines))):
            path = Path(work, side, "documents", "a.jsonl")
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            by_ngram = {"ngram_length": 13, "stride": 1, "overlap_threshold": 0.001}
            bloom = {"file": f"{work}/set.bin", "read_only": side == "train"}
            size = {"size_in_bytes": 0, "estimated_doc_count": 10**6}
            config = {
                "documents": [str(path)],
                "dedupe": {
                    "name": "set",
                    "paragraphs": {"attribute_name": "set", "by_ngram": by_ngram},
                    "document_dir": "documents",
                },
                "bloom_filter": {**bloom, **size, "desired_false_positive_rate": 1e-9},
                "work_dir": {"input": f"{work}/in", "output": f"{work}/out"},
                "compression": {"input": None, "output": None},
                "processes": 1,
                "is_s3_volume": False,
            }
            dolma.deduper_entrypoint(json.dumps(config))
        marked = Path(work, "train", "attributes", "set", "a.jsonl").read_text(encoding="utf-8")
        return [bool(json.loads(line)["attributes"]["set"]) for line in marked.splitlines()]


def _has(pattern: str) -> Callable[[Path], bool]:
    return lambda release: any(release.glob(pattern))


OPTIONAL = ("inspect_ai",)  # a big one
# Name of a check -> the library that it needs, what a release must have for it, and the check.
CHECKS: dict[str, tuple[str, Callable[[Path], bool], Callable[[Path], Iterator[str]]]] = {
    "harness": ("lm_eval", _has("harness/*.yaml"), check_harness),
    "harness/plain": ("lm_eval", _has("harness/plain/*.yaml"), check_plain_harness),
    "datasets": ("datasets", _has("README.md"), check_datasets),
    "croissant": ("mlcroissant", _has("croissant.json"), check_croissant),
    "citation": ("yaml", _has("CITATION.cff"), check_citation),
    "decontamination": (
        "lm_eval",
        _has("decontamination/*.index.hashes"),
        check_decontamination,
    ),
    "parquet": ("pyarrow", _has("**/*.parquet"), check_parquet),
    "inspect": ("inspect_ai", _has("inspect_task.py"), check_inspect),
}


def check(release: Path) -> bool:
    """Whether no check found fault; says what each found."""
    whole = True
    before = sorted(release.rglob("*"))
    for name, (library, there, look) in CHECKS.items():
        if not there(release):
            print(f"-      {release.parent.name}, {name}: not in the release", flush=True)
            continue
        if importlib.util.find_spec(library) is None:
            optional = library in OPTIONAL
            print(
                f"{'-     ' if optional else 'FAULT '} {release.parent.name}, {name}: no "
                f"{library} here to look at it",
                flush=True,
            )
            whole = whole and optional
            continue
        try:
            for found in look(release):
                print(f"ok     {release.parent.name}, {name}: {found}", flush=True)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a stranger's program raises is its finding
            whole = False
            print(
                f"FAULT  {release.parent.name}, {name}: {type(error).__name__}: "
                f"{' '.join(str(error).split())}",
                flush=True,
            )
            traceback.print_exc()
    written = [
        path.relative_to(release).as_posix()
        for path in sorted(release.rglob("*"))
        if path not in before
    ]
    if written:
        print(f"FAULT  {release.parent.name}: the checks wrote {', '.join(written)}", flush=True)
    return whole and not written


def main(releases: list[str]) -> int:
    """Each release in a process of its own, in an empty folder, with caches that are thrown away."""
    if len(releases) == 1 and os.environ.get("CHECK_RELEASE_INSIDE"):
        logging.disable(logging.WARNING)
        return 0 if check(Path(releases[0])) else 1
    status = 0 if releases else 2
    for release in releases:
        with tempfile.TemporaryDirectory() as folder:
            caches = {
                name: f"{folder}/{name.lower()}"
                for name in ("HF_HOME", "HF_DATASETS_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME")
            }
            offline = dict.fromkeys(
                (
                    "HF_HUB_OFFLINE",
                    "HF_DATASETS_OFFLINE",
                    "PYTHONDONTWRITEBYTECODE",
                    "CHECK_RELEASE_INSIDE",
                ),
                "1",
            )
            quiet = {"HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "TQDM_DISABLE": "1"}
            command = [sys.executable, str(Path(__file__).resolve()), str(Path(release).resolve())]
            status = (
                subprocess.run(
                    command,
                    cwd=folder,
                    env={**os.environ, **caches, **offline, **quiet},
                    check=False,
                ).returncode
                or status
            )
    print(json.dumps({"releases": len(releases), "status": status}))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
