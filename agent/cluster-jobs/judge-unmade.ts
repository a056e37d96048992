import type { KubeObject } from "../kubernetes/kube-object.ts";
import type { JobFault } from "./judge-pod.ts";

/**
 * Why no pod could be created, from the latest event of the cluster's controllers; undefined without an event. Only a
 * "forbidden" is final: every other reason may pass.
 */
export function judgeUnmade(events: readonly KubeObject[]): JobFault | undefined {
  const told = events.filter((event) => typeof event["message"] === "string");
  const last = told.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)).at(-1);
  if (last === undefined) return undefined;
  const message = String(last["message"]).replace(/^Error creating: /, "");
  const words = `its pod cannot be created: ${message.replace(/\.$/, "")}`;
  if (/exceeded quota/.test(message)) return { trouble: "quota", words, isHopeless: false };
  if (denials.test(message)) return { trouble: "refused", words, isHopeless: true };
  // For example a service account that is created a moment later, or a webhook that did not answer.
  const trouble = message.includes("is forbidden") ? "forbidden" : "not_started";
  return { trouble, words, isHopeless: false };
}

const denials =
  /denied the request|denied request|violates PodSecurity|security context constraint|\bis invalid:/;

/** A time without a fraction sorts as the start of its second. */
function timeOf(event: KubeObject): string {
  const { lastTimestamp, eventTime } = event as EventTimes;
  return lastTimestamp || eventTime || "";
}

type EventTimes = { readonly lastTimestamp?: string | null; readonly eventTime?: string | null };
