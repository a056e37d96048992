import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { http } from "../client/node-http.ts";
import { pause } from "../client/pause.ts";
import type { Environment } from "../config/environment.ts";
import { ExitError } from "../exit-error.ts";
import { openSocketPath, type SocketPath } from "../paths/socket-path.ts";

const patienceMs = 10_000;
/** As long as an agent may need to restart. */
const mostAbsenceMs = 60_000;
const betweenMs = 250;

/** The socket and the bearer token of the job that this runs in. */
export type SurroundingJob = { readonly socketPath: string; readonly bearer: string };

/** Finds the job that this runs in from its environment; throws an ExitError when there is none. */
export function surroundingJob(env: Environment): SurroundingJob {
  const socketPath = env["SVC_JOB_SOCKET"];
  const bearer = env["SVC_JOB_TOKEN"];
  if (socketPath && bearer) return { socketPath, bearer };
  throw new ExitError("usage", "This command only works inside a job that svc-agent runs.");
}

/**
 * Sends a request to the agent that runs this job, over the job's socket. While the agent restarts, retries for a
 * minute. Throws an ExitError when the request is refused.
 */
export async function askJob(job: SurroundingJob, path: string, body: object): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  const giveUpAtMs = performance.now() + mostAbsenceMs;
  for (;;) {
    const { status, words } = await ask(job, path, bytes);
    if (status === 204) return;
    const mayCome = (status === undefined || status === 503) && existsSync(dirname(job.socketPath));
    if (!mayCome || performance.now() > giveUpAtMs) throw new ExitError("failed", words);
    await pause(betweenMs);
  }
}

type Answer = { readonly status?: number | undefined; readonly words: string };

/** One attempt; without a status when there is no answer. */
async function ask(
  { socketPath, bearer }: SurroundingJob,
  path: string,
  bytes: Buffer,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${bearer}`, "content-length": bytes.length };
  const signal = AbortSignal.timeout(patienceMs);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let short: SocketPath | undefined;
  try {
    short = openSocketPath(socketPath);
    const means = { socketPath: short.path, path, method: "POST", headers, signal };
    http.request(means).on("response", resolve).on("error", reject).end(bytes);
    const answer = await promise;
    const status = answer.statusCode;
    return { status, words: detailOf(await text(answer)) ?? `The agent answered ${status}.` };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { words: `The agent of this job does not answer (${code ?? message}).` };
  } finally {
    short?.release();
  }
}

/** Reads a file, or standard input for `-`, without the final newline. */
export async function readValue(file: string): Promise<string> {
  if (file === "-") return withoutNewline(await text(process.stdin));
  try {
    return withoutNewline(await readFile(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ExitError("usage", `${file} cannot be read (${code}).`);
  }
}

const withoutNewline = (given: string): string => given.replace(/\r?\n$/, "");

function detailOf(told: string): string | undefined {
  try {
    const { detail } = JSON.parse(told) as { detail?: unknown };
    return typeof detail === "string" ? detail : undefined;
  } catch {
    return undefined;
  }
}
