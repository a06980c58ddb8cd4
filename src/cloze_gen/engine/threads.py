"""One thread a worker: the last digits of a product depend on the number of threads, and processes
must not compete for cores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from threadpoolctl import threadpool_limits

# Read by a library when it is loaded; `threadpool_limits` knows those loaded already.
_LIMITS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@contextmanager
def one_math_thread() -> Iterator[None]:
    """One thread of BLAS and OpenMP, also in libraries that are first loaded inside."""
    os.environ.update(dict.fromkeys(_LIMITS, "1"))
    with threadpool_limits(limits=1):
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """`one_math_thread`, and one thread of Arrow."""
    cpu, io = pa.cpu_count(), pa.io_thread_count()
    try:
        with keep_to_one_thread():
            yield
    finally:
        pa.set_cpu_count(cpu)
        pa.set_io_thread_count(io)


def keep_to_one_thread() -> threadpool_limits:
    """As `one_thread`, for the rest of this process's life."""
    os.environ.update(dict.fromkeys(_LIMITS, "1"))
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    return threadpool_limits(limits=1)
