"""How the documentation is built: one configuration for the English tree (en/) and the Korean one (ko/).

    make docs

Nothing on a built page comes from a network: the theme, its fonts and the search are local files.
"""

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # the extensions of our own

project = "polyhead"
html_title = "polyhead"
language = "en"  # the Korean tree is built with -D language=ko

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "cyclopts.ext.sphinx",
    "counterparts",
    "korean_search",
    "public_interface",
    "recipe_keys",
    "source_pages",
]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
default_role = "code"
smartquotes = False  # an option keeps its two hyphens

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
python_maximum_signature_line_length = 60
python_use_unqualified_type_names = True
# Names of other libraries, and of what is not public, have no page here to link to.
nitpick_ignore_regex = [("py:.*", r"(?!polyhead\.).*"), ("py:.*", r"polyhead\.\w+\..*")]

templates_path = ["templates"]
locale_dirs = [str(HERE / "locale")]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["polyhead.css"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_show_search_summary = False  # a page opened from disk may not read other pages

FROM_CODE = ["commands", "python", "recipe-keys"]
"""Pages that are made from the code: a later build makes them anew, whether or not their own text has changed."""


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("env-get-outdated", lambda *_: FROM_CODE)
