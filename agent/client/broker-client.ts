import type { z } from "zod";
import type { Route, RouteInput } from "../../shared/api/call-route.ts";
import type { Log } from "../log.ts";
import type { Scope } from "./answer-class.ts";
import { type BackoffLimits, backoffMs } from "./backoff.ts";
import type { BrokerClock } from "./broker-clock.ts";
import { Refused, Unanswered } from "./broker-errors.ts";
import { pathOf } from "./path-of.ts";
import { pause } from "./pause.ts";
import { type AgentAnswer, readAnswer, refusalOf } from "./read-answer.ts";
import { send, type Transport } from "./send.ts";
import type { TokenSource } from "./token-source.ts";

export type CallHow = {
  /** What a refusal puts an end to; the answer class depends on it. */
  readonly scope: Scope;
  /** The process that asks, where a refusal would be its end. */
  readonly processId?: string | undefined;
  /** Ends the waiting and the repeating; the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** For one try; the request timeout by default. */
  readonly timeoutMs?: number | undefined;
  /** One try only: Unanswered when it brings nothing. Else it is tried until it is answered, or for so long. */
  readonly isOnce?: true;
  readonly giveUpAfterMs?: number | undefined;
  /** A job's token, in place of the runner's. */
  readonly token?: string | undefined;
  /** Sent as they are, in place of the input's body. */
  readonly bytes?: Uint8Array | undefined;
  /** What the answer must look like; the route's own schema, by default. */
  readonly answer?: z.ZodType | undefined;
  /** The type of a good answer that is no JSON: its text is handed over as it is. */
  readonly answerType?: string | undefined;
  /** How long an answer may be; longer than usual where it holds plans. */
  readonly mostBytes?: number | undefined;
};

/** Speaks to the broker: what cannot be answered is repeated, what is refused is a Refused. */
export type BrokerClient = {
  readonly call: <R extends Route>(
    route: R,
    input: RouteInput<R>,
    how: CallHow,
  ) => Promise<AgentAnswer<R>>;
  readonly clock: BrokerClock;
  /** When the broker last answered in its own words, by performance.now(). */
  readonly heardAtMs: () => number;
  readonly figures: ClientFigures;
  readonly close: () => void;
};

/** Counted by what came of it. */
export type ClientFigures = { answered: number; refused: number; unanswered: number };

export type ClientSpec = {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly clock: BrokerClock;
  readonly log: Log;
  readonly limits: BackoffLimits;
  readonly requestTimeoutMs: number;
  readonly userAgent: string;
  /** Told when the broker refuses the token or the version: whoever asked, the agent is at its end. */
  readonly onEnd?: (refused: Refused) => void;
};

/** What a plan, or a claimed job with its plan, takes in an answer: the broker takes no larger ones. */
export const planAnswerBytes = 17 * 2 ** 20;

type Asking = { readonly route: Route; readonly input: RouteInput<Route>; readonly how: CallHow };

/** A client of one broker. Only what waits in a spool is repeated by others: it gives its turn up while it waits. */
export function makeBrokerClient(parts: ClientSpec): BrokerClient {
  const figures: ClientFigures = { answered: 0, refused: 0, unanswered: 0 };
  let heardAtMs = Number.NEGATIVE_INFINITY;

  async function tryOnce(asking: Asking): Promise<AgentAnswer<Route>> {
    const token = asking.how.token ?? parts.tokens.current();
    const received = await send(parts.transport, sendingOf(parts, asking, token));
    const read = readAnswer(received, asking.route, asking.how);
    if (read.isBrokersWord) {
      heardAtMs = performance.now();
      parts.clock.learn(received);
    }
    if (read.answer !== undefined) return read.answer;
    const refusal = refusalOf(received, read, asking.how);
    const isStale = isEnd(refusal) && refusal.what === "unauthorized";
    // A token that was changed in its file meanwhile is no end: it is read again before it is believed.
    if (isStale && asking.how.token === undefined && parts.tokens.reread(token)) {
      return await tryOnce(asking);
    }
    // A job's token ends with its job, and nothing else with it.
    const isOwn = asking.how.token === undefined;
    if (isEnd(refusal) && (isOwn || refusal.what === "outdated")) parts.onEnd?.(refusal);
    throw refusal;
  }

  async function callUntilAnswered(asking: Asking): Promise<AgentAnswer<Route>> {
    const { how, route } = asking;
    const startedMs = performance.now();
    for (let nth = 0; ; nth++) {
      try {
        how.signal?.throwIfAborted();
        return await counted(figures, tryOnce(asking));
      } catch (error) {
        if (!(error instanceof Unanswered) || how.isOnce === true) throw error;
        const waitMs = backoffMs(nth, parts.limits, error.retryAfterMs);
        const isLast = performance.now() + waitMs - startedMs > (how.giveUpAfterMs ?? Infinity);
        if (isLast) throw error;
        const told = { operation: route.operationId, why: error.message, nth, waitMs };
        parts.log[nth === 0 ? "debug" : "warn"](told, "the broker did not answer; trying again");
        await (how.signal === undefined ? pause(waitMs) : pause(waitMs, how.signal));
      }
    }
  }

  return {
    call: async <R extends Route>(route: R, input: RouteInput<R>, how: CallHow) => {
      const asking = { route, input: input as RouteInput<Route>, how };
      return (await callUntilAnswered(asking)) as AgentAnswer<R>; // it was read as that route's
    },
    clock: parts.clock,
    heardAtMs: () => heardAtMs,
    figures,
    close: parts.transport.close,
  };
}

function isEnd(error: Error): error is Refused {
  return error instanceof Refused && (error.what === "unauthorized" || error.what === "outdated");
}

async function counted<T>(figures: ClientFigures, answering: Promise<T>): Promise<T> {
  try {
    const answer = await answering;
    figures.answered += 1;
    return answer;
  } catch (error) {
    if (error instanceof Refused) figures.refused += 1;
    if (error instanceof Unanswered) figures.unanswered += 1;
    throw error;
  }
}

function sendingOf(parts: ClientSpec, { route, input, how }: Asking, token: string) {
  const given = input as RouteInput<Route> & { body?: unknown; bodyText?: string };
  const body = how.bytes ?? given.bodyText ?? (given.body && JSON.stringify(given.body));
  return {
    method: route.method.toUpperCase(),
    path: pathOf(route, input),
    headers: {
      accept: "application/json, application/problem+json, */*;q=0.1",
      authorization: `Bearer ${token}`,
      "user-agent": parts.userAgent,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...input.headers,
    },
    body,
    timeoutMs: how.timeoutMs ?? parts.requestTimeoutMs,
    signal: how.signal,
    mostBytes: how.mostBytes,
  };
}
