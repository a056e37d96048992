import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { expect, test } from "vitest";
import { opaBounds } from "../../../shared/policies/opa-bounds.ts";
import { makeOpa } from "../../../shared/policies/opa.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";
import { tool } from "../../tools/find-tool.ts";

describeWithTools(["opa"], "OPA", () => {
  const opa = makeOpa(tool("opa"));
  /** With a clock that a test can wait for. */
  const hasty = makeOpa(tool("opa"), { ...opaBounds, seconds: 2 });
  const patient = makeOpa(tool("opa"), { ...opaBounds, seconds: 60 });
  const says = (rules: string) => `package svc\n${rules}\n`;
  const evaluate = (rules: string, ...inputs: readonly unknown[]) =>
    opa.evaluate({ contents: says(rules), root: "svc" }, inputs);

  test("tells for each input what is denied and what is warned of, of texts and of objects", async () => {
    const rules = `
      deny contains msg if { endswith(input.image, ":latest"); msg := sprintf("%s is latest", [input.image]) }
      warn contains {"msg": "not signed"} if not input.signed`;
    const told = await evaluate(rules, { image: "a:1", signed: true }, { image: "b:latest" });
    expect(told).toEqual([
      { deny: [], warn: [] },
      { deny: ["b:latest is latest"], warn: ["not signed"] },
    ]);
  });

  test("reads Rego v0, too, and other names of the package; without a rule nothing is said", async () => {
    const v0 = 'deny[msg] { input.x == 1; msg := "one" }';
    expect(await evaluate(v0, { x: 1 })).toEqual([{ deny: ["one"], warn: [] }]);
    expect(await evaluate("x := 1", {})).toEqual([{ deny: [], warn: [] }]);
    const other = { contents: "package acme\ndeny contains input.x", root: "acme" };
    expect(await opa.evaluate(other, [{ x: "one" }])).toEqual([{ deny: ["one"], warn: [] }]);
  });

  test.each([
    ["what is not Rego", "deny contains {", /^Line \d: .+\.$/],
    [
      "an unknown function",
      "deny contains x if { x := nothing(1) }",
      /^Line 2: undefined function nothing\.$/,
    ],
    [
      "a call of HTTP",
      'deny contains x if { x := http.send({"method": "get", "url": "http://127.0.0.1"}) }',
      /undefined function http\.send/,
    ],
    [
      "a look at the environment",
      "deny contains x if { x := opa.runtime().env }",
      /undefined function opa\.runtime/,
    ],
    [
      "a look-up of a name",
      'deny contains x if { x := net.lookup_ip_addr("localhost") }',
      /undefined function net\.lookup_ip_addr/,
    ],
    ["a text in the place of a set", 'deny := "no"', /^deny must be a set of texts/],
    ["numbers in the place of texts", "warn contains 1", /^warn must be a set of texts/],
    ["rules that contradict each other", "a := 1\na := 2\ndeny contains a", /conflict|multiple/i],
  ])("%s is no consent", async (_, rules, why) => {
    await expect(evaluate(rules, {})).rejects.toThrow(why);
  });

  test("what loops ends in time, what takes too much memory or prints too much ends at once, and others go on", async () => {
    const hostile = {
      loop: "deny contains 1 if { some i in numbers.range(1, 100000); some j in numbers.range(1, 100000); i * j == 0 }",
      memory: 'deny contains "x" if count(numbers.range(1, 400000000)) > 0',
      output:
        'deny contains m if { some i in numbers.range(1, 300); m := sprintf("%030000d", [i]) }',
      print:
        'deny contains "x" if { some i in numbers.range(1, 90000); print("a line that is printed, and printed, and printed", i); i < 0 }',
    };
    const ends = Object.entries(hostile).map(async ([name, rules]) => {
      const engine = name === "loop" ? hasty : patient; // the clock is not what ends the others
      const why = await engine
        .evaluate({ contents: says(rules), root: "svc" }, [{}])
        .catch((error: unknown) => String(error));
      return [name, why];
    });
    const neighbour = evaluate("deny contains input.x", { x: "told" });
    expect(await neighbour).toEqual([{ deny: ["told"], warn: [] }]);
    expect(Object.fromEntries(await Promise.all(ends))).toEqual({
      loop: "PolicyUnavailable: It took more than 2 s.",
      memory: "PolicyUnavailable: It needed more than 512 MiB of memory.",
      output: "PolicyUnavailable: It printed more than 4 MiB.",
      print: "PolicyUnavailable: It printed more than 4 MiB.",
    });
  });

  test("neither files beside it nor schemas at addresses are read", async () => {
    const folder = await testFolder();
    const file = path.join(folder, "secret.json");
    await writeFile(file, '{"type": "string"}');
    let calls = 0;
    const server = createServer((_, answer) => {
      calls += 1;
      answer.end('{"type": "string"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      for (const ref of [`file://${file}`, `http://127.0.0.1:${port}/schema.json`]) {
        const rule = `deny contains "read" if json.match_schema(1, {"$ref": ${JSON.stringify(ref)}})[1]`;
        const told = await evaluate(rule, {}).catch(() => []);
        expect(told.flatMap(({ deny }) => deny)).toEqual([]);
      }
      expect(calls).toBe(0);
    } finally {
      server.close();
    }
  });

  test("a text is checked as v1, else as v0; what is wrong has its line", async () => {
    expect(await opa.check(says("deny contains 1"))).toEqual([]);
    expect(await opa.check(says("deny[x] { x := 1 }"))).toEqual([]);
    expect(await opa.check(says("deny contains nothing(1)"))).toEqual([
      { line: 2, detail: "undefined function nothing" },
    ]);
    await expect(makeOpa("/bin/false").check("")).rejects.toThrow(/is no OPA/);
  });
});
