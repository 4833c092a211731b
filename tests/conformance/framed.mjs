// The schema of events, the frame that the harness makes, and recorded calls: docs/format.md, section 3.
import { has, isObject, isText, length, Real } from "./strict.mjs";

const TIMING = ["ts", "elapsed_s", "started_at", "finished_at"];
const FRAMED = ["model.output", "model.artifact"], RECORDED = ["agent.output", "agent.artifact"];
const ERRORS = "exit signal timeout spawn worker provider stream capture journal missing".split(" ");
const TIME = new RegExp("^(\\d{4})-(0[1-9]|1[0-2])-(\\d\\d)[Tt]([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)"
  + "(\\.\\d{1,9})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$");
const ASKED = ["seq", "kind", "call", "lane", "dialect", "method", "path"];
const DIALECTS = { "/chat/completions": "openai_chat", "/responses": "openai_responses", "/messages": "anthropic" };
const MIB = 2 ** 20;

const isInt = (value, least = -Infinity, most = Infinity) =>
  typeof value === "number" && value >= least && value <= most;
const isNumber = (value) => typeof value === "number" || value instanceof Real;
const isExit = (value) => value === null || isInt(value, 0, 255);
const untimed = (event) => Object.keys(event).filter((name) => !TIMING.includes(name));
const within = (names, allowed) => names.every((name) => allowed.includes(name));
const exactly = (names, expected) => names.length === expected.length && within(names, expected);
const texts = (value, names) =>
  isObject(value) && within(Object.keys(value), names) && Object.values(value).every(isText);
const counted = (value) => ["cut", "scrubbed"].every((name) => !has(value, name) || isInt(value[name], 1));

function isTime(value) {
  const found = isText(value) ? TIME.exec(value) : null;
  if (found === null) return false;
  const days = new Date(0);
  days.setUTCFullYear(Number(found[1]), Number(found[2]), 0);
  return Number(found[3]) >= 1 && Number(found[3]) <= days.getUTCDate();
}

export function isBase64(value) {
  return isText(value) && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
    && Buffer.from(value, "base64").toString("base64") === value;
}

// Where an event breaks the schema that holds for every receipt.
export function* eventFaults(events) {
  for (const [position, event] of events.entries()) {
    const whole = isInt(event.seq, position, position) && isText(event.kind) && event.kind !== "";
    const numbers = ["ts", "elapsed_s"].every((name) => !has(event, name) || isNumber(event[name]));
    const times = ["started_at", "finished_at"].every((name) => !has(event, name) || isTime(event[name]));
    if (!whole || !numbers || !times || (FRAMED.includes(event.kind) && !has(event, "sample")))
      yield `.events[${position}]`;
  }
}

// Where a run receipt is not framed as one of its adapter is, or its calls are not whole.
export function* frameFaults(receipt, run, blobs) {
  const events = run.events, kinds = events.map((event) => event.kind);
  if (receipt.subject.adapter.startsWith("import:")) {
    if (!isImported(events, kinds) || Object.keys(run).length !== 5) yield ".events";
    return;
  }
  const byObject = ["mock", "stochastic-mock", "custom"].includes(receipt.subject.adapter);
  const ends = (pair) => exactly(kinds.slice(-3, -1), pair) && kinds.at(-3) === pair[0];
  const recorded = receipt.coordination_rule === "causal" || (!byObject && ends(RECORDED));
  const own = has(run, "adapter_run_id") ? run.adapter_run_id : "";
  if (byObject) {
    if (!isText(own) || length(own) > 200) yield ".adapter_run_id";
    if (kinds.slice(0, -1).includes("attempt.errored")) yield ".events";
  } else {
    if (has(run, "adapter_run_id")) yield ".adapter_run_id";
    for (const what of frame(events, kinds, ends, blobs, recorded)) yield `.events ${what}`;
  }
  if (recorded) for (const what of calls(events)) yield `.events ${what}`;
}

