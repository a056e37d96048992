import type { z } from "zod";
import type { Route, RouteInput } from "../../shared/api/route.ts";
import type { Log } from "../log.ts";
import type { Scope } from "./answer-class.ts";
import { type BackoffLimits, backoffMs } from "./backoff.ts";
import type { BrokerClock } from "./broker-clock.ts";
import { Refused, Unanswered } from "./broker-errors.ts";
import { pathOf } from "./path-of.ts";
import { pause } from "./pause.ts";
import { type AgentAnswer, type Read, readAnswer, readLine, refusalOf } from "./read-answer.ts";
import { type FirstLine, type Received, send, type Sending, type Transport } from "./send.ts";
import type { TokenSource } from "./token-source.ts";

export type CallHow = {
  /** What a refusal ends; it selects the answer class. */
  readonly scope: Scope;
  /** The process that a refusal would end. */
  readonly processId?: string | undefined;
  /** Aborts the call and its retries; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The timeout of one attempt; the request timeout by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * One attempt only, which throws Unanswered if it fails. By default a call is retried until it is answered, or for
   * `giveUpAfterMs`.
   */
  readonly isOnce?: true;
  readonly giveUpAfterMs?: number | undefined;
  /** A job's token, instead of the runner's. */
  readonly token?: string | undefined;
  /** Raw bytes, sent instead of the input's body. */
  readonly bytes?: Uint8Array | undefined;
  /** The schema of the answer; the route's own by default. */
  readonly answer?: z.ZodType | undefined;
  /** The content type of an answer that is not JSON; its text is returned as it is. */
  readonly answerType?: string | undefined;
  /** Where the answer may be two lines: the call then resolves with the second, for which there is a schema and a time of its own. */
  readonly secondLine?: SecondLine | undefined;
  /** The largest accepted answer; larger than the default where it contains plans. */
  readonly mostBytes?: number | undefined;
};

export type SecondLine = {
  /** Called when the first is there, which is the answer that the route has without a second one. */
  readonly onFirst: () => void;
  readonly answer: z.ZodType;
  readonly timeoutMs: number;
};

/** Calls the broker. What gets no answer is retried; a refusal throws Refused. */
export type BrokerClient = {
  readonly call: <R extends Route>(
    route: R,
    input: RouteInput<R>,
    how: CallHow,
  ) => Promise<AgentAnswer<R>>;
  readonly clock: BrokerClock;
  /** When the broker itself last answered, by performance.now(). */
  readonly heardAtMs: () => number;
  readonly figures: ClientFigures;
  readonly close: () => void;
};

/** Calls by their outcome. */
export type ClientFigures = { answered: number; refused: number; unanswered: number };

export type ClientSpec = {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  readonly clock: BrokerClock;
  readonly log: Log;
  readonly limits: BackoffLimits;
  readonly requestTimeoutMs: number;
  readonly userAgent: string;
  /** Called when the broker refuses the token or the version; the agent must then end. */
  readonly onEnd?: (refused: Refused) => void;
};

/** The most that a plan, or a claimed job with its plan, takes in an answer: the broker's own limit. */
export const planAnswerBytes = 17 * 2 ** 20;

type Asking = { readonly route: Route; readonly input: RouteInput<Route>; readonly how: CallHow };

/**
 * Makes a client of one broker. It retries all calls but those of results and logs, whose senders retry, so that
 * others can be sent meanwhile.
 */
export function makeBrokerClient(parts: ClientSpec): BrokerClient {
  const figures: ClientFigures = { answered: 0, refused: 0, unanswered: 0 };
  let heardAtMs = Number.NEGATIVE_INFINITY;

  const heard = (received: Received): void => {
    heardAtMs = performance.now();
    parts.clock.learn(received);
  };

  async function tryOnce(asking: Asking): Promise<AgentAnswer<Route>> {
    const token = asking.how.token ?? parts.tokens.current();
    const { how } = asking;
    const read = await sendAndRead(parts, asking, { token, heard });
    if (read.answer !== undefined) return read.answer;
    const refusal = refusalOf(read.received, read, how);
    const isStale = isEnd(refusal) && refusal.what === "unauthorized";
    // The token's file may have changed meanwhile: it is read again before the refusal counts.
    if (isStale && how.token === undefined && parts.tokens.reread(token)) {
      return await tryOnce(asking);
    }
    // A job's token ends with its job; its refusal ends nothing else.
    const isOwn = how.token === undefined;
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
      return (await callUntilAnswered(asking)) as AgentAnswer<R>; // it was parsed with that route's schema
    },
    clock: parts.clock,
    heardAtMs: () => heardAtMs,
    figures,
    close: parts.transport.close,
  };
}

type Trying = {
  readonly token: string;
  /** Told of what the broker itself has said. */
  readonly heard: (received: Received) => void;
};

/** One attempt. Of an answer of two lines the second is read, once the first was one. */
async function sendAndRead(
  parts: ClientSpec,
  asking: Asking,
  { token, heard }: Trying,
): Promise<Read & { readonly received: Received }> {
  const { route, how } = asking;
  const { secondLine } = how;
  let isFirstThere = false;
  const tell = (line: Received): void => {
    if (readLine(line, route, how).answer === undefined) return;
    heard(line);
    isFirstThere = true;
    secondLine?.onFirst();
  };
  const firstLine = secondLine && { thenTimeoutMs: secondLine.timeoutMs, tell };
  const received = await send(parts.transport, sendingOf(parts, asking, { token, firstLine }));
  const read = isFirstThere
    ? readLine(received, route, { answer: secondLine?.answer })
    : readAnswer(received, route, how);
  // The head of a second line is the first one's: its date is old by now.
  if (read.isBrokersWord && !isFirstThere) heard(received);
  return { ...read, received };
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

function sendingOf(
  parts: ClientSpec,
  { route, input, how }: Asking,
  { token, firstLine }: { readonly token: string; readonly firstLine: FirstLine | undefined },
): Sending {
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
    firstLine,
  };
}
