import type { PackRequest } from "../../artifacts/pack-request.ts";
import type { Job } from "../../jobs/handler.ts";
import type { Progress } from "../../jobs/open-progress.ts";
import type { SourceHere } from "../../sources/fetch-source.ts";
import type { BuildRun } from "./build-run.ts";

/** Runs something with variables of git. */
export type ByGit = <T>(
  fetch: (variables: Readonly<Record<string, string>>) => Promise<T>,
) => Promise<T>;

/** What the parts of a build share. */
export type BuildContext = {
  readonly job: Job;
  readonly run: BuildRun;
  readonly progress: Progress;
  /** The environment of its tools: network settings, a home of their own, a git that signs in nowhere. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Runs what fetches modules or bases by git, with the variables by which git signs in. When it has ended these logins are gone, as
   * programs of others may run from now on; where such run by what fetches, there are none.
   */
  readonly byGit: ByGit;
  /** The fetched source; undefined where the plan itself has what is built, or names a chart in a repository. */
  readonly source: SourceHere | undefined;
};

/** What goes into an artifact, and how it is proved. */
export type Prepared = {
  readonly pack: Omit<PackRequest, "output" | "told" | "mostBytes" | "brands" | "planTexts"> & {
    readonly planTexts?: readonly string[];
  };
  /** The members of the plan that decide what is in it, for the source's checksum. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Of the source, where what is packed is only made of it. */
  readonly sourceChecksum?: string;
  /** The revision, where it is not the fetched source's. */
  readonly revision?: string;
  /** Whether the artifact holds what a tool made of more than the directory: then its own checksum counts, too. */
  readonly isMade: boolean;
  /** Throws JobFailure unless what was unpacked in an empty folder works; answers what the registry is told of it. */
  readonly prove: (unpacked: string) => Promise<Proved>;
};

/** How the artifact is described at the registry. */
export type Proved = {
  readonly artifactType: string;
  readonly config: { readonly mediaType: string; readonly text: string };
  readonly layer: { readonly mediaType: string; readonly title: string | undefined };
  readonly annotations: Readonly<Record<string, string>>;
  /** Outputs beside those of all builds. */
  readonly outputs: Readonly<Record<string, unknown>>;
};

/** Makes an artifact of one kind. Throws JobFailure. */
export type Builder = (context: BuildContext) => Promise<Prepared>;