// Whether these are the events of an attempt that another tool's log records, and no others.
function isImported(events, kinds) {
  const sample = kinds[1] === "model.output" ? events[1].sample : null, last = events.at(-1), error = last.error;
  const middle = exactly(kinds.slice(1, -1), sample === null ? [] : ["model.output"]);
  const whole = isText(sample) && sample !== "";
  const slim = isObject(sample) && exactly(Object.keys(sample), ["sha256", "size"]) && isInt(sample.size, 0)
    && isText(sample.sha256) && /^[0-9a-f]{64}$/.test(sample.sha256);
  const names = [["task_hash", "seed"], ...events.slice(1, -1).map(() => ["sample"])];
  let ends = last.kind === "task.completed" && (whole || slim), closing = [];
  if (last.kind === "attempt.errored" && isObject(error) && exactly(Object.keys(error), ["type", "detail"])) {
    ends = (slim ? ["source", "cancelled"] : ["missing"]).includes(error.type) && !whole;
    closing = has(last, "exit_code") ? ["error", "exit_code"] : ["error"];
  }
  const bare = [...names, closing].every((own, at) => exactly(Object.keys(events[at]), ["seq", "kind", ...own]));
  return kinds[0] === "task.started" && isInt(events[0].seed, 0, 0) && middle && ends && bare;
}

function* frame(events, kinds, ends, blobs, recorded) {
  const started = events[0], last = events.at(-1), member = recorded ? "value" : "sample";
  if (kinds[0] !== "task.started" || !isInt(started.seed) || !has(started, "task_hash")) yield "start";
  if (!["task.completed", "attempt.errored"].includes(last.kind) || !ends(recorded ? RECORDED : FRAMED)) {
    yield "end";
    return;
  }
  const ours = recorded ? ["model.artifact"] : FRAMED;
  if (kinds.slice(1, -3).some((kind) => ours.includes(kind) || /^(task|attempt|agent)\./.test(kind)))
    yield "a kind of the frame inside it";
  const output = events.at(-3)[member], files = events.at(-2)[member];
  if (!isOutput(output, recorded)) yield "output";
  if (!isArtifact(files, blobs, recorded)) yield "artifact";
  const bare = events.slice(-3, -1).every((event) => exactly(untimed(event), ["seq", "kind", member]));
  if (last.kind === "attempt.errored") {
    const error = last.error, code = has(last, "exit_code") ? last.exit_code : "";
    const fine = isObject(error) && exactly(Object.keys(error), ["type", "detail"]) && isText(error.detail);
    if (!fine || !ERRORS.includes(error.type) || !bare) yield "error";
    if (!isExit(code) || (isObject(output) && code !== output.exit_code)) yield "exit_code";
    if (!exactly(untimed(last), ["seq", "kind", "error", "exit_code"])) yield "more members";
  } else if (recorded && !bare) yield "more members";
}

function isOutput(value, recorded) {
  const names = ["stdout", "stderr_tail", "exit_code"];
  const notes = ["replaced", "cut", "scrubbed", "retries", "cached"];
  if (!isObject(value) || !names.every((name) => has(value, name))) return false;
  const growth = recorded || has(value, "scrubbed") ? 3 : 1;
  const replaced = has(value, "replaced") ? value.replaced : {}, cached = has(value, "cached") ? value.cached : [""];
  return within(Object.keys(value), [...names, ...notes]) && isText(value.stdout) && isText(value.stderr_tail)
    && length(value.stdout) <= MIB * growth && length(value.stderr_tail) <= 4096 * growth
    && isExit(value.exit_code) && texts(replaced, ["stdout", "stderr"])
    && Object.values(replaced).every((one) => /^[0-9a-f]{64}$/.test(one))
    && (!has(value, "retries") || Array.isArray(value.retries))
    && Array.isArray(cached) && cached.length > 0 && cached.every(isText) && counted(value);
}

