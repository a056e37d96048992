import type { Job } from "../../jobs/handler.ts";
import type { Progress } from "../../jobs/open-progress.ts";
import type { StopPlan } from "../../processes/child.ts";
import type { PulumiProject } from "./project-file.ts";
import type { PulumiRun } from "./pulumi-run.ts";

/** What the commands of a job of Pulumi share. */
export type PulumiContext = {
  readonly job: Job;
  readonly run: PulumiRun;
  readonly program: string;
  readonly version: string;
  /** The directory of the program. */
  readonly cwd: string;
  readonly project: PulumiProject;
  /** The fetched revision of the program, such as a commit or a digest; empty when it is unknown. */
  readonly revision: string;
  /** The revision of the state that the job began with; 0: there was none. */
  readonly stateRevision: number;
  /** Of the state that the job began with, as `digestOfState` makes it. */
  readonly stateDigest: string;
  readonly files: PulumiFiles;
  readonly progress: Progress;
  readonly stop: StopPlan;
  readonly env: Readonly<Record<string, string>>;
};

/** The files of the job. Those in memory may contain values of the config. */
export type PulumiFiles = {
  /** In memory. */
  readonly memory: string;
  /** The config of the stack. */
  readonly config: string;
  readonly passphrase: string;
  /** The saved plan, made or to be applied. */
  readonly plan: string;
  /** The state of the stack. It is on disk: it may be the only record of what was changed. */
  readonly state: string;
};

/** After a second SIGINT pulumi ends at once; this long until it is killed. */
export const killGraceMs = 12_000;
