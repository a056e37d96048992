import { expect, test } from "vitest";
import type { LogRecord } from "../../../shared/api/log-streams.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { allBackward, allForward } from "../../support/logs/all-pages.ts";
import { givenLog, type GivenLog } from "../../support/logs/given-logs.ts";

const database = await testDatabase();
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });

/** Chunks of these sizes, one after the other; what is negative does not arrive. */
const sizes = [-2, 3, 1, 2, 2, -1, 4, 1, -3, 1, 3, 2, 1, 1, 2];
const most = 24;

async function setup(): Promise<GivenLog> {
  const log = await givenLog(database, broker);
  let seq = 1;
  for (const size of sizes) {
    const numbers = Array.from({ length: Math.abs(size) }, () => seq++);
    if (size < 0) continue;
    await log.write(
      numbers.map((number) => ({
        body: `line ${number}${number % 3 === 0 ? " fizz" : ""}`,
        seq: number,
        step: number % 5 === 0 ? "buzz" : "plan",
        severity: number % 4 === 0 ? 17 : 9,
      })),
    );
  }
  return log;
}

const shown = (items: readonly LogRecord[]): string[] =>
  items.map(({ cursor, body }) => `${cursor} ${body}`);

test.each([
  ["", () => true],
  ["&q=FIZZ", ({ body }: LogRecord) => body.includes("fizz")],
  ["&step=buzz", ({ step }: LogRecord) => step === "buzz"],
  ["&severity=error", ({ severity_number: severity }: LogRecord) => severity >= 17],
])(
  "pages of any size hold every record once, in either direction, for %j",
  async (query, isAsked) => {
    const log = await setup();
    const whole = (await log.read("?limit=1000")).body.items;
    expect(whole.filter(({ notice }) => notice === "missing")).toHaveLength(3);
    const asked = query === "" ? whole : whole.filter(({ notice }) => notice === undefined);
    const expected = shown(asked.filter(isAsked));
    for (let limit = 1; limit <= most; limit++) {
      const some = `?limit=${limit}${query}`;
      expect(shown(await allForward(log.read, some)), `forward by ${limit}`).toEqual(expected);
      expect(shown(await allBackward(log.read, some)), `backward by ${limit}`).toEqual(expected);
    }
  },
);
