import { awaitEnd } from "./await-end.ts";
import type { Child, ChildEnd, ChildManifest } from "./child.ts";
import { finishOutput } from "./finish-output.ts";
import { signalGroup } from "./process-identity.ts";
import { readOutput } from "./read-output.ts";
import { removeChildFolder } from "./remove-child-folder.ts";
import { makeStopper } from "./stop-child.ts";
import { type FolderWatch, watchFolder } from "./watch-folder.ts";

type Hold = {
  /** The first byte of its output that is asked for. */
  readonly from: number;
  /** Given when somebody watched its birth already. */
  readonly watch?: FolderWatch;
};

/** A child that runs, or has run, in the hands of this process, whoever started it. */
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
