import { SvcError } from "../svc-error.ts";
import type { Connection } from "./connection.ts";
import { refusalOf } from "./read-answer.ts";
import { headersOf, sendHead, unreachable } from "./send-once.ts";

type Opening = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For as long as the answer is read. */
  readonly signal: AbortSignal;
  /** For a token that does not come. */
  readonly timeout: AbortSignal;
};

/** Opens an answer that goes on: its body is still to be read. Throws an SvcError where there is none. */
export async function openAnswer(connection: Connection, opening: Opening): Promise<Response> {
  const { url, signal } = opening;
  const headers = await headersOf(connection, opening);
  const sent = { method: "get", url, headers, signal };
  const response = await sendHead(connection, sent).catch((error: unknown) => {
    throw error instanceof SvcError ? error : unreachable(error);
  });
  if (!response.ok) throw await refusalOf(response);
  return response;
}
