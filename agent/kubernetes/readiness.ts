import type { KubeObject } from "./kube-object.ts";

/** Whether an object has reached its desired state, by the rules of kstatus. */
export type Readiness =
  | { readonly is: "ready" }
  | { readonly is: "waiting"; readonly words: string }
  /** It failed: it does not become ready by itself. */
  | { readonly is: "failed"; readonly words: string };

type Status = {
  readonly observedGeneration?: number;
  readonly phase?: string;
  readonly reason?: string;
  readonly conditions?: readonly Condition[];
  readonly [count: string]: unknown;
};
type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};

const ready: Readiness = { is: "ready" };
const waiting = (words: string): Readiness => ({ is: "waiting", words });
const failed = (words: string): Readiness => ({ is: "failed", words });

/** The readiness of an object, from its status. */
export function readinessOf(object: KubeObject): Readiness {
  const status = (object["status"] ?? {}) as Status; // zero values where the server omits them
  const { generation = 0, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return waiting("it is being deleted");
  if ((status.observedGeneration ?? generation) < generation) {
    return waiting("its controller has not processed its last change yet");
  }
  const rule = rules[`${object.apiVersion.replace(/\/.*/, "")}/${object.kind}`];
  return (rule ?? byConditions)(specOf(object), status);
}

type Spec = Readonly<Record<string, unknown>>;
type Rule = (spec: Spec, status: Status) => Readiness;

const specOf = (object: KubeObject): Spec => (object["spec"] ?? {}) as Spec;
const count = (of: Readonly<Record<string, unknown>>, name: string, otherwise = 0): number =>
  typeof of[name] === "number" ? of[name] : otherwise;

const rules: Readonly<Record<string, Rule>> = {
  "apps/Deployment": (spec, status) => {
    const progressing = conditionOf(status, "Progressing");
    if (progressing?.reason === "ProgressDeadlineExceeded") {
      return failed(progressing.message ?? "its rollout exceeded its progress deadline");
    }
    const wanted = count(spec, "replicas", 1);
    const [updated, all] = [count(status, "updatedReplicas"), count(status, "replicas")];
    const available = count(status, "availableReplicas");
    if (status.observedGeneration === undefined)
      return waiting("its controller has not processed it");
    if (updated < wanted) return waiting(`${updated} of ${wanted} replicas are updated`);
    if (all > updated) return waiting(`${all - updated} old replicas are still there`);
    if (available < wanted) return waiting(`${available} of ${wanted} replicas are available`);
    return ready;
  },
  "apps/StatefulSet": (spec, status) => {
    const wanted = count(spec, "replicas", 1);
    const strategy = spec["updateStrategy"] as { type?: string } | undefined;
    if (strategy?.type === "OnDelete") return ready;
    if (status.observedGeneration === undefined)
      return waiting("its controller has not processed it");
    const [are, ready_] = [count(status, "replicas"), count(status, "readyReplicas")];
    if (are < wanted) return waiting(`${are} of ${wanted} replicas are there`);
    if (ready_ < wanted) return waiting(`${ready_} of ${wanted} replicas are ready`);
    if (partitionOf(spec) === 0 && status["currentRevision"] !== status["updateRevision"]) {
      return waiting(`${count(status, "updatedReplicas")} of ${wanted} replicas are updated`);
    }
    return ready;
  },
  "apps/DaemonSet": (spec, status) => {
    if (status.observedGeneration === undefined)
      return waiting("its controller has not processed it");
    const wanted = count(status, "desiredNumberScheduled");
    const [updated, available] = [
      count(status, "updatedNumberScheduled"),
      count(status, "numberAvailable"),
    ];
    const isOnDelete = (spec["updateStrategy"] as { type?: string } | undefined)?.type;
    if (isOnDelete !== "OnDelete" && updated < wanted) {
      return waiting(`${updated} of ${wanted} pods are updated`);
    }
    return available < wanted ? waiting(`${available} of ${wanted} pods are available`) : ready;
  },
  "apps/ReplicaSet": (spec, status) => {
    const wanted = count(spec, "replicas", 1);
    const available = count(status, "availableReplicas");
    return available < wanted ? waiting(`${available} of ${wanted} are available`) : ready;
  },
  "batch/Job": (spec, status) => {
    const fail = conditionOf(status, "Failed");
    if (fail?.status === "True") return failed(`it failed: ${fail.message ?? fail.reason ?? ""}`);
    if (conditionOf(status, "Complete")?.status === "True" || spec["suspend"] === true)
      return ready;
    return waiting(`${count(status, "succeeded")} of ${count(spec, "completions", 1)} completed`);
  },
  "v1/Pod": (_, status) => {
    if (status.phase === "Succeeded") return ready;
    if (status.phase === "Failed") return failed(`it failed (${status.reason ?? ""})`);
    const is = conditionOf(status, "Ready")?.status === "True";
    return is ? ready : waiting(`its phase is ${status.phase ?? "Pending"}`);
  },
  "v1/PersistentVolumeClaim": (_, status) => {
    if (status.phase === "Lost") return failed("its volume is gone");
    return status.phase === "Bound" ? ready : waiting("it is not bound to a volume");
  },
  "v1/Namespace": (_, { phase }) =>
    phase === "Active" ? ready : waiting(`it is ${phase ?? "new"}`),
  "v1/Service": (spec) =>
    spec["type"] === "LoadBalancer" && !spec["clusterIP"] ? waiting("it has no address") : ready,
  "apiextensions.k8s.io/CustomResourceDefinition": (_, status) => {
    const names = conditionOf(status, "NamesAccepted");
    if (names?.status === "False") return failed(`its names are taken: ${names.message ?? ""}`);
    const is = conditionOf(status, "Established")?.status === "True";
    return is ? ready : waiting("it is not established");
  },
  "apiregistration.k8s.io/APIService": (_, status) => {
    const available = conditionOf(status, "Available");
    return available?.status === "True" ? ready : waiting(available?.message ?? "nobody serves it");
  },
};

/** Custom kinds, by their conditions; without any they count as ready. */
const byConditions: Rule = (_, status) => {
  const stalled = conditionOf(status, "Stalled");
  if (stalled?.status === "True") return failed(`it is stalled: ${stalled.message ?? ""}`);
  if (conditionOf(status, "Reconciling")?.status === "True") return waiting("it is reconciled");
  const says = conditionOf(status, "Ready") ?? conditionOf(status, "Available");
  if (says === undefined || says.status === "True") return ready;
  return waiting(`${says.type} is ${says.status}: ${says.message ?? says.reason ?? ""}`);
};

const conditionOf = ({ conditions }: Status, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

function partitionOf(spec: Spec): number {
  const strategy = spec["updateStrategy"] as { rollingUpdate?: { partition?: number } } | undefined;
  return strategy?.rollingUpdate?.partition ?? 0;
}
