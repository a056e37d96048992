import { makeLimiter } from "../database/limiter.ts";
import { FairQueue, type Release } from "../limits/fair-queue.ts";
import type { Metrics } from "../metrics.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type Call, type CallResult, makeCallOut } from "./call-out.ts";
import { checkReceiver } from "./check-receiver.ts";
import { checkUrl, type UrlCheck } from "./check-url.ts";
import type { EgressRules } from "./egress-rules.ts";
import { makeResolver, type Resolve } from "./resolver.ts";

/** Nothing was sent: the org has too many calls already, or the call was given up. It says nothing of the receiver: try again later. */
export type Deferred = {
  readonly kind: "deferred";
  readonly reason: "too_many_calls" | "no_turn_in_time" | "aborted";
  readonly detail: string;
};

export type CallOutcome = CallResult | Deferred;

/** HTTP calls to addresses that orgs give. */
export type Egress = {
  /** To which addresses calls go. */
  readonly rules: EgressRules;
  /** Whether this broker's rules allow a URL to be filed. */
  readonly checkUrl: (url: string) => UrlCheck;
  /** The same of something that stays: in the mode strict the name is resolved as well, to tell at once what each call would. */
  readonly checkReceiver: (url: string) => Promise<UrlCheck>;
  /** Calls when it is the org's turn; whatever happens is the outcome, never an exception. */
  readonly callOut: (orgId: OrgId, call: Call) => Promise<CallOutcome>;
};

type Parts = {
  readonly rules: EgressRules;
  readonly metrics: Metrics;
  readonly resolve?: Resolve;
  readonly patienceMs?: number;
};

const mostCalls = 64;
const mostOfOrg = 16;
/** So that a receiver that is slow does not hold up the org's other receivers. */
const mostOfReceiver = 4;
/** Of one org, running or waiting: each has its body in memory. */
const mostAdmitted = 100;
/** Names that are resolved at once only to tell. */
const mostLooks = 16;
const defaultPatienceMs = 30_000;

/** A broker's calls: few at once, shared out between orgs, and in an org between the servers it calls. */
export function makeEgress(parts: Parts): Egress {
  const { rules, metrics, resolve = makeResolver(rules), patienceMs = defaultPatienceMs } = parts;
  const queue = new FairQueue({
    permits: mostCalls,
    mostOfOrg,
    mostOfToken: mostOfReceiver,
    patienceMs,
    tooLate: () => new DeferredError("no_turn_in_time"),
    admit(_, org) {
      if (org >= mostAdmitted) throw new DeferredError("too_many_calls");
    },
  });
  const limiter = makeLimiter(mostLooks);
  const count = measure(queue, metrics);
  const callOut = makeCallOut({ rules, resolve });
  return {
    rules,
    checkUrl: (url) => checkUrl(url, rules),
    checkReceiver: (url) => checkReceiver(url, { rules, resolve, limiter }),
    async callOut(orgId, call) {
      const outcome = await inTurn(queue, orgId, call, () => callOut(call));
      count(outcome);
      return outcome;
    },
  };
}

class DeferredError extends Error {
  override readonly name = "DeferredError";
  readonly reason: Deferred["reason"];

  constructor(reason: Deferred["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

async function inTurn(
  queue: FairQueue,
  orgId: OrgId,
  call: Call,
  act: () => Promise<CallResult>,
): Promise<CallOutcome> {
  const waited = new AbortController();
  let release: Release;
  try {
    if (call.signal?.aborted === true) return deferred("aborted");
    const owner = { orgId, token: receiverOf(call.url) };
    release = await queue.take(owner, (leave) =>
      call.signal?.addEventListener("abort", leave, { signal: waited.signal }),
    );
  } catch (error) {
    if (!(error instanceof DeferredError)) throw error;
    return deferred(call.signal?.aborted === true ? "aborted" : error.reason);
  } finally {
    waited.abort();
  }
  try {
    return await act();
  } finally {
    release();
  }
}

function receiverOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

function deferred(reason: Deferred["reason"]): Deferred {
  return { kind: "deferred", reason, detail: details[reason] };
}

const details = {
  too_many_calls: `This org has ${mostAdmitted} calls in progress or waiting at this broker.`,
  no_turn_in_time: "Earlier calls of this org took too long.",
  aborted: "The call was given up before it was sent.",
} as const satisfies Record<Deferred["reason"], string>;

function measure(queue: FairQueue, metrics: Metrics): (outcome: CallOutcome) => void {
  metrics.gauge("svc_egress_calls_running", "Outgoing calls in progress.", () => queue.held);
  metrics.gauge("svc_egress_calls_waiting", "Outgoing calls that wait.", () => queue.waiting);
  const calls = metrics.counter("svc_egress_calls_total", "Outgoing calls, by what came of them.");
  return (outcome) => {
    const result =
      outcome.kind === "answered" ? `${Math.floor(outcome.status / 100)}xx` : outcome.reason;
    calls.add({ result });
  };
}
