"""Two small transformers, one of them trained on the release: what evaluation says of them.

    pip install 'cloze-gen[hf]' lm-eval
    python benchmarks/real_models.py RUN --runs artifacts/runs --out DIR

RUN is a Holmes-style run. *clean* learns from the run's background text in `--minutes`; *told* is the
same model after `--told-minutes` more on a file of the release, one question a line. Both answer the
set and its blind controls in lm-evaluation-harness. `cloze-gen evaluate` reads their logs, and
`cloze-gen contamination` their log-likelihoods, by the scorer of
docs/how-to/evaluating-models.md. Steps whose files exist are not repeated.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from processes import cloze_gen

ROOT = Path(__file__).parents[1]
TRAINING = ROOT / "training" / "transformer" / "train.py"
PAGE = ROOT / "docs" / "how-to" / "evaluating-models.md"
BASELINES = (
    "focus-model-highest",
    "history-highest",
    "forward-highest",
    "most-frequent",
    "longest",
)
PERMUTATIONS = "19"


def call(*command: str | Path) -> None:
    print(
        "$",
        " ".join(Path(word).name if os.sep in str(word) else str(word) for word in command),
        flush=True,
    )
    subprocess.run(
        [str(word) for word in command], check=True, env=os.environ | {"HF_HUB_OFFLINE": "1"}
    )


def scorer(folder: Path) -> Path:
    """The scorer of the page, as a program."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    [code] = [block for block in blocks if "log_likelihood" in block]
    path = folder / "score.py"
    path.write_text(code, encoding="utf-8")
    return path


def train(args: argparse.Namespace, run: Path, file: Path) -> dict[str, Path]:
    clean, told = args.out / "clean", args.out / "told"
    text = next(run.glob("*-text")) / "sentences.txt"
    if not clean.exists():
        call(sys.executable, TRAINING, text, "--out", clean, "--minutes", args.minutes)
    if not told.exists():
        more = ("--start", clean, "--minutes", args.told_minutes, "--rate", "1e-3")
        call(sys.executable, TRAINING, file, "--out", told, *more)
    return {"clean": clean, "told": told}


def logs_of(args: argparse.Namespace, model: Path, release: Path) -> dict[str, Path]:
    """Task -> log of the model, by lm-evaluation-harness."""
    place, name = args.out / f"{model.name}-logs", args.name
    if not place.exists():
        settings = f"pretrained={model},dtype=float32"
        tasks = f"{name},{name}_blind"
        call(
            *(Path(sys.executable).parent / "lm_eval", "run", "--model", "hf", "--device", "cpu"),
            *("--model_args", settings, "--include_path", release, "--tasks", tasks),
            *("--batch_size", "16", "--log_samples", "--output_path", place),
        )  # fmt: skip
    found = {
        task: newest(place.rglob(f"samples_{task}_*.jsonl"))
        for task in (f"{name}_blind_options", f"{name}_blind_sentence")
    }
    return found | {
        name: newest(
            path for path in place.rglob(f"samples_{name}_*.jsonl") if "_blind_" not in path.name
        )
    }


def newest(paths: Iterable[Path]) -> Path:
    return max(paths, key=lambda path: path.name)


def evaluate(args: argparse.Namespace, logs: Sequence[dict[str, Path]]) -> None:
    only = [word for name in BASELINES for word in ("--only", name)]
    run = ("--out", str(args.runs.parent))
    call(*cloze_gen("evaluate", args.name, *only, *run))
    predictions = args.runs / args.name / "evaluation" / "predictions.jsonl"
    own = [log[args.name] for log in logs]
    call(*cloze_gen("evaluate", args.name, "--items", *map(str, [*own, predictions]), *run))
    for log in logs:
        blind = [
            word
            for task, path in log.items()
            if "_blind_" in task
            for word in ("--blind", str(path))
        ]
        call(*cloze_gen("evaluate", args.name, "--items", str(log[args.name]), *blind, *run))


def contamination(
    args: argparse.Namespace, models: dict[str, Path], release: Path, file: Path
) -> None:
    test = ("contamination", str(release), "--file", file.name)
    requests = args.out / "requests.jsonl"
    if not requests.exists():
        call(*cloze_gen(*test, "--permutations", PERMUTATIONS, "--requests", str(requests)))
    program = scorer(args.out)
    for name, model in models.items():
        answers = args.out / f"{name}-answers.jsonl"
        if not answers.exists():
            call(sys.executable, program, model, requests, answers)
        call(*cloze_gen(*test, "--log", str(answers)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", metavar="RUN")
    parser.add_argument("--runs", type=Path, default=Path("artifacts", "runs"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", default="20")
    parser.add_argument("--told-minutes", default="4")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    run = args.runs / args.name
    release = run / "release"
    file = release / f"{args.name}.lm_format.answers.txt"
    models = train(args, run, file)
    evaluate(args, [logs_of(args, model, release) for model in models.values()])
    contamination(args, models, release, file)


if __name__ == "__main__":
    main()
