import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { RunnerJobExecutionResult } from "../../shared/api/runner-job-execution.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { Planned } from "../plans/plan-kind.ts";

const counts = z.record(z.string(), z.number());
const contents = z.looseObject({
  op: z.string(),
  counts,
  plan: z.string(),
  content_diff: z
    .array(z.looseObject({ action: z.string(), changes: z.array(z.looseObject({})).nullish() }))
    .nullish(),
  /** Of manifests: how many objects are not remembered by the name yet. */
  unremembered: z.number().nullish(),
  /** Of helm: where the release stands. */
  release: z.looseObject({ status: z.string() }).nullish(),
});
type Contents = z.infer<typeof contents>;

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
    display: plan === "" ? "" : `${await withNew(read)}\n\n${countWords(read)}`,
    approved: { apply_plan_contents: bytes },
    spare: {},
  };
}

const conflictWords =
  "It cannot be applied: others manage what it sets. With --force-conflicts it is taken over from them.";

function parsed(bytes: string): Contents | undefined {
  try {
    const text = gunzipSync(Buffer.from(bytes, "base64"), { maxOutputLength: mostBytes });
    return contents.parse(JSON.parse(text.toString("utf8")));
  } catch {
    return undefined;
  }
}

/** What is there already may still have to be remembered. A release that is not deployed well is deployed anew, and one without objects is one, too. */
function hasChanges({ op, counts: all, release, unremembered }: Contents): boolean {
  if ((all["create"] ?? 0) + (all["update"] ?? 0) + (all["delete"] ?? 0) > 0) return true;
  if (release == null) return (unremembered ?? 0) > 0;
  return op === "teardown" ? release.status !== "" : release.status !== "deployed";
}

/** The plan's lines, and below each object that is made the whole of it. */
async function withNew({ plan, content_diff: all }: Contents): Promise<string> {
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

const words = {
  create: "to create",
  update: "to update",
  delete: "to delete",
  conflict: "in conflict",
  keep: "to keep",
  unchanged: "unchanged",
} as const;

function countWords({ counts: all, unremembered }: Contents): string {
  const told = Object.entries(words).flatMap(([name, means]) => {
    const count = all[name] ?? 0;
    return count === 0 ? [] : [`${count} ${means}`];
  });
  const news = (all["create"] ?? 0) + (all["conflict"] ?? 0);
  const adopted = Math.max(0, (unremembered ?? 0) - news);
  if (adopted > 0) told.push(`${adopted} of them to remember by the name`);
  return `Plan: ${told.join(", ")}.`;
}
