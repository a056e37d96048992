import { z } from "zod";
import { count, durationMs, text, words } from "./parsers.ts";
import type { Setting } from "./setting.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Settings of where jobs run. */
export const executorSettings = {
  executor: {
    value: "host|kubernetes",
    schema: words("host", "kubernetes"),
    byDefault: "host",
    doc: "Where jobs run: on the agent's host, or each in a pod of its own (a Kubernetes Job). Jobs that concern only the agent always run on its host.",
  },
  "executor-name": {
    value: "NAME",
    schema: z
      .string()
      .regex(
        /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/,
        "must be at most 40 lower-case letters, digits and hyphens",
      ),
    byDefault: "svc-agent",
    doc: "Name and label of this agent's Jobs, and of the Secret with its identity. It must be unique among the agents of a namespace.",
  },
  "executor-namespace": {
    value: "NAMESPACE",
    schema: text,
    doc: "Namespace of the Jobs. Default: the one of the agent's pod or kubeconfig.",
  },
  "executor-image": {
    value: "IMAGE",
    schema: text,
    doc: "Image of the pods: the agent's own image, in the same version.",
  },
  "executor-pod": {
    value: "FILE",
    schema: text,
    doc: "A pod template in YAML or JSON: labels, service account, resources, nodes, volumes. Its container named job runs the job.",
  },
  "executor-max-pods": {
    value: "NUMBER",
    schema: count.refine((most) => most >= 1, { error: "must be a whole number, 1 or more" }),
    byDefault: "20",
    doc: "Maximum number of pods at a time, whatever the slots of the groups are.",
  },
  "executor-start-timeout": {
    value: "DURATION",
    schema: durationMs(1_000, dayMs),
    byDefault: "15m",
    doc: "How long a pod may take to start. After that its job fails with the reason why the pod does not start.",
  },
  "executor-keep": {
    value: "DURATION",
    schema: durationMs(0, 30 * dayMs),
    byDefault: "1h",
    doc: "How long a finished Job and its pod are kept for inspection.",
  },
} as const satisfies Record<string, Setting>;
