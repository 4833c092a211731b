// An independent verifier of reliability receipts for Node >= 20, from docs/format.md, without dependencies.
//
//     node verify.mjs --suite SUITE.json --signer-key X [--at TIME] RECEIPT.json
//     node verify.mjs --folders FOLDER...     one JSON line for each: what its expected.json asks for
//
// It judges what verify.py beside it judges, leaves out what that leaves out, and exits alike.
import { createHash, createPublicKey, verify as checkSignature } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { coordination } from "./coordinated.mjs";
import { eventFaults, frameFaults, isBase64 } from "./framed.mjs";
import { digest, faults, form, has, isObject, isText, length, parse, real, same, sha256, without } from "./strict.mjs";

const REFERENCE = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs", "reference");
const schema = (name) => JSON.parse(readFileSync(join(REFERENCE, "schemas", `${name}.json`), "utf8"));
const RECEIPT = schema("receipt"), SUITE = schema("suite"), NAME = "passfloor/reliability-receipt/v1";
const KINDS = Object.values(SUITE.$defs).flatMap((rule) => rule.properties?.kind?.const ?? []);
const TABLE = readFileSync(join(REFERENCE, "statuses.md"), "utf8");
const ROWS = [...TABLE.matchAll(/^\| ([A-Z_]+) \| (\d) \| `(\w+)` \|/gm)];
const PLAN = ("suite_hash selection n k k_reason coordination_rule identity_fields scheduler_config subject gate "
  + "completion_only graders").split(" ");
