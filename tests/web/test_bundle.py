"""The built page as the package carries it."""

import gzip
import re
from importlib import resources

PAGE = resources.files("polyhead").joinpath("server", "page")


def text(name):
    return PAGE.joinpath(name).read_text(encoding="utf-8")


def assets():
    return {file.name: file.read_bytes() for file in PAGE.joinpath("assets").iterdir()}


def test_script_and_style_weigh_less_than_a_hundred_kilobytes():
    assert sum(len(gzip.compress(content)) for content in assets().values()) < 100_000


def test_the_index_names_every_asset_and_nothing_else():
    named = set(re.findall(r"(?:src|href)=\"\./assets/([^\"]+)\"", text("index.html")))
    assert named == set(assets())


def test_the_single_file_has_one_place_for_a_trace_before_its_script():
    page = text("single.html")
    assert page.count("<!--polyhead-trace-->") == 1
    assert page.index("<!--polyhead-trace-->") < page.index("<script")
    assert not re.search(r"(?:src|href)=\"(?!data:)", page.split("<body>")[0].split("<style>")[0].split("<script")[0])


def test_no_style_is_written_where_a_strict_policy_forbids_it():
    """A content security policy of 'self' drops style attributes that stand in markup."""
    script = next(content for name, content in assets().items() if name.endswith(".js")).decode()
    assert not re.search(r"<[a-z]+[^<>`]* style=\"", script)
