import { JobFailure } from "../jobs/job-failure.ts";
import { ApiRefusal, isOfSchema } from "./api-refusal.ts";
import { type DeployClass, deployFailure } from "./deploy-failure.ts";

/** Turns a refusal of a cluster into the failure of a job; `what` begins the sentence: "ConfigMap shop/web". */
export function explainRefusal(error: unknown, what: string): Error {
  if (!(error instanceof ApiRefusal)) return error as Error; // other errors stay as they are
  if (error instanceof JobFailure) return error;
  const managers = conflictsOf(error);
  if (managers.length > 0) {
    const words = managers.map(({ manager, field }) => `${field} is ${manager}'s`).join(", ");
    return deployFailure(`${what}: others manage what it sets: ${words}.`, "conflict");
  }
  const words = error.message.replace(/\.$/, "");
  return deployFailure(`${what}: the cluster refuses it: ${words}.`, classOf(error));
}

/** A field that another manager owns. */
export type FieldConflict = { readonly manager: string; readonly field: string };

/** The conflicting fields and their managers in a refused apply; empty if it was refused for another reason. */
export function conflictsOf(error: unknown): FieldConflict[] {
  if (!(error instanceof ApiRefusal) || error.status !== 409) return [];
  return error.causes
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ message, field }) => {
      const manager = /conflict with "([^"]*)"/.exec(message)?.[1] ?? "somebody";
      return { manager, field: field.replace(/^\./, "") };
    });
}

function classOf(refusal: ApiRefusal): DeployClass {
  const { status, message } = refusal;
  if (isOfSchema(refusal)) return "config_invalid";
  if (status === 403) {
    if (/exceeded quota|quota/.test(message)) return "quota";
    return /admission webhook|ValidatingAdmissionPolicy/.test(message) ? "refused" : "forbidden";
  }
  const classes: Readonly<Record<number, DeployClass>> = {
    400: "config_invalid",
    401: "auth",
    404: "not_found",
    409: "conflict",
    413: "config_invalid",
    415: "config_invalid",
    422: "config_invalid",
    429: "network",
  };
  return classes[status] ?? (status >= 500 ? "network" : "refused");
}
