import type { CompositeFault } from "../../shared/api/composite-fault.ts";
import type { CompositeFault as StoredFault } from "../workflows/machine/workflow-rows.ts";

/** What failed: the kind of record, and its id. */
export type FaultSource = { readonly type: string; readonly id: string };

/** A fault as the API shows it. */
type Shown = {
  readonly type: string;
  readonly message: string;
  readonly severity: string;
  readonly sections: readonly Section[];
  readonly hints: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly source_type: string;
  readonly source_id: string;
  readonly version: 1;
};
type Section = {
  readonly kind: "code" | "markdown" | "text";
  readonly heading: string;
  readonly body: string;
};

/** Why a record of the control plane failed; nothing where it did not: the member is left out. */
export function compositeErrorOf(
  fault: StoredFault | null,
  source: FaultSource,
): { readonly composite_error?: CompositeFault } {
  if (fault === null) return {};
  const { runner_job_id: jobId, step_id: stepId } = fault;
  const of = [
    ...(jobId === undefined ? [] : [{ type: "runner_jobs", id: jobId }]),
    ...(stepId === undefined ? [] : [{ type: "install_workflow_steps", id: stepId }]),
    source,
  ];
  const shown = {
    type: fault.code,
    message: messageOf(fault.title, fault.detail),
    sections: [],
    hints: {},
    data: { ...fault.facts },
    ...sourceOf(of[0] ?? source),
    version: 1 as const,
  };
  return { composite_error: { ...fault, ...shown } };
}

type Reported = Readonly<Record<string, unknown>>;

/** Why a job failed, in the same shape, beside all that its runner or the broker said of it. */
export function jobErrorOf(told: Reported, jobId: string): Reported {
  const { title, detail, message, data, hints } = told;
  const shown: Shown = {
    type: textOf(told["type"], textOf(told["code"], "job_failed")),
    message: textOf(message, messageOf(textOf(title, "The job failed"), textOf(detail, ""))),
    severity: textOf(told["severity"], "error"),
    sections: Array.isArray(told["sections"]) ? (told["sections"] as Section[]) : sectionsOf(told), // as the runner told it
    hints: isObject(hints) ? (hints as Record<string, string>) : {}, // likewise
    data: isObject(data) ? data : {},
    ...sourceOf({ type: "runner_jobs", id: jobId }),
    version: 1,
  };
  return { ...told, ...shown };
}

const sourceOf = ({ type, id }: FaultSource) => ({ source_type: type, source_id: id });

const messageOf = (title: string, detail: string): string =>
  detail === "" ? title : `${title}: ${detail}`;

const textOf = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise;

const isObject = (value: unknown): value is Reported =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a tool said of each fault. */
function sectionsOf({ diagnostics }: Reported): Section[] {
  if (!Array.isArray(diagnostics)) return [];
  return diagnostics.filter(isObject).map(({ summary, detail }) => ({
    kind: "text",
    heading: textOf(summary, "Diagnostic"),
    body: textOf(detail, ""),
  }));
}