const OPENING = "nonce challenge precommit_hash run_seq prev_receipt_hash started_at".split(" ");
const FIELD = /^(?=[A-Za-z_[])(?:(?:^|\.)[A-Za-z_][\w-]*|\[(?:\d+|\*|'[^']*')\])+(?:=|$)/;
const SWITCHES = ["--use-embedded-suite", "--allow-unrecorded", "--allow-attested"];
const KNOWN = [...SWITCHES, "--suite", "--signer-key", "--at", "--max-bytes"];

const pick = (value, names) => Object.fromEntries(names.map((name) => [name, value[name]]));
const url64 = (data) => Buffer.from(data).toString("base64url");

function judge(bytes, flags, folder) {
  const most = Number(flags["--max-bytes"] ?? 64 * 2 ** 20);
  let receipt;
  try {
    receipt = parse(bytes, most);
  } catch (refused) {
    if (refused.code === undefined) throw refused;
    return [[refused.code, "$"]];
  }
  const name = isObject(receipt) ? receipt.schema : "";
  if (isText(name) && name !== NAME)
    return [[name.startsWith(NAME.slice(0, -1)) ? "version" : "schema", "$.schema"]];
  for (const odd of [limits, shaped, redaction].map((step) => () => [...step(receipt)])) {
    const found = odd();
    if (found.length) return found;
  }
  if ((receipt.session.stages.length - 1) * Buffer.byteLength(form(planOf(receipt, receipt.n))) > most)
    return [["stages", "$.session.stages"]];
  const [suite, unfit] = measure(receipt, flags, folder);
  const chosen = receipt.selection?.tasks;
  const tasks = (suite?.tasks ?? []).filter((task) => chosen === undefined || chosen.includes(task.id));
  return [...seal(receipt, flags["--signer-key"]), ...unfit, ...plans(receipt), ...evidence(receipt, tasks),
    ...times(receipt, tasks, flags)];
}

// Step 3, as far as it is about too much: 10,000 of anything that is listed.
function* limits(receipt) {
  const lists = [[receipt.session?.stages, "stages"], [receipt.session?.interrupted, "attempts"],
    [receipt.selection?.tasks, "tasks"], [receipt.environment, "stages"], [receipt.identity_fields, "nodes"],
    [receipt.task_results, "tasks"]];
  const results = Array.isArray(receipt.task_results) ? receipt.task_results : [];
  lists.push(...results.map((result) => [result?.attempts, "attempts"]));
  for (const [list, code] of lists) if (Array.isArray(list) && list.length > 10_000) yield [code, "$"];
  if (typeof receipt.n === "number" && receipt.n > 10_000) yield ["attempts", "$.n"];
}

// Steps 2 and 3: types and members; 1 <= k <= n.
function* shaped(receipt) {
  const empty = Array.isArray(receipt.task_results) && receipt.task_results.length === 0;
  for (const path of faults(receipt, RECEIPT, RECEIPT))
    if (!empty || path !== "$.task_results") yield ["type", path]; // else every task is missing: step 8
  for (const name of ["gate", "graders"])
    if (isObject(receipt[name]) && Object.keys(receipt[name]).length > 64) yield ["type", `$.${name}`];
  const run = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(receipt.session?.run ?? "") ?? [];
  const [, ...part] = run;
  if (seconds(`${part.slice(0, 3).join("-")}T${part.slice(3).join(":")}.000Z`) === null) yield ["type", "$.session.run"];
  const { k, n } = receipt;
  if (typeof k === "number" && typeof n === "number" && !(k >= 1 && k <= n)) yield ["type", "$.k"];
}

// Steps 4 to 6: the hash covers all but three members; an Ed25519 key that was named signed it.
function* seal(receipt, keys) {
  const recomputed = digest(without(receipt, "receipt_hash", "signature", "signer_fingerprint"));
  if (receipt.receipt_hash !== recomputed) yield ["receipt_hash", "$.receipt_hash"];
  yield* signer(receipt, receipt, recomputed, keys);
  const original = redacted(receipt);
  if (original !== null) yield* signer(receipt, original, original.receipt_hash, keys);
}

// What a redacted receipt says of its original, null where it was not redacted.
const redacted = (receipt) => receipt.ext?.redacted ?? null;
const removed = (receipt) => redacted(receipt)?.blobs ?? [];

// Steps 2 and 10: what was taken out is listed once, in order, and is gone.
function* redaction(receipt) {
  if (!has(receipt.ext ?? {}, "redacted")) return;
  const said = redacted(receipt);
  const hash = /^[0-9a-f]{64}$/, names = isObject(said) && Array.isArray(said.blobs) ? said.blobs : [];
  const fits = same(Object.keys(Object(said)).sort(), ["blobs", "receipt_hash", "signature", "signer_fingerprint"])
    && names.length > 0 && [said.receipt_hash, ...names].every((name) => isText(name) && hash.test(name))
    && [said.signature, said.signer_fingerprint].every((text) => isText(text) && text !== "");
  if (!fits || names.some((name, at) => at && name <= names[at - 1])) yield ["type", "$.ext.redacted"];
  else for (const name of names) if (has(receipt.blobs, name)) yield ["blob", `$.blobs.${name}`];
}

// Steps 5 and 6, for the receipt or the original it names.
function* signer(receipt, named, payload, keys) {
  const { signature = "", signer_fingerprint: kid = "" } = named;
  if (signature === "" || kid === "") yield ["unsigned", "$.signature"];
  else if (kid.endsWith("-stub")) yield ["stub_not_allowed", "$.signer_fingerprint"];
  else if (["mock", "stochastic-mock"].includes(receipt.subject.adapter)) yield ["synthetic", "$.subject.adapter"];
  else if (!keys.has(kid)) yield ["key_unknown", "$.signer_fingerprint"];
  else {
    const code = signed(signature, kid, keys.get(kid), payload);
    if (code) yield [code, "$.signature"];
  }
}

// A detached JWS with the one header this key has, compared as text.
function signed(signature, kid, key, payload) {
  const dots = signature.indexOf("..");
  const head = signature.slice(0, dots), end = signature.slice(dots + 2);
  const typ = "passfloor-reliability-receipt+jws";
  if (dots < 0 || !["EdDSA", "Ed25519"].some((alg) => head === url64(form({ alg, kid, typ })))) return "header";
  if (!/^[A-Za-z0-9_-]{85}[AQgw]$/.test(end)) return "sig_encoding";
  const good = checkSignature(null, Buffer.from(`${head}.${url64(payload)}`), key, Buffer.from(end, "base64url"));
  return good ? null : "sig_invalid";
}

// Keys by their RFC 7638 thumbprints; each the canonical encoding of a point of order L (RFC 8032).
const rings = new Map();
function keyring(texts) {
  const name = texts.join();
  if (!rings.has(name)) rings.set(name, new Map(texts.map(trusted)));
  return rings.get(name);
}

function trusted(x) {
  const p = 2n ** 255n - 19n, order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const mod = (value) => ((value % p) + p) % p;
  const pow = (base, exponent) => {
    let result = 1n;
    for (const bit of exponent.toString(2)) result = mod(result * result * (bit === "1" ? base : 1n));
    return result;
  };
  const inverse = (value) => pow(mod(value), p - 2n), d = mod(-121665n * inverse(121666n));
  const whole = BigInt(`0x${Buffer.from(x, "base64url").reverse().toString("hex")}`);
  const sign = whole >> 255n, v = whole % 2n ** 255n;
  const square = mod((v * v - 1n) * inverse(d * v * v + 1n));
  let u = pow(square, (p + 3n) / 8n);
  if (mod(u * u) !== square) u = mod(u * pow(2n, (p - 1n) / 4n));
  if (v >= p || mod(u * u) !== square) throw new Error(`${x} is no point of the curve`);
  const add = ([a, b], [e, f]) => {
    const t = mod(d * a * b * e * f);
    return [mod((a * f + b * e) * inverse(1n + t)), mod((b * f + a * e) * inverse(1n - t))];
  };
  const point = [u % 2n === sign ? u : mod(-u), v];
  let total = [0n, 1n];
  for (const bit of order.toString(2)) {
    total = add(total, total);
    if (bit === "1") total = add(total, point);
  }
  if (total[0] !== 0n || total[1] !== 1n || v === 1n) throw new Error(`${x} is not of order L`);
  const jwk = { crv: "Ed25519", kty: "OKP", x };
  return [url64(sha256(form(jwk))), createPublicKey({ key: jwk, format: "jwk" })];
}

// Step 7: the suite that judges, and what does not fit it.
function measure(receipt, flags, folder) {
  const found = [], selection = receipt.selection, wanted = selection ? selection.of : receipt.suite_hash;
  const embedded = receipt.suite ?? null;
  let suite = embedded !== null && readable(embedded) ? embedded : null;
  if (embedded !== null && (suite === null || suiteHash(suite) !== wanted)) found.push(["suite", "$.suite"]);
  if (flags["--suite"] !== undefined) suite = opened(join(folder, flags["--suite"]));
  if (suite === null) return [null, found];
  if (suite.version !== receipt.suite_version) found.push(["suite_version", "$.suite_version"]);
  let tasks = suite.tasks;
  if (selection) {
    tasks = tasks.filter((task) => selection.tasks.includes(task.id));
    if (suiteHash(suite) !== wanted || !same(tasks.map((task) => task.id), selection.tasks))
      found.push(["suite", "$.selection"]);
  }
  if (suiteHash({ version: suite.version, tasks }) !== receipt.suite_hash) found.push(["suite", "$.suite_hash"]);
  const names = Object.keys(receipt.graders).sort();
  const { adapter } = receipt.subject;
  if (adapter.startsWith("import:")) {
    const one = (task) => task.assertions?.length === 1 && task.assertions[0].kind === "imported"
      && task.assertions[0].importer === adapter.slice(7);
    const alike = (task) => same(task.assertions, tasks[0].assertions);
    if (receipt.coordination_rule !== "unrecorded" || receipt.completion_only || !tasks.every(one) || !tasks.every(alike))
      found.push(["type", "$.subject.adapter"]);
  } else if (tasks.some((task) => task.assertions?.some(({ kind }) => kind === "imported")))
    found.push(["type", "$.subject.adapter"]);
  const alone = ["mock", "stochastic-mock", "custom"].includes(receipt.subject.adapter) && !names.length;
  const used = [...new Set(tasks.flatMap((task) => (task.assertions ?? []).map((one) => one.kind)))].sort();
  if (names.some((kind) => !KINDS.includes(kind) || receipt.graders[kind] !== "1")) found.push(["grader", "$.graders"]);
  if (!same(names, receipt.completion_only || alone ? [] : used)) found.push(["plan", "$.graders"]);
  if (!receipt.completion_only && !alone && !tasks.every((task) => task.assertions?.length))
    found.push(["suite", "$.completion_only"]);
  return [suite, found];
}

// A suite as people write it, in JSON: defaults merged, files read.
function opened(path) {
  const suite = parse(readFileSync(path));
  const tasks = suite.tasks.map((task) => ({ ...(suite.defaults ?? {}), ...task }));
  for (const { files = {} } of tasks)
    for (const [name, value] of Object.entries(files))
      if (isObject(value) && has(value, "from")) files[name] = readFileSync(join(dirname(path), value.from));
  return { version: suite.version, tasks };
}

// Whether an embedded suite obeys section 2. (Upper, then lower case stands for case folding here.)
function readable(suite) {
  if (!faults(suite, SUITE, SUITE).next().done) return false;
  const ids = suite.tasks.map((task) => task.id);
  const plain = ids.every((id) => id !== "" && length(id) <= 200 && id === id.normalize("NFC")
    && id === id.trim() && !/\p{C}/u.test(id));
  return plain && new Set(ids.map((id) => id.toUpperCase().toLowerCase())).size === ids.length;
}

function starting(task) {
  const bytes = (value) => (isText(value) || Buffer.isBuffer(value) ? value : Buffer.from(value.base64, "base64"));
  return Object.fromEntries(Object.entries(task.files ?? {}).map(([path, value]) => [path, hex(bytes(value))]));
}

const hex = (data) => sha256(data).toString("hex");
const taskHash = (task) => digest(has(task, "files") ? { ...task, files: starting(task) } : task);
const suiteHash = (suite) => digest({ version: suite.version, task_hashes: suite.tasks.map(taskHash) });
const planOf = (receipt, n) => ({ ...pick(receipt, PLAN), n, schema: "passfloor/plan/v1" });

// Step 9, plan and stages.
function* plans(receipt) {
  const { session, identity_fields: fields } = receipt, stages = session.stages;
  if (session.plan_hash !== digest(planOf(receipt, receipt.n))) yield ["plan", "$.session.plan_hash"];
  for (const [position, stage] of stages.entries()) {
    const after = stage.after_receipt_hash, before = position ? stages[position - 1].n : 0;
    const fits = position ? /^[0-9a-f]{64}$/.test(after ?? "") : after === null && stage.decided_at === session.started_at;
    if (stage.plan_hash !== digest(planOf(receipt, stage.n)) || !fits || stage.n <= before)
      yield ["plan", `$.session.stages[${position}]`];
  }
  if (stages[0].n < receipt.k || stages.at(-1).n !== receipt.n) yield ["plan", "$.session.stages"];
  for (const field of fields)
    if (!FIELD.test(field) || !compiles(field.slice(field.indexOf("=") + 1))) yield ["type", "$.identity_fields"];
}

// Whether a pattern can be read; that of RE2 is taken for ECMAScript's here.
function compiles(pattern) {
  try {
    return new RegExp(pattern) !== null;
  } catch {
    return false;
  }
}

// Steps 8 to 11, 13 and 14: coverage, run receipts, what they have in common, and the figures.
function* evidence(receipt, tasks) {
  const ids = tasks.map((task) => task.id), results = receipt.task_results, rule = receipt.coordination_rule;
  const used = new Set(), held = [], passes = new Map(), unrecorded = rule === "unrecorded";
  const opening = digest(pick(receipt.session, OPENING));
  const stages = [...receipt.session.stages.map((stage) => stage.n), receipt.n].map((n) => [n, digest(planOf(receipt, n))]);
  let last = -1;
  for (const [where, result] of results.entries()) {
    const path = `$.task_results[${where}]`, position = ids.indexOf(result.task_id);
    if (position < 0) { yield ["task", path]; continue; }
    if (position <= last) yield ["order", path];
    last = Math.max(last, position);
    const passed = result.attempts.filter((attempt) => attempt.outcome === "passed").length;
    passes.set(result.task_id, (passes.get(result.task_id) ?? 0) + passed);
    const found = [...taskResult(receipt, result, tasks[position], [opening, stages, position], used)];
    yield* found.map(([code, below]) => [code, path + below]);
    if (!result.attempts.length || found.some(([code]) => ["type", "empty_events"].includes(code))) {
      held.push(null);
      continue;
    }
    const shared = unrecorded ? null : coordination(rule, result.attempts.map((attempt) => attempt.receipt));
    held.push(unrecorded ? null : shared !== null);
    if (result.coordination_hash !== shared) yield ["coordination_hash", path];
    if (result.coordination_identical !== held.at(-1)) yield ["coordination_identical", path];
    if (held.at(-1) === false) yield ["diverged", path];
  }
  for (const id of ids) if (!passes.has(id)) yield ["task_missing", id];
  for (const name of removed(receipt)) if (!used.has(name)) yield ["blob_unused", name];
  for (const [name, value] of Object.entries(receipt.blobs)) {
    if (!used.has(name)) yield ["blob_unused", name];
    if (digest(value) !== name) yield ["blob", name];
  }
  const ok = unrecorded ? null : held.every(Boolean);
  if (receipt.coordination_ok !== ok && (unrecorded || !held.includes(null))) yield ["coordination_ok", "$.coordination_ok"];
  const whole = results.every((result) => result.attempts.length === receipt.n);
  if (whole && results.length && same(results.map((result) => result.task_id), ids)) yield* figures(receipt, passes);
}

// Steps 8 to 11 over one task result.
function* taskResult(receipt, result, task, [opening, stages, position], used) {
  const hashed = taskHash(task), indices = result.attempts.map((attempt) => attempt.index);
  if (result.task_hash !== hashed) yield ["task", ".task_hash"];
  if (indices.some((index, at) => at && index <= indices[at - 1])) yield ["order", ".attempts"];
  const missing = Array.from({ length: receipt.n }, (_, index) => index).some((index) => !indices.includes(index));
  if (indices.length !== receipt.n || missing) yield ["attempt_count", ".attempts"];
  for (const [slot, attempt] of result.attempts.entries()) {
    const path = `.attempts[${slot}]`, { index, receipt: run } = attempt;
    const plan = (stages.find(([n]) => index < n) ?? stages.at(-1))[1];
    const id = hex(["passfloor/attempt/v1", opening, plan, hashed, String(index)].join("\0"));
    if (!/^\d{8}T\d{6}Z-[0-9a-f]{6}\/(0|[1-9]\d*)\/(0|[1-9]\d*)$/.test(run.run_id)) yield ["type", `${path}.receipt.run_id`];
    else if (run.run_id !== `${receipt.session.run}/${position}/${index}`) yield ["attempt_identity", `${path}.receipt.run_id`];
    if (attempt.attempt_id !== id || run.attempt_id !== id) yield ["attempt_identity", `${path}.attempt_id`];
    if (attempt.task_id !== task.id || attempt.task_hash !== hashed) yield ["task", path];
    for (const [code, below] of runReceipt(receipt, attempt, task, hashed, used)) yield [code, path + below];
  }
}

// Steps 10 and 11 for one attempt; `used` gathers the blobs that are referred to.
function* runReceipt(receipt, attempt, task, hashed, used) {
  const run = attempt.receipt, { blobs } = receipt, { events } = run;
  if (attempt.receipt_hash !== digest(run)) yield ["attempt_hash", ""];
  if (Object.keys(run).length > 5 + 64 + has(run, "adapter_run_id")) yield ["type", ""];
  if (!events.length) { yield ["empty_events", ".events"]; return; }
  let odd = [...eventFaults(events)];
  if (!odd.length) odd = [...frameFaults(receipt, run, blobs)];
  if (odd.length) { yield* odd.map((path) => ["type", path]); return; }
  if (run.journal_head !== chain("passfloor/journal/v1", run.attempt_id, events.map(form))) yield ["chain", ".journal_head"];
  const files = events.map(captured).findLast((held) => held !== null) ?? {};
  const named = Object.entries(files).filter(([, file]) => hashes(file)).map(([path, file]) => [path, file.sha256]);
  const out = Object.assign(Object.create(null), Object.fromEntries(named));
  if (run.spine_head !== chain("passfloor/spine/v1", hashed, [form(starting(task)), form(out)])) yield ["chain", ".spine_head"];
  if (events[0].kind === "task.started" && (events[0].task_hash ?? hashed) !== hashed) yield ["task", ".events[0]"];
  for (const event of events) {
    for (const slot of slots(event)) {
      if (!isObject(slot) || Object.keys(slot).length !== 1 || !isText(slot.blob)) continue;
      used.add(slot.blob);
      if (!has(blobs, slot.blob) && !removed(receipt).includes(slot.blob)) yield ["blob", `.events[${event.seq}]`];
    }
    for (const file of Object.values(captured(event) ?? {}).filter(hashes)) {
      const kept = heldBytes(file, blobs);
      if (kept !== null && (hex(kept) !== file.sha256 || kept.length !== file.size)) yield ["chain", `.events[${event.seq}]`];
    }
  }
}

// The files an event holds by path, null where it is not of that kind.
function captured(event) {
  const files = { "model.artifact": event.sample, "agent.artifact": event.value }[event.kind];
  return isObject(files) ? files : null;
}

const hashes = (file) => isObject(file) && isText(file.sha256);

// The content an entry keeps, null where it keeps none.
function heldBytes(file, blobs) {
  let text = file.text;
  if (isObject(text) && Object.keys(text).length === 1 && isText(text.blob)) text = blobs[text.blob];
  if (isText(text)) return Buffer.from(text);
  if (!has(file, "base64")) return null;
  return isText(file.base64) && /^(?:.{4})*$/.test(file.base64) && /^[A-Za-z0-9+/]*={0,2}$/.test(file.base64)
    ? Buffer.from(file.base64, "base64") : Buffer.alloc(0);
}

// The values that can stand as blobs.
function slots(event) {
  const texts = Object.values(captured(event) ?? {}).filter((file) => isObject(file) && has(file, "text"));
  const request = event.kind === "model.request" && isObject(event.request) ? event.request : {};
  const whole = ["tools", "system"].filter((name) => has(request, name)).map((name) => request[name]);
  const items = ["messages", "input"].flatMap((name) => (Array.isArray(request[name]) ? request[name] : []));
  return [...texts.map((file) => file.text), ...whole, ...items];
}

// The head of a chain of hashes.
function chain(domain, start, items) {
  return items.reduce((head, item) => sha256(Buffer.concat([head, sha256(item)])), sha256(`${domain}\0${start}`)).toString("hex");
}

// Step 14: counts, and both figures as the doubles nearest to exact fractions.
function* figures(receipt, passes) {
  const { n, k, counts } = receipt, each = [...passes.values()];
  const outcomes = receipt.task_results.flatMap((result) => result.attempts.map((attempt) => attempt.outcome));
  const made = (name) => outcomes.filter((outcome) => outcome === name).length;
  const derived = { tasks: each.length, attempts: n * each.length, passed: made("passed"), wrong: made("wrong"),
    errored: made("errored"), tasks_any: each.filter((c) => c > 0).length, tasks_all: each.filter((c) => c === n).length };
  if (!same(counts, derived)) yield ["counts", "$.counts"];
  const all = choose(n, k), sum = (values) => values.reduce((total, value) => total + value, 0n);
  const exact = { pass_at_1: sum(each.map((c) => all - choose(n - c, k))), pass_caret_k: sum(each.map((c) => choose(c, k))) };
  for (const [name, over] of Object.entries(exact))
    if (real(receipt[name]) !== nearest(over, all * BigInt(each.length))) yield [name, `$.${name}`];
}

function choose(n, k) {
  let product = 1n;
  if (k > n) return 0n;
  for (let i = 0; i < k; i += 1) product = (product * BigInt(n - i)) / BigInt(i + 1);
  return product;
}

// The double nearest to a fraction from 0 to 1: 80 bits and more of the quotient, the last one sticky.
function nearest(over, under) {
  if (over === 0n) return 0;
  const shift = BigInt(80 + under.toString(2).length - over.toString(2).length);
  const scaled = over << shift, quotient = scaled / under;
  return Number(quotient | (scaled % under === 0n ? 0n : 1n)) / 2 ** Number(shift);
}

// Steps 15 and 16: time went on; interruptions and stages fit; coordination was recorded.
function* times(receipt, tasks, flags) {
  const { session, n } = receipt;
  const texts = [session.started_at, ...session.stages.map((stage) => stage.decided_at), session.ended_at];
  const clock = [...texts.map(seconds), real(receipt.emitted_at), flags["--at"] + 300];
  if (clock.includes(null) || clock.some((moment, at) => at && moment < clock[at - 1])) yield ["clock", "$.session"];
  const names = session.interrupted.map((entry) => form([entry.task_id, entry.index]));
  const fit = session.interrupted.every((entry) => tasks.some((task) => task.id === entry.task_id) && entry.index < n);
  if (new Set(names).size < names.length || !fit) yield ["type", "$.session.interrupted"];
  if (receipt.environment.length !== session.stages.length) yield ["type", "$.environment"];
  if (receipt.coordination_rule === "unrecorded" && flags["--allow-unrecorded"] === undefined)
    yield ["coordination_unrecorded", "$.coordination_rule"];
}

// Seconds since the epoch of an RFC 3339 time in UTC, null where no such time exists.
function seconds(text) {
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text) ? new Date(text) : new Date(NaN);
  const exists = !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 19) === text.slice(0, 19);
  return exists ? moment.getTime() / 1000 : null;
}

// Flags by name; null where one is not known here.
function readFlags(words) {
  const flags = { "--at": Date.now() / 1000 }, keys = [], left = [...words];
  while (left.length) {
    const name = left.shift();
    if (!KNOWN.includes(name)) return null;
    const value = SWITCHES.includes(name) ? "" : left.shift();
    if (name === "--signer-key") keys.push(value);
    flags[name] = name === "--at" ? seconds(value) : value;
  }
  const ready = keys.length && (has(flags, "--suite") || has(flags, "--use-embedded-suite"));
  return ready ? { ...flags, "--signer-key": keyring(keys) } : null;
}

// Status and exit: the first row of the table that any finding has.
function verdict(found) {
  const row = ROWS.find(([, , , code]) => found.some(([one]) => one === code));
  return row ? [row[1], Number(row[2])] : ["MATCH", 0];
}

function main(words) {
  if (words[0] === "--folders") {
    for (const folder of words.slice(1)) {
      const flags = readFlags(JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")).flags);
      const found = flags ? judge(readFileSync(join(folder, "receipt.json")), flags, folder) : [];
      const [status, exit] = flags ? verdict(found) : ["UNJUDGED", 5];
      console.log(JSON.stringify({ case: basename(folder), status, exit, found }));
    }
    return 0;
  }
  const flags = readFlags(words.slice(0, -1));
  if (flags === null) {
    console.log("UNJUDGED: name --suite and --signer-key; the stub and check statements are not judged here");
    return 5;
  }
  const found = judge(readFileSync(words.at(-1)), flags, "");
  const [status, exit] = verdict(found);
  console.log([status, ...found.map(([code, path]) => `  ${code} ${path}`), "  not judged: verdicts, `said`, symbols"].join("\n"));
  return exit;
}

process.exitCode = main(process.argv.slice(2));
