import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { makeRedactor } from "./redactor.ts";

const secrets = {
  "letters beyond ASCII": "pässwörd-x1",
  "lines and tabs": "ab12\ncd34\t\nef56\n\ngh78",
  "runs of spaces": "correct  horse   battery",
  "all signs": "q'uo\"te \\ $x `y` äß€漢🔑\u001b\u0001\tz!\u007f~",
  "lines of Windows": "one 'x\r\ntwo $y",
};

/** A trace, quoting by the shell and by the system, and an echo of what is not quoted. */
const script = `exec 2>&1
  set -x; : "$S"; : "--token=$S"; : $S; : --token=$S; set +x
  printf '%q\\n' "$S"; echo "\${S@Q}"; declare -p S; env printf '%q\\n' "$S"
  echo $S`;
/** What these say of their own, and quotes around what they show. */
const own = /^\+ :|^\+ set \+x|^declare -x S=|--token=|[$'"\s]/gm;

describe("a secret", () => {
  const cases = Object.entries(secrets).flatMap(([kind, secret]) =>
    ["C", "C.UTF-8"].map((locale) => ({ kind, secret, locale })),
  );
  test.each(cases)("of $kind is hidden as a shell shows it in $locale", async (given) => {
    const env = { PATH: process.env["PATH"] ?? "", LC_ALL: given.locale, S: given.secret };
    const { stdout } = await execa("bash", ["-f", "-c", script], { env, extendEnv: false });
    const shown = makeRedactor([given.secret]).redactText(stdout);
    expect(shown.split("***").length).toBeGreaterThan(9);
    expect(shown.replaceAll("***", "").replaceAll(own, "")).toBe("");
  });

  test.each([
    ["p\\xc3\\xa4ss \\x1b", "Python's bytes"],
    ["p\\xC3\\xA4ss \\x1B", "Ruby"],
    ["p\\xe4ss \\x1b", "Python's ascii()"],
    ["p\\303\\244ss\\ \\033", "ls -b"],
  ])("is hidden as %s, as %s has it", (text) => {
    expect(makeRedactor(["päss \u001b"]).redactText(`[${text}]`)).toBe("[***]");
  });
});
