"""The labeling configuration of Label Studio for each task: what its project shows and asks (labelstud.io/tags: Text, Choices, TextArea).

It holds our words alone. The texts of an item come with its task (`label_studio.tasks_json`), which names everything that stands here
behind a ``$``.
"""

from __future__ import annotations

from collections.abc import Collection
from xml.etree import ElementTree as ET

from cloze_gen.judging.groom import N_PICKED, RejectReason


def label_config(task: str, *, guesses: int = 1, blanks: int = 1) -> str:
    """The configuration as XML.

    Args:
        task: "groom", "guess", "read" or "fill".
        guesses: as many as any item allows; guessing.
        blanks: as many as any passage has; filling.

    >>> print(label_config("guess", guesses=3))
    <View>
      <Text name="instruction" value="$instruction" />
      <Text name="text" value="$text" />
      <Header value="Which word stood in the gap? The likeliest first, at most 3; a dash for no idea." />
      <TextArea name="guesses" toName="text" maxSubmissions="3" required="true" />
    </View>
    """
    view = ET.Element("View")
    for field in ("instruction", "text"):
        ET.SubElement(view, "Text", name=field, value=f"${field}")
    if task == "groom":
        _groom(view)
    elif task == "guess":
        several = f"The likeliest first, at most {guesses}; a" if guesses > 1 else "A"
        _header(view, f"Which word stood in the gap? {several} dash for no idea.")
        _text_area(view, "guesses", guesses, required=True)
    elif task == "read":
        _header(view, "Which word belongs in the gap?")
        _choices(view, "answer", "$options")
        _header(view, "Which others fit as well?")
        _choices(view, "fits_as_well", "$options", many=True)
        _header(view, "Which break the grammar of the sentence?")
        _choices(view, "ungrammatical", "$options", many=True)
        _header(view, "Is the sentence itself broken? Are all the others absurd at first sight?")
        _listed(view, "marks", ("broken", "trivial"), many=True)
    elif task == "fill":
        for n in range(1, blanks + 1):
            _header(view, f"Which sentence stood in gap {n}?")
            _choices(view, f"blank_{n}", "$candidates")
    else:
        raise ValueError(f"no such task: {task}")
    ET.indent(view)
    return ET.tostring(view, encoding="unicode")


def _groom(view: ET.Element) -> None:
    _header(view, "The answer:")
    ET.SubElement(view, "Text", name="word", value="$word")
    ET.SubElement(view, "Text", name="machine", value="$machine")
    _header(view, f"Pick {N_PICKED} that are grammatical in the gap and clearly wrong to whoever thinks.")
    _choices(view, "picked", "$candidates", many=True)
    _header(view, "Or say why the item can not be used:")
    _listed(view, "rejected", list(RejectReason))
    _text_area(view, "note", 1)


def _header(view: ET.Element, text: str) -> None:
    ET.SubElement(view, "Header", value=text)


def _choices(view: ET.Element, name: str, value: str, *, many: bool = False) -> None:
    """A choice among what the task brings."""
    ET.SubElement(view, "Choices", name=name, toName="text", value=value, choice="multiple" if many else "single", showInline="true")


def _listed(view: ET.Element, name: str, values: Collection[str], *, many: bool = False) -> None:
    """A choice among what stands here."""
    choices = ET.SubElement(view, "Choices", name=name, toName="text", choice="multiple" if many else "single", showInline="true")
    for value in values:
        ET.SubElement(choices, "Choice", value=str(value))


def _text_area(view: ET.Element, name: str, most: int, *, required: bool = False) -> None:
    area = ET.SubElement(view, "TextArea", name=name, toName="text", maxSubmissions=str(most))
    if required:
        area.set("required", "true")
