import { gunzipSync } from "node:zlib";
import type { RunnerJobExecutionResult } from "../../shared/api/runner-job-execution.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import {
  changeCountWords,
  parsePlannedChanges,
  type PlannedChanges,
} from "../../shared/plans/planned-changes.ts";
import type { Planned } from "../plans/plan-kind.ts";

const mostBytes = 64 * 2 ** 20;

/** Reads what a planning job of helm or manifests brought: the diff, and the bytes that an apply gets back. A UsageError without. */
export async function plannedDiff(
  jobId: string,
  result: RunnerJobExecutionResult | undefined,
): Promise<Planned> {
  const bytes = result?.contents_gzip;
  const read = bytes === undefined ? undefined : parsed(bytes);
  if (bytes === undefined || read === undefined) {
    throw new UsageError(
      `${jobId} has brought no diff that can be read here: it planned nothing, or this token lacks the permission plans.secrets.`,
    );
  }
  const { plan, ...summary } = read;
  return {
    hasChanges: hasChanges(read),
    obstacle: (read.counts["conflict"] ?? 0) === 0 ? "" : conflictWords,
    summary,
    display: plan === "" ? "" : `${await withNew(read)}\n\n${changeCountWords(read)}`,
    approved: { apply_plan_contents: bytes },
    spare: {},
  };
}

const conflictWords =
  "It cannot be applied: others manage what it sets. With --force-conflicts it is taken over from them.";

function parsed(bytes: string): PlannedChanges | undefined {
  try {
    const text = gunzipSync(Buffer.from(bytes, "base64"), { maxOutputLength: mostBytes });
    return parsePlannedChanges(text.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** What is there already may still have to be remembered. A release that is not deployed well is deployed anew, and one without objects is one, too. */
function hasChanges({ op, counts: all, release, unremembered }: PlannedChanges): boolean {
  if ((all["create"] ?? 0) + (all["update"] ?? 0) + (all["delete"] ?? 0) > 0) return true;
  if (release == null) return (unremembered ?? 0) > 0;
  return op === "teardown" ? release.status !== "" : release.status !== "deployed";
}

/** The plan's lines, and below each object that is made the whole of it. */
async function withNew({ plan, content_diff: all }: PlannedChanges): Promise<string> {
  const made = (all ?? []).filter(({ action }) => action === "create");
  const { stringify } = await import("yaml"); // loaded by who needs it: it is slow
  const lines = plan.split("\n").flatMap((line) => {
    if (!/^\+ .+ \(create\)$/.test(line)) return [line];
    const after = made.shift()?.changes?.[0]?.["after"];
    if (after === undefined) return [line];
    const text = stringify(after, { lineWidth: 0 }).trimEnd();
    return [line, ...text.split("\n").map((one) => `    ${one}`)];
  });
  return lines.join("\n");
}
