/** How to end one thing that was started. */
export type Ending = {
  readonly end: (withinMs: number) => Promise<unknown>;
  /** It is given no more, however much is left. */
  readonly mostMs: number;
  /** What is left to those whose turn comes after it, however slow it is. */
  readonly sparesMs: number;
};

/**
 * Ends everything by one deadline of performance.now(), from the last to the first, each whether or not another fails;
 * the first failure is passed on. Whoever takes long takes it from those after it, down to what it must spare them.
 */
export async function endInTurn(endings: readonly Ending[], deadlineMs: number): Promise<void> {
  const failures: unknown[] = [];
  for (const { end, mostMs, sparesMs } of endings.toReversed()) {
    const leftMs = deadlineMs - performance.now() - sparesMs;
    const withinMs = Math.max(0, Math.min(mostMs, leftMs));
    await end(withinMs).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
