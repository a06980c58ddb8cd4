"""The packages: all below src/, and three folders beside it. `pyproject.toml` can find packages in
one place or list them, not both.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages("src"),
        "cloze_gen.pipelines",
        "cloze_gen.configs",
        "cloze_gen.corpora",
    ]
)
