import type { ClusterJob } from "../../cluster-jobs/cluster-job.ts";
import type { FollowedEnd } from "../../cluster-jobs/follow-cluster-job.ts";
import type { JobTrouble } from "../../cluster-jobs/judge-pod.ts";
import type { Outputs } from "../../jobs/handler.ts";
import type { JobFailure } from "../../jobs/job-failure.ts";
import { type DeployClass, deployFailure } from "../../kubernetes/deploy-failure.ts";
import { refWords } from "../../kubernetes/kube-object.ts";

/** Outputs about a Job that has ended, or that was given up. */
export function outputsOf({ at, uid }: ClusterJob, { look }: FollowedEnd): Outputs {
  const pod = look.pods.at(-1);
  const own = pod?.containers.find(({ name }) => name === "main");
  return {
    job: at.ref.name,
    namespace: at.ref.namespace,
    uid,
    pods: look.pods.map(({ name }) => name),
    ...(pod !== undefined && { pod: pod.name, node: pod.node }),
    ...(own?.exitCode !== undefined && { exit_code: own.exitCode }),
    ...(own?.startedAt !== undefined && { started_at: own.startedAt }),
    ...(own?.finishedAt !== undefined && { finished_at: own.finishedAt }),
  };
}

const classes: Partial<Record<JobTrouble, DeployClass>> = {
  deadline: "timeout",
  not_started: "not_ready",
};

/** The failure of a Job; `more` says what became of it. */
export function failureOf(one: ClusterJob, end: FollowedEnd, more: string): JobFailure {
  const { trouble = "job_failed", words = "it failed", exitCode } = end.fault ?? {};
  const name = refWords(one.at.ref);
  const what = end.is === "hopeless" ? "cannot succeed" : "failed";
  return deployFailure(`${name} ${what}: ${words}. ${more}`.trim(), classOf(trouble), {
    resources: [name, ...end.look.pods.map((pod) => `Pod ${one.at.ref.namespace}/${pod.name}`)],
    outputs: outputsOf(one, end),
    ...(exitCode !== undefined && { code: exitCode }),
  });
}

function classOf(trouble: JobTrouble): DeployClass {
  const other = classes[trouble];
  if (other !== undefined) return other;
  return trouble === "deadline" || trouble === "not_started" ? "not_ready" : trouble;
}
