import { z } from "zod";
import { count, durationMs, text, words } from "./parsers.ts";
import type { Setting } from "./setting.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Where claimed jobs are done. */
export const executorSettings = {
  executor: {
    value: "host|kubernetes",
    schema: words("host", "kubernetes"),
    byDefault: "host",
    doc: "Where jobs are done: by the agent itself, or each in a pod of its own, which the agent makes a Kubernetes Job for. Jobs that concern the agent alone it does itself.",
  },
  "executor-name": {
    value: "NAME",
    schema: z
      .string()
      .regex(
        /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/,
        "must be lower-case letters, digits and hyphens, 40 at most",
      ),
    byDefault: "svc-agent",
    doc: "What this agent's Jobs are called after and labelled with, and the Secret in which it keeps who it is: another one for each agent of a namespace.",
  },
  "executor-namespace": {
    value: "NAMESPACE",
    schema: text,
    doc: "The namespace of the Jobs; the one of the agent's pod or kubeconfig, unless told.",
  },
  "executor-image": {
    value: "IMAGE",
    schema: text,
    doc: "The image of the Jobs' pods: this agent's own, of the same version.",
  },
  "executor-pod": {
    value: "FILE",
    schema: text,
    doc: "A pod template, YAML or JSON, to begin from: labels, service account, resources, nodes, volumes; its container job is the one that does the job.",
  },
  "executor-max-pods": {
    value: "NUMBER",
    schema: count.refine((most) => most >= 1, { error: "must be a whole number, 1 or more" }),
    byDefault: "20",
    doc: "How many pods of jobs there may be at once, whatever the groups' slots are.",
  },
  "executor-start-timeout": {
    value: "DURATION",
    schema: durationMs(1_000, dayMs),
    byDefault: "15m",
    doc: "How long a pod may take to begin before its job is failed with what keeps it from beginning.",
  },
  "executor-keep": {
    value: "DURATION",
    schema: durationMs(0, 30 * dayMs),
    byDefault: "1h",
    doc: "How long a Job and its pod are kept after their end, for people to look at.",
  },
} as const satisfies Record<string, Setting>;
