import { randomUUID } from "node:crypto";
import { pingWebhookRoute } from "../../shared/api/webhooks.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { eventKinds, eventTransitionNames } from "../../shared/webhooks/event-resources.ts";
import {
  allSamples,
  chooseSample,
  type Sample,
  sampleEvent,
  sampleEventNames,
} from "../../shared/webhooks/sample-events.ts";
import { attributesOf } from "../../shared/webhooks/stored-event.ts";
import { unknownId } from "../../shared/webhooks/unknown-id.ts";
import { type Caller, defineCommand } from "../command.ts";
import type { Screen } from "../output/screen.ts";
import { deliveryFlags, makeSecret, readReceiver, readSecret } from "./delivery-flags.ts";
import { webhookArgs } from "./manage-webhook.ts";
import { postEvent, type PostTo } from "./post-event.ts";

export const triggerWebhook = defineCommand({
  name: "webhook trigger",
  summary: "Send a sample event of any kind to a webhook, or to a URL on this machine.",
  details:
    "A sample looks like the real event, but about things that do not exist; its id starts with ping-. The broker sends it to the webhook, whatever its interests are. With " +
    "--forward-to it is posted from here, signed by the secret of --sign-by or one that is made for this run, which is shown.",
  codes: [["1", "a sample did not arrive"]],
  args: {
    webhook: { ...webhookArgs.webhook, isOptional: true },
  },
  flags: {
    "forward-to": { value: "URL", summary: "Post it there instead." },
    "sign-by": deliveryFlags["sign-by"],
    event: {
      value: "EVENT",
      choices: sampleEventNames,
      summary: "What it is about (default installs.provision).",
    },
    kind: {
      value: "KIND",
      choices: eventKinds,
      summary: "An event of a workflow or of a step. Default: of a workflow, if it has this event.",
    },
    transition: {
      value: "TRANSITION",
      choices: eventTransitionNames,
      summary: "Its transition (default succeeded, or the only one there is).",
    },
    all: {
      summary: "Every sample of these flags, one after the other; without any, all there are.",
    },
  },
  examples: [
    {
      does: "See how a receiver takes a request for an approval.",
      run: "svc webhook trigger whk_… --event actions.run --transition requested",
    },
    {
      does: "Show every kind of event to a receiver that you write.",
      run: "svc webhook trigger --forward-to http://127.0.0.1:3000/hooks --all",
    },
  ],
  run: async ({ args: { webhook }, flags, call, screen }) => {
    const url = readReceiver(flags["forward-to"]);
    if ((webhook === undefined) === (url === undefined))
      throw new UsageError("Give either a webhook or --forward-to.");
    if (url === undefined && flags["sign-by"] !== undefined)
      throw new UsageError("--sign-by goes with --forward-to: a webhook has its own secret.");
    const samples = samplesOf(flags);
    const send =
      url === undefined
        ? pinger(call, webhook ?? "")
        : poster({ url, secret: await secretOf(screen, flags["sign-by"]) });
    let isArrived = true;
    for (const sample of samples) {
      const sent = await send(sample);
      isArrived &&= sent.is_delivered;
      tell(screen, sample, sent);
    }
    return isArrived ? 0 : 1;
  },
});

type Asked = { readonly [Name in keyof Sample]?: Sample[Name] | undefined } & {
  readonly all: boolean;
};

function samplesOf({ all, ...asked }: Asked): readonly Sample[] {
  const isAsked = (sample: Sample): boolean =>
    (["event", "kind", "transition"] as const).every(
      (name) => asked[name] === undefined || asked[name] === sample[name],
    );
  const chosen = all ? allSamples.filter(isAsked) : chooseSample(asked);
  if ("kind" in chosen) return [chosen];
  if (!("allowed" in chosen) && chosen.length > 0) return chosen;
  const allowed = "allowed" in chosen ? chosen.allowed : [];
  if (allowed.length === 0) throw new UsageError("There is no such event: see docs/webhooks.md.");
  throw new UsageError(`For this event --transition must be one of ${allowed.join(", ")}.`);
}

type Sent = {
  readonly event_id: string;
  readonly is_delivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
};

/** Has the broker send samples to a webhook. */
const pinger =
  (call: Caller, id: string) =>
  async (sample: Sample): Promise<Sent> => {
    const { body } = await call(pingWebhookRoute, { params: { webhook_id: id }, query: sample });
    const { event_id, response_status: status, error, duration_ms } = body;
    return { event_id, is_delivered: body.result === "delivered", status, error, duration_ms };
  };

/** Posts samples from here. */
const poster =
  (to: PostTo) =>
  async (sample: Sample): Promise<Sent> => {
    const id = `ping-${randomUUID()}`;
    const event = sampleEvent(sample, { orgId: unknownId("org"), id, at: new Date() });
    const startMs = performance.now();
    const answer = await postEvent(to, {
      body: JSON.stringify({ specversion: "1.0", ...attributesOf(event) }),
    });
    const status = "status" in answer ? answer.status : null;
    return {
      event_id: id,
      is_delivered: status !== null && status >= 200 && status < 300,
      status,
      error: "failure" in answer ? answer.failure : null,
      duration_ms: Math.round(performance.now() - startMs),
    };
  };

async function secretOf(screen: Screen, file: string | undefined): Promise<string> {
  const given = await readSecret(file);
  if (given !== undefined) return given;
  const made = makeSecret();
  screen.say(`The secret: ${made}`);
  return made;
}

function tell(screen: Screen, sample: Sample, sent: Sent): void {
  if (screen.format === "json" || screen.format === "ndjson") {
    screen.out(JSON.stringify({ ...sample, ...sent }));
    return;
  }
  const { event, kind, transition } = sample;
  const answer = sent.status ?? `failed: ${sent.error ?? ""}`;
  screen.out(`${event} ${transition} (${kind})  → ${answer} in ${sent.duration_ms} ms`);
}
