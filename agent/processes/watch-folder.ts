import { watch } from "node:fs";
import { type Bell, makeBell } from "./notifier.ts";
import { childFiles } from "./child-files.ts";

/** What happens in a child's folder. */
export type FolderWatch = {
  /** Rings when there may be output to read. */
  readonly output: Bell;
  /** Rings when the child was born or has ended. */
  readonly fate: Bell;
  readonly close: () => void;
};

/** Without the kernel's notices (it gives out only so many) the folder is looked at this often. */
const lookEveryMs = 50;

/** Watches a child's folder until it is closed. A ring says "look", never "there is something". */
export function watchFolder(dir: string): FolderWatch {
  const output = makeBell();
  const fate = makeBell();
  const stops = new Set<() => void>();
  const look = () => {
    const timer = setInterval(() => {
      output.ring();
      fate.ring();
    }, lookEveryMs);
    stops.add(() => clearInterval(timer));
  };
  try {
    const watcher = watch(dir, (_event, name) => {
      if (name === childFiles.born || name === childFiles.code) fate.ring();
      else output.ring();
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
