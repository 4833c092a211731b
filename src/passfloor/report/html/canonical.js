"use strict";

// Strict JSON in (RFC 8259, RFC 7493), RFC 8785 text out. JSON.parse is not strict enough: it takes the last of
// two members of one name, and rounds integers.

const MOST_DEEP = 64;

class JsonFault extends Error {}

function readJson(text) {
  const blank = /[ \t\n\r]*/y;
  const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  const word = /true|false|null/y;
  const words = { true: true, false: false, null: null };
  let at = 0;

  function fault(what) {
    throw new JsonFault(what + " at character " + at);
  }

  function take(pattern) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) {
      fault("not JSON");
    }
    at = pattern.lastIndex;
    return found[0];
  }

  function readString() {
    const start = at;
    at += 1;
    for (let code = text.charCodeAt(at); code !== 34; code = text.charCodeAt(at)) {
      if (!(code >= 32)) {
        fault("a string does not end");
      }
      at += code === 92 ? 2 : 1;
    }
    at += 1;
    let value = "";
    try {
      value = JSON.parse(text.slice(start, at));
    } catch {
      fault("a malformed escape");
    }
    if (/\p{Surrogate}/u.test(value)) {
      fault("half a surrogate pair");
    }
    return value;
  }

  function readNumber() {
    const spelled = take(number);
    const value = Number(spelled);
    if (!Number.isFinite(value) || (/^-?[0-9]+$/.test(spelled) && !Number.isSafeInteger(value))) {
      fault("a number beyond what is exact");
    }
    return value;
  }

  // The items between an opening and a closing bracket.
  function readItems(close, readItem) {
    at += 1;
    take(blank);
    if (text[at] === close) {
      at += 1;
      return;
    }
    for (;;) {
      readItem();
      take(blank);
      const next = text[at];
      at += 1;
      if (next === close) {
        return;
      }
      if (next !== ",") {
        fault("a comma is missing");
      }
      take(blank);
    }
  }

  function readMember(members, depth) {
    if (text[at] !== '"') {
      fault("a name is missing");
    }
    const name = readString();
    if (members.has(name)) {
      fault("a name twice");
    }
    take(blank);
    if (text[at] !== ":") {
      fault("a colon is missing");
    }
    at += 1;
    members.set(name, readValue(depth));
  }

  function readValue(depth) {
    if (depth > MOST_DEEP) {
      fault("nested too deep");
    }
    take(blank);
    const first = text[at];
    if (first === "{") {
      const members = new Map();
      readItems("}", () => readMember(members, depth + 1));
      return members;
    }
    if (first === "[") {
      const items = [];
      readItems("]", () => items.push(readValue(depth + 1)));
      return items;
    }
    if (first === '"') {
      return readString();
    }
    return first === "t" || first === "f" || first === "n" ? words[take(word)] : readNumber();
  }

  const value = readValue(0);
  take(blank);
  if (at !== text.length) {
    fault("something stands behind the value");
  }
  return value;
}

// Strings and numbers are spelled as ECMAScript spells them (RFC 8785 section 3.2.2); names are sorted by UTF-16
// code units, which is how JavaScript compares strings.
function canonicalJson(value) {
  if (Array.isArray(value)) {
    return "[" + value.map(canonicalJson).join(",") + "]";
  }
  if (value instanceof Map) {
    const names = [...value.keys()].sort();
    return "{" + names.map((name) => JSON.stringify(name) + ":" + canonicalJson(value.get(name))).join(",") + "}";
  }
  return JSON.stringify(value);
}
