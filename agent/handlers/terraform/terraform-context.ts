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
  /** The configuration's folder. */
  readonly cwd: string;
  /** What exactly the configuration is: a commit, a digest; empty where nobody knows. */
  readonly revision: string;
  readonly files: TerraformFiles;
  readonly progress: Progress;
  readonly stop: StopPlan;
  /** What terraform finds in its environment: of the agent's and the plan's what may pass, and how it is to run. */
  readonly env: Readonly<Record<string, string>>;
  /** The environment of hooks and policies, who have nothing to do with the state. */
  readonly scriptEnv: (more: Readonly<Record<string, string>>) => Record<string, string>;
};

/** After a second SIGINT terraform gives its providers five seconds, and saves its state. */
export const killGraceMs = 12_000;
