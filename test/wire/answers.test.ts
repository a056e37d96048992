import { describe, expect, test } from "vitest";
import { type Route, routesOf } from "../support/broker/ask-route.ts";
import type { Answer } from "../support/broker/broker.ts";
import { wireCalls } from "./calls.ts";
import { givenWire, type Ids } from "./given-wire.ts";
import { leftOut, ourWords } from "./left-out.ts";
import { makeWireCheck } from "./wire-check.ts";
import { routeKey, wireObjects, type WireOperation, wireOperations } from "./wire-types.ts";

type Refused = { readonly errors?: readonly { readonly pointer: string; readonly code: string }[] };
type Standing = { readonly wire: WireOperation; readonly route: Route };

const given = await givenWire();
const check = makeWireCheck(ourWords);
const ours = new Map(
  routesOf(given.document).map((route) => [routeKey(route.method, route.path), route]),
);
const standing = wireOperations.flatMap((wire): Standing[] => {
  const route = ours.get(routeKey(wire.method, wire.path));
  return route === undefined ? [] : [{ wire, route }];
});
/** What differs from the facts, by what the rows of left-out.ts name. */
const found = new Map<string, string>();

const nameOf = ({ route }: Standing): string => route.operation.operationId;

/** Of which things it is called: each list shows another part of a type. */
function thingsOf({ wire, route }: Standing): Ids[] {
  const { ids, rich, components, runbook, ended } = given;
  if (wire.method !== "GET") return [ids];
  if (route.path.includes("/{component_id}")) return components.map((one) => ({ ...ids, ...one }));
  if (route.path.includes("/{runbook_id}")) return [{ ...ids, ...runbook }];
  if (route.path.startsWith("/v1/apps/{")) return [{ ...ids, ...rich }, ids];
  if (/\{(runner|job|process|log_stream)_id\}/.test(route.path)) return [ids, { ...ids, ...ended }];
  return [ids];
}

async function ask(at: Standing, things: Ids, change: (body: object) => object = (body) => body) {
  const row = wireCalls[nameOf(at)] ?? {};
  const ids = { ...things, ...(await row.ids?.(given)) };
  const path = at.route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "x");
  const body = row.text?.() ?? (row.body && change(await row.body(given, ids)));
  return await given.call<unknown>(`${at.wire.method} ${path}${row.query?.(given, ids) ?? ""}`, {
    headers: { accept: "application/json" }, // as other clients have it, and not our own programs
    token: await (row.token?.(given) ?? given.tokenFor(at.route.rule)),
    ...(body !== undefined && { body }),
  });
}

/** Its status is one of theirs, its content JSON, and its members are of the types of the facts. */
function look(at: Standing, { status, headers, body }: Answer<unknown>): void {
  const type = at.wire.answers.get(status);
  const kind = headers.get("content-type") ?? "";
  const isJson = kind.startsWith("application/json");
  if (type === undefined)
    found.set(nameOf(at), `answers ${status}: ${JSON.stringify(body).slice(0, 500)}`);
  else if (status !== 204 && type.kind !== "none" && !isJson)
    found.set(nameOf(at), `answers ${kind}`);
  else check.look(type, body, nameOf(at));
}

describe("what clients call", () => {
  test.each(standing.map((at) => [nameOf(at), at] as const))("%s", async (_, at) => {
    if (wireCalls[nameOf(at)]?.skips === true) found.set(nameOf(at), "is not called");
    else await callAll(at);
  });
});

/** Of each of its things, and with nulls where it has a body. */
async function callAll(at: Standing): Promise<void> {
  const [first = {}, ...others] = thingsOf(at);
  look(at, await ask(at, first));
  for (const things of others) {
    const answer = await ask(at, things);
    if (answer.status < 300) look(at, answer);
  }
  const { body } = at.wire;
  if (body.kind === "named" && wireCalls[nameOf(at)]?.body !== undefined)
    await askWithNulls(at, first, body.name);
}

/** The same with null for each member that the route takes and need not get: null is absent. */
async function askWithNulls(at: Standing, things: Ids, type: string): Promise<void> {
  const left = new Set<string>(wireObjects.get(type)?.keys());
  for (;;) {
    const nulls = Object.fromEntries([...left].map((name) => [name, null]));
    const { status, body } = await ask(at, things, (own) => ({ ...nulls, ...own }));
    const unknown = ((body as Refused).errors ?? []).filter(
      ({ code, pointer }) => code === "unknown_member" && left.has(pointer.slice(2)),
    );
    for (const { pointer } of unknown) left.delete(pointer.slice(2));
    if (status < 300) return;
    if (unknown.length > 0) continue;
    found.set(type, `with nulls ${status}: ${JSON.stringify(body)}`);
    return;
  }
}

test("what differs has a row with its reason, and each row differs", () => {
  for (const [at, says] of check.differs) found.set(at, says);
  for (const type of check.seen)
    for (const member of wireObjects.get(type)?.keys() ?? [])
      if (!check.answered.has(`${type}.${member}`)) found.set(`${type}.${member}`, "has no value");
  const unknown = [...found].filter(([at]) => !leftOut.has(at));
  const mended = [...leftOut.keys()].filter((at) => !found.has(at));
  expect({ withoutRow: unknown, mended }).toEqual({ withoutRow: [], mended: [] });
});
