import { Problem } from "../../shared/problem.ts";
import type { SignalStatus } from "../../shared/queue-signal.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";

/** What one claim asks for: so many signals of a queue, each with a lease of so long. */
export type ClaimRequest = {
  readonly orgId: OrgId;
  readonly queueId: string;
  /** While they are leased, the same claim_id gets the same signals again. */
  readonly claimId: string | null;
  readonly worker: string | null;
  readonly want: number;
  readonly leaseNs: number;
};

/** A signal in flight, as its claim got it. */
export type ClaimedSignal = {
  readonly row: ClaimedRow;
  /** The source text of its JSON. */
  readonly signal: string;
  /** The result of the signal that caused it, the text of its JSON; null: it had none. */
  readonly causeResult: string | null;
};

/** A signal whose contents, or whose cause's result, this broker cannot open. */
export type UnopenedSignal = { readonly row: ClaimedRow; readonly why: string };

/** How a queue stands whose claims may get nothing. */
export type QueueNotice =
  | { readonly kind: "paused"; readonly note: string | null; readonly until: Date | null }
  | { readonly kind: "gone" }
  | { readonly kind: "more" };

export type Claimed = {
  /** One entry a request. */
  readonly claims: readonly (readonly ClaimedSignal[])[];
  readonly unopened: readonly UnopenedSignal[];
  readonly notices: readonly {
    readonly orgId: OrgId;
    readonly queueId: string;
    readonly notice: QueueNotice;
  }[];
};

export type ClaimedRow = {
  readonly waiter: number;
  readonly repeated: boolean;
  readonly id: string;
  readonly org_id: OrgId;
  readonly queue_id: string;
  readonly type: string;
  readonly owner_id: string;
  readonly owner_type: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly dedupe_key: string | null;
  readonly emitter_id: string | null;
  readonly scheduled_for: Date | null;
  readonly awaited_by: string | null;
  readonly caused_by: string | null;
  readonly created_by_id: string;
  readonly expires_at: Date | null;
  readonly execution_count: number;
  readonly max_executions: number;
  readonly created_at: Date;
  readonly lease_id: string;
  readonly lease_until: Date;
  readonly key_id: string | null;
  readonly contents: Buffer;
  readonly cause_type: string | null;
  readonly cause_status: SignalStatus | null;
  readonly cause_description: string | null;
  readonly cause_finished_at: Date | null;
  readonly cause_key_id: string | null;
  readonly cause_result: Buffer | null;
};
type NoticeRow = {
  readonly id: null;
  readonly org_id: OrgId;
  readonly queue_id: string;
  readonly notice: QueueNotice["kind"];
  readonly paused_note: string | null;
  readonly paused_until: Date | null;
};

const texts = 1009;
const integers = 1007;
const bigints = 1016;

/**
 * Claims signals for many requests in one statement; earlier requests are served first. A claimed signal is leased at
 * once: a caller that cannot deliver it must give it back.
 */
export async function claimSignals(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  requests: readonly ClaimRequest[],
): Promise<Claimed> {
  const text = (of: (request: ClaimRequest) => string | null) => db.array(requests.map(of), texts);
  const rows = await db<(ClaimedRow | NoticeRow)[]>`
    select * from serve_signal_claims(
      ${db.array([...requests.keys()], integers)}, ${text(({ orgId }) => orgId)}, ${text(({ queueId }) => queueId)},
      ${db.array(
        requests.map(({ want }) => want),
        integers,
      )},
      ${text(({ claimId }) => claimId)}, ${text(({ worker }) => worker)},
      ${db.array(
        requests.map(({ leaseNs }) => leaseNs),
        bigints,
      )})`;
  const claims: ClaimedSignal[][] = requests.map(() => []);
  const unopened: UnopenedSignal[] = [];
  const notices: Claimed["notices"][number][] = [];
  for (const row of rows) {
    if (row.id === null) {
      notices.push({ orgId: row.org_id, queueId: row.queue_id, notice: toNotice(row) });
      continue;
    }
    const opened = open(seals, row);
    if ("why" in opened) unopened.push(opened);
    else claims[row.waiter]?.push(opened);
  }
  return { claims, unopened, notices };
}

function toNotice({ notice, paused_note, paused_until }: NoticeRow): QueueNotice {
  return notice === "paused"
    ? { kind: notice, note: paused_note, until: paused_until }
    : { kind: notice };
}

/** What does not open must not keep others from what does. */
function open(seals: Seals, row: ClaimedRow): ClaimedSignal | UnopenedSignal {
  const { org_id: orgId } = row;
  try {
    const thing = { orgId, id: row.id, part: "signal" };
    const signal = seals.open(thing, { keyId: row.key_id, bytes: row.contents }).toString("utf8");
    if (row.cause_result === null || row.caused_by === null)
      return { row, signal, causeResult: null };
    const cause = { orgId, id: row.caused_by, part: "signal-result" };
    const sealed = { keyId: row.cause_key_id, bytes: row.cause_result };
    return { row, signal, causeResult: seals.open(cause, sealed).toString("utf8") };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { row, why: error.message };
  }
}
