export type Paced = { readonly count: number; readonly seconds: number };

/** Each client does its act again and again, one at a time; answers how often all did it together, and how long that took. */
export async function runClients<Client>(
  clients: readonly Client[],
  seconds: number,
  act: (client: Client) => Promise<unknown>,
): Promise<Paced> {
  const startedAtMs = performance.now();
  const untilMs = startedAtMs + seconds * 1000;
  let count = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < untilMs) {
        await act(client);
        count += 1;
      }
    }),
  );
  return { count, seconds: (performance.now() - startedAtMs) / 1000 };
}

/** Does an act again and again, one at a time and once at least. */
export async function repeatFor<Result>(
  seconds: number,
  act: () => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const untilMs = performance.now() + seconds * 1000;
  while (results.length === 0 || performance.now() < untilMs) results.push(await act());
  return results;
}
