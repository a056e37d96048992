import type { ProcessOrder } from "../../shared/api/process-order.ts";
import { Problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { DatabaseClock } from "../clocks/database-clock.ts";
import { toExecution } from "../executions/to-execution.ts";
import { findPlanToSend } from "../jobs/queries.ts";
import { toRunnerJob } from "../jobs/to-runner-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type OpeningParts, openLarge } from "../seals/open-large.ts";
import type { Claim } from "./claim-jobs.ts";

type Opening = OpeningParts & Pick<Broker, "db" | "clock" | "log">;
type Answering = { readonly claims: readonly Claim[]; readonly orders: readonly ProcessOrder[] };

/**
 * The body of a claim's answer. Plans go in as their source text, so that they arrive byte for byte. `now` is the
 * database's time, like the times that it is compared with.
 */
export function claimAnswer(clock: DatabaseClock, { claims, orders }: Answering): string {
  const jobs = claims.map((claim) => `${beforePlan(claim)}${claim.plan ?? "{}"}}`).join(",");
  return `{"jobs":[${jobs}],"orders":${JSON.stringify(orders)},"now":"${clock.now().toISOString()}"}`;
}

/**
 * The same answer where a plan is long: piece by piece. A job whose plan this broker cannot open is handed to nobody, as
 * claimJobs says.
 */
export async function openLargePlans(
  broker: Opening,
  { claims, orders }: Answering,
): Promise<() => AsyncGenerator<Buffer>> {
  const opened = await Promise.all(claims.map((claim) => planOf(broker, claim)));
  const { clock } = broker;
  return async function* () {
    let before = '{"jobs":[';
    for (const { claim, pieces } of opened.flatMap((one) => one ?? [])) {
      yield Buffer.from(before + beforePlan(claim));
      yield* pieces();
      before = "},";
    }
    const end = before === "}," ? "}]" : `${before}]`;
    const now = clock.now().toISOString();
    yield Buffer.from(`${end},"orders":${JSON.stringify(orders)},"now":"${now}"}`);
  };
}

/** The same answer as one line: plans come as they were enqueued, and may have line breaks between their values. */
export async function* claimLine(
  broker: Opening,
  answering: Answering,
): AsyncGenerator<Uint8Array> {
  if (answering.claims.some(({ hasLargePlan }) => hasLargePlan)) {
    const pieces = await openLargePlans(broker, answering);
    for await (const piece of pieces()) yield inOneLine(piece);
  } else {
    yield inOneLine(Buffer.from(claimAnswer(broker.clock, answering)));
  }
  yield lineEnd;
}

const lineEnd = Buffer.from("\n");
const [lineFeed, carriageReturn, space] = [0x0a, 0x0d, 0x20];

/** Line breaks stand only between the tokens of JSON, where a space means the same. */
function inOneLine(piece: Buffer): Buffer {
  if (!piece.includes(lineFeed) && !piece.includes(carriageReturn)) return piece;
  return piece.map((byte) =>
    byte === lineFeed || byte === carriageReturn ? space : byte,
  ) as Buffer; // a buffer's own kind
}

async function planOf(broker: Opening, claim: Claim) {
  const { job, plan } = claim;
  if (!claim.hasLargePlan) return { claim, pieces: () => once(plan ?? "{}") };
  try {
    const found = await findPlanToSend(broker, job.org_id as OrgId, job.id); // a job of that org
    if (typeof found !== "object") return { claim, pieces: () => once(found ?? "{}") };
    return { claim, pieces: (await openLarge(broker, found)).pieces };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    broker.log.error({ job_id: job.id }, `a job cannot be claimed here: ${error.message}`);
    return undefined;
  }
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function beforePlan({ job, execution, token, deadlineAt }: Claim): string {
  const rest = JSON.stringify({
    job: toRunnerJob(job),
    execution: toExecution(execution),
    token,
    deadline: deadlineAt.toISOString(),
  });
  return `${rest.slice(0, -1)},"plan":`;
}

type Outgoing = {
  readonly closed: boolean;
  readonly writableFinished: boolean;
  readonly once: (event: "close", listener: () => void) => unknown;
};

/** Claims whose answer could not be written are given back at once: no client can have seen them. */
export function giveBackUnlessWritten<One>(
  polls: { readonly giveBack: (claims: readonly One[]) => void },
  outgoing: Outgoing | undefined,
  claims: readonly One[],
): void {
  if (outgoing === undefined) return;
  const onClose = (): void => {
    if (!outgoing.writableFinished) polls.giveBack(claims);
  };
  if (outgoing.closed) onClose(); // it closed after the claim was settled: no event comes any more
  else outgoing.once("close", onClose);
}
