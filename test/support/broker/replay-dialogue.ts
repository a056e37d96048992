import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";

/** One request of a recorded dialogue, and what its client needs of the answer. Words in braces are filled in. */
type Step = {
  readonly says: string;
  readonly method: string;
  readonly path: string;
  /** Sent as they stand. A step without them is the control plane's own, with its token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent byte for byte. */
  readonly body?: string;
  /** The same, where the bytes are no text. Ids in it have the length of {job}. */
  readonly base64?: string;
  readonly answer: {
    readonly status: number;
    readonly type?: string;
    /** The whole body. */
    readonly text?: string;
    /** Members by their path: a value, or "<object>", "<text>", "<positive>", "<keep NAME>". */
    readonly has?: Readonly<Record<string, unknown>>;
    readonly length?: number;
  };
};

export type Dialogue = { readonly about: string; readonly steps: readonly Step[] };

type Answer = { readonly status: number; readonly type: string; readonly body: Buffer };
type Words = Map<string, string>;

/** Plays a recorded dialogue against a broker, request by request, and holds every answer against the recording. */
export async function replayDialogue(
  url: string,
  { steps }: Dialogue,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const words: Words = new Map(Object.entries(given));
  for (const [at, step] of steps.entries()) {
    const answer = await send(url, step, words);
    const which = `${at + 1}. ${step.says}`;
    const text = answer.body.toString("utf8");
    expect({
      which,
      status: answer.status,
      ...(answer.status !== step.answer.status && { text }),
    }).toEqual({
      which,
      status: step.answer.status,
    });
    compare({ which, answer, text }, step.answer, words);
  }
}

async function send(url: string, step: Step, words: Words): Promise<Answer> {
  const headers = step.headers ?? operatorHeaders(step);
  const filled = Object.entries(headers).map(
    ([name, value]) => [name, fill(value, words)] as const,
  );
  const body = bodyOf(step, words);
  const sent = request(url + fill(step.path, words), {
    method: step.method,
    headers: { ...Object.fromEntries(filled), "Content-Length": body.length },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage]; // the event's only argument
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer); // a socket's
  return {
    status: response.statusCode ?? 0,
    type: response.headers["content-type"] ?? "",
    body: Buffer.concat(chunks),
  };
}

/** Those of a program of ours. */
const operatorHeaders = ({ body }: Step): Record<string, string> => ({
  Authorization: "Bearer {operator}",
  Accept: "application/json, application/problem+json",
  ...(body !== undefined && { "Content-Type": "application/json" }),
});

/** Ids within bytes are replaced by those of the same length, so that every length around them stays true. */
function bodyOf({ headers, body, base64 }: Step, words: Words): Buffer {
  if (base64 === undefined) return Buffer.from(fill(body ?? "", words));
  const bytes = Buffer.from(base64, "base64").toString("latin1");
  const filled = Buffer.from(
    bytes
      .replaceAll(`job_${"0".repeat(26)}`, words.get("job") ?? "")
      .replaceAll(`exe_${"0".repeat(26)}`, words.get("execution") ?? ""),
    "latin1",
  );
  return headers?.["Content-Encoding"] === "gzip" ? gzipSync(filled) : filled;
}

function fill(text: string, words: Words): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, name: string) => words.get(name) ?? all);
}

type Told = { readonly which: string; readonly answer: Answer; readonly text: string };

function compare({ which, answer, text }: Told, needed: Step["answer"], words: Words): void {
  if (needed.type !== undefined) {
    const [type] = answer.type.split(";");
    expect({ which, type }).toEqual({ which, type: needed.type });
  }
  if (needed.text !== undefined) {
    expect({ which, text }).toEqual({ which, text: fill(needed.text, words) });
  }
  if (needed.length !== undefined) {
    expect({ which, length: (JSON.parse(text) as unknown[]).length }).toEqual({
      which,
      length: needed.length,
    });
  }
  for (const [path, value] of Object.entries(needed.has ?? {})) {
    const found = memberAt(JSON.parse(text), path);
    expectMember(`${which}: ${path}`, { found, value }, words);
  }
}

function memberAt(body: unknown, path: string): unknown {
  let at = body;
  for (const name of path.split(".")) {
    at = (at as Readonly<Record<string, unknown>> | null | undefined)?.[name]; // an array's place is a name, too
  }
  return at;
}

function expectMember(
  which: string,
  { found, value }: { readonly found: unknown; readonly value: unknown },
  words: Words,
): void {
  const kept = typeof value === "string" ? /^<keep (\w+)>$/.exec(value)?.[1] : undefined;
  if (kept !== undefined) {
    expect({ which, found }).toEqual({ which, found: expect.stringMatching(/./) as unknown });
    words.set(kept, String(found));
  } else if (value === "<text>")
    expect({ which, type: typeof found }).toEqual({ which, type: "string" });
  else if (value === "<positive>")
    expect({ which, isPositive: Number(found) > 0 }).toEqual({ which, isPositive: true });
  else if (value === "<object>") {
    const isObject = typeof found === "object" && found !== null && !Array.isArray(found);
    expect({ which, isObject }).toEqual({ which, isObject: true });
  } else {
    const needed = typeof value === "string" ? fill(value, words) : value;
    expect({ which, found }).toEqual({ which, found: needed });
  }
}
