import type { z } from "zod";
import type { signalTypes } from "../../../shared/signal-types.ts";
import { flushRunner } from "../../jobs/flush-runner.ts";
import { topics } from "../../wake/wakes.ts";
import { mostPurged, purgeSome } from "./queries.ts";
import type { RunTurn } from "./turn.ts";

type Flush = z.infer<(typeof signalTypes)["flush"]["schema"]>;

/** Ends the jobs that wait for a runner, or cancels the signals that wait in a queue. */
export const runFlush: RunTurn<Flush> = async (parts, { orgId, signalId, signal }, flush) => {
  if ("runner_id" in flush) {
    const { runner_id: runnerId, group } = flush;
    const flushed = await flushRunner(parts, orgId, { runnerId, group, by: signalId });
    return { event: "finish", result: { flushed } };
  }
  const purge = { queueId: flush.queue_id, why: `its queue was flushed by ${signalId}` };
  let flushed = 0;
  for (;;) {
    const some = await purgeSome(parts.db, orgId, purge);
    if (some === undefined) {
      return { event: "give-up", description: `the queue ${flush.queue_id} does not exist` };
    }
    flushed += some.purged;
    parts.wakes.notify(some.queueIds.map((id) => topics.signals(id)));
    if (signal.aborted) return { event: "left" };
    if (some.purged < mostPurged) return { event: "finish", result: { flushed } };
  }
};
