import { describe, expect, test } from "vitest";
import { readCliConfig } from "../config.ts";
import { makeAsTyped } from "./as-typed.ts";

const nouns = ["app", "dev", "job"];

describe("words that name commands", () => {
  const asTyped = makeAsTyped(true, nouns);

  test("name them as who started svc by npx types them", () => {
    expect(asTyped("List them: svc job list")).toBe("List them: npx svc job list");
    expect(asTyped("svc dev\nor `svc app sync DIR`, (svc app list)")).toBe(
      "npx svc dev\nor `npx svc app sync DIR`, (npx svc app list)",
    );
  });

  test("stay where they name no command, or as it is typed already", () => {
    for (const words of [
      "svc needs Node 24",
      "npx svc app list",
      "svc-agent job list",
      "/opt/svc job",
      "svc jobs wait",
      "mysvc job list",
    ])
      expect(asTyped(words)).toBe(words);
  });

  test("stay as they are for who has svc on the PATH", () => {
    expect(makeAsTyped(false, nouns)("svc job list")).toBe("svc job list");
  });
});

test("npx is known by what npm says of itself", () => {
  const isNpx = (env: Record<string, string>) => readCliConfig(env).isNpx;
  expect(isNpx({ npm_command: "exec", npm_lifecycle_event: "npx" })).toBe(true);
  expect(isNpx({ npm_command: "start", npm_lifecycle_event: "start" })).toBe(false);
  expect(isNpx({ npm_command: "run-script", npm_lifecycle_event: "npx" })).toBe(false);
  expect(isNpx({})).toBe(false);
});
