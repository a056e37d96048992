import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { followWorkflowEventsRoute } from "../../shared/api/follow-workflow-events.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { signBody } from "../../shared/webhooks/sign-body.ts";
import { defineCommand } from "../command.ts";
import { askPatiently } from "../connection/absence.ts";
import type { Screen } from "../output/screen.ts";
import { openReceiver } from "./open-receiver.ts";

export const listenWebhook = defineCommand({
  name: "webhook listen",
  summary:
    "Follow the org's events here, and post each to a URL on this machine as a webhook would.",
  details:
    "Each event is signed as a webhook's deliveries are, with a secret of this run (--print-secret shows it) or that of --sign-by. Without --forward-to, svc itself " +
    "receives them on a port of this machine and checks each signature. No webhook is created. It goes on until Ctrl-C, also when the broker is away for a while.",
  flags: {
    "forward-to": { value: "URL", summary: "Where to post events." },
    interests: { value: "FILE", summary: "A JSON file: which events; all unless given." },
    match: { value: "FILE", summary: "A JSON file: of which installs, components or actions." },
    "sign-by": { value: "FILE", summary: "Sign with the secret in this file." },
    "print-secret": { summary: "Show the secret of this run." },
    "from-start": { summary: "Begin with the oldest event that is kept, instead of now." },
    count: { value: "N", summary: "End after so many events." },
  },
  examples: [
    { does: "See events arrive.", run: "svc webhook listen" },
    {
      does: "Post them to a receiver that you write.",
      run: "svc webhook listen --forward-to http://127.0.0.1:3000/hooks --print-secret",
    },
  ],
  run: async ({ flags, call, screen }) => {
    const [interests, match] = [await readText(flags.interests), await readText(flags.match)];
    const given = (await readText(flags["sign-by"]))?.trim();
    const secret = given ?? `whsec_${randomBytes(24).toString("base64")}`;
    if (flags["print-secret"]) screen.say(`The secret: ${secret}`);
    const most = flags.count === undefined ? Infinity : Number(flags.count);
    if (!(most >= 1)) throw new UsageError("--count must be a whole number from 1.");
    const receiver = flags["forward-to"] === undefined ? await openReceiver(secret) : undefined;
    const url = urlOf(flags["forward-to"] ?? receiver?.url ?? "");
    const read = async (cursor: string | undefined, wait: string) => {
      const query = { cursor, wait, interests, match };
      return (await askPatiently(async () => await call(followWorkflowEventsRoute, { query })))
        .body;
    };
    // From here on nothing is missed.
    let cursor = flags["from-start"] ? "" : (await read(undefined, "1ms")).next_cursor;
    screen.say(`Events are posted to ${url.href}, signed. Ctrl-C ends it.`);
    try {
      for (let count = 0; count < most;) {
        const body = await read(cursor, "25s");
        for (const { body: text } of body.items.slice(0, most - count))
          await forward(screen, { url, secret, text, told: receiver?.told });
        count += body.items.length;
        cursor = body.next_cursor;
      }
    } finally {
      receiver?.close();
    }
  },
});

type Forwarding = {
  readonly url: URL;
  readonly secret: string;
  readonly text: string;
  /** What our own receiver made of the last event. */
  readonly told: (() => string) | undefined;
};

const timeoutMs = 15_000;
const tries = 3;

async function forward(screen: Screen, { url, secret, text, told }: Forwarding): Promise<void> {
  const event = JSON.parse(text) as { id: string; time: string; subject: string }; // an envelope
  const startMs = performance.now();
  let answer = "";
  for (let n = 0; n < tries; n++) {
    const signed = signBody(secret, text, { id: event.id, at: new Date() });
    const headers = { "content-type": "application/cloudevents+json; charset=utf-8", ...signed };
    answer = await post(url, { method: "POST", headers, body: text });
    if (!answer.startsWith("failed")) break;
    await sleep(500 * (n + 1));
  }
  if (screen.format === "json" || screen.format === "ndjson") {
    screen.out(text);
    return;
  }
  const took = `${Math.round(performance.now() - startMs)} ms`;
  const words = told === undefined ? "" : `, ${told()}`;
  screen.out(`${event.time.slice(11, 23)}  ${wordsOf(text)}  → ${answer} in ${took}${words}`);
}

async function post(url: URL, request: RequestInit): Promise<string> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...request, signal, redirect: "manual" });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return `failed: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** What is told of what, in one line. */
function wordsOf(text: string): string {
  const { svctransition, data } = JSON.parse(text) as {
    svctransition: string;
    data: { workflow: { id: string; type: string }; step?: { name: string } };
  };
  const { workflow, step } = data;
  const what = step === undefined ? `workflow ${workflow.type}` : `step ${step.name}`;
  return `${what} ${svctransition}  ${workflow.id}`;
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError("--forward-to must be an http or https URL.");
  return url;
}

async function readText(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : ""}`);
  }
}
