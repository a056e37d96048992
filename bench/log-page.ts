import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { logRequestOf } from "../test/support/logs/given-logs.ts";
import { tool } from "../test/tools/find-tool.ts";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { withStage } from "./support/stage.ts";

const wholeLines = 100_000;
const followed = { lines: 1000, atOnce: 50, everyMs: 100 };
const rounds = 5;
const patienceMs = 60_000;
const jobBody = '{"type":"noop-deploy","operation":"exec"}';

/** A long log in Chromium: from the click to its last line on the screen, and what keeps the page busy while it is followed. */
export const logPage: Bench = {
  what: "a log of 100,000 lines in Chromium: opened, and followed for 1,000 more",
  run: async ({ scale }, tell) => {
    await withStage(async ({ db, startBroker }) => {
      const { agents, adminToken } = await givenFleet(db, 1, 1);
      const broker = await startBroker();
      const writer = await openConnection(broker.url);
      const agent = agents[0];
      if (agent === undefined) throw new Error("there is no agent");
      const log = await givenLog(writer, { runnerId: agent.runnerId, adminToken });
      const write = writerOf(writer, log.streamId, agent.token);
      const count = Math.max(2000, Math.round(wholeLines * scale));
      while (write.written() < count) await write.lines(Math.min(5000, count - write.written()));
      const browser = await chromium.launch({
        executablePath: tool("chromium"),
        args: ["--no-sandbox", "--disable-background-networking"],
      });
      try {
        const page = await signIn(browser, broker.url, adminToken);
        const opened: Opened[] = [];
        const follows: Followed[] = [];
        for (let round = 0; round < rounds; round++) {
          opened.push(await open(page, `${broker.url}/jobs/${log.jobId}/log`, write.written()));
          follows.push(await follow(page, write));
        }
        const openMs = opened.map(({ seenMs }) => seenMs);
        tell({
          figure: `a log of ${count.toLocaleString("en")} lines opens, median`,
          value: quantile(openMs, 0.5),
          unit: "ms",
          target: { atMost: 1000 },
          note: `${openMs.map((ms) => ms.toFixed(0)).join(", ")}; first paint ${opened.map(({ paintMs }) => paintMs.toFixed(0)).join(", ")}; longest task ${opened.map(({ longestMs }) => longestMs.toFixed(0)).join(", ")}`,
        });
        const longest = follows.map(({ longestMs }) => longestMs);
        tell({
          figure: `its longest task while ${followed.lines.toLocaleString("en")} more come, median`,
          value: quantile(longest, 0.5),
          unit: "ms",
          note: `${longest.map((ms) => ms.toFixed(0)).join(", ")} (0: none of 50 ms); busy ${follows.map(({ busyMs }) => busyMs.toFixed(0)).join(", ")}; the last one was seen after ${follows.map(({ lateMs }) => lateMs.toFixed(0)).join(", ")} ms`,
        });
      } finally {
        await browser.close();
        writer.close();
      }
    });
  },
};

async function givenLog(
  writer: Connection,
  { runnerId, adminToken }: { readonly runnerId: string; readonly adminToken: string },
): Promise<{ readonly jobId: string; readonly streamId: string }> {
  const what = `POST /v1/runners/${runnerId}/jobs`;
  const { status, body } = await writer.send(requestText(what, adminToken, jobBody));
  if (status !== 201) throw new Error(`the job was answered ${status}: ${body}`);
  const { id } = JSON.parse(body) as { id: string };
  return { jobId: id, streamId: `lgs_${id.slice(4)}` };
}

type Writing = {
  readonly lines: (count: number) => Promise<void>;
  readonly written: () => number;
};

/** Lines as terraform prints them: a third with colours. */
function writerOf(connection: Connection, streamId: string, token: string): Writing {
  let written = 0;
  const lineOf = (number: number): string =>
    number % 3 === 0
      ? `\u001B[0m\u001B[1maws_instance.web[${number}]: Creation complete after 12s \u001B[32m[id=i-0abc${number}]\u001B[0m`
      : `aws_instance.web[${number}]: Still creating... [${number % 60}s elapsed]`;
  return {
    written: () => written,
    async lines(count) {
      const lines = Array.from({ length: count }, (_, at) => lineOf(written + at + 1));
      const request = JSON.stringify(logRequestOf(lines, "exe_00000000000000000000000000"));
      const what = `POST /v1/log-streams/${streamId}/logs`;
      const { status, body } = await connection.send(requestText(what, token, request));
      if (status === 429) {
        await sleep(1000);
        return;
      }
      if (status !== 201) throw new Error(`lines were answered ${status}: ${body}`);
      written += count;
    },
  };
}

/** A page that is signed in and counts its long tasks. */
async function signIn(browser: Browser, url: string, token: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(
    `globalThis.tasks = [];
     new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((one) => one.duration)))
       .observe({ type: "longtask", buffered: true });`,
  );
  const made = await fetch(`${url}/v1/sign-in-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { path } = (await made.json()) as { path: string };
  await page.goto(url + path);
  await page.getByRole("button").click();
  return page;
}

type Opened = { readonly seenMs: number; readonly paintMs: number; readonly longestMs: number };

/** Opens the log; it is there when its last line is on the screen and it is followed. */
async function open(page: Page, address: string, last: number): Promise<Opened> {
  await page.goto("about:blank");
  const startedAtMs = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await inSight(page, last);
  const seenMs = performance.now() - startedAtMs;
  await page.getByText("Following", { exact: true }).waitFor({ timeout: patienceMs });
  const paintMs = await page.evaluate<number>(
    `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`,
  );
  const tasks = await page.evaluate<number[]>("globalThis.tasks.splice(0)");
  return { seenMs, paintMs, longestMs: Math.max(0, ...tasks) };
}

type Followed = { readonly longestMs: number; readonly busyMs: number; readonly lateMs: number };

async function follow(page: Page, { lines, written }: Writing): Promise<Followed> {
  for (let count = 0; count < followed.lines; count += followed.atOnce) {
    await sleep(followed.everyMs);
    await lines(followed.atOnce);
  }
  const writtenAtMs = performance.now();
  await inSight(page, written());
  const lateMs = performance.now() - writtenAtMs;
  const tasks = await page.evaluate<number[]>("globalThis.tasks.splice(0)");
  return {
    longestMs: Math.max(0, ...tasks),
    busyMs: tasks.reduce((sum, ms) => sum + ms, 0),
    lateMs,
  };
}

/** Waits until a line is on the screen. */
async function inSight(page: Page, number: number): Promise<void> {
  const giveUpAtMs = performance.now() + patienceMs;
  while (!(await page.evaluate<boolean>(isInSight(number)))) {
    if (performance.now() > giveUpAtMs) throw new Error(`line ${number} did not come into sight`);
    await sleep(10);
  }
}

const isInSight = (number: number): string => `(() => {
  const line = document.getElementById("L${number}")?.getBoundingClientRect();
  const log = document.getElementById("log")?.getBoundingClientRect();
  return line !== undefined && log !== undefined && line.bottom <= log.bottom + 40 && line.top >= log.top;
})()`;
