import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { CommandCall } from "../command.ts";
import { brokerFlags, everyFlags } from "../flags/global-flags.ts";
import { type Approval, applyPlanned } from "./apply-planned.ts";
import { findPlanned } from "./find-planned.ts";
import type { MadePlan, PlanKind, Terminal } from "./plan-kind.ts";

type Applying = {
  /** The command: `apply` of `svc terraform apply`. */
  readonly verb: string;
  readonly flags: Readonly<Record<string, unknown>> & {
    readonly job: string | undefined;
    readonly runner: string | undefined;
    readonly "auto-approve": boolean;
  };
  /** Whether the command line names what is to be planned, and how that is called: "a folder". */
  readonly isNamed: boolean;
  readonly needed: string;
  readonly plan: (runnerId: string) => Promise<MadePlan>;
  readonly question: string;
  readonly nothing: string;
};

/** Has something planned, or finds what a job has planned, asks, and has exactly that applied; answers the exit code. */
export async function planAndApply(
  at: Terminal & Pick<CommandCall, "runnerOf">,
  kind: PlanKind,
  { verb, flags, isNamed, needed, plan, question, nothing }: Applying,
): Promise<number> {
  const { job: jobId, runner } = flags;
  const approval: Approval = { isApproved: flags["auto-approve"], question, nothing };
  if (isNamed === (jobId !== undefined)) {
    throw new UsageError(`Name ${needed}, or with --job the job that planned.`);
  }
  if (jobId !== undefined) {
    refuseOthers(flags);
    return await applyPlanned(at, await findPlanned(at, kind, { jobId, verb }), approval);
  }
  return await applyPlanned(at, await plan(await at.runnerOf(runner)), approval);
}

const fitting = ["job", "auto-approve", ...Object.keys({ ...everyFlags, ...brokerFlags })];

/** What was planned stays as it was planned: another flag would promise something else. */
function refuseOthers(flags: Readonly<Record<string, unknown>>): void {
  const other = Object.entries(flags).find(([name, value]) => {
    const isGiven = Array.isArray(value)
      ? value.length > 0
      : value !== undefined && value !== false;
    return isGiven && !fitting.includes(name);
  });
  if (other === undefined) return;
  throw new UsageError(
    `--${other[0]} does not go with --job: that applies what was planned, as it is.`,
  );
}
