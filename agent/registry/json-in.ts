/** What bytes mean as JSON; null when they are none. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}
