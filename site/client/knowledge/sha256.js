/* SHA-256 (FIPS 180-4) for where the browser's own is absent, as on plain http away from localhost, and where waiting
   for a promise does not pay: a few short names. */

const ROUND = Uint32Array.from(fractions(64, 3));
const START = Uint32Array.from(fractions(8, 2));

/** @param {Uint8Array} bytes  @returns {string} 64 lower-case hexadecimal digits */
export function sha256(bytes) {
  const blocks = padded(bytes);
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let place = 0; place < blocks.byteLength; place += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = blocks.getUint32(place + 4 * i);
    mix(state, words);
  }
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/* The message, a one, zeros, and its length in bits, as whole blocks of 64 bytes. */
function padded(bytes) {
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function mix(state, words) {
  for (let i = 16; i < 64; i += 1) {
    const s0 = turned(words[i - 15], 7) ^ turned(words[i - 15], 18) ^ (words[i - 15] >>> 3);
    const s1 = turned(words[i - 2], 17) ^ turned(words[i - 2], 19) ^ (words[i - 2] >>> 10);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] += value));
}

function turned(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/* The first 32 bits of the fractions of roots of the first primes, by whole numbers: floor(root(p * 2^(32 * degree))). */
function fractions(count, degree) {
  const primes = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime > 0)) primes.push(number);
  }
  return primes.map((prime) => Number(root(BigInt(prime) << BigInt(32 * degree), BigInt(degree)) & 0xffffffffn));
}

function root(value, degree) {
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= value) low = middle;
    else high = middle;
  }
  return low;
}
