// The page itself: what is shown, in which order, and what the check of the receipt came to.

const byId = (id) => document.getElementById(id);
const all = (selector) => Array.from(document.querySelectorAll(selector));

const taskBodies = all("#tasks tbody");
const shownPiles = () => all("#piles-shown button[aria-pressed=true]").map((button) => button.value);

function showTasks() {
  const piles = shownPiles();
  const wanted = byId("wanted").value.trim().toLowerCase();
  let [shown, elsewhere] = [0, 0];
  for (const body of taskBodies) {
    const found = !wanted || body.dataset.words.toLowerCase().includes(wanted);
    const visible = found && piles.includes(body.dataset.pile);
    body.hidden = !visible;
    shown += visible ? 1 : 0;
    elsewhere += found && !visible ? 1 : 0;
  }
  const hidden = elsewhere ? ", " + elsewhere + (wanted ? " more with this text" : "") + " in piles not shown" : "";
  byId("shown").textContent = shown + " of " + taskBodies.length + " tasks" + hidden;
}

function sortTasks(button) {
  const heading = button.closest("th");
  const down = heading.getAttribute("aria-sort") === "ascending";
  const key = button.value;
  for (const other of all("#tasks th[aria-sort]")) {
    other.removeAttribute("aria-sort");
  }
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const compare = key === "name"
    ? (a, b) => a.dataset.name.localeCompare(b.dataset.name, undefined, { numeric: true })
    : (a, b) => Number(a.dataset[key]) - Number(b.dataset[key]);
  const sorted = [...taskBodies].sort((a, b) => (down ? -1 : 1) * compare(a, b) || a.dataset.place - b.dataset.place);
  byId("tasks").append(...sorted);
}

function openTask(body, open) {
  body.querySelector("button.expands").setAttribute("aria-expanded", String(open));
  body.querySelector("tr.detail").hidden = !open;
}

function isOpen(body) {
  return body.querySelector("button.expands").getAttribute("aria-expanded") === "true";
}

function pageFigures() {
  const whole = (text) => Number.parseInt(text, 10);
  return {
    n: whole(document.body.dataset.n),
    k: whole(document.body.dataset.k),
    figures: all("[data-figure]").map((data) => ({
      name: data.dataset.figure,
      value: data.value,
      text: data.textContent.trim(),
    })),
    // The receipt's tasks are in suite order, and so are these; of a selection only some places are there.
    tasks: [...taskBodies]
      .sort((a, b) => a.dataset.place - b.dataset.place)
      .map((body, place) => ({
        place,
        name: body.dataset.name,
        passed: whole(body.dataset.passed),
        wrong: whole(body.dataset.wrong),
        errored: whole(body.dataset.errored),
      })),
  };
}

const VERDICTS = {
  bad: "Do not trust this page: the receipt in it does not hold",
  unable: "Not checked: this browser cannot",
  open: "The receipt is whole; who signed it was not checked",
  good: "The receipt is whole and signed with this key",
};

function showSeal(found, ofThisPage) {
  const states = Object.values(found).map((part) => part.state);
  const overall = ["bad", "unable", "open", "good"].find((state) => states.includes(state));
  const unsupported = found.signature.words.startsWith("this browser has no Ed25519");
  const words = unsupported && overall === "unable" ? "The receipt is whole; this browser has no Ed25519" : VERDICTS[overall];
  for (const [name, part] of Object.entries(found)) {
    byId("check-" + name).dataset.state = part.state;
    byId("check-" + name).querySelector("dd").textContent = part.words;
  }
  const own = overall === "good" && ofThisPage ? ", the one that came with the page" : "";
  for (const place of all("[data-seal]")) {
    place.dataset.seal = overall;
    place.textContent = words + own;
  }
  document.documentElement.dataset.sealed = overall;
}

async function checkAgain() {
  const field = byId("key");
  const key = field.value.trim();
  showSeal(await checkSeal(byId("receipt").textContent, pageFigures(), key), key === field.defaultValue);
}

function saveReceipt() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([byId("receipt").textContent.trim() + "\n"], { type: "application/json" }));
  link.download = "reliability.json";
  link.click();
  URL.revokeObjectURL(link.href);
}

const THEMES = { "": "dark", dark: "light", light: "" };

function nextTheme() {
  const root = document.documentElement;
  const next = THEMES[root.dataset.theme ?? ""];
  if (next) {
    root.dataset.theme = next;
  } else {
    delete root.dataset.theme;
  }
  byId("theme").textContent = "Colours: " + (next || "as the system");
}

for (const button of all("#piles-shown button")) {
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    showTasks();
  });
}
for (const button of all("#tasks th button")) {
  button.addEventListener("click", () => sortTasks(button));
}
for (const body of taskBodies) {
  body.querySelector("button.expands").addEventListener("click", () => openTask(body, !isOpen(body)));
}
byId("wanted").addEventListener("input", showTasks);
byId("open-all").addEventListener("click", () => {
  const visible = taskBodies.filter((body) => !body.hidden);
  const open = visible.some((body) => !isOpen(body));
  visible.forEach((body) => openTask(body, open));
});
byId("theme").addEventListener("click", nextTheme);
showTasks();
if (byId("receipt")) {
  byId("check").addEventListener("submit", (event) => {
    event.preventDefault();
    checkAgain();
  });
  byId("save").addEventListener("click", saveReceipt);
  checkAgain();
}
