const works: (() => Promise<void>)[] = [];

/**
 * Does this when the file's tests are over, the latest first. It may be said anywhere, in a hook or a test too, where
 * vitest's own `afterAll` is not heard.
 */
export function afterFile(work: () => Promise<void>): void {
  works.push(work);
}

/** Does all that was said; for set-up-file.ts, which tells when a file is over. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = [];
  for (let work = works.pop(); work !== undefined; work = works.pop()) {
    await work().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw new AggregateError(errors, "what this file used could not be ended");
}
