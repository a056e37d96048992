import { setTimeout as sleep } from "node:timers/promises";
import { makePatience } from "../../client/waits/make-patience.ts";
import {
  followWorkflowEventsRoute,
  type WorkflowEventItem,
} from "../../shared/api/follow-workflow-events.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../flags/read-flags.ts";
import type { Screen } from "../output/screen.ts";
import {
  deliveryFlags,
  makeSecret,
  readFilter,
  readReceiver,
  readSecret,
} from "./delivery-flags.ts";
import { forwardEvent } from "./forward-event.ts";
import { forwardInOrder } from "./forward-in-order.ts";
import { openReceiver } from "./open-receiver.ts";

export const listenWebhook = defineCommand({
  name: "webhook listen",
  summary:
    "Follow the org's events here, and post each to a URL on this machine as a webhook would.",
  details:
    "Each event is signed as a webhook's deliveries are, by the secret of --sign-by or one that is made for this run, which is shown once. Events of a workflow come one " +
    "after the other; a receiver that is down is retried until it answers; its answer is shown and final. Without --forward-to, svc itself receives events on a " +
    "port of this machine and checks each signature. No webhook is created. It runs until Ctrl-C, even if the broker is unreachable for a while.",
  ownsInterrupt: true,
  flags: {
    "forward-to": { value: "URL", summary: "Where to post events." },
    ...deliveryFlags,
    "print-secret": { summary: "Show the secret even if only svc itself uses it." },
    "from-start": { summary: "Start with the oldest event that is kept, instead of now." },
    count: { value: "N", summary: "End after this many events." },
  },
  examples: [
    { does: "See events arrive.", run: "svc webhook listen" },
    {
      does: "Post them to a receiver that you write.",
      run: "svc webhook listen --forward-to http://127.0.0.1:3000/hooks",
    },
  ],
  run: async ({ flags, call, screen }) => {
    const { interests, match, "forward-to": forwardTo, "sign-by": signBy } = flags;
    const query = {
      ...(interests !== undefined && { interests: await readFilter("interests", interests) }),
      ...(match !== undefined && { match: await readFilter("match", match) }),
    };
    const most = readWhole("--count", flags.count) ?? Infinity;
    if (most === 0) throw new UsageError("--count must be at least 1.");
    const given = await readSecret(signBy);
    const secret = given ?? makeSecret();
    const elsewhere = readReceiver(forwardTo);
    if (flags["print-secret"] || (elsewhere !== undefined && given === undefined))
      screen.say(`The secret: ${secret}`);
    const signals = stopByInterrupt();
    const { stop } = signals;
    const read = async (cursor: string | undefined, wait: string) =>
      (await call(followWorkflowEventsRoute, { query: { ...query, cursor, wait }, signal: stop }))
        .body;
    // From here on nothing is missed.
    const begin = patiently({ screen, stop }, async () => await read(undefined, "1ms"));
    let cursor = flags["from-start"] ? "" : ((await begin(firstAbsenceMs))?.next_cursor ?? "");
    if (stop.aborted) return;
    const receiver = elsewhere === undefined ? await openReceiver(secret) : undefined;
    const url = elsewhere ?? new URL(receiver?.url ?? "");
    screen.say(`Events are posted to ${url.href}, signed. Ctrl-C ends it.`);
    const send = forwardEvent({
      screen,
      to: { url, secret },
      wordOf: receiver?.wordOf ?? (() => ""),
      ...signals,
    });
    const forwarder = forwardInOrder(workflowOf, send);
    const readOn = patiently({ screen, stop }, async () => await read(cursor, "25s"));
    for (let count = 0; count < most && !stop.aborted;) {
      const body = await readOn(Infinity);
      if (body === undefined) break;
      const wanted = body.items.slice(0, most - count);
      for (const item of wanted) {
        await forwarder.room();
        forwarder.add(item);
      }
      count += wanted.length;
      cursor = body.next_cursor;
    }
    await forwarder.done();
    receiver?.close();
    if (stop.aborted) screen.say("Nothing more is posted.");
  },
});

/** The first Ctrl-C begins nothing more and gives calls under way a moment; a second one ends the process. */
function stopByInterrupt(): { readonly stop: AbortSignal; readonly cut: AbortSignal } {
  const [stop, cut] = [new AbortController(), new AbortController()];
  process.once("SIGINT", () => {
    stop.abort();
    setTimeout(() => cut.abort(), 2000).unref();
  });
  return { stop: stop.signal, cut: cut.signal };
}

type Page = { readonly items: readonly WorkflowEventItem[]; readonly next_cursor: string };

const againMs = { first: 500, longest: 15_000 } as const;
/** A broker that never answered may be another one's address. */
const firstAbsenceMs = 60_000;

/** Reads again and again while the broker is away, for so long, and says so once; undefined when it is to stop. */
function patiently(
  { screen, stop }: { readonly screen: Screen; readonly stop: AbortSignal },
  read: () => Promise<Page>,
) {
  return async (absenceMs: number): Promise<Page | undefined> => {
    const patience = makePatience(absenceMs);
    for (let pauseMs: number = againMs.first; ; pauseMs = Math.min(2 * pauseMs, againMs.longest)) {
      try {
        const page = await read();
        if (pauseMs > againMs.first) screen.say("The broker is reachable again.");
        return page;
      } catch (error) {
        if (stop.aborted) return undefined;
        patience.bear(error, 0);
        if (pauseMs === againMs.first)
          screen.say("The broker is not reachable. Retrying until it is.");
      }
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
      if (stop.aborted) return undefined;
    }
  };
}

const workflowOf = ({ body }: WorkflowEventItem): string =>
  (JSON.parse(body) as { data: { workflow: { id: string } } }).data.workflow.id; // an envelope
