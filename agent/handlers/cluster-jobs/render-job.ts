import { createHash } from "node:crypto";
import { clusterJobName } from "../../cluster-jobs/cluster-job.ts";
import type { Job } from "../../jobs/handler.ts";
import type { KubeObject } from "../../kubernetes/kube-object.ts";
import type { JobRun, PodMembers } from "./job-run.ts";

/** Labels of all Jobs that agents create for the same component. */
export function ownerLabels(belongsTo: string): Record<string, string> {
  return {
    "app.kubernetes.io/managed-by": "svc-agent",
    ...(belongsTo !== "" && { "svc/belongs-to": digest(belongsTo).slice(0, 32) }),
  };
}

/** The label with the id of the job at the broker, the same for all of its executions. */
export const jobLabel = "svc/job";
export const executionLabel = "svc/execution";

const goneAtLeastMs = 3_600_000;
/** The Job's own deadline is later than the agent's, whose failure says more. */
const marginMs = 60_000;

type Whose = Pick<Job, "executionId" | "deadlineAtMs"> & {
  readonly info: { readonly id: string };
};

/** The Job that is created in the cluster; the values of its variables are in a Secret of the same name. */
export function renderJob(run: JobRun, namespace: string, whose: Whose): KubeObject {
  const name = clusterJobName(run.prefix, whose.executionId);
  const labels = {
    ...ownerLabels(run.belongsTo),
    [jobLabel]: whose.info.id,
    [executionLabel]: whose.executionId,
  };
  const leftMs = Math.max(0, whose.deadlineAtMs - Date.now()) + marginMs;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace, labels },
    spec: {
      backoffLimit: run.backoff,
      activeDeadlineSeconds: Math.ceil(Math.min(run.activeMs ?? leftMs, leftMs) / 1000),
      // The agent that follows it may be away for a while when it ends.
      ttlSecondsAfterFinished: Math.ceil(
        Math.max(run.keepMs, run.keepMs === 0 ? goneAtLeastMs : 0) / 1000,
      ),
      podFailurePolicy: {
        rules: [
          {
            // An interrupted pod is not started again unless the plan says so.
            action: run.backoff === 0 ? "FailJob" : "Count",
            onPodConditions: [{ type: "DisruptionTarget", status: "True" }],
          },
        ],
      },
      template: {
        metadata: { labels, annotations: podAnnotations(run.pod) },
        spec: podSpec(run, name),
      },
    },
  };
}

/** Keeps autoscalers from moving a running pod. */
const podAnnotations = ({ annotations }: PodMembers): Record<string, string> => ({
  "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
  "karpenter.sh/do-not-disrupt": "true",
  ...annotations,
});

function podSpec({ image, cmd, args, env, pod }: JobRun, secret: string): object {
  const { serviceAccount, resources, pullSecrets, nodeSelector, tolerations } = pod;
  const names = Object.keys(env).sort();
  return {
    restartPolicy: "Never",
    // A pod gets no token for the cluster unless the plan names a service account.
    automountServiceAccountToken: serviceAccount !== "",
    ...(serviceAccount !== "" && { serviceAccountName: serviceAccount }),
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    containers: [
      {
        name: "main",
        image,
        ...(cmd.length > 0 && { command: cmd }),
        ...(args.length > 0 && { args }),
        ...(resources && { resources }),
        ...(names.length > 0 && {
          env: names.map((name) => ({
            name,
            valueFrom: { secretKeyRef: { name: secret, key: name } },
          })),
        }),
      },
    ],
  };
}

/**
 * A text that identifies the Job and where it would run; it is the same for every execution. It contains the values of
 * variables.
 */
export function whatIsRun(run: JobRun, where: Where): string {
  const { image, cmd, args, env, prefix, belongsTo, pod, backoff, activeMs } = run;
  const sorted = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const members = { image, cmd, args, sorted, prefix, belongsTo, pod, backoff, activeMs };
  return JSON.stringify(["apply", where.cluster.server, where.namespace, members]);
}

/** The same for a teardown, which deletes all Jobs that exist by then. */
export function whatIsTornDown({ belongsTo }: JobRun, where: Where): string {
  return JSON.stringify(["teardown", where.cluster.server, where.namespace, belongsTo]);
}

type Where = { readonly namespace: string; readonly cluster: { readonly server: string } };

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
