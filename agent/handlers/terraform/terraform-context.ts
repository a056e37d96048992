import type { Job } from "../../jobs/handler.ts";
import type { Progress } from "../../jobs/open-progress.ts";
import type { StopPlan } from "../../processes/child.ts";
import type { TerraformFiles } from "./terraform-files.ts";
import type { TerraformRun } from "./terraform-run.ts";

/** What the commands of a terraform job share. */
export type TerraformContext = {
  readonly job: Job;
  readonly run: TerraformRun;
  readonly program: string;
  /** The directory of the configuration. */
  readonly cwd: string;
  /** The fetched revision of the configuration, such as a commit or a digest; empty when it is unknown. */
  readonly revision: string;
  readonly files: TerraformFiles;
  readonly progress: Progress;
  readonly stop: StopPlan;
  /** The environment of terraform: the allowed variables of the agent and the plan, and its own settings. */
  readonly env: Readonly<Record<string, string>>;
  /** The environment of hooks and policies, without access to the state. */
  readonly scriptEnv: (more: Readonly<Record<string, string>>) => Record<string, string>;
};

/** After a second SIGINT, terraform gives its providers five seconds and saves its state. */
export const killGraceMs = 12_000;
