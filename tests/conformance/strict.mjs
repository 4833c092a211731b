// Strict I-JSON, RFC 8785 forms, digests, and shapes by JSON Schema (docs/format.md, section 1).
import { createHash } from "node:crypto";

const DEPTH = 64, NODES = 4_000_000;

// A number written with a fraction or an exponent: 1.0 is no integer, though its form is that of 1.
export class Real {
  constructor(value) { this.value = value; }
}

export class Refused extends Error {
  constructor(code) { super(code); this.code = code; }
}

export const real = (value) => (value instanceof Real ? value.value : value);
export const isObject = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Real);
export const isText = (value) => typeof value === "string";
export const has = (value, name) => Object.hasOwn(value, name);
export const without = (value, ...names) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

export function parse(bytes, most = 64 * 2 ** 20) {
  if (bytes.length > most) throw new Refused("size");
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("parse");
  }
  let nodes = 1;
  for (const letter of text.replace(/"(?:[^"\\]|\\.)*"/gs, '"')) if (",[{".includes(letter)) nodes += 1;
  if (nodes > NODES) throw new Refused("nodes");
  return new Reader(text).whole();
}

class Reader {
  constructor(text) { this.text = text; this.at = 0; this.depth = 0; }

  whole() {
    const value = this.value();
    if (this.at < this.text.length) throw new Refused("parse");
    return value;
  }

  // What a sticky pattern matches here; white space behind it is passed over.
  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  blank() { this.take(/[ \t\n\r]*/y); }

  expect(pattern) {
    const found = this.take(pattern);
    if (found === null) throw new Refused("parse");
    this.blank();
    return found;
  }

  value() {
    this.blank();
    const first = this.text[this.at];
    if (first === "{" || first === "[") {
      if (++this.depth > DEPTH) throw new Refused("parse");
      const value = first === "{" ? this.object() : this.array();
      this.depth -= 1;
      return value;
    }
    if (first === '"') return this.string();
    const word = this.take(/(?:true|false|null)(?![\w$])/y);
    if (word !== null) { this.blank(); return JSON.parse(word); }
    const number = this.expect(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y);
    const value = Number(number);
    const written = /[.eE]/.test(number);
    if (!Number.isFinite(value) || (!written && !Number.isSafeInteger(value))) throw new Refused("parse");
    return written ? new Real(value) : value;
  }

  string() {
    const text = JSON.parse(this.expect(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y));
    if (!text.isWellFormed()) throw new Refused("parse");
    return text;
  }

  array() {
    const items = [];
    this.expect(/\[/y);
    if (this.take(/\]/y) === null) {
      do items.push(this.value()); while (this.expect(/[,\]]/y) === ",");
    }
    this.blank();
    return items;
  }

  object() {
    const members = Object.create(null);
    this.expect(/\{/y);
    if (this.take(/\}/y) === null) {
      do {
        const name = this.string();
        this.expect(/:/y);
        if (name in members) throw new Refused("parse");
        members[name] = this.value();
      } while (this.expect(/[,}]/y) === ",");
    }
    this.blank();
    return members;
  }
}

// The RFC 8785 form, as text: ECMAScript's own spelling of numbers and order of names.
export function form(value) {
  if (Array.isArray(value)) return `[${value.map(form).join(",")}]`;
  if (value instanceof Real) return JSON.stringify(value.value);
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${form(value[name])}`).join(",")}}`;
}

export const sha256 = (data) => createHash("sha256").update(data).digest();
export const digest = (value) => sha256(form(value)).toString("hex");
export const same = (left, right) => form(left) === form(right);
export const length = (text) => [...text].length;

function kinds(value) {
  if (value === null) return ["null"];
  if (typeof value === "boolean") return ["boolean"];
  if (value instanceof Real) return ["number"];
  if (typeof value === "number") return ["number", "integer"];
  return [isText(value) ? "string" : Array.isArray(value) ? "array" : "object"];
}

function bounded(value, rule) {
  if (kinds(value).includes("number"))
    return real(value) >= (rule.minimum ?? -Infinity) && real(value) <= (rule.maximum ?? Infinity);
  if (isText(value)) {
    const count = length(value);
    return count >= (rule.minLength ?? 0) && count <= (rule.maxLength ?? Infinity)
      && new RegExp(rule.pattern ?? "", "u").test(value);
  }
  return !Array.isArray(value) || value.length >= (rule.minItems ?? 0);
}

// Where a value is not of the shape that a JSON Schema gives it.
export function* faults(value, given, root, path = "$") {
  const rule = given.$ref ? root.$defs[given.$ref.split("/").at(-1)] : given;
  for (const choice of [rule.anyOf, rule.oneOf])
    if (choice && choice.every((one) => !faults(value, one, root, path).next().done)) yield path;
  if (rule.type && !kinds(value).includes(rule.type)) { yield path; return; }
  if ((has(rule, "const") && value !== rule.const) || (rule.enum && !rule.enum.includes(value))
    || !bounded(value, rule)) yield path;
  if (Array.isArray(value))
    for (const [position, item] of value.entries())
      yield* faults(item, rule.items ?? {}, root, `${path}[${position}]`);
  if (!isObject(value)) return;
  const known = rule.properties ?? {}, others = rule.additionalProperties ?? true;
  for (const name of rule.required ?? []) if (!has(value, name)) yield `${path}.${name}`;
  for (const [name, member] of Object.entries(value)) {
    const inner = has(known, name) ? known[name] : others;
    if (inner === false) yield `${path}.${name}`;
    else if (inner !== true) yield* faults(member, inner, root, `${path}.${name}`);
  }
}
