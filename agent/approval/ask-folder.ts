import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { pause } from "../client/pause.ts";
import { writeAtomically } from "../files/atomic-file.ts";
import type { ApprovalAnswer, ApprovalRequest } from "./approval-request.ts";

const lookEveryMs = 500;
const mostWhy = 500;

/**
 * Writes JOB.request.json to a folder and waits until somebody creates JOB.yes or JOB.no beside it; its first line may
 * give a reason. Returns undefined when there is no answer in time or the job is stopped.
 */
export async function askFolder({
  approver,
  job,
  text,
  giveUpAtMs,
}: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
  const named = (end: string): string => path.join(approver, `${job.info.id}.${end}`);
  // An answer from before the request was about something else.
  await job.once("consent/cleared", async () => {
    for (const end of ["yes", "no"]) await rm(named(end), { force: true });
    return true;
  });
  await writeAtomically(named("request.json"), { text });
  try {
    while (!job.signal.aborted && Date.now() < giveUpAtMs) {
      // If both exist, "no" counts.
      const answer =
        (await readAnswer(named("no"), "no")) ?? (await readAnswer(named("yes"), "yes"));
      if (answer !== undefined) return answer;
      await pause(lookEveryMs, job.signal);
    }
    return undefined;
  } finally {
    for (const end of ["request.json", "yes", "no"]) await rm(named(end), { force: true });
  }
}

async function readAnswer(file: string, end: "yes" | "no"): Promise<ApprovalAnswer | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const [first = ""] = text.trim().split("\n");
  const why = first.slice(0, mostWhy) || (end === "no" ? "someone said no" : "");
  return { isYes: end === "yes", why };
}
