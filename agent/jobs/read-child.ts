import type { LineRenderer } from "../logs/line-renderer.ts";
import type { Child } from "../processes/child.ts";
import type { JobCommand } from "./handler.ts";
import type { LazyJobLog } from "./lazy-job-log.ts";

type Reading = { readonly child: Child; readonly signal: AbortSignal };

/** Brings a child's output into the log; `kept` is what the renderer of it knows by then. */
export function readChild(
  log: LazyJobLog,
  { key, step, render }: JobCommand,
  { child, signal }: Reading,
): { readonly piped: Promise<void>; readonly kept: () => { readonly kept?: string } } {
  let renderer: LineRenderer | undefined;
  const make = render && ((kept: string | undefined) => (renderer = render(kept)));
  return {
    piped: log.pipe({ step, run: key, render: make }, child.output, signal),
    kept: () => (renderer === undefined ? {} : { kept: renderer.kept() }),
  };
}
