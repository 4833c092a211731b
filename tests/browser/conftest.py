"""A real browser without a window, and pages made by the real command. Skipped where there is no browser."""

import functools
import json
import shutil
import sys

import pytest

from passfloor.cli.entry import run

SIZES = [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
ACTIVE = "</script><img src=x onerror=window.owned=1>"
HOSTILE = f"{ACTIVE}<!--<script>window.owned=1</script>]]>\u202e\u2066 & \U0001f600\r\n\ttab"
SCRIPT = {
    "steady": ["yes"] * 5,
    "also-steady": ["yes"] * 6,
    "flaky & <b>": ["yes", "no", "yes", HOSTILE, "yes"],
    f"{ACTIVE} {'x' * 120}": ["no", "yes", "no", "yes\nand more", "no"],
    "same": ["no"] * 5,
    "broken": ["errored", "no", "errored", "no", HOSTILE],
}
AGENT = """\
import hashlib, json, pathlib, sys
said = sys.stdin.read()
words = json.loads(said)
counter = pathlib.Path(__file__).with_name(hashlib.sha256(said.encode()).hexdigest())
calls = counter.stat().st_size if counter.exists() else 0
counter.write_text("." * (calls + 1))
if words[calls] == "errored":
    sys.exit("no memory")
sys.stdout.buffer.write(words[calls].encode())
"""
"""Call i for a task answers what its description lists at i."""


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by its own driver; nothing is downloaded."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no chromium with its chromedriver on PATH")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    opened.set_script_timeout(60)
    yield opened
    opened.quit()


@pytest.fixture(scope="session")
def active():
    """Text that would act if it were markup; one of the ids begins with it."""
    return ACTIVE


class Page:
    """One open page: its elements by CSS selector."""

    def __init__(self, driver):
        self.driver = driver

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def script(self, text, *arguments):
        return self.driver.execute_script(f"return {text}", *arguments)

    def shown_tasks(self):
        """Ids in the order of the page, seen at one moment."""
        shown = "[...document.querySelectorAll('#tasks tbody')].filter((e) => e.checkVisibility())"
        return self.script(f"{shown}.map((e) => e.dataset.name)")

    def click(self, selector):
        element = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def sealed(self):
        """The verdict, once there is one: ``good``, ``open``, ``bad`` or ``unable``."""
        from selenium.webdriver.support.wait import WebDriverWait

        verdict = "document.documentElement.dataset.sealed"
        WebDriverWait(self.driver, 30).until(lambda _: self.script(verdict))
        return self.script(verdict)

    def checks(self):
        self.sealed()
        names = ("content", "figures", "signature")
        return {name: self.one(f"#check-{name}").get_attribute("data-state") for name in names}

    def check_with(self, key):
        """Give another key, and wait for its verdict."""
        self.sealed()
        self.driver.execute_script("delete document.documentElement.dataset.sealed")
        field = self.one("#key")
        field.clear()
        field.send_keys(key)
        self.click("#check button[type=submit]")
        return self.sealed()


@pytest.fixture
def open_page(browser):
    """Opens a file at a width, in a colour scheme."""
    from selenium.webdriver.support.wait import WebDriverWait

    def open_file(path, width=1440, scheme="light"):
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.get(path.as_uri())
        page = Page(browser)
        WebDriverWait(browser, 30).until(lambda _: page.script("document.readyState") == "complete")
        return page

    return open_file


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """A folder with a suite, an agent, and what the real command made of them."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "agent.py").write_text(AGENT)
    wanted = [{"kind": "output_equals", "expected": "yes"}]
    tasks = [
        {"id": name, "description": json.dumps(answers), "assertions": wanted, "tags": [f"tag{i % 2}"]}
        for i, (name, answers) in enumerate(SCRIPT.items())
    ]
    (folder / "suite.json").write_text(json.dumps({"version": "own-v1", "tasks": tasks}))
    agent = ["--agent", f"{sys.executable} agent.py", "--agent-name", ACTIVE, "--concurrency", "1"]
    here = functools.partial(_in, folder)
    assert here("bench", "run", "suite.json", "--reliability", "3", "--attempts", "5", "--quiet", *agent) == 0
    report = functools.partial(here, "bench", "report", "reliability.json", "--suite", "suite.json")
    assert report("--format", "html", "--out", "page.html") == 0
    assert report("--format", "json", "--out", "page.json") == 0
    return folder


@pytest.fixture(scope="session")
def command(bench):
    """Runs the command in that folder, with the identity that signed."""
    return functools.partial(_in, bench)


def _in(folder, *words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PASSFLOOR_HOME", str(folder / "identity"))
        patch.chdir(folder)
        return run(list(words))


@pytest.fixture(scope="session")
def document(bench):
    """What ``--format json`` says."""
    return json.loads((bench / "page.json").read_text())


@pytest.fixture(scope="session")
def signer_key(bench):
    """The 43 characters of the key that signed."""
    from passfloor.signing.public_keys import read_public_key

    (path,) = (bench / "identity" / "keys").glob("*.pub.pem")
    return read_public_key(path.read_bytes(), source="the signer").x


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}-{size[1]}")
def page(request, bench, open_page):
    """The page at each width in each colour scheme."""
    return open_page(bench / "page.html", *request.param)


@pytest.fixture
def desk(bench, open_page):
    """The page on a desktop."""
    return open_page(bench / "page.html")


@pytest.fixture
def functions(bench, browser):
    """The page, for its functions alone: opened again only where another stands there."""
    if browser.current_url != (bench / "page.html").as_uri():
        browser.get((bench / "page.html").as_uri())
    return Page(browser)


@pytest.fixture
def changed(bench, tmp_path, open_page):
    """Opens the page after its text was edited."""

    def edit(old, new, name="page.html"):
        text = (bench / name).read_text()
        assert old in text
        path = tmp_path / "changed.html"
        path.write_text(text.replace(old, new, 1))
        return open_page(path)

    return edit
