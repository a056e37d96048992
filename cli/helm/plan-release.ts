import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { CommandCall } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { readOwnCluster } from "../kubernetes/own-kubeconfig.ts";
import { plannedDiff } from "../kubernetes/planned-diff.ts";
import type { Screen } from "../output/screen.ts";
import { makePlan } from "../plans/make-plan.ts";
import { type MadePlan, type PlanKind, showOutputs } from "../plans/plan-kind.ts";
import { readChart } from "./read-chart.ts";
import { readJsonFlags } from "./read-json-flags.ts";
import { readSetFlags } from "./read-set-flags.ts";

/** What is asked of a release: all flags that any of the commands has; a teardown needs no chart. */
export type ReleaseAsk = {
  readonly release: string;
  readonly chart: string | undefined;
  readonly runner: string;
  readonly flags: ReleaseFlags;
};
type ReleaseFlags = {
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly "storage-driver": string | undefined;
  readonly timeout: string | undefined;
} & Partial<ChartFlags>;
type ChartFlags = Parameters<typeof readSetFlags>[0] &
  Parameters<typeof readChart>[1] & {
    readonly values: readonly string[];
    readonly "set-json": readonly string[];
    readonly "create-namespace": boolean;
    readonly "skip-crds": boolean;
    readonly "take-ownership": boolean;
    readonly "force-conflicts": boolean;
  };

type At = Pick<CommandCall, "call" | "connect" | "screen" | "config">;

/** Plans of helm, as people have them made and applied. */
export const helmKind: PlanKind = {
  noun: "helm",
  type: "helm-chart-deploy",
  ownerType: "svc-helm",
  plansBy: "svc helm diff",
  appliesBy: { "create-apply-plan": "upgrade", "create-teardown-plan": "uninstall" },
  readPlanned: plannedDiff,
  showOutputs: showRelease,
};

/** Has an upgrade of a release planned with a chart, its uninstall without, and shows the diff. */
export async function planRelease(at: At, asked: ReleaseAsk): Promise<MadePlan> {
  const { release, chart, runner: runnerId, flags } = asked;
  const cluster = await readOwnCluster(flags, at.config);
  const namespace = flags.namespace ?? cluster.namespace;
  const timeout = readDurationNs("--timeout", flags.timeout);
  const { "storage-driver": driver } = flags;
  const helm = {
    ...(cluster.info && { cluster_info: cluster.info }),
    name: release,
    ...(namespace !== undefined && { namespace }),
    ...(driver !== undefined && { storage_driver: driver }),
    ...(timeout !== undefined && { timeout }),
    ...(chart !== undefined && (await chartMembers(chart, flags))),
  };
  const where = namespace ?? "default";
  return await makePlan(at, helmKind, {
    runnerId,
    operation: chart === undefined ? "create-teardown-plan" : "create-apply-plan",
    ownerId: `${where}/${release}`,
    planText: JSON.stringify({ helm }),
    told: { release, namespace: where },
  });
}

async function chartMembers(chart: string, flags: Partial<ChartFlags>): Promise<object> {
  const { values: valuesFiles = [], repo, version, login } = flags;
  const { set = [], "set-string": texts = [], "set-file": files = [] } = flags;
  const switches = {
    create_namespace: flags["create-namespace"],
    skip_crds: flags["skip-crds"],
    take_ownership: flags["take-ownership"],
    force_conflicts: flags["force-conflicts"],
  };
  const values = await readSetFlags({ set, "set-string": texts, "set-file": files });
  const json = readJsonFlags(flags["set-json"] ?? []);
  const sent = [...(await Promise.all(valuesFiles.map(readValues))), ...(json ? [json] : [])];
  return {
    ...(await readChart(chart, {
      repo,
      version,
      login,
      "plain-http": flags["plain-http"] === true,
    })),
    ...(sent.length > 0 && { values_files: sent }),
    ...(values.length > 0 && { values }),
    ...Object.fromEntries(Object.entries(switches).filter(([, is]) => is === true)),
  };
}

/** One line without a colon would be the name of a file in the chart: an end of line says that it is none. */
async function readValues(file: string): Promise<string> {
  if (/^https?:\/\//.test(file))
    throw new UsageError(`-f ${file}: a file of this machine is sent.`);
  const text = await readInput(file);
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** What a chart says to people comes last, as helm has it. */
function showRelease(
  screen: Screen,
  { notes, ...outputs }: Readonly<Record<string, unknown>>,
): void {
  const told = Object.entries(outputs).filter(([, value]) => value !== "");
  showOutputs(screen, Object.fromEntries(told));
  if (typeof notes === "string" && notes.trim() !== "") screen.out(`\n${notes.trimEnd()}`);
}
