import type { DrawnLine, StatusLine } from "./status-line.ts";

/** The lines below all others: a command's own, or else what it has been waiting for for over a second. */
export type BusyLine = {
  readonly show: StatusLine["show"];
  /** Says on the line what takes long, until it is done. */
  readonly during: <Answer>(what: string, work: Promise<Answer>) => Promise<Answer>;
};

const quietMs = 1000;

/** Puts both on one status line. */
export function openBusyLine(line: Pick<StatusLine, "show">): BusyLine {
  let own: DrawnLine | readonly DrawnLine[] | undefined;
  const works = new Set<{ readonly what: string; readonly sinceMs: number }>();
  const refresh = (): void => {
    const [first] = works;
    const tookMs = first === undefined ? 0 : performance.now() - first.sinceMs;
    const busy = tookMs < quietMs ? undefined : `${first?.what} … ${Math.floor(tookMs / 1000)}s`;
    line.show(own ?? busy);
  };
  return {
    show: (lines) => {
      own = lines;
      refresh();
    },
    during: async (what, promise) => {
      const work = { what, sinceMs: performance.now() };
      const timer = setInterval(refresh, quietMs).unref();
      works.add(work);
      try {
        return await promise;
      } finally {
        clearInterval(timer);
        works.delete(work);
        refresh();
      }
    },
  };
}
