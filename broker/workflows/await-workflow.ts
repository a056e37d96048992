import type { ShownStep, WholeWorkflow } from "../../shared/api/workflow.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { park } from "../clocks/park.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { requireSnapshot, showWorkflow } from "./show-workflow.ts";
import { toSteps } from "./to-workflow.ts";

type Waiting = {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Takes a permit for a read; none is held while it is parked. */
  readonly withPermit: WithPermit;
};
type Waited = Pick<Broker, "db" | "events" | "wakes">;
type HasStatus = { readonly status: { readonly status: string } };

/** The workflow as soon as it has finished or waits for somebody, or as it is when the time is up; 404 without it. */
export function awaitWorkflow(
  broker: Waited,
  org: OrgId,
  id: string,
  waiting: Waiting,
): Promise<WholeWorkflow> {
  return awaitMoved(broker, id, () => showWorkflow(broker.db, org, id), waiting);
}

/** A step of a workflow, likewise. */
export function awaitStep(
  broker: Waited,
  org: OrgId,
  { id, stepId }: { readonly id: string; readonly stepId: string },
  waiting: Waiting,
): Promise<ShownStep> {
  const read = async () => {
    const steps = toSteps(await requireSnapshot(broker.db, org, id));
    const step = steps.find((one) => one.id === stepId);
    if (step === undefined) throw problem.notFound("workflow step");
    return step;
  };
  return awaitMoved(broker, id, read, waiting);
}

async function awaitMoved<Shown extends HasStatus>(
  { events, wakes }: Waited,
  id: string,
  read: () => Promise<Shown>,
  { waitMs, signal, withPermit }: Waiting,
): Promise<Shown> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    const moved = Promise.withResolvers<void>();
    // Heard before it is read: what moves it afterwards is told.
    const leave = wakes.subscribe(topics.workflow(id), () => moved.resolve());
    try {
      const shown = await withPermit(read);
      const leftMs = endMs - performance.now();
      const isOver = leftMs <= 0 || signal.aborted || events.draining.aborted;
      if (isOver || !isUnderWay(shown)) return shown;
      await park({ waitMs: leftMs, until: moved.promise, signals: [signal, events.draining] });
    } finally {
      leave();
    }
  }
}

const isUnderWay = ({ status: { status } }: HasStatus): boolean =>
  ["pending", "in-progress", "checking-plan"].includes(status);
