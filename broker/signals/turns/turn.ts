import type { Broker } from "../../broker.ts";
import type { OrgId } from "../../orgs/org-id.ts";

/** What executing signals takes of a broker. */
export type TurnParts = Pick<
  Broker,
  | "db"
  | "egress"
  | "enqueueSingle"
  | "largeWrites"
  | "log"
  | "permits"
  | "polls"
  | "seals"
  | "wakes"
>;

/** An execution of a signal: whoever has its lease speaks for it. */
export type TurnLease = {
  readonly orgId: OrgId;
  readonly signalId: string;
  readonly leaseId: string;
};

/** A signal's turn, begun. */
export type Turn = TurnLease & {
  readonly type: string;
  /** Who filed it. */
  readonly actorId: string;
  /** The same for executions of which the earlier ones were lost, so that what they began is found again. */
  readonly attempt: string;
  /** A live job that an execution before this one made. */
  readonly jobId: string | undefined;
  /** The JSON text of its contents, as it was filed. */
  readonly text: string;
  /** Aborts when the lease is lost or the broker stops. */
  readonly signal: AbortSignal;
};

type Result = Readonly<Record<string, unknown>>;

/** What came of a turn. */
export type TurnOutcome =
  | { readonly event: "finish"; readonly result?: Result }
  | {
      /** `give-up` is not tried again. */
      readonly event: "fail" | "give-up";
      readonly description: string;
      readonly retryInMs?: number | undefined;
      readonly result?: Result;
    }
  /** Nothing was done, for want of room: the same execution begins anew, after others of its org and type, and not before so long. */
  | { readonly event: "put-off"; readonly afterMs: number }
  /** It ends with this job. */
  | { readonly event: "await-job"; readonly jobId: string }
  /** Its lease tells: somebody else has the turn, or will have it. */
  | { readonly event: "left" };

/** How a type of signals is executed; its contents fit the type's schema. What is thrown besides a Problem is a bug. */
export type RunTurn<Contents> = (
  parts: TurnParts,
  turn: Turn,
  contents: Contents,
) => Promise<TurnOutcome>;

/** Puts something off that this broker has no room for; no more of its org and type are taken from the backlog for so long. */
export type PutOff<Item> = (item: Item, restMs: number) => Promise<void>;
