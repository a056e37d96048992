import type { RegistryPlace } from "../registry/registry-place.ts";

/** The credentials for a source. */
export type SourceLogin = {
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly token?: string | null | undefined;
};

export type GitSource = {
  readonly url: string;
  /** At most one of these. */
  readonly ref?: string;
  readonly tag?: string;
  readonly commit?: string;
  readonly withSubmodules: boolean;
  readonly auth: SourceLogin & { readonly ssh_private_key?: string | null | undefined };
};

/** The source of a job's files; `directory` is the part of it that the plan means. */
export type Source = { readonly directory: string } & (
  | { readonly kind: "git"; readonly git: GitSource }
  | { readonly kind: "oci"; readonly oci: RegistryPlace }
  /** Base64 of a tar or zip archive. */
  | { readonly kind: "archive"; readonly contents: string }
  /** A folder of the config's own directory, which the broker keeps: an archive of this digest. */
  | { readonly kind: "blob"; readonly digest: string }
  /** A folder of the host. */
  | { readonly kind: "path"; readonly path: string }
);

/** How to fetch a source for a job. */
export type SourceFetch = {
  /** Its name within the job: for its folder and its files. */
  readonly name: string;
  /** The key of the child that fetches it. */
  readonly key: string;
  /** The step's name, as the log shows it. */
  readonly step: string;
  /** The owner of the source, to begin sentences: "Step build". */
  readonly title: string;
  /** The environment of git. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
  readonly isCleanup?: boolean;
};

/** Where a source is. */
export type FetchedSource = {
  readonly folder: string;
  readonly tookMs: number;
  /** The fetched revision: a commit or a digest; empty if unknown. */
  readonly revision: string;
  /** Files of a repository are in Git LFS, and perhaps only pointers are here. */
  readonly hasLfs?: boolean;
};
