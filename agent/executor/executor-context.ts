import type { AgentContext } from "../agent-context.ts";
import type { See } from "../cluster-jobs/read-cluster-job.ts";
import type { LocalContext } from "../local-context.ts";
import type { OwnCluster } from "./own-cluster.ts";
import type { PodJobInfo } from "./pod-job-info.ts";
import type { PodStop } from "./pod-stop.ts";
import type { PodTemplate } from "./pod-template.ts";

/** What an agent that runs its jobs in pods is given. */
export type ExecutorContext = {
  readonly local: LocalContext;
  readonly own: OwnCluster;
  /** Reads its Jobs and their pods, many in one request. */
  readonly see: See;
  readonly template: PodTemplate;
  /** Resolves when the agent is connected to a broker. */
  readonly connected: Promise<AgentContext>;
  /** Aborts when the agent ends and leaves its pods to its next start. */
  readonly left: AbortSignal;
};

/** One of the runner's jobs, and how it is stopped. */
export type PodRun = { readonly info: PodJobInfo; readonly stop: PodStop };
