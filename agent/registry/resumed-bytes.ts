import { pause } from "../client/pause.ts";
import type { RegistryAnswer } from "./exchange.ts";
import { RegistryFault } from "./registry-fault.ts";

const mostFailures = 5;

/** Asks for a blob, or for what its headers say of it; answered by 200 or 206. Throws RegistryFault. */
export type AskBytes = (headers: Readonly<Record<string, string>>) => Promise<RegistryAnswer>;

/** The bytes of a blob from there on; where a connection breaks they go on with another one. Throws RegistryFault. */
export async function* resumedBytes(
  size: number,
  from: number,
  ask: AskBytes,
): AsyncGenerator<Uint8Array> {
  let at = from;
  for (let failures = 0; at < size; failures += 1) {
    if (failures > mostFailures) {
      throw new RegistryFault(
        "network",
        "the registry closed the connection in the middle of a blob, again and again",
      );
    }
    if (failures > 0) await pause(100 * 3 ** (failures - 1) * (0.5 + Math.random()));
    const before = at;
    for await (const piece of goOn(ask, size, at)) {
      at += piece.length;
      yield piece;
    }
    if (at > before) failures = 0;
  }
}

/** The rest of a blob, as far as the connection lasts. Throws RegistryFault for a whole answer that is too short. */
async function* goOn(ask: AskBytes, size: number, from: number): AsyncGenerator<Uint8Array> {
  const headers = from === 0 ? {} : { range: `bytes=${from}-` };
  const answer = await ask(headers);
  const isPart = answer.status === 206;
  if (isPart && !(answer.headers["content-range"] ?? "").startsWith(`bytes ${from}-`)) {
    answer.body.destroy();
    throw new RegistryFault("refused", "the registry answers with another part of a blob");
  }
  let skip = isPart ? 0 : from; // some answer with the whole
  let got = isPart ? from : 0;
  const pieces = answer.body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>; // no encoding is set
  try {
    for (;;) {
      const next = await pieces.next().catch(() => undefined);
      if (next === undefined) return;
      const isOver = next.done === true;
      if (isOver && !isPart) expectWhole(got, size);
      if (isOver) return;
      got += next.value.length;
      const piece = next.value.subarray(Math.min(skip, next.value.length));
      skip -= next.value.length - piece.length;
      if (piece.length > 0) yield piece;
    }
  } finally {
    answer.body.destroy();
  }
}

function expectWhole(got: number, size: number): void {
  if (got >= size) return;
  throw new RegistryFault(
    "digest",
    `a blob ends after ${got} of the ${size} bytes in its manifest`,
  );
}
