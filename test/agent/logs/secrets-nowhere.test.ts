import { writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { jobReader } from "../../support/agent/given-jobs.ts";
import { cutAt } from "../../support/agent/redacted-stream.ts";
import { secretWord } from "../../support/agent/secret-word.ts";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { dumpOf } from "../../support/broker/planted-secrets.ts";
import { storedBodies } from "../../support/logs/otlp-logs.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** What programs make of a secret on its way out. */
const forms = [
  (text: string) => text,
  (text: string) => Buffer.from(text).toString("base64"),
  (text: string) => Buffer.from(`u:${text}`).toString("base64"),
  (text: string) => Buffer.from(`id ${text} `).toString("base64"),
  (text: string) => Buffer.from(text).toString("hex"),
  (text: string) => encodeURIComponent(text),
  (text: string) => JSON.stringify({ text }),
  (text: string) => `'${text.replaceAll("'", `'\\''`)}'`,
  (text: string) => `$'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll("\n", "\\n")}'`,
  (text: string) => text.split(/\s+/).join(" "),
  (text: string) => text.replaceAll(/[&"'/<>]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  (text: string) => text.replaceAll("'", "''"),
  (text: string) =>
    Buffer.from(text)
      .toString("hex")
      .replaceAll(/..(?=.)/g, "$&:"),
  (text: string) => Buffer.from(text).toString("hex").replaceAll(/../g, "\\x$&"),
  (text: string) => Buffer.from(text).toString("hex").replaceAll(/../g, "%$&"),
  (text: string) => Buffer.from(Buffer.from(text).toString("base64")).toString("base64"),
  (text: string) => Buffer.from(text, "utf16le").toString("base64"),
];
const noise = fc.constantFrom(" ", "\n", "a line of no interest\n", "key=", "::", "ü€ ");
const shown = fc.array(fc.tuple(fc.nat(1), fc.constantFrom(...forms), noise), {
  minLength: 4,
  maxLength: 24,
});
const cuts = fc.array(fc.nat(), { minLength: 3, maxLength: 30 });

test("no secret is on the wire, on disk or in the database, however it is encoded and split over writes", async () => {
  const runner = await fleet.addRunner();
  const reader = jobReader(fleet, runner);
  const proxy = await faultProxy(fleet.broker.url);
  const agent = await startTestAgent({ url: proxy.url, token: runner.token });
  const words = [secretWord(), secretWord(`p" /'\\%\n  q`)] as const;
  const run = async (text: string, places: readonly number[]): Promise<string> => {
    const folder = await testFolder(0o777);
    const pieces = cutAt(Buffer.from(text), places);
    const write = pieces.map((piece, at) => writeFile(path.join(folder, `${at}`), piece));
    await Promise.all(write);
    const step = {
      name: "tell",
      // Each piece is a write of its own, some of them with time to be read alone; all of it again in errors and outputs.
      interpolated_command: `cd ${folder}
        for at in $(seq 0 ${pieces.length - 1}); do cat $at; [ $((at % 3)) = 0 ] && sleep 0.02; done
        for at in $(seq 0 ${pieces.length - 1}); do cat $at >&2; done
        { echo 'told<<THE_END'; cat $(seq 0 ${pieces.length - 1}); echo; echo THE_END; } >>$SVC_ACTIONS_OUTPUT_FILEPATH`,
      interpolated_env_vars: { TOLD_BY_LOOK: words[0].plain, DB_PASSWORD: words[1].plain },
    };
    // By way of the broker, which seals plans.
    const body = { type: "actions-workflow", plan: { steps: [step] } };
    const { id } = await runner.operate(`POST /v1/runners/${runner.runnerId}/jobs`, body);
    const ended = await reader.ended(id as string);
    expect(ended).toMatchObject({ status: "finished" });
    await until(() => agent.status().waiting.log_bytes === 0);
    const bodies = await storedBodies(fleet.db, runner.orgId, `lgs_${ended.id.slice(4)}`);
    return JSON.stringify([ended, bodies]) + bodies.join("\n");
  };
  await fc.assert(
    fc.asyncProperty(shown, cuts, async (parts, places) => {
      const text = parts.map(([which, form, before]) => before + form(words[which]?.plain ?? ""));
      const seen = await run(`${text.join("")}\n`, places);
      expect(seen).toContain("***");
      expect(words.filter(({ isIn }) => isIn(seen))).toEqual([]);
    }),
    { numRuns: 10, endOnFailure: true },
  );
  const dump = await dumpOf(fleet);
  for (const { onWire, onDisk, isIn } of words) {
    expect(onWire(proxy.seen())).toEqual([]);
    expect(await onDisk(agent.dataDir)).toEqual([]);
    expect(isIn(dump)).toBe(false);
    expect(isIn(agent.logged.join("\n") + fleet.broker.logged.join("\n"))).toBe(false);
  }
});
