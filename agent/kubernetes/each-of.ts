const usual = { most: 8 };

/** Processes items in order, eight at a time or as many as are said. Throws the first error when all that had begun has ended. */
export async function eachOf<T, R>(
  things: readonly T[],
  act: (thing: T) => Promise<R>,
  { most }: { readonly most: number } = usual,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < things.length && failures.length === 0) {
      const at = next++;
      const thing = things[at] as T; // `at` is within
      try {
        results[at] = await act(thing);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, things.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}
