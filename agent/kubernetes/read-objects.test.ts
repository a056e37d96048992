import { describe, expect, test } from "vitest";
import { readObjects } from "./read-objects.ts";

const read = async (text: string) => await readObjects([{ name: "m.yaml", text }]);
const configMap = (name: string, more = "") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;

describe("a manifest", () => {
  test("is read as tools of Kubernetes read it: octal numbers, yes, dates and times as they stand", async () => {
    const data = "data: {mode: 0644, on: yes, day: 2024-01-02, time: 12:30:45}\n";
    const [found] = await read(configMap("a", data));
    expect(found?.object["data"]).toEqual({
      mode: 420,
      true: true,
      day: "2024-01-02",
      time: "12:30:45",
    });
  });

  test("has its empty documents left out and its lists unfolded, each object with its place", async () => {
    const item = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}";
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${item}\n`;
    const found = await read(`---\n# nothing\n---\n${configMap("a")}---\n${list}`);
    expect(found.map(({ object, place }) => [object.metadata.name, place])).toEqual([
      ["a", "m.yaml, document 2, line 4"],
      ["b", "m.yaml, document 3, line 8, item 1"],
    ]);
  });

  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [at, name] of [..."bcdefg"].entries()) {
    const of = [..."abcdefg"][at];
    bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(",")}]`);
  }

  test.each([
    [
      "a key twice",
      `${configMap("a")}---\n${configMap("b", "data:\n  k: hunter2\n  k: 2\n")}`,
      "document 2, line 10: an object has a duplicate key",
    ],
    ["an alias bomb", `${configMap("a")}${bomb.join("\n")}\n`, "line 1: its aliases expand"],
    ["no kind", "apiVersion: v1\nmetadata: {name: a}\n", "document 1, line 1: kind is missing"],
    ["no name", configMap("''"), "metadata.name is missing"],
    ["a text for an object", "just words\n", "it is not an object"],
    ["an indentation that does not fit", `${configMap("a")}data:\n   k: 1\n  j: 2\n`, "line 6"],
    ["an open bracket", `${configMap("a")}data: {hunter2: [\n`, "document 1, line"],
  ])("with %s is refused, with the document and the line", async (_, text, words) => {
    const error = await read(text).catch((error: unknown) => error as Error);
    expect(error).toMatchObject({
      message: expect.stringContaining(words) as string,
      metadata: { class: "config_invalid" },
    });
    expect((error as Error).message).not.toContain("hunter2");
  });
});
