/** What both come to; where one fails, that is thrown when both have ended, the first one's before the second's. */
export async function sideBySide<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
