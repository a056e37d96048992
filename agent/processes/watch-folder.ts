import { watch } from "node:fs";
import { childFiles } from "./child-files.ts";
import { type Notifier, makeNotifier } from "./notifier.ts";

/** Events in a child's folder. */
export type FolderWatch = {
  /** Notified when there may be output to read. */
  readonly output: Notifier;
  /** Notified when the child has started or ended. */
  readonly fate: Notifier;
  readonly close: () => void;
};

/** Without inotify, whose watches are limited, the folder is polled at this interval. */
const lookEveryMs = 50;

/** Watches a child's folder until it is closed. A notification means "look again", not that there is something. */
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
