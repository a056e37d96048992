import { SvcError } from "../../../client/svc-error.ts";
import { getLogStreamRoute } from "../../../shared/api/log-streams.ts";
import { getQueueRoute } from "../../../shared/api/queues.ts";
import { Problem, problem, type ProblemError } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import { streamAnswer } from "../../http/answer/stream-answer.ts";
import type { App } from "../../http/app-types.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { topics, type Topic } from "../../wake/wakes.ts";
import { makeAsk } from "../make-ask.ts";
import { openPath } from "../open-path.ts";
import type { View } from "../page.ts";
import { makeFindReader, type Reader } from "../session/find-reader.ts";
import { hints } from "./hints.ts";
import { isLiveTopic, type LiveTopic } from "./live-topics.ts";
import { makePaces, type Pace } from "./pace.ts";

const mostTopics = 8;
const mostStreams = 10_000;

/** GET /live?topic=jobs&topic=minute: server-sent events that say "look again", never what changed. */
export function openLive(app: App, broker: Broker): void {
  const find = makeFindReader(broker);
  const drained = new AbortController();
  const paces = makePaces();
  broker.drain.push(async () => drained.abort());
  broker.metrics.gauge("svc_dashboard_streams", "Dashboards open at this broker.", paces.open);

  openPath(app, broker, "GET /live", async (c) => {
    const reader = await find(c);
    // By the rules of server-sent events, 204 keeps a browser from reconnecting.
    if (!("sessionId" in reader)) return c.body(null, 204);
    c.set("actor", reader.actor);
    const asked = topicsOf(new URL(c.req.url).searchParams.getAll("topic"));
    if (paces.open() >= mostStreams || drained.signal.aborted) {
      throw problem.unavailable("This broker cannot take more dashboards. Try again later.", 5);
    }
    limitConcurrency(c, broker, "followers_of_token");
    await requireReadable(asked, makeAsk(app, reader, c.get("requestId"))).catch(passOn);
    const ended = AbortSignal.any([c.req.raw.signal, drained.signal]);
    const isWelcome = async (): Promise<boolean> => "sessionId" in (await find(c));
    const wakes = asked.flatMap((topic) => wakesOf(topic, reader));
    setHeader(c, "x-accel-buffering", "no");
    const isEachMinute = asked.includes("minute");
    const parts = paced(paces, reader.actor.orgId, (pace) =>
      hints(broker.wakes, { topics: wakes, isEachMinute, pace, ended, isWelcome }),
    );
    return streamAnswer(c, broker, { type: "text/event-stream", parts });
  });
}

function topicsOf(asked: readonly string[]): LiveTopic[] {
  const known = asked.filter(isLiveTopic);
  if (known.length === asked.length && known.length > 0 && known.length <= mostTopics) return known;
  throw problem.invalid([
    {
      pointer: "?topic",
      code: "invalid",
      detail: "Name one to eight of: jobs, minute, log:<id>, queue:<id>.",
    },
  ]);
}

/** When a log or a queue changes is for those who may read it; to all others it is not there. */
async function requireReadable(asked: readonly LiveTopic[], ask: View["ask"]): Promise<void> {
  for (const topic of asked) {
    const [kind, id = ""] = topic.split(":");
    if (kind === "log") await ask(getLogStreamRoute, { params: { log_stream_id: id } });
    if (kind === "queue") await ask(getQueueRoute, { params: { queue_id: id } });
  }
}

function passOn(error: unknown): never {
  if (!(error instanceof SvcError) || error.status < 400) throw error;
  const { status, code, message: detail, errors } = error;
  const places = errors as readonly ProblemError[]; // of a broker's own answer
  throw new Problem({ status, code, detail, errors: places });
}

/** What brokers tell each other, by what a page waits for. Only hints: what a page then reads passes the gate. */
function wakesOf(topic: LiveTopic, { actor }: Reader): Topic[] {
  if (topic === "jobs") return [topics.org(actor.orgId)];
  if (topic.startsWith("log:")) return [topics.logs(topic.slice("log:".length))];
  if (topic.startsWith("queue:")) return [topics.signals(topic.slice("queue:".length))];
  return [];
}

/** Counted as open from its first part to its end. */
async function* paced(
  { enter }: ReturnType<typeof makePaces>,
  orgId: string,
  begin: (pace: Pace) => AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { leave, ...pace } = enter(orgId);
  try {
    yield* begin(pace);
  } finally {
    leave();
  }
}
