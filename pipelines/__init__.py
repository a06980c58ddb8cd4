"""Luigi pipelines: one module per dataset style, which defines the style's DAG."""

import sys

# Luigi asks a central scheduler through `requests`, if there is one; this process schedules itself,
# and these libraries take longer to import than Luigi.
_UNUSED = {"requests", "requests_unixsocket", "tornado"} - sys.modules.keys()
sys.modules.update(dict.fromkeys(_UNUSED))  # type: ignore[arg-type]  # None: not to be imported
try:
    import luigi  # noqa: F401
finally:
    for _name in _UNUSED:
        del sys.modules[_name]
