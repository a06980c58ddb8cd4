def question_tasks(name, *, file):
    return {}


def passage_tasks(name, *, files):
    return {}


def blank_tasks(name, *, splits):
    return {}
