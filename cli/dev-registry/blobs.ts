import { stat, utimes } from "node:fs/promises";
import type { Digest } from "./digest.ts";
import { isMissing, linkDurably, moveDurably, removeFile } from "./durable-files.ts";
import type { Places } from "./places.ts";
import { RegistryError } from "./registry-error.ts";
import type { RepositoryTurns } from "./repository-turns.ts";

/** A blob as a file. */
export type Blob = { readonly file: string; readonly sizeBytes: number };

/** The blobs of repositories: each repository sees its own alone. */
export type Blobs = ReturnType<typeof blobsIn>;

/** The blobs in these places. */
export function blobsIn(places: Places, turns: RepositoryTurns) {
  const find = async (repository: string, digest: Digest): Promise<Blob | undefined> => {
    const file = places.blob(repository, digest);
    try {
      const { size } = await stat(file);
      return { file, sizeBytes: size };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  return {
    find,
    require: async (repository: string, digest: Digest): Promise<Blob> => {
      const blob = await find(repository, digest);
      if (blob === undefined) throw unknownBlob(digest);
      return blob;
    },
    /** The same, of whoever may push: a manifest that names it may come next, so it counts as new. */
    keep: async (repository: string, digest: Digest): Promise<Blob> =>
      await turns.bring(repository, async () => {
        const blob = await find(repository, digest);
        if (blob === undefined || !(await renewed(blob.file))) throw unknownBlob(digest);
        return blob;
      }),
    /** Takes over a file that has this digest and is on the disk. */
    put: async (repository: string, digest: Digest, file: string): Promise<void> =>
      await turns.bring(
        repository,
        async () => await moveDurably(file, places.blob(repository, digest)),
      ),
    /** Makes a blob of one repository one of another, too, without its bytes being copied; whether it was there. */
    mount: async (from: string, to: string, digest: Digest): Promise<boolean> =>
      await turns.bring(to, async () => {
        if ((await find(from, digest)) === undefined) return false;
        try {
          await linkDurably(places.blob(from, digest), places.blob(to, digest));
          return await renewed(places.blob(to, digest)); // it may have been there for long
        } catch (error) {
          if (isMissing(error)) return false; // deleted meanwhile
          throw error;
        }
      }),
    remove: async (repository: string, digest: Digest): Promise<void> => {
      if (!(await removeFile(places.blob(repository, digest)))) throw unknownBlob(digest);
    },
  };
}

/** Whether it is there still. */
async function renewed(file: string): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(file, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const unknownBlob = ({ text }: Digest): RegistryError =>
  new RegistryError("BLOB_UNKNOWN", `The repository has no blob ${text}.`);
