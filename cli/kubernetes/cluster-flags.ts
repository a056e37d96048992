import type { FlagSpec } from "../../shared/command-line/command.ts";

/** Flags of every command that deploys to a cluster: which one, and where in it. */
export const clusterFlags = {
  kubeconfig: {
    value: "FILE",
    summary:
      "Send one context of this kubeconfig along, with its certificates and credentials; else the cluster is whichever the runner's agent finds by itself.",
  },
  context: {
    value: "NAME",
    summary:
      "Which context is sent: of --kubeconfig (default: its current one), else of your own kubeconfig (KUBECONFIG, ~/.kube/config).",
  },
  namespace: {
    short: "n",
    value: "NAMESPACE",
    summary: "The namespace of objects that name none (default: that of the context).",
  },
} as const satisfies Record<string, FlagSpec>;

/** What help says of which cluster is meant. */
export const clusterWords =
  "The cluster is the one that the runner's agent reaches by itself (its kubeconfig, or that of the pod it is in). With " +
  "--kubeconfig or --context one context of yours is sent instead: its server, its certificates and its credentials, and nothing " +
  "else of the file. They become part of the job's plan, which the broker keeps sealed.";
