// The receipt in this page, judged again by this browser: its hash, the figures on the page, its signature.

const OUTSIDE_THE_HASH = ["receipt_hash", "signature", "signer_fingerprint"];
const ALGORITHMS = ["EdDSA", "Ed25519"];
const TYP = "passfloor-reliability-receipt+jws";

const letters = (bytes) => new TextEncoder().encode(bytes);

function base64url(bytes) {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64url(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}

async function sha256(text) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", letters(text)));
}

async function receiptHash(receipt) {
  const covered = new Map([...receipt].filter(([name]) => !OUTSIDE_THE_HASH.includes(name)));
  return Array.from(await sha256(canonicalJson(covered)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function contentCheck(receipt, recomputed) {
  const claimed = receipt.get("receipt_hash");
  if (recomputed === claimed) {
    return { state: "good", words: "unchanged since it was sealed: SHA-256 " + recomputed };
  }
  return { state: "bad", words: "changed since it was sealed: its hash is " + recomputed + ", it claims " + claimed };
}

// Detached JWS (RFC 7515 appendix F). As anywhere in passfloor, no header is parsed: the only ones that are
// accepted are written down and compared.
async function signatureCheck(receipt, recomputed, key) {
  const fingerprint = receipt.get("signer_fingerprint");
  const signature = receipt.get("signature");
  if (typeof fingerprint !== "string" || typeof signature !== "string" || !signature) {
    return { state: "bad", words: "the receipt carries no signature" };
  }
  if (fingerprint.endsWith("-stub")) {
    return { state: "open", words: "a test signature, which anybody can make: it says nothing about who signed" };
  }
  if (!key) {
    return { state: "open", words: "not checked: no key was given" };
  }
  if (!/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(key)) {
    return { state: "bad", words: "this is not a key: the x of an Ed25519 key has 43 characters" };
  }
  const kid = base64url(await sha256('{"crv":"Ed25519","kty":"OKP","x":"' + key + '"}'));
  if (kid !== fingerprint) {
    return { state: "bad", words: "signed by another key: this one is " + kid + ", the receipt names " + fingerprint };
  }
  const headers = ALGORITHMS.map((alg) => base64url(letters(JSON.stringify({ alg, kid, typ: TYP }))));
  const [header, encoded] = [signature.slice(0, signature.indexOf("..")), signature.slice(signature.indexOf("..") + 2)];
  if (!headers.includes(header) || !/^[A-Za-z0-9_-]{85}[AQgw]$/.test(encoded)) {
    return { state: "bad", words: "the signature is not spelled as a receipt's is" };
  }
  let imported = null;
  try {
    imported = await crypto.subtle.importKey("raw", fromBase64url(key), { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") {
      return { state: "unable", words: "this browser has no Ed25519: use bench reliability-verify" };
    }
    return { state: "bad", words: "this is not a key of Ed25519" };
  }
  const message = letters(header + "." + base64url(letters(recomputed)));
  const holds = await crypto.subtle.verify({ name: "Ed25519" }, imported, fromBase64url(encoded), message);
  return holds
    ? { state: "good", words: "made with this key, over this content" }
    : { state: "bad", words: "not a signature of this content by this key" };
}

function choose(n, k) {
  let found = 1n;
  for (let i = 1; i <= k; i += 1) {
    found = (found * BigInt(n - k + i)) / BigInt(i);
  }
  return k > n ? 0n : found;
}

// Numerators over tasks x C(n, k): the floor of Yao et al. (2024), the ceiling of Chen et al. (2021).
function derivedFigures(counts, n, k) {
  const [whole, draws] = [choose(n, k), new Map()];
  const draw = (c) => draws.get(c) ?? draws.set(c, choose(c, k)).get(c);
  let [floor, ceiling, passed] = [0n, 0n, 0n];
  for (const count of counts) {
    floor += draw(count.passed);
    ceiling += whole - draw(n - count.passed);
    passed += BigInt(count.passed);
  }
  const tasks = BigInt(counts.length);
  return {
    pass_hat_k: [floor, tasks * whole],
    pass_at_k: [ceiling, tasks * whole],
    success_rate: [passed, tasks * BigInt(n)],
  };
}

function countsOf(receipt) {
  return receipt.get("task_results").map((task) => {
    const outcomes = task.get("attempts").map((attempt) => attempt.get("outcome"));
    const count = (name) => outcomes.filter((outcome) => outcome === name).length;
    return { n: outcomes.length, passed: count("passed"), wrong: count("wrong"), errored: count("errored") };
  });
}

function sameFraction(spelled, [top, bottom]) {
  const [left, right] = spelled.includes("/") ? spelled.split("/") : [spelled, "1"];
  return BigInt(left) * bottom === BigInt(right) * top;
}

// As ``percent`` of the program: rounded once, half to even on the exact value.
function shownPercent([top, bottom]) {
  let units = (top * 1000n) / bottom;
  const twice = 2n * (top * 1000n - units * bottom);
  if (twice > bottom || (twice === bottom && units % 2n === 1n)) {
    units += 1n;
  }
  return units / 10n + "." + (units % 10n);
}

function figuresCheck(receipt, page) {
  const bad = (words) => ({ state: "bad", words });
  const counts = countsOf(receipt);
  if (counts.length !== page.tasks.length || counts.some((count) => count.n !== page.n)) {
    return bad("the page shows other tasks or attempts than the receipt holds");
  }
  for (const task of page.tasks) {
    const count = counts[task.place];
    if (!count || ["passed", "wrong", "errored"].some((name) => count[name] !== task[name])) {
      return bad("the counts of " + task.name + " on this page are not those of the receipt");
    }
  }
  const derived = derivedFigures(counts, page.n, page.k);
  for (const figure of page.figures) {
    const value = derived[figure.name];
    if (value && !(sameFraction(figure.value, value) && figure.text === shownPercent(value) + "%")) {
      return bad(figure.name + " on this page is " + figure.text + ", the receipt gives " + shownPercent(value) + "%");
    }
  }
  return { state: "good", words: "both figures, the success rate and the counts of every task follow from its outcomes" };
}

async function checkSeal(text, page, key) {
  if (!globalThis.crypto || !crypto.subtle) {
    const unable = { state: "unable", words: "this browser offers no WebCrypto here: use bench reliability-verify" };
    return { content: unable, figures: unable, signature: unable };
  }
  try {
    const receipt = readJson(text);
    const recomputed = await receiptHash(receipt);
    return {
      content: await contentCheck(receipt, recomputed),
      figures: figuresCheck(receipt, page),
      signature: await signatureCheck(receipt, recomputed, key),
    };
  } catch (error) {
    const bad = { state: "bad", words: "the embedded receipt cannot be read: " + error.message };
    return { content: bad, figures: bad, signature: bad };
  }
}
