import { solveChallenge } from 'altcha-lib';
import type { Challenge, DeriveKeyFunction } from 'altcha-lib/types';
import type { WorkProof } from '../../../shared/contact/contact-request.ts';
import { apiPaths } from '../../../shared/paths.ts';

/*
 * SHA-256 in plain JavaScript. The browser's own is missing on sites without HTTPS, and its calls
 * cost more than the hash of a few bytes. Source: FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.2.
 */

const BLOCK = 64;
const ROUNDS = 64;
const LENGTH_BYTES = 8;

/** The first 32 bits of the fractional part. */
const takeFraction = (value: number) => ((value % 1) * 2 ** 32) | 0;

function listPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }

  return primes;
}

const primes = listPrimes(ROUNDS);
const roundConstants = Int32Array.from(primes, (prime) => takeFraction(Math.cbrt(prime)));
const initialState = Int32Array.from(primes.slice(0, 8), (prime) => takeFraction(Math.sqrt(prime)));

const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));

const read = (words: Int32Array, index: number): number => words[index] ?? 0;

const schedule = new Int32Array(ROUNDS);

function expandBlock(view: DataView, offset: number): void {
  for (let index = 0; index < 16; index += 1) schedule[index] = view.getInt32(offset + index * 4);
  for (let index = 16; index < ROUNDS; index += 1) {
    const early = read(schedule, index - 15);
    const late = read(schedule, index - 2);
    const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = (read(schedule, index - 16) + mixedEarly + read(schedule, index - 7) + mixedLate) | 0;
  }
}

/** Mixes the expanded block into the state; the letters are the standard's. */
function compress(state: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < ROUNDS; round += 1) {
    const sumE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + sumE + chosen + read(roundConstants, round) + read(schedule, round)) | 0;
    const sumA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sumA + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (read(state, index) + word) | 0;
  });
}

function pad(data: Uint8Array): DataView {
  const blocks = Math.ceil((data.length + 1 + LENGTH_BYTES) / BLOCK);
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  // The length in bits; no input of ours comes near the upper half.
  view.setUint32(padded.length - 4, data.length * 8);

  return view;
}

/** The SHA-256 digest of less than 512 MB. */
export function hashSha256(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = pad(data);
  const state = Int32Array.from(initialState);
  for (let offset = 0; offset < view.byteLength; offset += BLOCK) {
    expandBlock(view, offset);
    compress(state);
  }
  const digest = new DataView(new ArrayBuffer(state.length * 4));
  state.forEach((word, index) => digest.setInt32(index * 4, word));

  return new Uint8Array(digest.buffer);
}

/** altcha's `SHA-256`: the hash of salt and counter, hashed `cost` times in all. */
export const deriveKey: DeriveKeyFunction = async ({ cost, keyLength }, salt, password) => {
  let derivedKey = new Uint8Array([...salt, ...password]);
  for (let round = 0; round < cost; round += 1) derivedKey = hashSha256(derivedKey);

  return { derivedKey: derivedKey.subarray(0, keyLength) };
};

/**
 * Fetches a challenge and solves it, which takes a phone about a second; the page stays responsive.
 * Undefined when the server sends none or the signal aborts.
 */
export async function proveWork(signal: AbortSignal): Promise<WorkProof | undefined> {
  const response = await fetch(apiPaths.contactChallenge, { signal });
  if (!response.ok) return undefined;
  const challenge = (await response.json()) as WorkProof['challenge'];
  const controller = new AbortController();
  signal.addEventListener('abort', () => controller.abort());
  const solution = await solveChallenge({
    challenge: challenge satisfies Challenge,
    controller,
    deriveKey,
  });

  return solution ? { challenge, solution } : undefined;
}
