import { readFile } from "node:fs/promises";
import http from "node:http";
import { text } from "node:stream/consumers";
import type { Environment } from "../config/environment.ts";
import { ExitError } from "../exit-error.ts";

const patienceMs = 10_000;

/** Where the job that this runs in can be asked, and by what bearer. */
export type SurroundingJob = { readonly socketPath: string; readonly bearer: string };

/** The job that this runs in, by its variables; an ExitError when there is none. */
export function surroundingJob(env: Environment): SurroundingJob {
  const socketPath = env["SVC_JOB_SOCKET"];
  const bearer = env["SVC_JOB_TOKEN"];
  if (socketPath && bearer) return { socketPath, bearer };
  throw new ExitError("usage", "This works only inside of a job that svc-agent runs.");
}

/** Asks the agent that runs this job, by the job's own socket; an ExitError says why it refused. */
export async function askJob(
  { socketPath, bearer }: SurroundingJob,
  path: string,
  body: object,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { authorization: `Bearer ${bearer}`, "content-length": bytes.length };
  const signal = AbortSignal.timeout(patienceMs);
  const request = http.request({ socketPath, path, method: "POST", headers, signal });
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  request.on("response", resolve).on("error", reject).end(bytes);
  const answer = await promise.catch((error: NodeJS.ErrnoException) => {
    const why = error.code ?? error.message;
    throw new ExitError("failed", `The agent of this job does not answer (${why}).`);
  });
  const told = await text(answer);
  if (answer.statusCode === 204) return;
  throw new ExitError("failed", detailOf(told) ?? `The agent answered ${answer.statusCode}.`);
}

/** The text of a file, or of standard input for `-`, without the newline at its very end. */
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
