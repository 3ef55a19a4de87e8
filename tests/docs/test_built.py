"""What `make docs` builds: both trees without a warning, every link resolved, nothing fetched from a network."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
"""Elements that a browser follows by itself, and the attribute it follows."""
NOT_FETCHED = {"alternate", "next", "prev", "index", "search", "author", "canonical"}
"""Relations of a <link> that a browser only notes."""
_STYLE_ADDRESS = re.compile(r"url\(\s*['\"]?(?!data:)([^'\")]+)|@import\s+['\"]([^'\"]+)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, as `make docs` builds it."""
    out = tmp_path_factory.mktemp("docs")
    for source, target, more in (("en", out, []), ("ko", out / "ko", ["-D", "language=ko"])):
        command = [sys.executable, "-m", "sphinx", "-q", "--nitpicky", "--fail-on-warning", "-c", "docs", *more]
        cache = tmp_path_factory.mktemp("cache")
        done = subprocess.run(
            [*command, "-d", str(cache), f"docs/{source}", str(target)],
            cwd=ROOT,
            env={**os.environ, "PYTHONWARNINGS": ""},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert not done.stderr
    return out


@dataclass
class Page(HTMLParser):
    """What a page refers to."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    styles: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._within = tag
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self.styles += given.get("style", "")
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in FETCHED and FETCHED[tag] in given and given.get("rel") not in NOT_FETCHED:
            self.fetched.append(given[FETCHED[tag]])

    def handle_data(self, data: str) -> None:
        if self._within == "style":
            self.styles += data


def read(path: Path) -> Page:
    """A page, parsed."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_links(root: Path) -> Iterator[str]:
    """Links and fetched files inside `root` that lead to no file, or to a place that the page doesn't have."""
    pages = {path: read(path) for path in root.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links + page.fetched:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            places = pages[target].ids if target in pages else {unquote(parts.fragment)}
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in places):
                yield f"{path.relative_to(root)}: {link}"


def from_elsewhere(root: Path) -> Iterator[str]:
    """What a browser would fetch from a network to show the pages."""
    for path in root.rglob("*.html"):
        page = read(path)
        styled = [first or second for first, second in _STYLE_ADDRESS.findall(page.styles)]
        yield from (f"{path.name}: {address}" for address in page.fetched + styled if _is_remote(address))
    for path in root.rglob("*.css"):
        addresses = (first or second for first, second in _STYLE_ADDRESS.findall(path.read_text(encoding="utf-8")))
        yield from (f"{path.name}: {address}" for address in addresses if _is_remote(address))
    for path in root.rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        yield from (
            f"{path.name}: {found}" for found in re.findall(r"(?:fetch|import)\(\s*['\"](https?://[^'\"]+)", text)
        )


def _is_remote(address: str) -> bool:
    return bool(urlsplit(address).netloc)


@pytest.mark.slow
def test_every_link_inside_resolves(built: Path) -> None:
    assert list(broken_links(built.resolve())) == []


@pytest.mark.slow
def test_no_page_needs_a_network(built: Path) -> None:
    assert list(from_elsewhere(built)) == []


@pytest.mark.slow
def test_every_guide_leads_to_the_same_page_in_the_other_language(built: Path) -> None:
    for source in (ROOT / "docs" / "en").glob("*.md"):
        page = f"{source.stem}.html"
        assert f"ko/{page}" in read(built / page).links
        assert f"../{page}" in read(built / "ko" / page).links


@pytest.mark.slow
def test_the_korean_tree_speaks_korean_and_is_searched_in_it(built: Path) -> None:
    text = (built / "ko" / "data.html").read_text(encoding="utf-8")
    assert '<html class="no-js" lang="ko"' in text
    assert all(words in text for words in ("이 페이지의 내용", "맨 위로", "본문으로 건너뛰기"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree", "word", "page"), [("ko", "번역기", "first-translator"), ("", "patience", "recipe-keys")]
)
def test_what_is_searched_is_found_without_a_server(built: Path, tree: str, word: str, page: str) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no Chromium here")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as playwright:
        shown = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        errors: list[str] = []
        shown.on("pageerror", lambda error: errors.append(str(error)))
        shown.goto(f"{(built / tree / 'search.html').as_uri()}?q={word}")
        shown.wait_for_selector(f"#search-results a[href*='{page}.html']", timeout=30_000)
        assert not errors
