import { execFile } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { isZoneFault, parseZone } from "../../../broker/emitters/parse-zone.ts";
import { nextTicks, ticksBetween } from "../../../broker/emitters/ticks.ts";
import { isCronFault, parseCron } from "../../../shared/cron/parse-cron.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { tool } from "../../tools/find-tool.ts";

/** Zones whose clocks stay as they are; what becomes of the others is ours to say: broker/emitters/ticks.test.ts. */
const zones = ["UTC", "Asia/Tokyo", "Asia/Kolkata", "America/Phoenix", "Asia/Kathmandu"];

const expressions = `
  * * * * *; */2 * * * *; */7 * * * *; */15 * * * *; 0 * * * *; 59 * * * *; 1-10 * * * *;
  5-50/9 * * * *; 0,30 * * * *; 0 */2 * * *; 17 */5 * * *; 30 2 * * *; 0 0 * * *;
  59 23 * * *; 0 9-17 * * *; */10 9-17 * * 1-5; 0 8,12,18 * * *; 0 22-23,0-2 * * *;
  15 3 * * SUN; 15 3 * * 7; 15 3 * * 0; 0 6 * * MON-FRI; 0 6 * * sat,sun; 0 6 * * 5-7;
  0 6 * * */2; 0 6 * * 1-5/2; 0 0 1 * *; 0 0 31 * *; 0 0 30 * *; 0 0 29 2 *; 0 12 28-31 * *;
  0 12 */5 * *; 0 12 2-30/7 * *; 0 0 1 1 *; 0 0 1 JAN,JUL *; 0 0 1 */3 *; 0 0 * 2-4 *;
  5 4 * DEC *; 0 0 13 * FRI; 0 0 13 * 5; 30 4 1,15 * 5; 0 0 1-7 * MON; 0 0 */2 * MON;
  0 0 */10 * 1-5; 0 0 13 * */3; 0 0 31 4,6 MON; 0 0 29 2 MON; */20 0 1 1 *; 0 0 15 6-8 *;
  10,20,40 4-8/2 * 3 2; @hourly; @daily; @weekly; @monthly; @yearly
`
  .split(";")
  .map((text) => text.trim());

const from = Date.UTC(2027, 5, 3, 4, 5, 6);
/** With a 29 February in it. */
const to = Date.UTC(2028, 5, 3);
const most = 9000;

describeWithTools(["python-croniter"], "croniter", () => {
  test("sees the ticks of a year, or the first 9000 of it, as we do", async () => {
    const asked = expressions.map((text, at) => ({ text, zone: zones[at % zones.length] ?? "" }));
    const theirs = await askCroniter(
      asked.map(({ text, zone }) => [text, zone, from / 1000, to / 1000, most]),
    );
    const ours = asked.map(({ text, zone }) => listTicks(text, zone));
    for (const [at, { text }] of asked.entries())
      expect([text, ours[at]]).toEqual([text, theirs[at]]);
    expect(ours.flat().length).toBeGreaterThan(50_000);
  });
});

function listTicks(text: string, name: string): number[] {
  const cron = parseCron(text);
  const zone = parseZone(name);
  if (isCronFault(cron)) throw new Error(`${text}: ${cron.message}`);
  if (isZoneFault(zone)) throw new Error(zone.message);
  const { more } = ticksBetween(cron, zone, { from: new Date(from), to: new Date(to) }, 0);
  const ticks = nextTicks(cron, zone, new Date(from), Math.min(most, more));
  return ticks.map((tick) => tick.getTime() / 1000);
}

async function askCroniter(asked: readonly unknown[]): Promise<number[][]> {
  const script = path.join(import.meta.dirname, "list-ticks.py");
  // Its time zones are those of a pinned package, not the machine's.
  const options = { env: { ...process.env, PYTHONTZPATH: "" }, maxBuffer: 64 << 20 };
  return await new Promise((resolve, reject) => {
    const child = execFile(tool("python-croniter"), [script], options, (error, out) => {
      if (error === null) resolve(JSON.parse(out) as number[][]);
      else reject(error);
    });
    child.stdin?.on("error", () => {}); // it may end without reading: its end says how
    child.stdin?.end(JSON.stringify(asked));
  });
}
