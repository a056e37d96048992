import { describe, expect, test } from "vitest";
import { readRootFile } from "../support/run/source-files.ts";

const files = ["Dockerfile.agent", "Dockerfile.broker"];
const baseOf = (text: string): string => /^ARG NODE_IMAGE=(.+)$/m.exec(text)?.[1] ?? "";

describe("base images", async () => {
  const texts = await Promise.all(files.map((name) => readRootFile(name)));
  const lock = JSON.parse(await readRootFile("package-lock.json")) as {
    packages: Record<string, { version: string }>;
  };

  test("are one, pinned by digest, and have the Node that the tests ran with", () => {
    const [base = "", ...others] = texts.map(baseOf);
    const version = lock.packages["node_modules/node"]?.version ?? "";
    expect(base).toMatch(/^node:[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/);
    expect(base.startsWith(`node:${version}-`)).toBe(true);
    expect(others).toEqual([base]);
  });

  test("make a broker that calls public addresses only", () => {
    expect(texts[1]).toMatch(/^ENV .*\bSVC_EGRESS=strict\b/m);
  });

  test("are what every stage is made from", () => {
    const stages = texts.flatMap((text) => [...text.matchAll(/^FROM (\S+)/gm)]);
    expect(stages.length).toBeGreaterThan(4);
    expect(stages.filter(([, from]) => from !== "${NODE_IMAGE}")).toEqual([]);
  });
});
