"""The page in a browser: it fits, its plots stand, its clicks work, and its numbers are those of the JSON."""

from fractions import Fraction

import pytest

from passfloor.report.block import fixed
from passfloor.stats import percent as spelled


def percent(number):
    return spelled(Fraction(number))


def test_nothing_overflows(page):
    assert_fits(page)


@pytest.mark.parametrize("width", [320, 600, 700, 980])
def test_nothing_overflows_between_phone_and_desktop(bench, open_page, width):
    assert_fits(open_page(bench / "page.html", width))


def assert_fits(page):
    """With everything open, nothing is wider than the window, nor reaches past its edge."""
    page.driver.execute_script("document.getElementById('open-all').click()")
    for details in page.all("details"):
        page.driver.execute_script("arguments[0].open = true", details)
    assert page.script("document.documentElement.scrollWidth <= innerWidth")
    assert page.script(PAST_THE_EDGE) == []
    cells = "[...document.querySelectorAll('#tasks th, #tasks tr.task td')]"
    assert (
        page.script(f"{cells}.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML)") == []
    )


PAST_THE_EDGE = """[...document.querySelectorAll('main *, header *')]
  .filter((e) => !e.closest('svg, .scrolls'))
  .filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((e) => e.outerHTML)"""


def test_the_plot_that_fits_is_shown_with_both_curves_and_readable_words(page, document):
    plots = [plot for plot in page.all("svg.curve") if plot.is_displayed()]
    assert len(plots) == 1
    (plot,) = plots
    for selector in ("polyline.ceiling", "polyline.floor", "polygon.band", "line.at"):
        assert len(plot.find_elements("css selector", selector)) == 1
    assert len(plot.find_elements("css selector", "circle.ceiling")) == 5
    ceiling, floor = (percent(document[name]["fraction"]) for name in ("pass_at_k", "pass_hat_k"))
    wanted = {f"pass@3 {ceiling}%", f"pass^3 {floor}%", "0%", "100%", "1", "5", "k, attempts drawn of n = 5"}
    assert wanted <= {text.text for text in plot.find_elements("css selector", "text")}
    heights = page.script(
        "[...arguments[0].querySelectorAll('text')].map((e) => e.getBoundingClientRect().height)", plot
    )
    assert min(heights) >= 11


def test_the_colours_follow_the_system_and_the_button(page):
    dark = page.script("matchMedia('(prefers-color-scheme: dark)').matches")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    by_system = page.script(ground)
    assert (by_system == "rgb(15, 19, 26)") == dark
    seen = []
    for _ in range(3):
        page.click("#theme")
        seen.append((page.one("#theme").text, page.script(ground)))
    assert seen == [
        ("Colours: dark", "rgb(15, 19, 26)"),
        ("Colours: light", "rgb(245, 246, 248)"),
        ("Colours: as the system", by_system),
    ]


TEXTS = (
    "h1, h2, h3, p, li, dt, dd, td, th, button, label, summary, small, .outcome, .glance, .number, pre, code"
)
CONTRASTS = """((selector) => {
  const numbers = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const linear = (c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r / 255) + .7152 * linear(g / 255) + .0722 * linear(b / 255);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const found = numbers(getComputedStyle(e).backgroundColor);
      if (found.length === 3) return found;
    }
    return [255, 255, 255];
  };
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const texts = [...document.querySelectorAll(selector)].filter((e) => own(e) && e.checkVisibility());
  return texts.map((e) => {
    const [a, b] = [light(numbers(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    return [(a + .05) / (b + .05), e.textContent.trim().slice(0, 40), e.className];
  }).filter(([ratio]) => ratio < 4.5);
})(arguments[0])"""
"""Texts with a contrast below 4.5 (WCAG 2.2 section 1.4.3)."""


def test_all_text_has_the_contrast_of_wcag_aa(page):
    page.sealed()
    page.click("button.pile-always")
    page.click("#open-all")
    assert page.script(CONTRASTS, TEXTS) == []


def test_the_figures_are_those_of_the_json(desk, document):
    for figure in ("pass_hat_k", "pass_at_k", "success_rate", "envelope"):
        data = desk.one(f"[data-figure={figure}]")
        assert data.get_attribute("value") == document[figure]["fraction"]
        assert data.text.rstrip("%") == percent(document[figure]["fraction"])
    for figure in ("pass_hat_k", "pass_at_k"):
        low, high = (document[figure]["interval"][end] for end in ("low", "high"))
        assert desk.one(f"[data-interval={figure}]").text == f"{percent(low)} to {percent(high)}"


def test_the_curve_as_a_table_is_that_of_the_json(desk, document):
    desk.click(".card > details > summary")
    rows = [
        [cell.text for cell in row.find_elements("css selector", "th, td")]
        for row in desk.all("#curve-table tbody tr")
    ]
    wanted = []
    for point in document["curve"]:
        cells = [str(point["k"])]
        for figure in (point["pass_hat_k"], point["pass_at_k"]):
            low, high = figure["interval"]["low"], figure["interval"]["high"]
            cells += [f"{percent(figure['fraction'])}%", f"{percent(low)} to {percent(high)}"]
        wanted.append([*cells, percent(point["envelope"]["fraction"])])
    assert rows == wanted


