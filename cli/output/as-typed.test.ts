import { describe, expect, test } from "vitest";
import { readCliConfig } from "../config.ts";
import { makeAsTyped } from "./as-typed.ts";

const nouns = ["app", "dev", "job"];

describe("words that name commands", () => {
  const asTyped = makeAsTyped("./svc", nouns);

  test("name them as who started ./svc types them", () => {
    expect(asTyped("List them: svc job list")).toBe("List them: ./svc job list");
    expect(asTyped("svc dev\nor `svc app sync DIR`, (svc app list)")).toBe(
      "./svc dev\nor `./svc app sync DIR`, (./svc app list)",
    );
  });

  test("tell a command that there is not as it was typed", () => {
    expect(asTyped("Unknown command: svc jub list.")).toBe("Unknown command: ./svc jub list.");
    expect(asTyped("Unknown command: svc job lst.")).toBe("Unknown command: ./svc job lst.");
  });

  test("stay where they name no command, or as it is typed already", () => {
    for (const words of [
      "svc needs Node 24",
      "./svc app list",
      "svc-agent job list",
      "/opt/svc job",
      "svc jobs wait",
      "mysvc job list",
    ])
      expect(asTyped(words)).toBe(words);
  });

  test("stay as they are for who has svc on the PATH", () => {
    expect(makeAsTyped("svc", nouns)("svc job list")).toBe("svc job list");
  });
});

test("how it was launched is known by its launcher, written as a shell takes it, and handed to nobody", () => {
  expect(readCliConfig({}).launchedAs).toBe("svc");
  expect(readCliConfig({ SVC_LAUNCHED_AS: "./svc" })).toMatchObject({
    launchedAs: "./svc",
    env: {},
  });
  expect(readCliConfig({ SVC_LAUNCHED_AS: "/my home/$x/svc" }).launchedAs).toBe(
    "'/my home/$x/svc'",
  );
});
