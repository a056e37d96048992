/** What somebody says to be let in where a source lies. */
export type SourceLogin = {
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly token?: string | null | undefined;
};

export type GitSource = {
  readonly url: string;
  /** Of these one at most. */
  readonly ref?: string;
  readonly tag?: string;
  readonly commit?: string;
  readonly withSubmodules: boolean;
  readonly auth: SourceLogin & { readonly ssh_private_key?: string | null | undefined };
};

/** An artifact in a registry. */
export type OciSource = {
  /** The registry, with or without the repository and the tag. */
  readonly url: string;
  readonly repository?: string;
  readonly tag?: string;
  readonly digest?: string;
  /** It may be asked without TLS. */
  readonly isPlain: boolean;
  readonly login: SourceLogin;
};

/** Where what a job works on comes from; `directory` is the folder within that is meant. */
export type Source = { readonly directory: string } & (
  | { readonly kind: "git"; readonly git: GitSource }
  | { readonly kind: "oci"; readonly oci: OciSource }
  /** Base64 of a tar or zip archive. */
  | { readonly kind: "archive"; readonly contents: string }
  /** A folder of the host. */
  | { readonly kind: "path"; readonly path: string }
);

/** How a source is fetched for a job. */
export type SourceFetch = {
  /** Names it within the job: its folder and its files. */
  readonly name: string;
  /** The child that fetches it, within the job. */
  readonly key: string;
  /** The step's name, as the log shows it. */
  readonly step: string;
  /** Whose source it is, as sentences begin: "Step build". */
  readonly title: string;
  /** What git finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
  readonly isCleanup?: boolean;
};

/** Where a source is. */
export type FetchedSource = {
  readonly folder: string;
  readonly tookMs: number;
  /** What exactly was fetched: a commit, a digest; empty where nobody knows. */
  readonly revision: string;
};
