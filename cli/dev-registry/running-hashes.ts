import { createHash, type Hash } from "node:crypto";

/** What of an upload was hashed as it came. */
export type RunningHash = { readonly hash: Hash; bytes: number };

/** Hashes of uploads that grow, by their files: sha256, in which nearly all blobs are named. */
export type RunningHashes = ReturnType<typeof makeRunningHashes>;

/** None at first: of uploads that another run began nothing is known. */
export function makeRunningHashes() {
  const known = new Map<string, RunningHash>();
  return {
    begin: (file: string): void => void known.set(file, { hash: createHash("sha256"), bytes: 0 }),
    /** That of a file of this size; where it is of another, as of a piece of which not all was written, it is forgotten. */
    of: (file: string, bytes: number): RunningHash | undefined => {
      const found = known.get(file);
      if (found?.bytes === bytes) return found;
      known.delete(file);
      return undefined;
    },
    forget: (file: string): void => void known.delete(file),
  };
}
