import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { keySource, parseKeys } from "./key-source.ts";

const key = (): string => randomBytes(32).toString("base64");

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "svc-keys-"));
  onTestFinished(async () => await rm(made, { recursive: true }));
  return made;
}

describe("seal keys", () => {
  test("are lines of an id and 32 bytes, the newest first", () => {
    const keys = parseKeys(`# ours\nk2 ${key()}\n\n  k1\t${key()}  \n`);
    expect(keys.map(({ id }) => id)).toEqual(["k2", "k1"]);
    expect(keys.map((one) => one.key.length)).toEqual([32, 32]);
  });

  test.each([
    ["short bytes", `k1 ${randomBytes(31).toString("base64")}`],
    ["no id", key()],
    ["a name with spaces", `my key ${key()}`],
    ["nothing", "# none\n"],
    ["the same id twice", `k1 ${key()}\nk1 ${key()}`],
  ])("with %s are refused, and not repeated", (_, text) => {
    const refuse = () => parseKeys(text);
    expect(refuse).toThrow(/seal keys/);
    for (const word of text.split(/\s/).filter((one) => one.length > 20)) {
      expect(refuse).not.toThrow(word);
    }
  });

  test("come from a file, read anew each time", async () => {
    const file = path.join(await folder(), "keys");
    await writeFile(file, `k1 ${key()}`);
    const source = keySource(`file:${file}`);
    expect((await source.read()).map(({ id }) => id)).toEqual(["k1"]);
    await writeFile(file, `k2 ${key()}\nk1 ${key()}`);
    expect((await source.read()).map(({ id }) => id)).toEqual(["k2", "k1"]);
    await rm(file);
    await expect(source.read()).rejects.toThrow("cannot be read (ENOENT)");
  });

  test("come from a program that unwraps them, whose words are not repeated", async () => {
    const dir = await folder();
    const wrapped = path.join(dir, "wrapped");
    const program = path.join(dir, "unwrap");
    await writeFile(wrapped, Buffer.from(`k1 ${key()}`).toString("base64"));
    await writeFile(program, '#!/bin/sh\nbase64 -d "$1" || { echo hunter2 >&2; exit 4; }\n');
    await chmod(program, 0o700);
    const keys = await keySource(`command:${program} ${wrapped}`).read();
    expect(keys.map(({ id }) => id)).toEqual(["k1"]);
    const failing = keySource(`command:${program} ${wrapped}.gone`).read();
    await expect(failing).rejects.toThrow(
      /^The program of SVC_SEAL_KEYS returned no keys \(4\)\.$/,
    );
  });

  test("are none only where that is said", async () => {
    expect(await keySource("none").read()).toEqual([]);
    expect(() => keySource(undefined)).toThrow("SVC_SEAL_KEYS is not set");
    expect(() => keySource("/etc/keys")).toThrow("SVC_SEAL_KEYS must be");
    expect(() => keySource("file:")).toThrow("SVC_SEAL_KEYS must be");
  });
});
