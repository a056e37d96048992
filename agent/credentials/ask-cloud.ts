import { Unanswered } from "../client/broker-errors.ts";
import { openTransport } from "../client/network.ts";
import { pause } from "../client/pause.ts";
import { type Received, send } from "../client/send.ts";
import { CloudUnreachable } from "./credential-fault.ts";

/** The environment in which a tool asked for credentials. */
export type CloudEnv = Readonly<Record<string, string | undefined>>;

type Question = {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The name of the service, for people: "STS". */
  readonly who: string;
  readonly timeoutMs?: number;
  /** Ends it; what it aborts with is thrown. */
  readonly signal?: AbortSignal;
  /** Whether an answer is worth a repeat; by default by its status. */
  readonly isBusy?: (answer: Received) => boolean;
};

const attempts = 4;
const patienceMs = 15_000;

/**
 * Sends one request to an identity service of a cloud, through the proxies of the environment, except to metadata
 * servers. Temporary failures are retried. Throws CloudUnreachable when there is no answer.
 */
export async function askCloud(env: CloudEnv, question: Question): Promise<Received> {
  const { url, method = "GET", headers = {}, body, who, timeoutMs = patienceMs } = question;
  const { signal, isBusy = isBusyStatus } = question;
  const { origin, pathname, search } = new URL(url);
  const transport = openTransport({ brokerUrl: origin, caFile: undefined, env });
  const sending = { method, path: `${pathname}${search}`, headers, body, timeoutMs, signal };
  try {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(transport, sending).catch(asUnanswered);
      const isLast = attempt === attempts;
      if (!(answer instanceof Unanswered) && (isLast || !isBusy(answer))) return answer;
      if (isLast) throw new CloudUnreachable(`${who} cannot be reached: ${wordsOf(answer)}`);
      const pauseMs = 100 * 3 ** attempt * (0.5 + Math.random());
      await pause(pauseMs, ...(signal === undefined ? [] : [signal]));
    }
  } finally {
    transport.close();
  }
}

const isBusyStatus = ({ status }: Received): boolean => status === 429 || status >= 500;

function asUnanswered(error: unknown): Unanswered {
  if (error instanceof Unanswered) return error;
  throw error;
}

const wordsOf = (answer: object): string => (answer instanceof Error ? answer.message : "");