def test_the_tasks_are_those_of_the_json(desk, document):
    desk.click("button.pile-always")
    bodies = {body.get_attribute("data-name"): body for body in desk.all("#tasks tbody")}
    assert set(bodies) == {task["task_id"] for task in document["tasks"]}
    for task in document["tasks"]:
        row = bodies[task["task_id"]].find_element("css selector", "tr.task")
        rate, ceiling = (Fraction(task[name]["fraction"]) for name in ("pass_at_1", "pass_at_k"))
        assert [cell.text for cell in row.find_elements("css selector", "td")] == [
            f"{task['passed']}/{task['n']}",
            str(task["wrong"]),
            str(task["errored"]),
            fixed(rate),
            fixed(ceiling),
            "yes" if task["all_passed"] else "no",
        ]
        found = bodies[task["task_id"]].find_element("css selector", "[data-task-figure=pass_hat_k]")
        assert found.get_attribute("value") == task["pass_hat_k"]["fraction"]


def test_piles_warnings_consistency_and_what_is_not_established_are_those_of_the_json(desk, document):
    counts = {each.get_attribute("data-pile-count"): int(each.text) for each in desk.all("[data-pile-count]")}
    assert counts == {kind: number for kind, number in document["piles"].items() if number}
    codes = [each.get_attribute("data-warning") for each in desk.all("[data-warning]")]
    assert codes == [warning["code"] for warning in document["warnings"]]
    measures = [each.get_attribute("data-measure") for each in desk.all("[data-measure]")]
    assert measures == [measure["code"] for measure in document["consistency"]]
    assert len(desk.all("#not-established li")) == len(document["source"]["not_established"])


def test_the_flaky_pile_is_open_first_and_what_always_passed_is_folded(page, active):
    first, *others = page.shown_tasks()
    assert first.startswith(active)
    assert others == ["flaky & <b>", "broken", "same"]
    assert page.one("#tasks tbody .contrast").is_displayed()
    assert page.one("#shown").text == "4 of 6 tasks, 2 in piles not shown"


def test_a_pile_is_shown_and_hidden_by_its_button(page):
    page.click("button.pile-always")
    assert {"steady", "also-steady"} <= set(page.shown_tasks())
    page.click("button.pile-flaky")
    page.click("button.pile-never")
    assert page.shown_tasks() == ["steady", "also-steady"]


def test_text_filters_by_id_and_tag(desk):
    desk.one("#wanted").send_keys("BROK")
    assert desk.shown_tasks() == ["broken"]
    desk.one("#wanted").clear()
    desk.one("#wanted").send_keys("steady")
    assert desk.shown_tasks() == []
    assert desk.one("#shown").text == "0 of 6 tasks, 2 more with this text in piles not shown"
    desk.one("#wanted").clear()
    desk.one("#wanted").send_keys("tag0")
    assert desk.shown_tasks() == ["flaky & <b>", "same"]


@pytest.mark.parametrize(
    ("heading", "first", "last"),
    [("name", "same", None), ("wrong", "flaky & <b>", "same"), ("errored", "flaky & <b>", "broken")],
)
def test_a_heading_sorts_and_sorts_the_other_way_round(desk, heading, first, last):
    button = f"#tasks th button[value={heading}]"
    desk.click(button)
    up = desk.shown_tasks()
    desk.click(button)
    down = desk.shown_tasks()
    assert desk.one(f"#tasks th:has(button[value={heading}])").get_attribute("aria-sort") == "descending"
    if last is None:
        assert down == up[::-1]
    else:
        assert (up[-1], down[0]) == (last, last)
        assert first in up[:2]


def test_a_task_opens_down_to_the_text_of_its_attempts_by_keyboard_alone(page):
    body = next(each for each in page.all("#tasks tbody") if each.get_attribute("data-name") == "same")
    assert not body.find_element("css selector", "tr.detail").is_displayed()
    button = body.find_element("css selector", "button.expands")
    button.send_keys("\ue007")
    assert button.get_attribute("aria-expanded") == "true"
    assert not body.find_element("css selector", ".answers pre").is_displayed()
    body.find_element("css selector", ".answers summary").send_keys("\ue007")
    texts = [pre.text for pre in body.find_elements("css selector", ".answers pre")]
    assert texts == ['"yes"', '"no"', "no"]


def test_text_of_others_shows_as_text_and_runs_nothing(page, active):
    page.click("button.pile-always")
    page.click("#open-all")
    for details in page.all(".answers details"):
        page.driver.execute_script("arguments[0].open = true", details)
    assert page.script("window.owned") is None
    assert page.all("img, main script, b b") == []
    text = page.one("body").text
    assert active in text
    assert "]]>\\u202e\\u2066 & \U0001f600\\r" in text
    assert "\u202e" not in text


def test_the_page_asks_the_network_for_nothing(desk):
    desk.sealed()
    assert desk.script("performance.getEntriesByType('resource').length") == 0


def test_on_paper_everything_is_light_and_no_control_is_left(bench, open_page):
    page = open_page(bench / "page.html", 800, "dark")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert page.script("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert not any(each.is_displayed() for each in page.all(".controls, #check, #theme"))
    assert page.script("document.documentElement.scrollWidth <= innerWidth")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_without_scripts_every_task_is_open(bench, open_page, browser):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page = open_page(bench / "page.html")
        assert len(page.shown_tasks()) == 6
        assert all(detail.is_displayed() for detail in page.all("tr.detail"))
        assert page.one(".seal").text == "not checked yet: this needs scripts"
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
