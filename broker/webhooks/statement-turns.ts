import { FairQueue } from "../limits/fair-queue.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Runs a statement when it is the org's turn, and in the org the webhook's. */
export type InTurn = <Result>(
  of: { readonly orgId: OrgId; readonly webhookId: string },
  run: () => Promise<Result>,
) => Promise<Result>;

const statementsAtOnce = 3;
/** Whoever waits here has its lease to lose, and is told by its statement if it did. */
const patienceMs = 86_400_000;

/**
 * Statements of deliveries run few at a time, so that connections stay free for others, and in turns of orgs: those of one org can wait for
 * its own fan-out, which has the locks of its lines, and one org alone has never all places. So another's statement waits for none of them.
 */
export function makeStatementTurns(): InTurn {
  const queue = new FairQueue({
    permits: statementsAtOnce,
    patienceMs,
    tooLate: () => new Error("a statement of a delivery waited for a day"),
    admit: () => {},
  });
  return async ({ orgId, webhookId }, run) => {
    const release = await queue.take({ orgId, token: webhookId }, () => {});
    try {
      return await run();
    } finally {
      release();
    }
  };
}
