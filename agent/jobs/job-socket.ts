import { timingSafeEqual } from "node:crypto";
import { rm } from "node:fs/promises";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";

/** What a job's own processes may ask of the agent, through `svc-agent output set` and `svc-agent redact add`. */
export type JobRequests = {
  /** Throws an Error whose message is for the script's author when the output cannot be taken. */
  readonly setOutput: (output: SetOutput) => void;
  readonly addSecret: (secret: string) => void;
};

const setOutput = z.object({
  name: z.string(),
  value: z.unknown(),
  /** Later steps get it; it is shown nowhere and never leaves this host. */
  secret: z.boolean().default(false),
});
export type SetOutput = z.infer<typeof setOutput>;

const addSecret = z.object({ secret: z.string() });
const mostBytes = 2 * 2 ** 20;

/**
 * Listens on a unix socket of one job: `POST /outputs {name, value, secret?}` and `POST /secrets {secret}`, with the
 * job's bearer; 204, or a status with `{detail}`. Answers how to stop.
 */
export async function openJobSocket(
  { path, bearer }: { readonly path: string; readonly bearer: string },
  requests: JobRequests,
): Promise<() => Promise<void>> {
  await rm(path, { force: true }); // a former process of the agent may have left it
  const server = http.createServer((request, response) => {
    void answer(request, { bearer, requests }).then(({ status, detail }) => {
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(detail === undefined ? undefined : JSON.stringify({ detail }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  server.unref();
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

type Answered = { readonly status: number; readonly detail?: string };
type Means = { readonly bearer: string; readonly requests: JobRequests };

async function answer(request: http.IncomingMessage, means: Means): Promise<Answered> {
  try {
    if (!isSame(request.headers.authorization ?? "", `Bearer ${means.bearer}`)) {
      return { status: 401, detail: "This is not the token of the job." };
    }
    if (Number(request.headers["content-length"] ?? 0) > mostBytes) {
      return { status: 413, detail: "This is more than 2 MiB." };
    }
    const body: unknown = JSON.parse((await buffer(request)).toString("utf8"));
    return take(`${request.method} ${request.url}`, body, means.requests);
  } catch (error) {
    return { status: 422, detail: (error as Error).message };
  }
}

function take(what: string, body: unknown, requests: JobRequests): Answered {
  if (what === "POST /outputs") requests.setOutput(setOutput.parse(body));
  else if (what === "POST /secrets") requests.addSecret(addSecret.parse(body).secret);
  else return { status: 404, detail: "There is POST /outputs and POST /secrets." };
  return { status: 204 };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
