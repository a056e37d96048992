import type { IncomingMessage, ServerResponse } from "node:http";
import type { Blobs } from "./blobs.ts";
import type { Granted } from "./check-token.ts";
import type { Manifests } from "./manifests.ts";
import { RegistryError } from "./registry-error.ts";
import type { Piece, Uploads } from "./uploads.ts";

/** All that the registry keeps. */
export type Store = {
  readonly blobs: Blobs;
  readonly uploads: Uploads;
  readonly manifests: Manifests;
};

/** One request to the registry, of somebody who may make it. */
export type RegistryRequest = {
  readonly store: Store;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** All that its token opens. */
  readonly granted: Granted;
};

type Headers = Readonly<Record<string, string | number>>;

/** Answers without a body. */
export function answerEmpty({ response }: RegistryRequest, status: number, headers: Headers): void {
  const length = status === 204 ? {} : { "content-length": 0 };
  response.writeHead(status, { ...length, ...headers }).end();
}

/** Answers with bytes; with their length alone where only that was asked for. */
export function answerBytes(
  { request, response }: RegistryRequest,
  bytes: Uint8Array,
  headers: Headers,
): void {
  response.writeHead(200, { "content-length": bytes.length, ...headers });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

const contentRange = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/;

/** The body as a piece of a blob, which begins and ends where its Content-Range says. */
export function pieceOf({ request }: RegistryRequest): Piece {
  const { "content-range": said, "content-length": length } = request.headers;
  if (said === undefined) return { body: request, range: undefined };
  const [, from, to] = contentRange.exec(said) ?? [];
  const range = { from: Number(from), to: Number(to) };
  const isWhole = length === undefined || Number(length) === range.to - range.from + 1;
  if (from === undefined || range.to < range.from || !isWhole)
    throw new RegistryError(
      "BLOB_UPLOAD_INVALID",
      "Content-Range is FROM-TO, the first and the last byte of this piece, and fits its length.",
    );
  return { body: request, range };
}

/** The body, whole; refuses more than so many bytes. */
export async function readBody({ request }: RegistryRequest, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > mostBytes)
      throw new RegistryError("SIZE_INVALID", `A manifest has at most ${mostBytes} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
