/** Who works at a repository: many who bring something, or one who takes away what nothing names. */
export type RepositoryTurns = ReturnType<typeof makeRepositoryTurns>;

/** Turns of one process, which alone has the folder. */
export function makeRepositoryTurns() {
  const bringing = new Map<string, number>();
  const taking = new Map<string, Promise<unknown>>();
  const changes = new Map<string, number>();
  const changed = (repository: string): void =>
    void changes.set(repository, (changes.get(repository) ?? 0) + 1);
  return {
    /** Goes up when somebody begins to bring something there, and when he has. */
    changesOf: (repository: string): number => changes.get(repository) ?? 0,
    /** Acts when nobody takes away, and nobody begins to meanwhile. */
    bring: async <T>(repository: string, act: () => Promise<T>): Promise<T> => {
      while (taking.has(repository)) await taking.get(repository);
      bringing.set(repository, (bringing.get(repository) ?? 0) + 1);
      changed(repository);
      try {
        return await act();
      } finally {
        const left = (bringing.get(repository) ?? 1) - 1;
        if (left > 0) bringing.set(repository, left);
        else bringing.delete(repository);
        changed(repository);
      }
    },
    /** Acts alone; answers whether it did: where somebody is about to bring something it does not. */
    take: async (repository: string, act: () => Promise<void>): Promise<boolean> => {
      if (bringing.has(repository) || taking.has(repository)) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      taking.set(repository, promise);
      try {
        await act();
        return true;
      } finally {
        taking.delete(repository);
        resolve();
      }
    },
  };
}
