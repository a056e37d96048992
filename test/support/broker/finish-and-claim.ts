import { onTestFinished } from "vitest";
import type { TestBroker } from "./broker.ts";
import type { ClaimAnswer, ClaimedJob } from "./http-agent.ts";

export type NextPoll = {
  readonly status: number;
  readonly type: string | null;
  /** The next line of the answer; undefined when it is over. */
  readonly line: () => Promise<Record<string, unknown> | undefined>;
  /** The second line, read as a claim's answer. */
  readonly claim: () => Promise<ClaimAnswer>;
  /** Breaks the connection off. */
  readonly drop: () => void;
};

export type FinishAndClaim = {
  readonly token: string;
  readonly claim: unknown;
  readonly finish?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Finishes an execution and polls by the same request; its lines are read as they come. */
export async function finishAndClaim(
  { url }: Pick<TestBroker, "url">,
  { job, execution }: ClaimedJob,
  { token, claim, finish, headers }: FinishAndClaim,
): Promise<NextPoll> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const path = `/v1/runner-jobs/${job.id}/executions/${execution.id}/finish`;
  const response = await fetch(url + path, {
    method: "POST",
    signal: over.signal,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ status: "finished", result: { success: true }, ...finish, claim }),
  });
  const lines = linesOf(response);
  const line = async () => (await lines.next()).value as Record<string, unknown> | undefined; // each is an object
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    line,
    claim: async () => (await line()) as ClaimAnswer, // a caller says that it is one
    drop: () => over.abort(),
  };
}

async function* linesOf({ body }: Response): AsyncGenerator<unknown, undefined> {
  let text = "";
  for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
    }
  }
  if (text !== "") yield JSON.parse(text);
  return undefined;
}
