"""The toy's own file: one sentence a line, its blank left open."""


def toy_files(run):
    """`NAME.toy.txt`."""
    return {
        f"{run.name}.toy.txt": "".join(
            " ".join(question.blank.filled("___")) + "\n" for question in run.items
        )
    }
