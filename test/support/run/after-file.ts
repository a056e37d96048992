import { afterAll } from "vitest";

const works: (() => Promise<void>)[] = [];

/**
 * Does this when the file's tests are over, the latest first. It may be said anywhere, in a hook or a test too, where
 * vitest's own `afterAll` is not heard.
 */
export function afterFile(work: () => Promise<void>): void {
  works.push(work);
}

// Benches use what tests use, and no vitest runs them.
if (process.env["VITEST"] !== undefined) afterAll(endAll);

async function endAll(): Promise<void> {
  const errors: unknown[] = [];
  for (let work = works.pop(); work !== undefined; work = works.pop()) {
    await work().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw new AggregateError(errors, "what this file used could not be ended");
}
