import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ansiRuns } from "./ansi.ts";

const esc = "\u001b";
const shown = (line: string): string =>
  ansiRuns(line)
    .map(({ text, classes }) => (classes === "" ? text : `<${classes}:${text}>`))
    .join("");

describe("a line of a log", () => {
  test.each([
    ["plain", "plain"],
    [`${esc}[31mred${esc}[0m not`, "<f1:red> not"],
    [
      `${esc}[1;92mbold green${esc}[22m green${esc}[39m none`,
      "<f10 bold:bold green><f10: green> none",
    ],
    [`${esc}[38;5;208morange ${esc}[48;5;17mon blue`, "<f208:orange ><f208 b17:on blue>"],
    [`${esc}[38;2;255;0;0mtrue${esc}[m`, "<f196:true>"],
    [`${esc}[38:2::0:255:0mcolons${esc}[m`, "<f46:colons>"],
    [`${esc}[38;2;120;121;120mgrey`, "<f243:grey>"],
    [`${esc}[31;7mswapped${esc}[27m`, "<fx b1:swapped>"],
    [`${esc}[38;5;999mwrong${esc}[38mcut`, "wrongcut"],
    [`${esc}[2K${esc}[1Acursor moves${esc}[?25l`, "cursor moves"],
    [
      `${esc}]0;title\u0007after${esc}]8;;https://x.example${esc}\\link${esc}]8;;${esc}\\`,
      "afterlink",
    ],
    [`${esc}P a device string ${esc}\\after`, "after"],
    [`${esc}(Bcharset${esc}7`, "charset"],
    [`${esc}]never ended`, ""],
    ["10 %\r50 %\r100 %", "100 %"],
    ["windows\r", "windows"],
    ["a\u0000b\u0008c\td", "abc\td"],
    [`ends in ${esc}`, "ends in "],
    [`ends in ${esc}[`, "ends in "],
  ])("%j is shown as %j", (line, wanted) => {
    expect(shown(line)).toBe(wanted);
  });

  test("takes no look from a sequence of over 64 codes", () => {
    const codes = (count: number): string => [...Array<number>(count - 1).fill(1), 31].join(";");
    expect(shown(`${esc}[${codes(64)}mlong`)).toBe("<f1 bold:long>");
    expect(shown(`${esc}[4m${esc}[${codes(65)}mlonger`)).toBe("<under:longer>");
    expect(shown(`${esc}[${"38;".repeat(6600)}1mlongest`)).toBe("longest");
  });

  test("never keeps a control character, and never a class that is not ours", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(`${esc}[`, `${esc}]`, "\u009b", ";", ":", "m", "38", "2", "5", "300", "\r"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        for (const { text, classes } of ansiRuns(pieces.join(""))) {
          // oxlint-disable-next-line no-control-regex -- these are what is looked for
          expect(text).not.toMatch(/[\0-\x08\x0a-\x1f\x7f-\x9f]/);
          expect(classes).toMatch(
            /^(?:(?:f(?:x|\d{1,3})|b(?:x|\d{1,3})|bold|faint|italic|under|struck)(?: |$))*$/,
          );
        }
      }),
    );
  });
});
