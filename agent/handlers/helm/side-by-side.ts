/**
 * Waits for both and returns their results. If one fails, its error is thrown when both have ended; the first one's
 * comes before the second's.
 */
export async function sideBySide<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
