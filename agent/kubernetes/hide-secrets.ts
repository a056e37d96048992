import type { Job } from "../jobs/handler.ts";
import type { KubeObject } from "./kube-object.ts";

const mostLength = 65_536;
const mostSecrets = 2_000;

/** Redacts the values of deployed Secrets: the deployed programs and error messages may print them. */
export function hideSecrets(job: Pick<Job, "addSecret">, objects: readonly KubeObject[]): void {
  const values = objects.flatMap(valuesOf).filter(({ length }) => length <= mostLength);
  for (const value of values.slice(0, mostSecrets)) job.addSecret(value);
}

function valuesOf(object: KubeObject): string[] {
  if (object.kind !== "Secret" || object.apiVersion !== "v1") return [];
  return [
    ...textsOf(object["data"]).map((value) => Buffer.from(value, "base64").toString("utf8")),
    ...textsOf(object["stringData"]),
  ];
}

function textsOf(values: unknown): string[] {
  if (typeof values !== "object" || values === null) return [];
  return Object.values(values).filter((value) => typeof value === "string");
}
