import { pause } from "../client/pause.ts";
import type { ReadBytes } from "./checked-bytes.ts";
import type { Descriptor } from "./descriptor.ts";
import { LostConnection, type RegistryAnswer } from "./exchange.ts";
import { nextStep, type RegistryClient } from "./registry-client.ts";
import { RegistryFault } from "./registry-fault.ts";
import { askedPauseMs, mostAskedMs } from "./send-with-retries.ts";

/** A blob to push. Its bytes are checked by who reads them. */
export type PushedBlob = Pick<Descriptor, "digest" | "size"> & { readonly read: ReadBytes };

export type Pushed = "there" | "mounted" | "pushed";

/** Smaller ones are sent in one request, for which they are held in memory. */
const mostAtOnceBytes = 256 * 1024;
const mostFailures = 5;
/** Registries may move or hash the whole of it before they answer. */
const commitPatience = { silentMs: 10 * 60_000, altogetherMs: 60 * 60_000 };
const octets = { "content-type": "application/octet-stream" };

/**
 * Has a registry have a blob: it may be there, in another repository of it, or is uploaded, and where a connection
 * breaks the upload goes on with another one. Throws RegistryFault.
 */
export async function pushBlob(
  client: RegistryClient,
  blob: PushedBlob,
  mountsFrom?: string,
): Promise<Pushed> {
  const { digest, size } = blob;
  if (await hasBlob(client, digest)) return "there";
  const first = await begin(client, digest, mountsFrom);
  if (first === undefined) return "mounted";
  const send = size <= mostAtOnceBytes ? sendAtOnce : sendOn;
  let upload: Upload | undefined = { at: first, sent: 0, isTakenUp: false };
  for (let failures = 0; ; failures += 1) {
    upload ??= { at: await begun(client, digest), sent: 0, isTakenUp: false };
    const end = await send(client, blob, upload);
    if (end === "done") return "pushed";
    const { why = brokenOff(), askedMs = 0 } = typeof end === "string" ? {} : end;
    if (failures === mostFailures || askedMs > mostAskedMs) throw why;
    // A registry may still be writing what came before the connection broke.
    await pause(Math.max(askedMs, 100 * 3 ** failures * (0.5 + Math.random())));
    if (await hasBlob(client, digest)) return "pushed"; // the answer alone was lost
    const before: number = upload.sent;
    upload = end === "gone" ? undefined : await whatThereIs(client, upload.at);
    if (upload !== undefined && upload.sent > before) failures = 0;
  }
}

/** Whether a registry has a blob. Throws RegistryFault. */
export async function hasBlob(client: RegistryClient, digest: string): Promise<boolean> {
  const answer = await client.ask({ method: "HEAD", at: `blobs/${digest}` });
  answer.body.resume();
  if (answer.status === 200) return true;
  if (answer.status === 404) return false;
  throw await client.refusal(answer);
}

/** An upload: where its next request goes, and how many bytes the registry has of it. */
type Upload = { readonly at: string; readonly sent: number; readonly isTakenUp: boolean };
/** Why a registry takes no more for now, and how long it wants to be left alone. */
type Passing = { readonly why: RegistryFault; readonly askedMs: number | undefined };
type End = "done" | "broken" | "gone" | Passing;

/** Begins an upload; undefined when the blob was mounted in its place. */
async function begin(
  client: RegistryClient,
  digest: string,
  mountsFrom: string | undefined,
): Promise<string | undefined> {
  const query = new URLSearchParams(
    mountsFrom === undefined ? {} : { mount: digest, from: mountsFrom },
  ).toString();
  const answer = await client.ask({ method: "POST", at: `blobs/uploads/${query && `?${query}`}` });
  if (answer.status === 201 && mountsFrom !== undefined) {
    answer.body.resume();
    return undefined;
  }
  if (answer.status === 202) return locationOf(answer);
  // Some refuse a mount that they cannot do.
  const isMount = mountsFrom !== undefined && answer.status !== 429 && answer.status < 500;
  if (!isMount) throw await client.refusal(answer);
  answer.body.destroy();
  return await begun(client, digest);
}

async function begun(client: RegistryClient, digest: string): Promise<string> {
  const at = await begin(client, digest, undefined);
  if (at !== undefined) return at;
  throw new RegistryFault("refused", "the registry did not begin an upload");
}

async function sendAtOnce(
  client: RegistryClient,
  { digest, read }: PushedBlob,
  { at }: Upload,
): Promise<End> {
  const pieces: Uint8Array[] = [];
  for await (const piece of read(0)) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const asked = { method: "PUT", at: withDigest(at, digest), headers: octets, body } as const;
  const answer = await client.ask({ ...asked, patience: commitPatience });
  return await ended(client, answer);
}

/** Sends what is left of a blob and ends the upload. */
async function sendOn(
  client: RegistryClient,
  { digest, size, read }: PushedBlob,
  { at, sent, isTakenUp }: Upload,
): Promise<End> {
  // A registry that has more by now than it said refuses what does not begin there.
  const range = isTakenUp ? { "content-range": `${sent}-${size - 1}` } : {};
  let next = at;
  if (sent < size) {
    const headers = { ...octets, ...range, "content-length": String(size - sent) };
    const answer = await client
      .ask({ method: "PATCH", at, headers, body: read(sent) })
      .catch((error: unknown) => {
        if (error instanceof LostConnection) return undefined;
        throw error;
      });
    // After a 401 it has signed in anew.
    if (answer === undefined || answer.status === 401) return "broken";
    if (isPassing(answer.status))
      return { why: await client.refusal(answer), askedMs: askedPauseMs(answer) };
    if (answer.status !== 202 && answer.status !== 201 && answer.status !== 204)
      throw await client.refusal(answer);
    next = locationOf(answer);
  }
  const end = { method: "PUT", at: withDigest(next, digest), body: new Uint8Array() } as const;
  const answer = await client.ask({ ...end, headers: octets, patience: commitPatience });
  return await ended(client, answer);
}

/** A login that is over, an upload that is gone or elsewhere, and what passes by itself. */
const isPassing = (status: number): boolean =>
  [401, 404, 408, 409, 416, 429].includes(status) || status >= 500;

async function ended(client: RegistryClient, answer: RegistryAnswer): Promise<End> {
  if (answer.status === 201 || answer.status === 204) {
    answer.body.resume();
    return "done";
  }
  if (answer.status !== 404 && answer.status !== 416) throw await client.refusal(answer);
  answer.body.destroy();
  return "gone";
}

const brokenOff = (): RegistryFault =>
  new RegistryFault("network", "the registry breaks off an upload again and again");

/** Undefined when the upload has to begin anew. */
async function whatThereIs(client: RegistryClient, at: string): Promise<Upload | undefined> {
  const answer = await client.ask({ at });
  answer.body.resume();
  const last = /^(?:bytes=)?0-(\d+)$/.exec(answer.headers.range ?? "")?.[1];
  if (answer.status >= 300 || last === undefined) return undefined;
  // Of one byte and of none the same is said.
  const sent = last === "0" ? 0 : Number(last) + 1;
  return { at: nextStep(answer) ?? at, sent, isTakenUp: true };
}

function locationOf(answer: RegistryAnswer): string {
  answer.body.resume();
  const next = nextStep(answer);
  if (next !== undefined) return next;
  throw new RegistryFault("refused", "the registry does not say where an upload goes on");
}

function withDigest(at: string, digest: string): string {
  const url = new URL(at);
  url.searchParams.set("digest", digest);
  return url.href;
}
