import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import { proxyEnvironment } from "../client/network.ts";
import { clusterJobName } from "../cluster-jobs/cluster-job.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { type SettingName, variableOf } from "../config/settings.ts";
import type { Claimed } from "../jobs/run-job.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import { podJobText } from "../pod-job/pod-job.ts";
import { infoOf, marks } from "./pod-job-info.ts";
import type { PodTemplate } from "./pod-template.ts";

/** What the pods of an agent's jobs are made from. */
export type PodPlan = {
  readonly config: AgentConfig;
  readonly namespace: string;
  readonly template: PodTemplate;
};

const mainContainer = "job";
const jobFolder = "/run/svc/job";
const jobFile = "job.json";
/** The time between the broker's deadline and that of the pod, for the job to end and to send everything. */
const spareMs = 30_000;

/**
 * An ended Job is kept at least this long, as the agent that reports its end may be away; usually as long as the
 * settings say.
 */
const leastKeptMs = 600_000;

/** The grace period of a pod, from its SIGTERM on. */
export function podGraceMs({ cancelTimeout, flushTimeout }: AgentConfig): number {
  return cancelTimeout + flushTimeout + spareMs;
}

/** The cluster's Job for a claimed job, always the same one; its Secret comes from `podSecret`. */
export function podJob({ config, namespace, template }: PodPlan, claimed: Claimed): KubeObject {
  const { execution, deadline, now } = claimed;
  const labels = {
    "app.kubernetes.io/managed-by": "svc-agent",
    [marks.executor]: config.executorName,
    [marks.execution]: execution.id,
  };
  const graceMs = podGraceMs(config);
  const leftMs = Date.parse(deadline) - (now === undefined ? Date.now() : Date.parse(now));
  const name = clusterJobName(config.executorName, execution.id);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace,
      labels,
      annotations: { [marks.info]: JSON.stringify(infoOf(claimed)) },
    },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      podReplacementPolicy: "Failed",
      activeDeadlineSeconds: seconds(Math.max(0, leftMs) + graceMs),
      ttlSecondsAfterFinished: seconds(Math.max(config.executorKeep, leastKeptMs)),
      podFailurePolicy: {
        rules: [
          {
            action: "FailJob",
            onPodConditions: [{ type: "DisruptionTarget", status: "True" }],
          },
        ],
      },
      template: {
        metadata: {
          labels: {
            "app.kubernetes.io/name": "svc-agent",
            "app.kubernetes.io/component": "job",
            ...template.metadata?.labels,
            ...labels,
          },
          annotations: { ...undisturbed, ...template.metadata?.annotations },
        },
        spec: podSpec(config, template, name),
      },
    },
  };
}

/**
 * The contents of the pod's Secret: the job file, with everything but the plan, which the pod fetches with the job's
 * token; and the agent's proxies, through which it reaches the broker.
 */
export function podSecret(
  { brokerUrl, env }: AgentConfig,
  runnerId: string,
  { claimed, settings }: { readonly claimed: Claimed; readonly settings: RunnerSettings },
): Readonly<Record<string, string>> {
  const { job, execution, token, deadline } = claimed;
  const broker_url = brokerUrl ?? "";
  const given = { broker_url, runner_id: runnerId, job, execution, token, deadline, settings };
  return { [jobFile]: podJobText(given), ...proxiesOf(env) };
}

/** The proxies, which may contain a password, under their usual names. */
function proxiesOf(env: AgentConfig["env"]): Record<string, string> {
  const found = Object.entries(proxyEnvironment(env));
  return Object.fromEntries(found.map(([name, value]) => [name.toUpperCase(), value]));
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** Keeps autoscalers from moving a running pod. */
const undisturbed = {
  "karpenter.sh/do-not-disrupt": "true",
  "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
};

/** A pod without root, in which only directories that are removed with it are writable. */
function podSpec(config: AgentConfig, { spec = {} }: PodTemplate, secretName: string): object {
  const { containers = [], volumes = [], securityContext, ...others } = spec;
  const main = containers.find(({ name }) => name === mainContainer);
  const besides = containers.filter(({ name }) => name !== mainContainer);
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...others,
    restartPolicy: "Never",
    terminationGracePeriodSeconds: seconds(podGraceMs(config)),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: agentUser,
      runAsGroup: agentUser,
      fsGroup: agentUser,
      seccompProfile: { type: "RuntimeDefault" },
      ...securityContext,
    },
    containers: [mainOf(config, main, secretName), ...besides],
    volumes: [
      ...volumes,
      { name: "svc-job", secret: { secretName, defaultMode: 0o440, items: onlyJob } },
      { name: "svc-tmp", emptyDir: {} },
      { name: "svc-shm", emptyDir: { medium: "Memory", sizeLimit: "256Mi" } },
    ],
  };
}

const onlyJob = [{ key: jobFile, path: jobFile }];

/** The user of the image that is not root (Dockerfile.agent). */
const agentUser = 10_001;

type Container = NonNullable<NonNullable<PodTemplate["spec"]>["containers"]>[number];

function mainOf(config: AgentConfig, main: Container | undefined, secret: string): object {
  const { env = [], volumeMounts = [], securityContext, ...others } = main ?? {};
  const told = new Set(env.map(({ name }) => name.toUpperCase()));
  const proxies = Object.keys(proxiesOf(config.env)).filter((name) => !told.has(name));
  return {
    image: config.executorImage,
    ...others,
    name: mainContainer,
    args: ["run-job", "--job-file", `${jobFolder}/${jobFile}`],
    terminationMessagePolicy: "FallbackToLogsOnError",
    env: [
      ...env,
      ...proxies.map((key) => ({
        name: key,
        valueFrom: { secretKeyRef: { name: secret, key } },
      })),
      { name: "HOME", value: "/tmp" },
      { name: "TMPDIR", value: "/tmp" },
      ...passedOn(config),
    ],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
      ...securityContext,
    },
    volumeMounts: [
      ...volumeMounts,
      { name: "svc-job", mountPath: jobFolder, readOnly: true },
      { name: "svc-tmp", mountPath: "/tmp" },
      { name: "svc-shm", mountPath: "/dev/shm" },
    ],
  };
}

/** Settings that concern only the agent itself, or its own disk. */
const ownSettings: ReadonlySet<SettingName> = new Set<SettingName>([
  "broker-url",
  "token-file",
  "token",
  "runner",
  "mode",
  "groups",
  "data-dir",
  "work-dir",
  "run-dir",
  "job-user",
  "job-cgroups",
  "job-memory-max",
  "job-pids-max",
  "watch-port",
  "on-sigterm",
  "drain-timeout",
  "host-grace",
  "start-timeout",
  "claim-wait",
  "tools-dir",
  "executor",
  "executor-name",
  "executor-namespace",
  "executor-image",
  "executor-pod",
  "executor-max-pods",
  "executor-start-timeout",
  "executor-keep",
]);

/** All other settings of the agent hold in the pods of its jobs too. */
function passedOn({ given }: AgentConfig): { name: string; value: string }[] {
  const entries = Object.entries(given) as [SettingName, string][]; // its own keys
  return entries
    .filter(([name]) => !ownSettings.has(name))
    .map(([name, value]) => ({ name: variableOf(name), value }));
}
