"""Check releases with the programs that other people open them with: lm-evaluation-harness,
`datasets`, `tokenizers` and inspect-ai. Prints a line a check; status 1 if one finds a fault.

    python tests/thirdparty/check_release.py artifacts/runs/holmes-style/release ...

Run it in an environment with the packages of `requirements.txt` beside this file; cloze-gen need not
be in it. Nothing reaches a network, nothing is written into a release, and every program is called
from another folder.

It checks every task and group of `harness/` with lm-evaluation-harness's dummy model, and that no
prompt with examples contains a measured item. It checks the join of prompt and answer with
tokenizers of several families. It loads every config and split with `datasets.load_dataset`. It runs
every task of `inspect_task.py` with a model that always gives the same answer.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import logging
import math
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
JOINED = 50  # documents a task whose joins are checked
SHOTS, SHOT_DOCUMENTS = 3, 100  # examples a prompt, and prompts with examples a task at most
Record = dict[str, Any]


def check_harness(release):
    """Every task and group by its name, and each task's file by its path."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    folder = release / "harness"
    manager = TaskManager(include_path=str(release), include_defaults=False)
    for name in [*manager.all_subtasks, *manager.all_groups]:
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
            name for name in asked if name not in manager.all_tasks and not name.startswith("HERE/")
        }
        if unknown or not asked:
            raise ValueError(
                f"{page.name} names tasks that are none: "
                f"{', '.join(sorted(unknown)) or 'none at all'}"
            )
    yield "what the pages tell to type names tasks that are there"


def _dummy(manager, name):
    return {
        "model": "dummy",
        "tasks": [name],
        "task_manager": manager,
        "limit": DOCUMENTS,
        "bootstrap_iters": 0,
    }


def _few_shot(manager, name, folder):
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


def _records(folder, split):
    """Without controls, which have no examples and repeat the items of the tasks."""
    for path in sorted(folder.glob(f"*.{split}.jsonl")):
        if not re.search(r"_blind_[a-z]+\.", path.name):
            yield from _lines(path)


