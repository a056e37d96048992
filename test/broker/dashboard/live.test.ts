import { describe, expect, onTestFinished, test } from "vitest";
import type { Queue } from "../../../shared/api/queue.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenRun } from "../../support/browser/given-job-views.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const dashboard = await givenDashboard("org_admin", { env: { SVC_MAX_FOLLOWERS_PER_TOKEN: "2" } });
const { broker, db, orgId, link, call } = dashboard;
const foreign = await givenToken(db, { orgId: await givenOrg(db) });

/** Opens /live as a browser with this cookie does; it is closed when the test has finished, or before. */
async function openLive(topic: string, cookie: string) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const address = `${broker.url}/live?${new URLSearchParams([["topic", topic]]).toString()}`;
  const { status, body } = await fetch(address, { headers: { cookie }, signal: gone.signal });
  const heard = new TextDecoderStream();
  void body?.pipeTo(heard.writable).catch(() => {});
  const reader = heard.readable.getReader();
  return {
    status,
    close: () => gone.abort(),
    /** Reads until this was said. */
    async hear(wanted: string): Promise<void> {
      for (let said = ""; !said.includes(wanted);) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended after ${said}`);
        said += value;
      }
    },
  };
}

describe("what a dashboard waits for", () => {
  test("is told of a log and a queue of one's own, and those of another org are not there", async () => {
    const { streamId, write } = await givenRun(dashboard);
    const queue = await call<Queue>("POST /v1/queues", { body: { name: "installs" } });
    const [log, signals] = [`log:${streamId}`, `queue:${queue.body.id}`];
    const own = await signIn(await link());
    const other = await signIn(await link(foreign));
    for (const topic of [log, signals, "log:lgs_none", "queue:que_none"]) {
      expect({ topic, status: (await openLive(topic, other)).status }).toEqual({
        topic,
        status: 404,
      });
    }
    expect((await openLive("jobs", other)).status).toBe(200);
    const one = await openLive(log, own);
    expect(one.status).toBe(200);
    await one.hear("retry");
    await write([{ body: "more" }]);
    await one.hear("data: changed");
    expect((await openLive(signals, own)).status).toBe(200);
  });

  test("is bounded for whoever is signed in by one token, and free again once a page has gone", async () => {
    const token = await givenToken(db, { orgId });
    const cookie = await signIn(await link(token));
    const first = await openLive("jobs", cookie);
    expect((await openLive("minute", cookie)).status).toBe(200);
    expect((await openLive("jobs", cookie)).status).toBe(429);
    first.close();
    await expect.poll(async () => (await openLive("jobs", cookie)).status).toBe(200);
  });
});
