import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openConfigFolder } from "../../../../cli/apps/open-config-folder.ts";
import { checkTexts } from "../../../../test/support/apps/config-of.ts";
import { checkConfigFolder } from "../../check-config.ts";
import type { AppConfigDocument } from "../../config-files.ts";
import { starterFiles } from "../../starter-files.ts";
import type { Json, JsonObject } from "../json-value.ts";
import { renderTemplate, renderValue } from "../render-template.ts";

const place = { file: "f", member: "m" };
const hostile = [
  "$(echo ran)",
  "`echo ran`",
  "'; echo ran; '",
  '"; echo ran; "',
  "a'b\"c\\d$e`f",
  "\\",
  "'",
  "",
  " two  words ",
  "line\n# echo ran\n",
  "-n *?[a-z]~ && echo ran | tee >ran <ran !ran",
  "😀 Straße",
];
const shells = ["sh", "bash"] as const;
/** As runners call them: no file of the user's is read before. */
const quiet = { sh: [], bash: ["--noprofile", "--norc"] };
const run = (shell: keyof typeof quiet, script: string, env: Record<string, string> = {}): string =>
  execFileSync(shell, [...quiet[shell], "-c", script], {
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });

/** What a shell found as the arguments of a command, one after the other. */
function wordsOf(shell: keyof typeof quiet, svc: JsonObject, command: string): string[] {
  const { text, faults } = renderTemplate(`printf '%s\\0' ${command}`, { svc }, place);
  expect(faults).toBeUndefined();
  return run(shell, text ?? "")
    .split("\0")
    .slice(0, -1);
}

describe.each(shells)("a value for %s", (shell) => {
  test("is one word, whatever is in it", () => {
    for (const name of hostile)
      expect(wordsOf(shell, { name }, "x={{ .svc.name | shellquote }} end")).toEqual([
        `x=${name}`,
        "end",
      ]);
  });

  test("is a word for each of a list", () => {
    expect(wordsOf(shell, { hostile }, "{{ shellquote .svc.hostile }}")).toEqual(hostile);
  });

  test("comes out as it was, whatever it is", () => {
    const text = fc.string({ unit: "binary" }).map((one) => one.replaceAll("\0", ""));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), (given) => {
        const whole = given.map((one) => Buffer.from(one).toString("utf8")); // halves of letters have no bytes
        expect(wordsOf(shell, { whole }, "{{ shellquote .svc.whole }}")).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });
});

test("quote and squote are not quotes of a shell", () => {
  const [dollar, , single] = hostile;
  expect(wordsOf("sh", { name: dollar ?? "" }, "{{ .svc.name | quote }}")).toEqual(["ran"]);
  const { text } = renderTemplate(
    "echo {{ .svc.name | squote }}\ntrue",
    { svc: { name: single ?? "" } },
    place,
  );
  expect(run("sh", text ?? "").split("\n")).toContain("ran");
});

describe("what ships runs nothing of an install's values", () => {
  test.each([
    [
      "examples/app",
      async () => (await checkConfigFolder(await openConfigFolder("examples/app"))).config,
    ],
    ["what svc app init writes", async () => (await checkTexts(starterFiles("shop"))).config],
  ])("%s", async (_, read) => {
    const { actions = [] } = (await read())?.document ?? ({} as AppConfigDocument);
    const texts = actions.flatMap(({ steps }) => steps);
    expect(texts.length).toBeGreaterThan(0);
    for (const name of hostile) {
      const inputs = { greeting: name, audience: name };
      const svc: JsonObject = { install: { name, inputs }, inputs: { inputs } };
      for (const step of texts) {
        const { value, faults } = renderValue(step as unknown as Json, { svc }, place);
        expect(faults).toBeUndefined();
        const { command, inline_contents: contents, env_vars: env = {} } = value as typeof step;
        const text = contents ?? command ?? "";
        const written = run("bash", text, env);
        expect(written.split("\n")).not.toContain("ran");
        expect(written).toContain(Object.keys(env).length > 0 ? name : "");
      }
    }
  });
});
