import fc from "fast-check";
import { expect, test } from "vitest";
import { leastSeverity, logSeverities } from "../../../shared/log-severity.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { allBackward, allForward } from "../../support/logs/all-pages.ts";
import { givenLog, type Line } from "../../support/logs/given-logs.ts";

const database = await testDatabase();
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });

const startMs = Date.UTC(2026, 0, 1);
const spanMs = 60_000;
const steps = ["plan", "apply", "größe"];
const words = ["alpha", "Beta", "ΓΆΜΜΑΣ", 'delta "%_\\', "ends\n\u001b"];

const lineOf: fc.Arbitrary<Line> = fc.record(
  {
    body: fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((some) => some.join(" ")),
    atMs: fc.integer({ min: startMs, max: startMs + spanMs }),
    severity: fc.integer({ min: 0, max: 24 }),
    step: fc.constantFrom(...steps),
  },
  { requiredKeys: ["body", "atMs", "severity"] },
);
const filterOf = fc.record(
  {
    severity: fc.constantFrom(...logSeverities),
    step: fc.constantFrom(...steps, "nobody's"),
    since: fc.integer({ min: startMs - 1, max: startMs + spanMs }),
    until: fc.integer({ min: startMs, max: startMs + spanMs + 1 }),
    q: fc.constantFrom("ALPHA", "beta", "γάμμας", '"%_\\', "a e", "S\n\u001B", "nowhere"),
  },
  { requiredKeys: [] },
);
type Filter = (typeof filterOf)["generate"] extends (...args: never[]) => fc.Value<infer F>
  ? F
  : never;

/** What the stream is narrowed to, told the plainest way. */
function isAsked(line: Line, { severity, step, since, until, q }: Filter): boolean {
  const { atMs = 0, severity: number = 9 } = line;
  if (severity !== undefined && number < leastSeverity[severity]) return false;
  if (step !== undefined && line.step !== step) return false;
  if ((since !== undefined && atMs < since) || (until !== undefined && atMs > until)) return false;
  return q === undefined || line.body.toLowerCase().includes(q.toLowerCase());
}

function queryOf({ since, until, ...rest }: Filter): string {
  const query = new URLSearchParams(rest);
  if (since !== undefined) query.set("since", new Date(since).toISOString());
  if (until !== undefined) query.set("until", new Date(until).toISOString());
  return query.toString();
}

const chunks = fc.array(fc.array(lineOf, { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 6,
});

test("a filter lets through what it says, in order, by pages of any size in either direction", async () => {
  await fc.assert(
    fc.asyncProperty(
      chunks,
      filterOf,
      fc.integer({ min: 1, max: 9 }),
      async (written, filter, limit) => {
        const log = await givenLog(database, broker);
        for (const lines of written) await log.write(lines);
        const expected = written.flat().filter((line) => isAsked(line, filter));
        const bodies = expected.map(({ body }) => body);
        const query = `?limit=${limit}&${queryOf(filter)}`;
        expect(bodiesOf(await allForward(log.read, query))).toEqual(bodies);
        expect(bodiesOf(await allBackward(log.read, query))).toEqual(bodies);
        const text = await log.readText("application/x-ndjson", `?${queryOf(filter)}`);
        expect(text.split("\n").slice(0, -1).map(bodyOf)).toEqual(bodies);
      },
    ),
    { numRuns: 25 },
  );
});

const bodiesOf = (items: readonly { body: string }[]): string[] => items.map(({ body }) => body);
const bodyOf = (line: string): string => (JSON.parse(line) as { body: string }).body;
test("a search goes on where one request has looked through enough", async () => {
  const log = await givenLog(database, broker);
  const filler = "x".repeat(60_000);
  for (let n = 0; n < 30; n++) await log.write(Array.from({ length: 20 }, () => filler));
  await log.write(["the needle"]);
  const first = (await log.read("?q=NEEDLE")).body;
  expect(first.items).toEqual([]);
  expect(first.next_cursor).not.toBeNull();
  expect(bodiesOf(await allForward(log.read, "?q=NEEDLE"))).toEqual(["the needle"]);
});
