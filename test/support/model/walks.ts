/** How often a model is walked at random, or a property tried. */
type Walks = { readonly numRuns: number; readonly seed?: number };

/**
 * A few times, the same each time, as every test run pays for it; by `npm run models` `many` times, others each time. It fails with the
 * seed that fails again.
 */
export function walks(few: number, { many = few * 20 }: { readonly many?: number } = {}): Walks {
  return process.env["SVC_MODELS"] === "many"
    ? { numRuns: many }
    : { numRuns: few, seed: 20261201 };
}