def _lines(path):
    with open(path, encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _answered(doc):
    """A document as an example shows it: question and right answer."""
    if "continuation" in doc:
        return str(doc["context"] + doc["continuation"])
    answer = doc["choices"][doc["gold"]] if "choices" in doc else doc["answer"]
    return f"{doc['query']} {answer}".strip()


def _measured(found):
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


def check_joins(release):
    """Prompt and answer are encoded as one text, and the score covers the answer's bytes only.

    The model needs one bit for each byte that the scored tokens cover, so `bits_per_byte` is 1
    if, and only if, they cover exactly the answer. Vocabularies are learned from the release.
    """
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    folder = release / "harness"
    texts = [
        text
        for path in sorted(folder.glob("*.jsonl"))
        for one in _lines(path)
        for value in one.values()
        for text in (value if isinstance(value, list) else [value])
        if isinstance(text, str)
    ]
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    names = [
        name
        for name in manager.all_subtasks
        if "bits_per_byte" in manager.task_index[name].yaml_path.read_text(encoding="utf-8")
    ]
    for family, tokenizer in _tokenizers(texts):
        found = simple_evaluate(
            model=_one_bit_a_byte(tokenizer),
            tasks=names,
            task_manager=manager,
            limit=JOINED,
            bootstrap_iters=0,
        )
        measured = {name: found["results"][name]["bits_per_byte,none"] for name in names}
        wrong = [f"{name} {value}" for name, value in measured.items() if abs(value - 1) > 1e-9]
        if wrong or not names:
            raise ValueError(
                f"{family}: bits per byte are not 1 in {', '.join(wrong) or 'no task'}"
            )
        yield f"{family}, {tokenizer.get_vocab_size():,} types: one bit a byte in {', '.join(names)}"


def _tokenizers(texts):
    """Small tokenizers of five families; each keeps the offsets of its tokens."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    alphabet = sorted(set("".join(texts)))
    unknown = {"special_tokens": ["[UNK]"], "show_progress": False}
    families = {
        "byte-level BPE": (
            models.BPE(),
            pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False),
            trainers.BpeTrainer(
                vocab_size=1500,
                initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                show_progress=False,
            ),
        ),
        "WordPiece": (
            models.WordPiece(unk_token="[UNK]"),
            pre_tokenizers.BertPreTokenizer(),
            trainers.WordPieceTrainer(vocab_size=1500, initial_alphabet=alphabet, **unknown),
        ),
        "Unigram with metaspace": (
            models.Unigram(),
            pre_tokenizers.Metaspace(prepend_scheme="first"),
            trainers.UnigramTrainer(
                vocab_size=1000, unk_token="[UNK]", initial_alphabet=alphabet, **unknown
            ),
        ),
        "BPE with words split at spaces": (
            models.BPE(unk_token="[UNK]"),
            pre_tokenizers.WhitespaceSplit(),
            trainers.BpeTrainer(vocab_size=1500, initial_alphabet=alphabet, **unknown),
        ),
        "characters": (
            models.BPE(unk_token="[UNK]"),
            pre_tokenizers.Split("", "isolated"),
            trainers.BpeTrainer(vocab_size=1, initial_alphabet=alphabet, **unknown),
        ),
    }
    for family, (model, split, trainer) in families.items():
        tokenizer = Tokenizer(model)
        tokenizer.pre_tokenizer = split
        tokenizer.train_from_iterator(texts, trainer)
        yield family, tokenizer


def _one_bit_a_byte(tokenizer):
    from lm_eval.api.model import TemplateLM

    class OneBit(TemplateLM):
        """Encodes as the models of the harness do; ln P of a token is -ln 2 times its bytes."""

        tokenizer_name = "own"
        eot_token_id = 0
        backend = "causal"

        def tok_encode(self, string, **_):
            return list(tokenizer.encode(string, add_special_tokens=False).ids)

        def _loglikelihood_tokens(self, requests, **_):
            return [(self._score(*request), False) for request in requests]

        def _score(self, texts, before, scored):
            context, answer = texts
            whole = f"{context}{answer}"
            if re.search(r" {2}", whole[max(0, len(context) - 1) : len(context) + 2]):
                raise ValueError(f"two spaces between prompt and answer: {whole[-200:]!r}")
            if context[-1:].isalnum() and answer[:1].isalnum():
                raise ValueError(f"no space between prompt and answer: {whole[-200:]!r}")
            encoded = tokenizer.encode(whole, add_special_tokens=False)
            own = before if context else []
            if own + scored != encoded.ids:
                raise ValueError(f"prompt and answer are not the tokens of {whole[-200:]!r}")
            # A tokenizer that drops spaces has gaps; a token covers the gap before it.
            start = encoded.offsets[len(own) - 1][1] if own else 0
            end = encoded.offsets[-1][1]
            return -math.log(2) * len(whole[start:end].encode())

        def loglikelihood_rolling(self, requests, disable_tqdm=False):
            raise NotImplementedError

        def generate_until(self, requests, disable_tqdm=False):
            raise NotImplementedError

    return OneBit()


def check_datasets(release):
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


def _kind(feature):
    inner = getattr(feature, "feature", None)
    return (
        f"list: {_kind(inner)}"
        if inner is not None
        else str(getattr(feature, "dtype", type(feature).__name__))
    )


def check_inspect(release):
    """Every task of `inspect_task.py`, with the options as they are and rotated."""
    module = _module(release / "inspect_task.py")
    tasks = [
        make
        for make in vars(module).values()
        if getattr(getattr(make, "__registry_info__", None), "type", "") == "task"
    ]
    chosen: dict[tuple[str, int], Record] = {}
    for rotate in (0, 1):
        makes = [
            make for make in tasks if "rotate" in inspect.signature(make).parameters or not rotate
        ]
        made = [make(**({"rotate": 1} if rotate else {})) for make in makes]
        for log, metrics in _inspect_logs(made) if made else ():
            if not any(metric.params.get("cluster") == "book" for metric in metrics):
                raise ValueError(
                    f"{log.eval.task}: no standard error by book among "
                    f"{', '.join(metric.name for metric in metrics)}"
                )
            for sample in log.samples:
                if sample.metadata.keys() != {"book", "class", "position"}:
                    raise ValueError(f"{log.eval.task}: {sample.id} has {sample.metadata}")
            [sample, *_] = log.samples
            [score] = sample.scores.values()
            if sample.choices:
                right = sample.choices["ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(sample.target)]
                found = score.metadata | {"right": right, "first": sample.choices[0]}
                plain = chosen.setdefault((log.eval.task, sample.id), found)
                # The model always says A, so after one rotation it chooses the last option.
                expected = (0, -rotate % len(sample.choices), plain["right"])
                if (found["position"], found["option"], found["right"]) != expected:
                    raise ValueError(f"{log.eval.task}, rotate={rotate}: {found}, not {expected}")
            how = f", rotate={rotate}" if rotate else ""
            yield f"{log.eval.task}{how}: {', '.join(metric.name for metric in metrics)}"


def _inspect_logs(tasks):
    """The log of each task with a model that always says A, and its metrics."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(*_):
        """With its usage, or the mock model would fetch a tokenizer to count it."""
        said = ModelOutput.from_content("mockllm", "ANSWER: A")
        said.usage = ModelUsage()
        return said

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
            yield log, metrics


def _module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _has(pattern):
    return lambda release: any(release.glob(pattern))


# Name of a check -> the library that it needs, what a release must have for it, and the check.
CHECKS: dict[str, tuple[str, Callable[[Path], bool], Callable[[Path], Iterator[str]]]] = {
    "harness": ("lm_eval", _has("harness/*.yaml"), check_harness),
    "harness/joins": ("tokenizers", _has("harness/*.yaml"), check_joins),
    "datasets": ("datasets", _has("README.md"), check_datasets),
    "inspect": ("inspect_ai", _has("inspect_task.py"), check_inspect),
}


def check(release):
    """Whether no check found fault; says what each found."""
    whole = True
    before = sorted(release.rglob("*"))
    for name, (library, there, look) in CHECKS.items():
        if not there(release):
            print(f"-      {release.parent.name}, {name}: not in the release", flush=True)
            continue
        if importlib.util.find_spec(library) is None:
            print(f"FAULT  {release.parent.name}, {name}: {library} is not installed", flush=True)
            whole = False
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


def main(releases):
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
