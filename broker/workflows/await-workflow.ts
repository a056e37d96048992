import type { WholeWorkflow } from "../../shared/api/workflow.ts";
import type { Broker } from "../broker.ts";
import { park } from "../clocks/park.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { showWorkflow } from "./show-workflow.ts";

type Waiting = {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Takes a permit for a read; none is held while it is parked. */
  readonly withPermit: WithPermit;
};

/** The workflow as soon as it has finished or waits for somebody, or as it is when the time is up; 404 without it. */
export async function awaitWorkflow(
  { db, events, wakes }: Pick<Broker, "db" | "events" | "wakes">,
  org: OrgId,
  id: string,
  { waitMs, signal, withPermit }: Waiting,
): Promise<WholeWorkflow> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    const moved = Promise.withResolvers<void>();
    // Heard before it is read: what moves it afterwards is told.
    const leave = wakes.subscribe(topics.workflow(id), () => moved.resolve());
    try {
      const shown = await withPermit(() => showWorkflow(db, org, id));
      const leftMs = endMs - performance.now();
      const isOver = leftMs <= 0 || signal.aborted || events.draining.aborted;
      if (isOver || !isUnderWay(shown)) return shown;
      await park({ waitMs: leftMs, until: moved.promise, signals: [signal, events.draining] });
    } finally {
      leave();
    }
  }
}

const isUnderWay = ({ status: { status } }: WholeWorkflow): boolean =>
  status === "pending" || status === "in-progress";
