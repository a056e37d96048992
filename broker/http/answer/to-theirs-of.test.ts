import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { compositeStatusSchema } from "../../../shared/api/composite-status.ts";
import { inputValues } from "../../../shared/api/install-inputs.ts";
import { inviteStatuses } from "../../../shared/api/invites.ts";
import { toTheirsOf } from "./to-theirs-of.ts";

const thing = z.object({
  id: z.string(),
  at: z.string().nullable(),
  match: z.object({ a: z.string() }).nullable(),
  groups: z.array(z.string()).nullable(),
  method: z.enum(["", "iam"]),
  group: z.enum(["", "deploys"]),
  how: z.union([z.record(z.string(), z.unknown()), z.null()]),
  status_v2: compositeStatusSchema,
});

test("an object, a list and a word that are not there are left out, and a status has a word that clients know", () => {
  const entry = { status_human_description: "", created_at_ts: 1, metadata: { status: "dead" } };
  const status_v2 = { ...entry, status: "finished", history: [{ ...entry, status: "in-flight" }] };
  const nothing = { match: null, groups: null, method: "", group: "", how: null };
  const value = { id: "x", at: null, ...nothing, status_v2 };
  const theirs = {
    id: "x",
    at: null,
    group: "",
    status_v2: { ...status_v2, status: "success", history: [{ ...entry, status: "in-progress" }] },
  };
  expect(toTheirsOf(thing)?.(value)).toEqual(theirs);
  const listed = z.union([z.array(thing), z.object({ items: z.array(thing) })]);
  expect(toTheirsOf(listed)?.([value])).toEqual([theirs]);
  expect(toTheirsOf(listed)?.({ items: [value] })).toEqual({ items: [theirs] });
  expect(value.status_v2.status).toBe("finished"); // it is not changed
  const there = {
    match: { a: "b" },
    groups: [],
    method: "iam",
    group: "deploys",
    how: { a: null },
  };
  expect(toTheirsOf(thing)?.({ ...theirs, ...there })).toEqual({ ...theirs, ...there });
});

test("values of inputs are texts, and an invitation that has expired waits, as far as clients know", () => {
  const given = z.object({ values: inputValues, status: z.enum(inviteStatuses) });
  const value = { values: { a: "b", size: 12, on: true, list: [1] }, status: "expired" };
  const values = { a: "b", size: "12", on: "true", list: "[1]" };
  expect(toTheirsOf(given)?.(value)).toEqual({ values, status: "pending" });
  expect(toTheirsOf(z.enum(inviteStatuses))?.("revoked")).toBe("revoked");
});

test("what has none of these stays as it is", () => {
  expect(toTheirsOf(z.object({ id: z.string(), at: z.string().nullable() }))).toBeUndefined();
});
