import type { IdPrefix } from "../../shared/id-prefixes.ts";
import { takeRandomBytes } from "../../shared/random-bytes.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeLength = 10;
const randomLength = 16;

let lastMs = 0;
let lastRandom: number[] = [];

/** A new id that sorts after every id this process made before, whatever the clock does. */
export function newId(prefix: IdPrefix): string {
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    lastRandom = randomDigits(randomLength);
  } else if (!incremented(lastRandom)) {
    lastMs += 1;
    lastRandom = randomDigits(randomLength);
  }
  return `${prefix}_${encodeTime(lastMs)}${encode(lastRandom)}`;
}

/** A new id of 130 random bits, which tells nothing and cannot be guessed. */
export function newRandomId(prefix: IdPrefix): string {
  return `${prefix}_${encode(randomDigits(timeLength + randomLength))}`;
}

/** The digits of an id after its time, of these bytes. */
export function digitsOf(bytes: Uint8Array): string {
  return encode(Array.from(bytes.subarray(0, randomLength), (byte) => byte & 31));
}

/** No id made at that time or later sorts before this one. */
export function leastId(prefix: IdPrefix, atMs: number): string {
  const ms = Math.min(Math.max(Math.floor(atMs), 0), 2 ** 48 - 1);
  return `${prefix}_${encodeTime(ms)}${"0".repeat(randomLength)}`;
}

function randomDigits(length: number): number[] {
  return Array.from(takeRandomBytes(length), (byte) => byte & 31);
}

/** Adds one in place; false when the digits ran over. */
function incremented(digits: number[]): boolean {
  for (let at = digits.length - 1; at >= 0; at--) {
    const next = (digits[at] ?? 0) + 1;
    digits[at] = next & 31;
    if (next < 32) return true;
  }
  return false;
}

function encodeTime(ms: number): string {
  let rest = ms;
  let text = "";
  for (let at = 0; at < timeLength; at++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encode(digits: number[]): string {
  let text = "";
  for (const digit of digits) text += alphabet.charAt(digit);
  return text;
}
