import type { PlainAttributes } from "./plain-attributes.ts";

/** The job that telemetry is of, by the attribute that runners set; empty when there is none. */
export function jobAttribute(attributes: PlainAttributes): string {
  const id = attributes["runner_job.id"];
  return typeof id === "string" && /^job_[0-9a-z]{26}$/.test(id) ? id : "";
}
