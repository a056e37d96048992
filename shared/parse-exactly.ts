type Revive = (name: string, value: unknown, from: { readonly source?: string }) => unknown;
type NewerJson = {
  readonly parse: (text: string, revive: Revive) => unknown;
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => boolean;
};

const json = JSON as unknown as NewerJson; // Node 24 has all of it, TypeScript's declarations not yet

/** Told by a look at the text, because to be asked for each value takes six times as long. */
const mayBeRounded = /[:[,\s]-?\d{16,}[\s,\]}]/;
const wholeNumber = /^-?\d+$/;

/**
 * What JSON.parse makes of an object's or an array's text, but for whole numbers that it would round: they are kept
 * as they are written, and JSON.stringify writes them so again.
 */
export function parseExactly(text: string): unknown {
  if (!mayBeRounded.test(text)) return JSON.parse(text) as unknown;
  return json.parse(text, (_, value, { source = "" }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && wholeNumber.test(source)
      ? json.rawJSON(source)
      : value,
  );
}

/** Whether this is a number that is kept as it is written: an object to JavaScript, and nothing to look into. */
export const isKeptNumber = (value: unknown): boolean => json.isRawJSON(value);
