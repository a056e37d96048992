import { timingSafeEqual } from "node:crypto";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { http } from "../client/node-http.ts";
import { openSocketPath } from "../paths/socket-path.ts";

/** What a job's own processes may ask of the agent, through `svc-agent output set` and `svc-agent redact add`. */
export type JobRequests = {
  /** Resolves when the output is stored; rejects with an Error whose message is for the script's author. */
  readonly setOutput: (output: SetOutput) => Promise<void>;
  /** The same, at once. */
  readonly addSecret: (secret: string) => void;
};

/** The request cannot be served yet and may be repeated. */
export class NotNow extends Error {
  override readonly name = "NotNow";
}

const setOutput = z.object({
  name: z.string(),
  value: z.unknown(),
  /** A secret output: later steps get it, but it is never shown and never leaves this host. */
  secret: z.boolean().default(false),
});
export type SetOutput = z.infer<typeof setOutput>;

const addSecret = z.object({ secret: z.string() });
const mostBytes = 2 * 2 ** 20;
/** A job's scripts make few requests at once; a refused one is repeated. */
const mostAtOnce = 32;

/**
 * Serves the socket of one job: `POST /outputs {name, value, secret?}` and `POST /secrets {secret}` with the job's
 * bearer token. Answers 204 when it is stored, else a status with `{detail}`; after a 503 the request may be repeated.
 * Returns a function that closes the socket.
 */
export async function openJobSocket(
  { path, bearer }: { readonly path: string; readonly bearer: string },
  requests: JobRequests,
): Promise<() => Promise<void>> {
  await rm(path, { force: true }); // an earlier process of the agent may have left it
  const server = http.createServer((request, response) => {
    void answer(request, { bearer, requests }).then(({ status, detail }) => {
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(detail === undefined ? undefined : JSON.stringify({ detail }));
    });
  });
  server.maxConnections = mostAtOnce; // each connection may send 2 MiB into the process that all jobs share
  const short = openSocketPath(path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(short.path, resolve);
  }).catch((error: unknown) => {
    short.release();
    throw error;
  });
  server.unref();
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    short.release();
  };
}

type Answered = { readonly status: number; readonly detail?: string };
type Means = { readonly bearer: string; readonly requests: JobRequests };

async function answer(request: IncomingMessage, means: Means): Promise<Answered> {
  try {
    if (!isSame(request.headers.authorization ?? "", `Bearer ${means.bearer}`)) {
      return { status: 401, detail: "This is not the job's token." };
    }
    const text = await readBody(request);
    if (text === undefined) return { status: 413, detail: "The body is larger than 2 MiB." };
    return await take(`${request.method} ${request.url}`, parseJson(text), means.requests);
  } catch (error) {
    if (error instanceof NotNow) return { status: 503, detail: error.message };
    return { status: 422, detail: (error as Error).message };
  }
}

/**
 * Undefined for a body that is too large. It is still read to its end, because the sender would otherwise not see the
 * answer.
 */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= mostBytes) parts.push(part);
    else parts.length = 0;
  }
  return bytes > mostBytes ? undefined : Buffer.concat(parts).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The body is not JSON."); // the body may be a secret, so it is not quoted
  }
}

async function take(what: string, body: unknown, requests: JobRequests): Promise<Answered> {
  if (what === "POST /outputs") await requests.setOutput(setOutput.parse(body));
  else if (what === "POST /secrets") requests.addSecret(addSecret.parse(body).secret);
  else return { status: 404, detail: "Not found. Use POST /outputs or POST /secrets." };
  return { status: 204 };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
