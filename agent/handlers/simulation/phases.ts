import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { readActionRun } from "../actions/action-steps.ts";

/** A phase of a simulated job: a name, and a line for the log. */
export type Phase = {
  readonly name: string;
  readonly line: string;
  /** The id at the broker of the step that it stands for; empty if there is none. */
  readonly id: string;
};

const actionTypes = new Set(["actions-workflow", "runner-local"]);
const terraform = {
  plan: ["init", "validate", "plan", "show"],
  apply: ["init", "apply", "output"],
  exec: ["init", "plan", "apply", "output"],
};
const helm = { plan: ["fetch", "diff"], apply: ["fetch", "upgrade", "wait"] };
const manifest = { plan: ["discover", "diff"], apply: ["discover", "apply", "wait"] };
const pulumi = { plan: ["login", "preview"], apply: ["login", "up", "output"] };
const build = { apply: ["source", "build", "push"] };
const kinds: readonly (readonly [
  RegExp,
  {
    readonly plan?: readonly string[];
    readonly apply: readonly string[];
    readonly exec?: readonly string[];
  },
])[] = [
  [/terraform-module-build|-build$/, build],
  [/terraform/, terraform],
  [/helm/, helm],
  [/kubernetes-manifest/, manifest],
  [/pulumi/, pulumi],
  [/^oci-sync$|^noop-sync$/, { apply: ["pull", "push"] }],
  [/^fetch-image-metadata$/, { apply: ["fetch"] }],
  [/sync-secrets/, { apply: ["read", "write"] }],
];

/** The phases of a simulated job, by its type and operation; those of an action are its steps. */
export function simulatedPhases(info: JobInfo, plan: Plan): Phase[] {
  const { type, operation } = info;
  if (actionTypes.has(type)) {
    const { steps } = readActionRun(plan);
    return steps.map(({ name, id }) => ({ name, id, line: `Simulating step ${name}` }));
  }
  const kind = kinds.find(([pattern]) => pattern.test(type))?.[1];
  const isPlan = operation.startsWith("create-");
  const names =
    kind === undefined
      ? ["run"]
      : ((isPlan ? kind.plan : operation === "apply-plan" ? undefined : kind.exec) ?? kind.apply);
  return names.map((name) => ({ name, id: "", line: `Simulating ${name} of ${type}` }));
}
