import { createHash } from "node:crypto";
import path from "node:path";
import type { Digest } from "./digest.ts";

/** Where everything of the registry lies. What belongs to no repository's name begins with an underline, as no part of a name does. */
export type Places = ReturnType<typeof placesIn>;

const uploadsOf = (repository: string): string =>
  createHash("sha256").update(repository).digest("hex");

/** The places in a folder. */
export function placesIn(root: string) {
  const repositories = path.join(root, "repositories");
  const of = (repository: string, ...parts: string[]) =>
    path.join(repositories, ...repository.split("/"), ...parts);
  const uploads = path.join(root, "uploads");
  return {
    repositories,
    uploads,
    /** For files that are being written. */
    temporary: path.join(root, "temporary"),
    repository: (repository: string) => of(repository),
    blob: (repository: string, { algorithm, hex }: Digest) =>
      of(repository, "_blobs", algorithm, hex),
    manifest: (repository: string, { algorithm, hex }: Digest) =>
      of(repository, "_manifests", algorithm, hex),
    tags: (repository: string) => of(repository, "_tags"),
    tag: (repository: string, tag: string) => of(repository, "_tags", tag),
    /** Of all that refer to one subject. */
    referrers: (repository: string, { algorithm, hex }: Digest) =>
      of(repository, "_referrers", algorithm, hex),
    /** An upload's name says whose it is: another repository does not find it. */
    upload: (repository: string, id: string) =>
      path.join(uploads, `${uploadsOf(repository)}.${id}`),
    isUploadOf: (repository: string, name: string): boolean =>
      name.startsWith(`${uploadsOf(repository)}.`),
  };
}
