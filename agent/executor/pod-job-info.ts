import { z } from "zod";
import type { Claimed } from "../jobs/run-job.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";

const schema = z.object({
  job_id: z.string(),
  execution_id: z.string(),
  type: z.string(),
  group: z.string(),
  claimed_at_ms: z.number(),
});

/** What a Job's annotation says about the runner's job that it runs, for whoever finds it. */
export type PodJobInfo = z.infer<typeof schema>;

/** Labels and annotations of an executor's Jobs. */
export const marks = {
  executor: "svc-agent/executor",
  execution: "svc-agent/execution",
  /** The broker knows its end: nobody follows the Job any more. */
  settled: "svc-agent/settled",
  info: "svc-agent/job",
} as const;

/** The annotation for a claimed job. */
export function infoOf({ job, execution }: Claimed): PodJobInfo {
  return {
    job_id: job.id,
    execution_id: execution.id,
    type: job.type,
    group: job.group,
    claimed_at_ms: Date.now(),
  };
}

/** Reads the annotation of a Job; undefined when the Job is not one of ours. */
export function readInfo({ metadata }: KubeObject): PodJobInfo | undefined {
  try {
    const { data } = schema.safeParse(JSON.parse(metadata.annotations?.[marks.info] ?? ""));
    return data?.execution_id === metadata.labels?.[marks.execution] ? data : undefined;
  } catch {
    return undefined;
  }
}
