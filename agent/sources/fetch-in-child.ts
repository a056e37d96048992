import path from "node:path";
import { readJobText, writeJobFileOnce } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import type { CommandEnd } from "../jobs/stored-execution.ts";
import { shownReference } from "../registry/reference.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { placeReference } from "../registry/registry-place.ts";
import { signIn } from "../registry/sign-in.ts";
import { type FetchRequest, sourceTold } from "./fetch-request.ts";
import { orderOnce } from "./order-once.ts";
import { failedCode } from "./run-fetch-request.ts";
import { type SourceClass, sourceFailure } from "./source-failure.ts";
import type { FetchedSource, Source, SourceFetch } from "./source.ts";
import { unpackHere } from "./unpack-here.ts";

type Ordered = Exclude<Source, { readonly kind: "git" | "blob" }>;
const mostToldBytes = 2 ** 16;

/**
 * Fetches a source that is not a git repository with a child of this program that runs as the job's user; a small
 * archive in the plan is unpacked in this process. Throws JobFailure.
 */
export async function fetchInChild(
  job: Job,
  source: Ordered,
  fetch: SourceFetch,
): Promise<FetchedSource> {
  const { name, key, step, title, timeoutMs, isCleanup } = fetch;
  const { workspace, secrets, owner } = job.directories;
  const folder = path.join(workspace, "sources", name);
  const told = path.join(secrets, `source-${name}.told`);
  const what = whatOf(job, source);
  const here =
    source.kind === "archive"
      ? await unpackHere(job, source, { ...fetch, folder, what })
      : undefined;
  if (here !== undefined) return here;
  const orderFile = path.join(secrets, `source-${name}.json`);
  const signal = isCleanup === true ? job.killSignal : job.signal;
  await orderOnce({ file: orderFile, owner, hide: job.addSecret }, async () => ({
    source: await orderedOf(job, source, { title, what, file: `${folder}.base64`, signal }),
    folder,
    told,
    mostBytes: job.agent.config.sourceSize,
  }));
  const end = await job.run({
    key,
    step,
    argv: ["svc-agent", "source", "fetch", orderFile],
    cwd: path.dirname(folder),
    env: {
      PATH: job.agent.config.env["PATH"] ?? "",
      ...job.agent.networkEnv,
      NODE_USE_ENV_PROXY: "1",
    },
    timeoutMs,
    ...(isCleanup !== undefined && { isCleanup }),
  });
  return {
    folder,
    tookMs: end.tookMs,
    revision: await revisionOf(job, { title, what, end, told }),
  };
}

/** The source for people, without credentials. Throws JobFailure when the plan is invalid. */
function whatOf(job: Job, source: Ordered): string {
  if (source.kind === "archive") return "in the plan (an archive)";
  if (source.kind === "path") {
    if (job.agent.config.allowFileSources === "yes" && path.isAbsolute(source.path))
      return source.path;
    const words = path.isAbsolute(source.path)
      ? "this needs allow-file-sources = yes in the agent's settings"
      : "a path on the host must be absolute";
    throw invalidPlan(`the source ${source.path} is not allowed: ${words}`);
  }
  return shownReference(placeReference(source.oci, "an artifact as its source"));
}

type Asked = {
  readonly title: string;
  readonly what: string;
  readonly file: string;
  readonly signal: AbortSignal;
};

async function orderedOf(
  job: Job,
  source: Ordered,
  { title, what, file, signal }: Asked,
): Promise<FetchRequest["source"]> {
  if (source.kind === "path") return { kind: "path", path: source.path };
  if (source.kind === "archive") {
    await writeJobFileOnce(file, source.contents, job.directories.owner);
    return { kind: "archive", file };
  }
  const { identity, ...place } = source.oci;
  const { origin } = placeReference(place, "an artifact as its source");
  const login = await signIn(job, { identity, origin }, signal).catch((error: unknown) => {
    if (!(error instanceof RegistryFault)) throw error;
    const end = { code: null, why: "exited", words: "", tookMs: 0 } as const;
    throw sourceFailure(
      { title, what, end },
      { words: job.redact(error.message), class: error.class },
    );
  });
  return { kind: "oci", ...place, login };
}

type Ended = {
  readonly title: string;
  readonly what: string;
  readonly end: CommandEnd;
  readonly told: string;
};

async function revisionOf(job: Job, { title, what, end, told }: Ended): Promise<string> {
  const isTold = end.why === "exited" && (end.code === 0 || end.code === failedCode);
  const text = isTold ? await readJobText(told, job.directories.owner, mostToldBytes) : "";
  const said = text === "" ? undefined : sourceTold.parse(JSON.parse(text));
  if (said !== undefined && "revision" in said) return said.revision;
  if (end.code === 0) return ""; // files in memory are gone after a reboot
  const fail = sourceFailure.bind(undefined, { title, what, end });
  if (said === undefined) throw fail({ words: job.redact(end.words) });
  throw fail({ words: job.redact(said.words), class: said.class as SourceClass }); // written by our own child
}
