"""Luigi pipelines: one module per dataset style, which defines the style's DAG."""

import configparser
import os
import sys


def _import_luigi() -> None:
    """Import Luigi without its configuration and without libraries that are slow to import.

    Luigi reads `luigi.cfg`, also of the current folder, while it is imported. Set for other work,
    it would change a run, stop it or let it hang. Luigi asks a central scheduler through `requests`,
    if there is one; this process schedules itself.
    """
    for name in ("LUIGI_CONFIG_PARSER", "LUIGI_CONFIG_PATH"):
        os.environ.pop(name, None)
    unused = {"requests", "requests_unixsocket", "tornado"} - sys.modules.keys()
    sys.modules.update(dict.fromkeys(unused))  # type: ignore[arg-type]  # None: not to be imported
    read = configparser.ConfigParser.read
    configparser.ConfigParser.read = lambda *_, **__: []  # type: ignore[method-assign]
    try:
        import luigi  # noqa: F401
    finally:
        configparser.ConfigParser.read = read  # type: ignore[method-assign]
        for name in unused:
            del sys.modules[name]


if "luigi" not in sys.modules:  # otherwise Luigi runs our tasks, or is used beside them
    _import_luigi()
