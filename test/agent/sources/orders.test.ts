import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { FetchRequest } from "../../../agent/sources/fetch-request.ts";
import { orderOnce } from "../../../agent/sources/order-once.ts";
import { testFolder } from "../../support/run/folder.ts";

test("a source that was ordered is not ordered anew, and its secrets stay hidden", async () => {
  const file = path.join(await testFolder(), "order.json");
  const hidden: string[] = [];
  let signIns = 0;
  const order = async (): Promise<void> => {
    const ordered = { file, owner: undefined, hide: (secret: string) => void hidden.push(secret) };
    await orderOnce(ordered, async () => {
      signIns += 1;
      const login = { username: "u", password: "pass-1", refreshToken: "refresh-1" };
      const source = { kind: "oci", url: "r.example/a/b", login } as const;
      return await Promise.resolve({ source, folder: "f", told: "t", mostBytes: 1 });
    });
  };
  await order();
  const { source } = JSON.parse(await readFile(file, "utf8")) as FetchRequest;
  expect([source.kind, (await stat(file)).mode & 0o777]).toEqual(["oci", 0o600]);
  await order();
  expect([signIns, hidden]).toEqual([1, ["pass-1", "refresh-1"]]);
  await writeFile(file, "what a job put in its place");
  await order();
  expect(signIns).toBe(1);
});
