import { expect, test } from "vitest";
import { makeCallOut } from "./call-out.ts";

test("a call gives up a connection that takes too long, however much time the whole call has", async () => {
  const rules = { mode: "off", opened: [] } as const;
  const callOut = makeCallOut({ rules, resolve: () => new Promise(() => {}) });
  const outcome = await callOut({
    url: "http://nowhere.example/",
    method: "POST",
    timeoutMs: 600_000,
    connectTimeoutMs: 20,
  });
  expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
});
