import { createHash } from "node:crypto";
import path from "node:path";
import { getJobSourceRoute } from "../../shared/api/get-job-source.ts";
import { processSecretHeader } from "../../shared/api/runner-process.ts";
import { Refused } from "../client/broker-errors.ts";
import { readJobText, writeJobFileOnce } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { fetchInChild } from "./fetch-in-child.ts";
import { type SourceClass, sourceFailure } from "./source-failure.ts";
import type { FetchedSource, Source, SourceFetch } from "./source.ts";

type Blob = Extract<Source, { readonly kind: "blob" }>;

/** A part of a mebibyte in base64, and what is told with it. */
const mostPartBytes = 2 * 2 ** 20;
/** More than a broker keeps of one folder, with the heads of its entries. */
const mostBytes = 32 * 2 ** 20;

/**
 * Fetches a folder of the config's own directory, which the broker keeps: part by part, each again where its answer was
 * lost, and checked by the digest in the plan. It is unpacked as an archive of the plan would be. Throws JobFailure.
 */
export async function fetchBlob(
  job: Job,
  source: Blob,
  fetch: SourceFetch,
): Promise<FetchedSource> {
  const { workspace, owner } = job.directories;
  const file = path.join(workspace, "sources", `${fetch.name}.base64`);
  const kept = await readJobText(file, owner, 2 * mostBytes);
  const contents = isOf(source, kept) ? kept : await download(job, source, fetch);
  await writeJobFileOnce(file, contents, owner);
  return await fetchInChild(job, { kind: "archive", contents, directory: source.directory }, fetch);
}

const isOf = ({ digest }: Blob, contents: string): boolean =>
  contents !== "" &&
  `sha256:${createHash("sha256").update(Buffer.from(contents, "base64")).digest("hex")}` === digest;

async function download(
  job: Job,
  source: Blob,
  { title, isCleanup }: SourceFetch,
): Promise<string> {
  const { client, process } = job.agent;
  const signal = isCleanup === true ? job.killSignal : job.signal;
  const params = { job_id: job.info.id };
  const headers = { [processSecretHeader]: process().secret };
  const how = { scope: "job", signal, token: job.token, mostBytes: mostPartBytes } as const;
  const pieces: Buffer[] = [];
  for (let [part, parts, size] = [0, 1, 0]; part < parts; part++) {
    const input = { params, query: { part }, headers };
    const { body } = await client.call(getJobSourceRoute, input, how).catch((error: unknown) => {
      throw isAboutTheJob(error) ? failed(job, title, [classOf(error), error.message]) : error;
    });
    const piece = Buffer.from(body.contents, "base64");
    size += piece.length;
    if (size > mostBytes) throw failed(job, title, ["too_large", "it is larger than it may be"]);
    pieces.push(piece);
    parts = body.parts;
  }
  const contents = Buffer.concat(pieces).toString("base64");
  if (isOf(source, contents)) return contents;
  throw failed(job, title, ["digest", `what the broker sent is not ${source.digest}`]);
}

/** What ends the agent, or its process, is no failure of the job. */
const isAboutTheJob = (error: unknown): error is Refused =>
  error instanceof Refused && (error.what === "job-over" || error.what === "refused");

/** A broker of an older version does not know the route, and another one may answer the next time. */
function classOf({ status, code }: Refused): SourceClass {
  if (code === "source_not_found") return "not_found";
  return status === 404 ? "network" : "refused";
}

function failed(job: Job, title: string, [kind, words]: readonly [SourceClass, string]): Error {
  const end = { code: null, why: "exited", words: "", tookMs: 0 } as const;
  const what = "beside the config, at the broker";
  return sourceFailure(
    { title, what, end },
    { words: job.redact(words).replace(/\.$/, ""), class: kind },
  );
}
