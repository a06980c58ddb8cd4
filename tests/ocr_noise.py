"""Text with errors like those of OCR, at a rate of errors a character."""

import random
import re

# What is printed -> what programs read for it; letters that look alike, joined and split ones.
_READ_AS = {
    "rn": "m", "li": "h", "ri": "n", "cl": "d", "vv": "w", "tl": "d", "ll": "U", "fi": "h",
    "a": "o u", "b": "h 6", "c": "e o", "d": "cl", "e": "c o", "f": "t", "g": "q 9", "h": "li b",
    "i": "l j 1", "l": "i 1 !", "m": "rn in", "n": "u ri", "o": "c e 0", "r": "i", "s": "5 a",
    "t": "f l", "u": "n ii", "v": "y r", "w": "vv", "y": "v", "I": "l 1", "T": "'l'", "S": "8 5",
    "B": "8", "O": "0", "H": "II", "M": "lVI", ",": ". '", ".": ", .", "'": "` ^", '"': "'' *'",
    " ": "| . - _ ~",
}  # fmt: skip
_PLACE = re.compile("|".join(map(re.escape, _READ_AS)))


def with_ocr_errors(text, rate, *, seed=0):
    """Some `rate` errors a character, spread evenly over letters, marks and spaces; the same at each
    call. Line ends and most capitals stay.
    """
    rng = random.Random(f"{seed} {rate}")
    parts, end = [], 0
    for at in sorted(rng.sample(range(len(text)), round(rate * len(text)))):
        found = _PLACE.match(text, at)
        if found is None or at < end:
            continue
        read = rng.choice(_READ_AS[found[0]].split(" "))
        if found[0] == " ":
            read = rng.choice(("", f" {read} "))
        parts += [text[end:at], read]
        end = found.end()
    return "".join([*parts, text[end:]])
