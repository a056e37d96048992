import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../../test/support/run/folder.ts";
import { readSetFlags } from "./read-set-flags.ts";

const set = async (...given: readonly string[]) =>
  await readSetFlags({ set: given, "set-string": [], "set-file": [] });

describe("values that are set", () => {
  test("are several after commas, lists, and texts with commas of their own", async () => {
    expect(await set("a=1,b.c=two", "list={x,y\\,z}", "text=a\\,b=c", "empty=")).toEqual([
      { name: "a", value: "1" },
      { name: "b.c", value: "two" },
      { name: "list[0]", value: "x" },
      { name: "list[1]", value: "y,z" },
      { name: "text", value: "a,b=c" },
      { name: "empty", value: "" },
    ]);
    expect(await set("labels.app\\.kubernetes\\.io/name=web")).toEqual([
      { name: "labels.app\\.kubernetes\\.io/name", value: "web" },
    ]);
  });

  test("are text where --set-string or a file says so, in helm's order", async () => {
    const file = path.join(await testFolder(), "key");
    await writeFile(file, "line 1\nline 2, {\n");
    const flags = { set: ["c=3"], "set-string": ["b=2"], "set-file": [`a=${file}`] };
    expect(await readSetFlags(flags)).toEqual([
      { name: "c", value: "3" },
      { name: "b", value: "2", type: "string" },
      { name: "a", value: "line 1\nline 2, {\n", type: "string" },
    ]);
  });

  test("are refused without being repeated", async () => {
    const refusal = await set("swordfish").catch((error: unknown) => String(error));
    expect(refusal).toContain("--set takes NAME=VALUE");
    expect(refusal).not.toContain("swordfish");
    await expect(set("list={}")).rejects.toThrow(/an empty list/);
  });
});
