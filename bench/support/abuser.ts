import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** One kind of request, sent again and again by so many clients. */
export type Abuse = {
  readonly kind: string;
  readonly clients: number;
  readonly method: string;
  /** Each request takes the next; after the last the first again. */
  readonly paths: readonly string[];
  readonly token: string;
  /** JSON; `@12` within it is so many megabytes of letters. */
  readonly body?: string;
  /** In place of it: bytes, in base64. */
  readonly bytes?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between the requests of one client; none unless told. */
  readonly restMs?: number;
};

/** How often each kind was answered with each status; 0 is a broken connection. */
export type AbuseCounts = Record<string, Record<string, number>>;

// A process of its own: what it is to do comes as a message, and what came of it goes back when it is told to stop.
const counts: AbuseCounts = {};
const latest: Record<string, string> = {};
const run = { isOver: false };

process.on("message", (message: readonly Abuse[] | "stop") => {
  if (message === "stop") {
    run.isOver = true;
    process.send?.({ counts, latest }, () => process.exit(0));
    return;
  }
  for (const abuse of message) begin(abuse);
});

function begin(abuse: Abuse): void {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const body = bodyOf(abuse);
  let nth = 0;
  for (let client = 0; client < abuse.clients; client++) {
    void (async () => {
      while (!run.isOver) {
        const path = abuse.paths[nth++ % abuse.paths.length] ?? "";
        const status = await once(abuse, { agent, path, body }).catch(() => 0);
        const ofKind = (counts[abuse.kind] ??= {});
        ofKind[status] = (ofKind[status] ?? 0) + 1;
        if (status === 0) await pause(100);
        if (abuse.restMs !== undefined) await pause(abuse.restMs);
      }
    })();
  }
}

function bodyOf({ body, bytes }: Abuse): Buffer | undefined {
  if (bytes !== undefined) return Buffer.from(bytes, "base64");
  return body === undefined ? undefined : filled(body);
}

const filled = (text: string): Buffer =>
  Buffer.from(text.replace(/@(\d+)/, (_, mb: string) => "QUJD".repeat(Number(mb) * 250_000)));

type Sending = {
  readonly agent: Agent;
  readonly path: string;
  readonly body: Buffer | undefined;
};

function once(abuse: Abuse, { agent, path, body }: Sending): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = new URL(path);
    const headers: Record<string, string | number> = {
      authorization: `Bearer ${abuse.token}`,
      ...(body !== undefined && {
        "content-type": abuse.type ?? "application/json",
        "content-length": body.length,
      }),
      ...abuse.headers,
    };
    const sent = request(url, { agent, method: abuse.method, headers }, (answer) => {
      if ((answer.statusCode ?? 0) >= 400) {
        answer.once(
          "data",
          (chunk: Buffer) => (latest[abuse.kind] = chunk.toString().slice(0, 300)),
        );
      }
      answer.on("data", () => {}).on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
