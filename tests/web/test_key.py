"""The page before a server that wants a key."""

import pytest

SENTENCE = "bado kilu mera"
KEY = "an open secret"


@pytest.fixture
def locked(visit_with, locked_address):
    """A window before the locked server, with settings; refusals are expected, all else is not."""
    visits = []

    def make(**settings):
        visits.append(visit_with(address=locked_address, **settings))
        return visits[-1]

    yield make
    for visit in visits:
        visit.errors[:] = [line for line in visit.errors if "401" not in line]


def enter(visit, key):
    visit.get("key-dialog").locator("input").fill(key)
    visit.page.keyboard.press("Enter")


def test_the_key_is_asked_for_once_and_then_everything_works(locked):
    visit = locked()
    visit.open(q=SENTENCE, to="fr")
    dialog = visit.get("key-dialog")
    dialog.wait_for()
    assert visit.page.evaluate("document.activeElement.type") == "password"
    enter(visit, "a guess")
    dialog.get_by_role("alert").get_by_text("doesn’t take this key").wait_for()
    assert visit.page.evaluate("sessionStorage.length") == 0
    enter(visit, KEY)
    dialog.wait_for(state="hidden")
    visit.get("map").locator("canvas").wait_for()
    assert visit.get("target").inner_text().strip()
    with visit.page.expect_download() as taken:
        visit.page.get_by_role("button", name="JSON", exact=True).click()
    assert taken.value.path().stat().st_size > 200
    assert KEY not in visit.page.url


def test_the_tab_keeps_it_and_no_other(locked):
    visit = locked()
    visit.open()
    enter(visit, KEY)
    visit.page.locator("[data-place=output]").wait_for()
    visit.page.reload()
    visit.page.locator("[data-place=output]").wait_for()
    assert not visit.get("key-dialog").is_visible()
    assert visit.page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    other = visit.page.context.new_page()
    other.goto(visit.page.url)
    other.get_by_test_id("key-dialog").wait_for()


def test_who_has_no_key_is_told_and_can_come_back(locked):
    visit = locked(locale="ko-KR", viewport={"width": 360, "height": 740})
    visit.open(q=SENTENCE, to="fr")
    visit.get("key-dialog").get_by_text("API 키가 필요한 서버입니다").wait_for()
    assert visit.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    visit.page.keyboard.press("Escape")
    note = visit.page.locator("[data-problem=unauthorized]").first
    note.get_by_role("button").click()
    enter(visit, "열쇠")
    visit.get("key-dialog").get_by_role("alert").get_by_text("올바르지 않습니다").wait_for()
    enter(visit, KEY)
    visit.get("map").locator("canvas").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_dialogue(locked, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    visit = locked(color_scheme=scheme)
    visit.open()
    visit.get("key-dialog").wait_for()
    enter(visit, "a guess")
    visit.get("key-dialog").get_by_role("alert").get_by_text("doesn’t take this key").wait_for()
    found = axe.Axe().run(visit.page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
