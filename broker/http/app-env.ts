import type { IncomingMessage, ServerResponse } from "node:http";
import type { RouteRule } from "../../shared/route-rule.ts";
import type { ConfigBody } from "../app-configs/work/config-body.ts";
import type { AuditEntry } from "../audit/audit-entry.ts";
import type { LargeText } from "../seals/large-text.ts";
import type { Actor } from "../tokens/actor.ts";

/** A person in front of the dashboard. */
export type SignedInCaller = {
  readonly actor: Actor;
  readonly address: string;
  readonly userAgent: string;
};

/** What a request carries on its way: node's own two ends, and what the gate found out. */
export type AppEnv = {
  Bindings: Partial<{
    incoming: IncomingMessage;
    outgoing: ServerResponse;
    /** Whom the dashboard calls the API for, in this process: no header of a request can set it. */
    signedIn: SignedInCaller;
  }>;
  Variables: {
    requestId: string;
    /** What the path names, with ids for names; undefined where it has ids alone. */
    params: Readonly<Record<string, string>> | undefined;
    rule: RouteRule;
    /** The caller; on an open route there is none, and reading it throws. */
    actor: Actor;
    /** What turns an answer of a status into what other clients than our own programs can read; undefined where that is the same. */
    toTheirs?: (status: number) => ((value: unknown) => unknown) | undefined;
    /** The act of the request, once the audit log has it. */
    act: { entry: AuditEntry } | undefined;
    /** On an open route that is an act: what its handler calls once it knows who asks, before it does anything. */
    beginAct?: (actor: Actor) => Promise<void>;
    /** The org that the request named, where its token does not reach that; the actor is then of the token's own. */
    deniedOrg?: string;
    /** Whether the answer shows what may hold secrets. */
    showsSecrets?: true;
    /** Whether the answer has a secret that is told once: none is kept for who repeats the request. */
    tellsOnce?: true;
    /** The code of the problem that is answered. */
    problemCode?: string;
    /** Whether the gate holds a permit for the request: its handler then takes none. */
    hasPermit?: true;
    /** Gives that permit back before the handler is done, because it will only wait and send from then on. */
    leavePermit?: () => void;
    /** Source text of the members the route's rule keeps verbatim, by pointer: `#/plan`. */
    verbatim: ReadonlyMap<string, string>;
    /** The body as it came, on a route whose rule takes an archive, too. */
    rawBody?: ConfigBody;
    /** What of a large body was never made a value, by pointer: `#/plan`, `#/result`, `#/outputs`. */
    longTexts: ReadonlyMap<string, LargeText>;
    /** What a large body keeps in memory until the request is answered. */
    heldBytes?: number;
    /** What tells a large body with an idempotency key from others, where what was made a value is not all of it. */
    fingerprint?: string;
  };
};
