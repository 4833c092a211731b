// Was coordination held fixed? Both rules of docs/format.md, section 8, over the attempts of one task.
import { digest, form, has, isObject, same, without } from "./strict.mjs";

const TIMING = ["ts", "elapsed_s", "started_at", "finished_at"];
const SAMPLED = ["model.output", "model.artifact"];
const CLOSING = [...SAMPLED, "agent.output", "agent.artifact", "attempt.errored"];
const OWN = ["events", "run_id", "attempt_id", "adapter_run_id", "journal_head", "spine_head"];

const projection = (event, ...further) =>
  without(event, ...TIMING, ...(SAMPLED.includes(event.kind) ? ["sample"] : []), ...further);
const errored = (attempt) => attempt.events.at(-1).kind === "attempt.errored";
const members = (attempt) => without(attempt, ...OWN);

function owed(attempt) {
  const events = [...attempt.events];
  while (errored(attempt) && events.length && CLOSING.includes(events.at(-1).kind)) events.pop();
  return events;
}

// The coordination hash of run receipts, by index; null where they diverged.
export const coordination = (rule, attempts) => (rule === "causal" ? causal : identical)(attempts);

function identical(attempts) {
  const events = attempts.map((attempt) => owed(attempt).map((event) => form(projection(event))));
  const first = attempts.findIndex((attempt) => !errored(attempt));
  const most = Math.max(...events.map((forms) => forms.length));
  const model = first >= 0 ? first : events.findIndex((forms) => forms.length === most);
  for (const [number, attempt] of attempts.entries()) {
    const expected = errored(attempt) ? events[model].slice(0, events[number].length) : events[model];
    if (!same(events[number], expected) || !same(members(attempt), members(attempts[model]))) return null;
  }
  const shared = owed(attempts[model]).map((event) => projection(event));
  return digest({ events: shared, ...members(attempts[model]) });
}

function causal(attempts) {
  const acts = attempts.map(actsOf);
  const different = new Map(acts.map((act) => [form(act), act]));
  const whole = new Map(acts.flatMap((act, at) => (errored(attempts[at]) ? [] : [[form(act), act]])));
  for (const [name, mine] of different)
    for (const [other, theirs] of whole) if (name !== other && diverges(mine, theirs)) return null;
  const sums = acts.map((act) => {
    const did = count(act.filter(([heard]) => !heard).map(([, name]) => name));
    return digest([...did].sort(([left], [right]) => (left < right ? -1 : 1)));
  });
  return digest({ rule: "causal", attempts: sums });
}

function count(names) {
  const times = new Map();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
}

// Whether something was done that the other did not do, before anything that it never heard was heard.
function diverges(mine, theirs) {
  const left = count(theirs.map(String));
  for (const act of mine) {
    const times = left.get(String(act)) ?? 0;
    if (times === 0) return !act[0];
    left.set(String(act), times - 1);
  }
  return false;
}

// What the attempt heard and did, in order: [heard, digest].
function actsOf(attempt) {
  const acts = [], answers = [], mind = new Mind();
  if (Object.keys(members(attempt)).length) acts.push([false, digest(["", "", 0, members(attempt)])]);
  for (const event of owed(attempt)) {
    if (event.kind === "attempt.errored") continue;
    if (event.kind === "model.request") { acts.push([false, mind.request(event)]); continue; }
    const answered = event.kind === "model.output";
    const rest = projection(event, "seq", "lane", ...(answered ? ["call"] : []));
    if (!answered || Object.keys(rest).length > 1) acts.push([false, mind.other(event, rest)]);
    if (answered) {
      const [asked, answer] = mind.answer(event);
      if (asked !== null) answers.push([acts.length, asked, answer]);
      acts.push([true, digest(answer)]);
    }
  }
  const said = new Map();
  for (const [, asked, answer] of answers) said.set(asked, (said.get(asked) ?? new Set()).add(form(answer)));
  for (const [position, asked, answer] of answers) // where more was said nobody can tell which caller got which
    if (said.get(asked).size > 1) acts[position] = [true, digest([...answer, attempt.attempt_id])];
  return acts;
}

// What went before in one attempt.
class Mind {
  constructor() {
    this.calls = new Map(); this.tools = new Map();
    this.places = new Map(); this.asked = new Map(); this.drawn = new Map();
  }

  next(counter, name) {
    const number = counter.get(name) ?? 0;
    counter.set(name, number + 1);
    return number;
  }

  request(event) {
    const lane = event.lane ?? "";
    const name = digest(["model.request", lane, projection(event, "seq", "lane", "call")]);
    this.calls.set(form(event.call ?? null), [lane, name, this.next(this.asked, name)]);
    return name;
  }

  // The digest of the request, where it is one of the common lane; the answer's form.
  answer(event) {
    const call = has(event, "call") ? this.calls.get(form(event.call)) : undefined;
    const sample = event.sample;
    if (call === undefined || !isObject(sample)) {
      const own = has(event, "lane") ? event.lane : "";
      return [null, ["answer", [own, this.next(this.drawn, form(own))], null, sample]];
    }
    const [lane, name, times] = call;
    const answer = ["answer", lane === "" ? name : [name, times], sample.status ?? null, sample.said ?? null];
    if (sample.complete !== true) answer.push("incomplete");
    return [lane === "" ? name : null, answer];
  }

  other(event, rest) {
    const kind = event.kind, lane = has(event, "lane") ? event.lane : "";
    const joins = kind === "tool.call" || kind === "tool.result";
    const joined = joins && has(event, "id") ? form([lane, event.id]) : null;
    if (kind === "tool.result" && this.tools.has(joined))
      return digest([kind, lane, this.tools.get(joined), without(rest, "id")]);
    const place = this.next(this.places, form(lane));
    if (kind !== "tool.call" || joined === null) return digest([kind, lane, place, rest]);
    this.tools.set(joined, place);
    return digest([kind, lane, place, without(rest, "id")]);
  }
}