function isArtifact(files, blobs, recorded) {
  if (!isObject(files) || Object.keys(files).length > 10_000) return false;
  const growth = Object.values(files).some((file) => recorded || (isObject(file) && has(file, "scrubbed"))) ? 3 : 1;
  return Object.entries(files).every(([path, file]) => isPath(path) && isFile(file, blobs, recorded))
    && Object.values(files).reduce((sum, file) => sum + file.size, 0) <= 8 * MIB * growth;
}

const isPath = (path) => !path.includes("\0") && !path.split("/").some((part) => ["", ".", ".."].includes(part));

function isFile(file, blobs, recorded) {
  if (!isObject(file) || !within(Object.keys(file), ["sha256", "size", "text", "base64", "cut", "scrubbed"]))
    return false;
  let text = file.text;
  if (isObject(text) && exactly(Object.keys(text), ["blob"]) && isText(text.blob)) text = blobs[text.blob] ?? "";
  const kept = has(file, "text") ? isText(text) && !has(file, "base64") : isBase64(file.base64);
  const growth = recorded || has(file, "scrubbed") ? 3 : 1;
  return kept && isInt(file.size, 0, MIB * growth) && isText(file.sha256) && counted(file);
}

function* calls(events) {
  const asked = [], answered = new Set();
  let broke = false;
  for (const event of events) {
    const lane = has(event, "lane") ? event.lane : "", named = untimed(event);
    if (!isText(lane) || length(lane) > 100 || !/^(?:[^\p{C}\p{Z}]| )*$/u.test(lane)) yield "lane";
    if (event.kind === "model.request") {
      if (!isAsked(event, named, asked.length)) yield `request ${asked.length}`;
      asked.push(event);
    } else if (event.kind === "model.output" && has(event, "call")) {
      const fits = exactly(named, ["seq", "kind", "call", "sample"]) && isInt(event.call, 0, asked.length - 1);
      if (!fits || answered.has(event.call) || !isAnswer(event.sample)) { yield "answer"; continue; }
      answered.add(event.call);
      broke ||= !event.sample.complete && event.sample.ended_by !== "client";
    } else if (event.kind === "model.output") {
      if (!exactly(named.filter((name) => name !== "lane"), ["seq", "kind", "sample"])) yield "a declared answer";
    }
  }
  if (asked.some((one, call) => !answered.has(call) && one.method !== "CALL")) yield "a call without answer";
  if (broke && events.at(-1).kind !== "attempt.errored") yield "an answer broke off and the attempt did not";
}

function isAsked(event, named, number) {
  const bodies = named.filter((name) => ["request", "request_text", "request_base64"].includes(name));
  const rest = named.filter((name) => !bodies.includes(name) && name !== "headers");
  if (bodies.length !== 1 || !exactly(rest, ASKED) || !isInt(event.call, number, number)) return false;
  const words = ["dialect", "method", "path", ...bodies.filter((name) => name !== "request")];
  if (!words.every((name) => isText(event[name]))) return false;
  const path = event.path.split("?")[0].replace(/\/+$/, "");
  const spoken = Object.entries(DIALECTS).find(([end]) => path.endsWith(end))?.[1] ?? "other";
  return event.dialect === (event.method === "POST" ? spoken : "other")
    && (!has(event, "headers") || texts(event.headers, ["anthropic-beta", "anthropic-version", "openai-beta"]));
}

function isAnswer(sample) {
  if (!isObject(sample)) return false;
  const bodies = ["text", "base64"].filter((name) => has(sample, name));
  const rest = Object.keys(sample).filter((name) => ![...bodies, "ended_by", "headers", "scrubbed"].includes(name));
  return bodies.length === 1 && exactly(rest, ["status", "said", "complete"])
    && (sample.status === null || isInt(sample.status, 100, 599)) && typeof sample.complete === "boolean"
    && isText(sample[bodies[0]])
    && (!has(sample, "ended_by") || (["client", "upstream"].includes(sample.ended_by) && !sample.complete))
    && (!has(sample, "headers") || texts(sample.headers, ["content-type", "retry-after"])) && counted(sample);
}
