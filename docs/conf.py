"""Sphinx settings of the site that `make docs` builds; scripts/build_site.py copies the pages and adds the reference."""

project = "cloze-gen"
html_title = "cloze-gen"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # links to headings, as in repositories
html_theme = "furo"  # loads no fonts and no scripts from other hosts
html_copy_source = False
html_show_sphinx = False


def setup(app):
    """Diagrams are shown as text: to draw them, a page would need a script from another host."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("mermaid", TextLexer)
