import { z } from "zod";

const change = z.looseObject({
  actions: z.array(z.string()).catch([]),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  after_unknown: z.unknown().optional(),
  before_sensitive: z.unknown().optional(),
  after_sensitive: z.unknown().optional(),
  importing: z.unknown().optional(),
  replace_paths: z.unknown().optional(),
});
export type Change = z.infer<typeof change>;
const resourceChange = z.looseObject({ address: z.string(), change });
export type ResourceChange = z.infer<typeof resourceChange>;

const schema = z.looseObject({
  terraform_version: z.string().catch(""),
  resource_changes: z.array(resourceChange).nullish(),
  resource_drift: z.array(resourceChange).nullish(),
  output_changes: z.record(z.string(), change).nullish(),
});

/** The changes of a plan. */
export type PlanChanges = {
  readonly terraformVersion: string;
  /** Without resources that do not change, and those that are only read. */
  readonly resources: readonly ResourceChange[];
  /** Changes that were made outside of terraform. */
  readonly drift: readonly ResourceChange[];
  readonly outputs: Readonly<Record<string, Change>>;
  readonly counts: PlanCounts;
  readonly hasChanges: boolean;
  /** It has changes, and all of them are deletions. */
  readonly isTeardown: boolean;
};

export type PlanCounts = {
  readonly add: number;
  readonly change: number;
  readonly destroy: number;
  readonly import: number;
  readonly forget: number;
  readonly drift: number;
};

/** Reads the output of `terraform show -json` for a plan. */
export function planChanges(shown: unknown): PlanChanges {
  const plan = schema.parse(shown);
  const all = plan.resource_changes ?? [];
  const resources = all.filter((one) => changes(one.change));
  const drift = (plan.resource_drift ?? []).filter((one) => changes(one.change));
  const outputs = Object.fromEntries(
    Object.entries(plan.output_changes ?? {}).filter(([, one]) => changes(one)),
  );
  const count = (isMeant: (one: ResourceChange) => boolean): number => all.filter(isMeant).length;
  return {
    terraformVersion: plan.terraform_version,
    resources,
    drift,
    outputs,
    counts: {
      add: count(does("create")),
      change: count(does("update")),
      destroy: count(does("delete")),
      import: count((one) => one.change.importing != null),
      forget: count(does("forget")),
      drift: drift.length,
    },
    hasChanges: resources.length > 0 || Object.keys(outputs).length > 0,
    isTeardown:
      resources.length > 0 && resources.every((one) => one.change.actions.join() === "delete"),
  };
}

const does =
  (action: string) =>
  (one: ResourceChange): boolean =>
    one.change.actions.includes(action);

const still: ReadonlySet<string> = new Set(["no-op", "read"]);

const changes = (one: Change): boolean =>
  one.importing != null || one.actions.some((action) => !still.has(action));
