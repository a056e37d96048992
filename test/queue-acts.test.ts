import { z } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { type Permission, permissions } from "../shared/permissions.ts";
import { laneOwners, permissionsOfAct, type QueueAct, queueActs } from "../shared/queue-acts.ts";
import { type SignalType, signalTypes } from "../shared/signal-types.ts";
import { namedIn, namedInRequest, operations, type Schema } from "./support/broker/named-places.ts";
import { endpoints } from "./support/broker/route-rules.ts";
import { between } from "./support/moves/draw-moves.ts";
import { readRootFile } from "./support/run/source-files.ts";

/** How a queue, a signal or an emitter is named wherever one is. */
const naming = /^(queue|signal|emitter)_ids?$|^awaited_by$/;
const inPath = /\{(queue_id|signal_id|emitter_id)\}/;

/** What requests name besides their paths: the act that is done with it, which its handler asks for; null: nothing is done with it. */
const besides: Readonly<Record<string, QueueAct | null>> = {
  "enqueueSignal callback.signal.queue_id": "enqueue",
  "enqueueSignal callbacks.signal.queue_id": "enqueue",
  "enqueueSignal awaited_by": null,
  "enqueueSignals signals.callback.signal.queue_id": "enqueue",
  "enqueueSignals signals.callbacks.signal.queue_id": "enqueue",
  "enqueueSignals signals.awaited_by": null,
  "redriveSignals signal_ids": "redrive",
  "listSignals emitter_id": "read",
  "listEmitters queue_id": "read",
};

test("every route that names a queue, a signal or an emitter says what it does with it, and asks what that asks", () => {
  const wrong = endpoints.filter(({ path, rule: { act, permission } }) => {
    if (act === undefined) return inPath.test(path);
    return queueActs[act].permission !== permission;
  });
  expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
  expect(endpoints.filter(({ path }) => inPath.test(path)).length).toBeGreaterThan(25);
});

test("whatever else a request names has an act, or nothing is done with it", () => {
  const named = operations.flatMap((operation) =>
    namedInRequest(operation, naming).map((place) => `${operation.operationId} ${place}`),
  );
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(besides).toSorted());
});

const types: readonly (readonly [string, SignalType])[] = Object.entries(signalTypes);

describe.each(types)("a signal of type %s", (_, type) => {
  test("has an act for each queue and emitter, and a runner for each that it names", () => {
    const schema = z.toJSONSchema(type.schema, { io: "input", unrepresentable: "any" });
    const names = new Set(
      namedIn(schema as Schema, naming).map((place) => place.split(".").at(-1)),
    );
    for (const name of names) {
      const targets = type.actsOn?.({ [name ?? ""]: "some" }) ?? [];
      expect(targets.map(({ on }) => on)).toEqual([{ [name ?? ""]: "some" }]);
    }
    const isOfRunner = JSON.stringify(schema).includes(`"runner_id"`);
    expect(type.runnerOf?.({ runner_id: "run_1" })).toBe(isOfRunner ? "run_1" : undefined);
  });
});

test("the table is the one of docs/access.md", async () => {
  const row = (act: QueueAct): string => {
    const owners = laneOwners.map((owner) => `\`${queueActs[act].ofLane[owner]}\``);
    const asks = "asksDeeds" in queueActs[act] ? "asked" : "–";
    return `| ${act} | \`${queueActs[act].permission}\` | ${owners.join(" | ")} | ${asks} |`;
  };
  const head = `| act | permission | ${laneOwners.map((owner) => `a lane of ${owner}`).join(" | ")} | what the signals do |`;
  const rows = (Object.keys(queueActs) as QueueAct[]).map(row);
  const table = [head, "|---|---|---|---|---|---|", ...rows].join("\n");
  expect(between(await readRootFile("docs/access.md"), "lane-acts")).toBe(table);
});

test("a lane asks of every act what such an owner asks, of whichever owners there are", () => {
  const operating: Readonly<Record<string, Permission>> = {
    installs: "installs.operate",
    apps: "builds.write",
    app_branches: "branches.run",
  };
  for (const act of Object.keys(queueActs) as QueueAct[]) {
    for (const owner of laneOwners) {
      const asked = permissionsOfAct(act, owner);
      expect(asked.every((one) => permissions.includes(one))).toBe(true);
      expect(act === "read" || asked.some((one) => one === operating[owner])).toBe(true);
    }
    expect(permissionsOfAct(act, null)).toEqual([queueActs[act].permission]);
  }
});
