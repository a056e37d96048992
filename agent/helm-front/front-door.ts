import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { answerRecords, type RecordsAnswer } from "./answer-records.ts";
import type { BrokerRecords } from "./broker-records.ts";
import { diverted, isRecordName } from "./diverted.ts";
import { readSecret } from "./secret-record.ts";
import { FrontRefusal, statusAnswer } from "./status-answer.ts";
import type { openUpstream } from "./upstream.ts";

type Behind = {
  /** The first part of every path, a secret that only the job's kubeconfig holds. */
  readonly secret: string;
  readonly namespace: string;
  readonly records: BrokerRecords;
  readonly upstream: ReturnType<typeof openUpstream>;
  /** Called when the agent says that the job is over. */
  readonly end: () => void;
};

/** More than an API server accepts and than a record may have. */
const mostBodyBytes = 24 * 2 ** 20;

/** The agent's own requests to the front; no path of Kubernetes has these names. */
export const ownPaths = { alive: "/svc-alive", end: "/svc-end" } as const;

/** Answers helm: its release secrets from the broker's records, everything else by the cluster. */
export function frontDoor(behind: Behind): RequestListener {
  return (request, response) => {
    answer(behind, request, response).catch((error: unknown) => {
      refuse(response, error);
    });
  };
}

async function answer(
  behind: Behind,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = targetOf(request.url ?? "", behind.secret);
  if (target === undefined) {
    response.writeHead(403, { connection: "close" }).end();
    return;
  }
  if (target === ownPaths.alive || target === ownPaths.end) {
    response.writeHead(204).end();
    if (target === ownPaths.end) response.once("close", behind.end);
    return;
  }
  const method = request.method ?? "GET";
  const body = await wholeBody(request);
  const wanted = diverted(method, target, behind.namespace);
  const isOurs = wanted !== undefined && (wanted.what !== "create" || isRecord(body));
  if (!isOurs) {
    await behind.upstream.pass({ method, target, headers: request.headers, body }, response);
    return;
  }
  const answered = await answerRecords(behind.records, { method, diverted: wanted, body });
  await send(response, answered);
}

/** A streamed answer starts when its first part is there: until then an error status can still be sent. */
async function send(response: ServerResponse, { code, body }: RecordsAnswer): Promise<void> {
  const headers = { "content-type": "application/json" };
  if (typeof body === "string") {
    response.writeHead(code, headers).end(body);
    return;
  }
  const first = await body.next();
  response.writeHead(code, headers);
  const whole = async function* () {
    if (first.done !== true) yield first.value;
    yield* body;
  };
  try {
    await pipeline(whole, response);
  } finally {
    await body.return(undefined); // if helm has gone, nobody reads the broker's answer
  }
}

/** The path after the secret; undefined if the secret is wrong. */
function targetOf(url: string, secret: string): string | undefined {
  const [given, wanted] = [
    Buffer.from(url.slice(0, secret.length + 2)),
    Buffer.from(`/${secret}/`),
  ];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  return url.slice(secret.length + 1);
}

/** A secret of the chart goes to the cluster, which reports itself what is wrong with it. */
function isRecord(body: Buffer): boolean {
  try {
    return isRecordName(readSecret(body).name);
  } catch {
    return false;
  }
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > mostBodyBytes) throw new FrontRefusal(413, "the request's body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { code, body } =
    error instanceof FrontRefusal
      ? statusAnswer(error.code, error.message)
      : statusAnswer(500, `the agent's front failed: ${String(error)}`);
  response.writeHead(code, { "content-type": "application/json", connection: "close" }).end(body);
}
