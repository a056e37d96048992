import { watch } from "node:fs";
import { childFiles } from "./child-files.ts";
import { type Notifier, makeNotifier } from "./notifier.ts";

/** What happens in a child's folder. */
export type FolderWatch = {
  /** Rings when there may be output to read. */
  readonly output: Notifier;
  /** Rings when the child was born or has ended. */
  readonly fate: Notifier;
  readonly close: () => void;
};

/** Without the kernel's notices (it gives out only so many) the folder is looked at this often. */
const lookEveryMs = 50;

/** Watches a child's folder until it is closed. A ring says "look", never "there is something". */
export function watchFolder(dir: string): FolderWatch {
  const output = makeNotifier();
  const fate = makeNotifier();
  const stops = new Set<() => void>();
  const look = () => {
    const timer = setInterval(() => {
      output.notify();
      fate.notify();
    }, lookEveryMs);
    stops.add(() => clearInterval(timer));
  };
  try {
    const watcher = watch(dir, (_event, name) => {
      if (name === childFiles.born || name === childFiles.code) fate.notify();
      else output.notify();
    });
    watcher.on("error", () => {
      watcher.close();
      look();
    });
    stops.add(() => watcher.close());
  } catch {
    look();
  }
  return {
    output,
    fate,
    close: () => {
      for (const stop of stops) stop();
      stops.clear();
    },
  };
}
