"""Bytes do not depend on the number of BLAS threads."""

import os
import subprocess
import sys

import pytest

# A stage whose product is large enough for OpenBLAS to split, as the contexts of a real corpus are.
PROGRAM = """
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from cloze_gen.models.context_vectors import context_vectors
from cloze_gen.pipelines.stage import Pipeline
from cloze_gen.store.artifacts import Store

ROWS, COLUMNS, PAIRS = 8_000, 4_000, 2_000_000


def write(writer, ctx):
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 9, PAIRS).astype(np.float32)
    places = rng.integers(0, ROWS, PAIRS), rng.integers(0, COLUMNS, PAIRS)
    near = sp.csr_matrix((counts, places), shape=(ROWS, COLUMNS))
    np.save(writer.path("units.npy"), context_vectors(near, dimensions=100, seed=1).units)


run = Pipeline(store=Store(Path(sys.argv[1])), workers=1)
run.run([run.stage("product", write)])
"""


@pytest.mark.slow
@pytest.mark.thorough
def test_a_stage_writes_equal_bytes_with_one_thread_or_two(tmp_path):
    written = []
    for threads in ("1", "2"):
        out = tmp_path / threads
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads}
        environment.pop("OMP_NUM_THREADS", None)
        subprocess.run([sys.executable, "-c", PROGRAM, str(out)], env=environment, check=True)
        written += [path.read_bytes() for path in (out / "store").glob("product-*/units.npy")]
    assert len(written) == 2
    assert written[0] == written[1]
