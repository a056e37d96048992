import { existsSync } from "node:fs";
import path from "node:path";
import { freeDisk } from "../workspace/disk-space.ts";
import { childFiles } from "./child-files.ts";
import type { ChildEnd, ChildManifest } from "./child.ts";
import { explainEnd } from "./explain-end.ts";
import { readText } from "./find-child.ts";
import type { Notifier } from "./notifier.ts";
import { countOomKills, reachedBounds } from "./oom-kills.ts";
import { isRunning } from "./process-identity.ts";
import type { Stopper } from "./stop-child.ts";
import { sweepMarked } from "./sweep-marked.ts";

/** Nothing reports a supervisor's death, so it is polled at this interval. */
const lookEveryMs = 1_000;

type Means = {
  readonly notifier: Notifier;
  readonly stopper: Pick<Stopper, "sent" | "isHopeless">;
};

/**
 * Waits until the child's exit code is written, or until it cannot be written any more. Never rejects: a check that
 * fails for want of file descriptors or memory is repeated.
 */
export async function awaitEnd(
  manifest: ChildManifest,
  { notifier, stopper }: Means,
): Promise<ChildEnd> {
  for (;;) {
    const seen = notifier.count();
    const end = await look(manifest, stopper).catch(() => undefined);
    if (end !== undefined) return end;
    await notifier.after(seen, lookEveryMs);
  }
}

/** Undefined while the child may still run. */
async function look(
  manifest: ChildManifest,
  stopper: Means["stopper"],
): Promise<ChildEnd | undefined> {
  const isWatched = isRunning(manifest.supervisor) && existsSync(manifest.dir);
  // Read only now, because a supervisor writes it before it exits.
  const code = readText(path.join(manifest.dir, childFiles.code));
  if (code.endsWith("\n")) return await tell(manifest, Number(code), stopper);
  if (stopper.isHopeless()) return hopeless;
  if (isWatched) return undefined;
  await sweepMarked(manifest.executionId, manifest.step, [manifest.leader]);
  if (stopper.sent().some(({ signal }) => signal === "SIGKILL")) return killed;
  return existsSync(manifest.dir) ? lost : folderGone;
}

async function tell(
  manifest: ChildManifest,
  code: number,
  stopper: Pick<Stopper, "sent">,
): Promise<ChildEnd> {
  const oomNow = countOomKills(manifest.cgroup);
  const free = code === 0 ? undefined : await freeDisk(manifest.cwd).catch(() => undefined);
  return explainEnd({
    code,
    hasSaidSignal: readText(path.join(manifest.dir, childFiles.said)).trim() !== "",
    sent: stopper.sent(),
    graceMs: manifest.stop.graceMs,
    oomKills: manifest.oomKills === null ? 0 : (oomNow ?? manifest.oomKills) - manifest.oomKills,
    bounds: reachedBounds(manifest.cgroup),
    freeBytes: free,
    hasGap: existsSync(path.join(manifest.dir, childFiles.gap)),
  });
}

const killed: ChildEnd = {
  code: null,
  signal: "SIGKILL",
  why: "killed",
  words: "was killed by SIGKILL",
};

const lost: ChildEnd = {
  code: null,
  signal: null,
  why: "lost",
  words:
    "was lost: its supervising process was killed, perhaps by the command itself. " +
    "Its outcome is unknown, and its remaining processes were killed",
};

/** The end of a child whose folder is gone. */
export const folderGone: ChildEnd = {
  ...lost,
  words:
    "was lost: its folder in the run directory was removed, perhaps by the command itself. " +
    "Its outcome is unknown, and its remaining processes were killed",
};

const hopeless: ChildEnd = {
  code: null,
  signal: null,
  why: "lost",
  words: "could not be killed: it hangs in the kernel",
};
