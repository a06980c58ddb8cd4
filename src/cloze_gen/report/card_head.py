"""The head of a dataset card: what `datasets.load_dataset` and the hub read, as YAML between two lines of hyphens.

Source: huggingface/hub-docs, `datasetcard.md` (keys), `repositories-licenses` (licences).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cloze_gen.formats.features import Table, declared
from cloze_gen.formats.licences import SetLicence
from cloze_gen.formats.one_line import one_line
from cloze_gen.formats.yaml_text import yaml_lines
from cloze_gen.records.release_facts import ReleaseFacts

_SIZES = (
    *((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")),
    *((1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M")),
)


def card_head(facts: ReleaseFacts, licence: SetLicence, tables: Sequence[Table], *, task: str) -> str:
    """The head, its two lines of hyphens included, without an end of line behind.

    Args:
        tables: the splits of every config, those of the config ``default`` first; a config stands where its first split does.
        task: as the hub calls it, e.g. ``multiple-choice``.
    """
    other = {"license_name": licence.name, "license_link": licence.url} if licence.hub_id == "other" else {}
    fields: dict[str, Any] = {
        "license": licence.hub_id,
        **{key: value for key, value in other.items() if value},
        "language": ["en"],
        "pretty_name": one_line(f"{facts.name} ({facts.title})"),
        "size_categories": [size_category(sum(table.rows for table in tables))],
        "task_categories": [task],
        "tags": ["cloze", "sentence-completion", facts.style, "cloze-gen"],
        "configs": [_config(config, tables) for config in _configs(tables)],
        "dataset_info": [_info(config, tables) for config in _configs(tables)],
    }
    return "\n".join(["---", *yaml_lines(fields), "---"])


def size_category(rows: int) -> str:
    """As the hub has them.

    >>> size_category(999), size_category(1000), size_category(10**8)
    ('n<1K', '1K<n<10K', '100M<n<1B')
    """
    return next((name for below, name in _SIZES if rows < below), "100M<n<1B")


def _configs(tables: Sequence[Table]) -> list[str]:
    return list(dict.fromkeys(table.config for table in tables))


def _config(config: str, tables: Sequence[Table]) -> dict[str, Any]:
    files = [{"split": table.split, "path": table.file} for table in tables if table.config == config]
    return {"config_name": config, "data_files": files} | ({"default": True} if config == "default" else {})


def _info(config: str, tables: Sequence[Table]) -> dict[str, Any]:
    own = [table for table in tables if table.config == config]
    # Without a number of bytes `datasets` passes over the number of examples, with a warning.
    splits = [{"name": table.split, "num_bytes": table.bytes, "num_examples": table.rows} for table in own]
    return {"config_name": config, "features": declared(own[0].columns), "splits": splits}
