import { claimJobsRoute } from "../../../shared/api/poll-jobs.ts";
import { type CarriedClaim, finishExecutionRoute } from "../../../shared/api/report-executions.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import { recordReport, toResultReport } from "../../executions/record-report.ts";
import type { ExecutionRow } from "../../executions/row.ts";
import { toFinished } from "../../executions/to-execution.ts";
import { problemOf, problemText } from "../../http/answer/answer-error.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import { streamAnswer } from "../../http/answer/stream-answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import {
  claimAnswer,
  claimLine,
  giveBackUnlessWritten,
  openLargePlans,
} from "../../polls/answer-claim.ts";
import { waitMs } from "../../polls/park-poll.ts";
import { type AnsweredPoll, pollForJobs } from "../../polls/poll-for-jobs.ts";
import { newProcessCache, type ProcessCache } from "../../polls/require-claiming-process.ts";
import type { Actor } from "../../tokens/actor.ts";

/**
 * POST /v1/runners/{runner_id}/jobs/claim, and POST /v1/runner-jobs/{job_id}/executions/{execution_id}/finish, which may
 * be a claim, too
 */
export const claimJobs: RegisterRoutes = (app, broker) => {
  const book = newProcessCache();
  app.handle(claimJobsRoute, async ({ c, orgId, params: { runner_id: runnerId }, body }) => {
    const { process_id: processId, ...said } = body;
    const secret = requestHeader(c, processSecretHeader);
    const { signal } = c.req.raw;
    const asked = { orgId, runnerId, processId, secret, said, signal };
    return answerClaim(c, broker, await pollForJobs(broker, book, asked));
  });

  app.handle(finishExecutionRoute, async ({ c, actor, params, body }) => {
    const { claim } = body;
    if (claim) requireClaim(actor, claim);
    const longTexts = c.get("longTexts");
    const recorded = await recordReport(broker, actor, params, {
      status: body.status,
      description: body.status_description,
      result: body.result && toResultReport(body.result, longTexts.get("#/result")),
      outputs: longTexts.get("#/outputs") ?? body.outputs ?? undefined,
      lastRecord: body.last_record ?? undefined,
    });
    const finished = toFinished(recorded);
    if (!claim) return finished;
    forgetBody(c);
    const parts = twoLines(c, broker, { finished, execution: recorded.execution, claim, book });
    return streamAnswer(c, broker, { type: "application/x-ndjson", parts, headers });
  });
};

async function answerClaim(c: AppContext, broker: Broker, { answer, orders }: AnsweredPoll) {
  const claims = answer.kind === "claims" ? answer.claims : [];
  if (claims.length > 0) giveBackUnlessWritten(broker.polls, c.env.outgoing, claims);
  if (answer.kind === "draining") setHeader(c, "connection", "close");
  const type = "application/json"; // below text, so that plans stay as they are
  if (claims.some(({ hasLargePlan }) => hasLargePlan)) {
    const parts = await openLargePlans(broker, { claims, orders });
    return streamAnswer(c, broker, { type, parts: parts() }) as never;
  }
  const body = claimAnswer(broker.clock, { claims, orders });
  return c.body(body, 200, { "content-type": type }) as never;
}

/** nginx would keep the first line until the second is there. */
const headers = { "x-accel-buffering": "no" };

/** Refused before anything is stored. */
function requireClaim(actor: Actor, claim: CarriedClaim): void {
  waitMs(claim.wait, "#/claim/wait");
  if (actor.permissions.has("runner.protocol")) return;
  const words = "This token may report on its execution, and may not claim. Leave out claim.";
  throw problem.forbidden("claim_not_allowed", words);
}

/** It may be large, is counted no longer once its handler is done, and would stay in memory as long as the poll waits. */
function forgetBody(c: AppContext): void {
  c.req.addValidatedData("json", {});
  c.set("longTexts", new Map());
  c.set("verbatim", new Map());
}

type Carrying = {
  readonly finished: object;
  readonly execution: ExecutionRow;
  readonly claim: CarriedClaim;
  readonly book: ProcessCache;
};

/** The end, as soon as it is stored; then what the poll brings. */
async function* twoLines(
  c: AppContext,
  broker: Broker,
  { finished, ...carrying }: Carrying,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(finished)}\n`);
  const polled = await poll(c, broker, carrying).catch((error: unknown) =>
    problemText(c, broker, problemOf(c, broker, error)),
  );
  if (typeof polled === "string") {
    yield Buffer.from(`{"problem":${polled}}\n`);
    return;
  }
  const { answer, orders } = polled;
  const claims = answer.kind === "claims" ? answer.claims : [];
  if (claims.length > 0) giveBackUnlessWritten(broker.polls, c.env.outgoing, claims);
  yield* claimLine(broker, { claims, orders });
}

async function poll(
  c: AppContext,
  broker: Broker,
  { execution, claim, book }: Omit<Carrying, "finished">,
): Promise<AnsweredPoll> {
  const { process_id: ofExecution, runner_id: runnerId } = execution;
  const { process_id: processId = ofExecution, group, ...said } = claim;
  if (processId === null || processId !== ofExecution) {
    const words = "The execution belongs to another process, and only its own may claim with it.";
    throw problem.conflict("other_process", words);
  }
  return await pollForJobs(broker, book, {
    orgId: c.get("actor").orgId,
    runnerId,
    processId,
    secret: requestHeader(c, processSecretHeader),
    said: group === undefined ? said : { ...said, groups: { [group]: 1 } },
    signal: c.req.raw.signal,
  });
}
