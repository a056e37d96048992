import { existsSync } from "node:fs";
import { awaitEnd } from "./await-end.ts";
import { removeChildFolder } from "./child-files.ts";
import type { Child, ChildEnd, ChildManifest } from "./child.ts";
import { finishOutput } from "./finish-output.ts";
import { signalGroup, bootId } from "./process-identity.ts";
import { readOutput } from "./read-output.ts";
import { makeStopper } from "./stop-child.ts";
import { type FolderWatch, watchFolder } from "./watch-folder.ts";

type Hold = {
  /** The offset in its output to read from. */
  readonly from: number;
  /** Given when its folder is watched already. */
  readonly watch?: FolderWatch;
};

/** Supervises a child that runs or has ended, whichever process started it. */
export function holdChild(
  manifest: ChildManifest,
  { from, watch = watchFolder(manifest.dir) }: Hold,
): Child {
  const { dir } = manifest;
  let isLeft = false;
  let hasEnded = false;
  const isClosed = () => isLeft;
  const stopper = makeStopper(manifest, () => exited);
  const exited: Promise<ChildEnd> = awaitEnd(manifest, { notifier: watch.fate, stopper });
  const finished = exited.then(async () => {
    hasEnded = true;
    await finishOutput(manifest, { notifier: watch.output, isClosed });
  });
  return {
    manifest,
    output: readOutput({ dir, from, notifier: watch.output, isClosed }),
    exited,
    stop: stopper.stop,
    hasten: stopper.hasten,
    kill: stopper.kill,
    leave: () => {
      isLeft = true;
      watch.output.notify();
      void finished.then(watch.close);
    },
    remove: async () => {
      isLeft = true;
      watch.output.notify();
      if (!hasEnded) await stopper.kill();
      await finished;
      watch.close();
      signalGroup(manifest.carrier, "SIGKILL");
      await removeChildFolder(dir);
    },
  };
}

/**
 * Adopts a child of another process of the agent, running or ended, and reads its output from the given offset.
 * Undefined when its folder is gone or the host was rebooted.
 */
export function adoptChild(
  manifest: ChildManifest,
  { from }: { readonly from: number },
): Child | undefined {
  if (manifest.bootId !== bootId() || !existsSync(manifest.dir)) return undefined;
  return holdChild(manifest, { from });
}
