import { expect, test } from "vitest";
import type { JsonObject } from "./json-value.ts";
import { renderTemplate } from "./render-template.ts";
import { templateFunctions } from "./template-functions.ts";

const svc: JsonObject = {
  a: "text",
  n: 5,
  f: 2.5,
  neg: -7,
  t: true,
  no: false,
  nul: null,
  e: "",
  z: 0,
  l: ["x", "y", "z"],
  ln: [1, null, "b"],
  el: [],
  m: { b: 1, a: "q", c: null },
  em: {},
  u: "Straße äöü",
  lines: "one\ntwo\n",
  s: "  pad\t\n",
  halves: [0.5, 1.5, 2.5, 0.125, 0.375, 123456789.9876543],
  odd: 'a"b\\c\n\u0001é\u200b😀',
  emoji: "a😀b",
  json: '{"k":[1,2,{"z":null}],"a":"b","big":123456789012345678901}',
};
const end = (text: string) => {
  const { text: rendered, faults } = renderTemplate(text, { svc }, { file: "f", member: "m" });
  return rendered ?? faults.map(({ detail }) => detail).join("; ");
};

/** What Go's templates with the functions of sprig write, but where our own rule is named; shellquote is ours. */
const rows = [
  ["and .svc.a .svc.e", ""],
  ["and .svc.a .svc.n", "5"],
  ["and .svc.no (index .svc.l 9)", "false"],
  ["or .svc.e .svc.a", "text"],
  ["or .svc.e .svc.z", "0"],
  ["not .svc.e", "true"],
  ["not .svc.a", "false"],
  ['default "d" .svc.e', "d"],
  ['default "d" .svc.z', "d"],
  ['default "d" .svc.no', "d"],
  ['default "d" .svc.nul', "d"],
  ['default "d" .svc.el', "d"],
  ['default "d" .svc.em', "d"],
  ['.svc.a | default "d"', "text"],
  ['coalesce .svc.e .svc.nul .svc.z .svc.a "x"', "text"],
  ["coalesce .svc.e .svc.nul", ""],
  ['required "say it" .svc.a', "text"],
  ['required "say it" .svc.e', "say it"],
  ['required "say it" .svc.nul', "say it"],
  ['required "say it" .svc.z', "0"],
  ['ternary "y" "n" .svc.t', "y"],
  ['.svc.no | ternary "y" "n"', "n"],
  ['ternary "y" "n" .svc.a', "ternary takes true or false, not a text"],
  ['eq .svc.a "text"', "true"],
  ['eq .svc.a "x" "text"', "true"],
  ["eq .svc.n 5", "true"],
  ["eq .svc.nul nil", "true"],
  ["eq .svc.a nil", "false"],
  ["eq .svc.t true", "true"],
  ['eq .svc.n "5"', "eq does not compare a number with a text"],
  ["eq .svc.l .svc.l", "eq does not compare a list with a list"],
  ['ne .svc.a "x"', "true"],
  ["lt .svc.n 6", "true"],
  ["le .svc.n 5", "true"],
  ['gt .svc.a "a"', "true"],
  ["ge .svc.n 6", "false"],
  ["lt .svc.a 5", "lt does not compare a text with a number"],
  ["lt .svc.t .svc.no", "lt does not compare true or false with true or false"],
  ["index .svc.l 0", "x"],
  ['index .svc.m "a"', "q"],
  ["index .svc.l 9", "index is out of a list of 3"],
  ["index .svc.l -1", "index is out of a list of 3"],
  ['index .svc.l "a"', "index of a list takes a whole number, not a text"],
  ["index .svc.m 1", "index of a map takes a text, not a number"],
  ["index .svc.a 0", "index takes a list or a map, not a text"], // Go gives a byte
  ["upper .svc.u", "STRAßE ÄÖÜ"],
  ['printf "%s %s" .svc.a (upper "ŉßǆﬁ")', "text ŉßǄﬁ"],
  ['printf "%s %s" .svc.a (lower "ÀÉΣΑΣ")', "text àéσασ"],
  ["upper .svc.n", "upper takes a text, not a number"],
  ["trim .svc.s", "pad"],
  ['printf "%s[%s]" .svc.a (trim "\\u0085\\ufeff x \\u00a0\\u2003")', "text[\ufeff x]"],
  ['trimPrefix "te" .svc.a', "xt"],
  ['trimPrefix "x" .svc.a', "text"],
  ['trimSuffix "xt" .svc.a', "te"],
  ['trimSuffix "" .svc.a', "text"],
  ['.svc.a | replace "t" "$&"', "$&ex$&"],
  ['replace "" "-" .svc.emoji', "-a-😀-b-"],
  ['contains "ex" .svc.a', "true"],
  ['contains "y" .svc.a', "false"],
  ['hasPrefix "te" .svc.a', "true"],
  ['hasSuffix "te" .svc.a', "false"],
  ['(split "e" .svc.a)._1', "xt"],
  ['split "" .svc.emoji', '{"_0":"a","_1":"😀","_2":"b"}'],
  ['split "," .svc.e', '{"_0":""}'],
  ['join "," .svc.l', "x,y,z"],
  ['join "," .svc.ln', "1,b"],
  ['join "," .svc.el', ""],
  ['join "," .svc.a', "text"],
  ["trunc 2 .svc.a", "te"],
  ["trunc -2 .svc.a", "xt"],
  ["trunc 99 .svc.a", "text"],
  ["trunc -99 .svc.a", "text"],
  ["trunc 0 .svc.a", ""],
  ["trunc 6 .svc.u", "Straß"],
  ["trunc 5 .svc.u", "Stra"], // Go leaves half a letter
  ["trunc -3 .svc.u", "ü"],
  ["indent 2 .svc.lines", "  one\n  two\n  "],
  ["nindent 2 .svc.lines", "\n  one\n  two\n  "],
  ["indent -1 .svc.a", "indent takes no negative number"],
  ["quote .svc.odd", String.raw`"a\"b\\c\n\x01é\u200b😀"`],
  ["quote .svc.n .svc.nul .svc.t .svc.a", '"5" "true" "text"'],
  ['squote "it\'s" .svc.n .svc.nul', "'it's' '5'"],
  ['shellquote "it\'s" .svc.n .svc.nul "$(id)"', String.raw`'it'\''s' '5' '' '$(id)'`],
  ["shellquote .svc.ln .svc.el", "'1' '' 'b'"],
  ["shellquote .svc.m", `'{"a":"q","b":1,"c":null}'`],
  [String.raw`printf "%s%s" .svc.a "\x00" | shellquote`, "shellquote takes no text with a NUL"],
  ['printf "%s-%d %v%%" .svc.a .svc.n .svc.f', "text-5 2.5%"],
  ['printf "%5d|%-5d|%05d|%+d|% d" .svc.n 5 5 5 5', "    5|5    |00005|+5| 5"],
  ['printf "%.3d|%5.3d|%-05d|%010.3d" .svc.n 5 5 5', "005|  005|5    |       005"],
  ['printf "%05d|%5d|%x" .svc.neg -7 -7', "-0007|   -7|-7"],
  [
    'printf "%f|%.2f|%8.2f|%-8.1f|%08.2f|%.f" .svc.f 2.5 2.5 2.5 2.5 2.5',
    "2.500000|2.50|    2.50|2.5     |00002.50|2",
  ],
  [
    'printf "%q|%10q|%.2s|%5s|%-5s|%05s|" .svc.a "a" "text" "b" "b" "b"',
    '"text"|       "a"|te|    b|b    |0000b|',
  ],
  [
    'printf "%t|%6t|%05t|%x|%X|%x" .svc.t false true 1234567 1234567 "text"',
    "true| false|0true|12d687|12D687|74657874",
  ],
  ['printf "%5s|%.2v" .svc.emoji "text"', "  a😀b|te"],
  ['printf "%s" .svc.l', '["x","y","z"]'], // Go: [x y z]
  ['printf "%d" .svc.a', "printf takes no text for %d"],
  ['printf "%d" .svc.f', "printf takes no fraction for %d"],
  ['printf "%s" .svc.a .svc.n', "printf has 1 values more than its format"],
  ['printf "%s %s" .svc.a', "printf has no value for %s"],
  ['printf "%g" .svc.f', "printf knows no %g"],
  ['printf "%s %" .svc.a .svc.n', "printf knows no %"],
  ["toString .svc.n", "5"],
  ["toString .svc.m", '{"a":"q","b":1,"c":null}'], // Go: map[a:q b:1 c:<nil>]
  ['int "42" | printf "%s %d" .svc.a', "text 42"],
  ["int .svc.f", "2"],
  ["int .svc.t", "1"],
  ["int .svc.nul", "0"],
  ["int .svc.e", "0"],
  ["int .svc.a", "int takes a number, not a text that is none"], // sprig: 0
  ['printf "%s %d" .svc.a (int "-0.9")', "text 0"],
  ["toJson .svc.m", '{"a":"q","b":1,"c":null}'],
  ["toJson .svc.nul", "null"],
  ["(fromJson .svc.json).k | toJson", '[1,2,{"z":null}]'],
  ["(fromJson .svc.json).big", "123456789012345678901"],
  ["fromJson .svc.a", "fromJson takes JSON, and this text is none"],
  ['printf "%s%s" .svc.a (fromJson "1,2")', "fromJson takes JSON, and this text is none"],
  ['printf "%s%s" .svc.a (fromJson "1e999")', "a number of it is too large"],
  ["b64enc .svc.u", "U3RyYcOfZSDDpMO2w7w="],
  ["b64enc .svc.u | b64dec", "Straße äöü"],
  ['printf "%s" .svc.a | b64dec', "b64dec gives texts, and what is in this base64 is none"],
  ["b64dec .svc.s", "b64dec takes base64, and this text is none"],
  ["sha256sum .svc.a", "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"],
  ["list .svc.a 1 | toJson", '["text",1]'],
  ['dict "b" .svc.a "a" 2', '{"a":2,"b":"text"}'],
  ['dict "b" .svc.a "c"', '{"b":"text","c":""}'],
  ["dict 1 .svc.a", '{"1":"text"}'],
  ["int64 .svc.f", "2"],
  ["div .svc.n 2", "2"],
  ["duration .svc.n", "5s"],
  ["duration 9223372037 | print .svc.e", "duration takes at most 9223372036 seconds"],
  ['append .svc.l "w"', '["x","y","z","w"]'],
  ["append .svc.a 1", "append takes a list, not a text"],
  ["slice .svc.l 1 3", '["y","z"]'],
  ["slice .svc.l 4", "slice takes places from 0 to 3 here, the first one first"],
  ['dig "b" 0 .svc.m', "1"],
  ['set .svc.m "d" 2', '{"a":"q","b":1,"c":null,"d":2}'],
  ['set .svc.l "d" 2', "set takes a map, not a list"],
  ["values .svc.m", '["q",1,null]'],
  ['kindIs "map" .svc.m', "true"],
  ["print .svc.n 6 .svc.a", "5 6text"],
  ["substr 4 6 .svc.u", "ß"],
  ["substr 3 2 .svc.a", "substr takes no FROM behind TO or behind the end of TEXT"],
  ["toPrettyJson .svc.ln", '[\n  1,\n  null,\n  "b"\n]'],
  ["len .svc.u", "14"],
  ["len .svc.l", "3"],
  ["len .svc.m", "3"],
  ["len .svc.n", "len takes a text, a list or a map, not a number"],
] as const;

test.each(rows)("%s", (pipeline, text) => {
  expect(end(`{{ ${pipeline} }}`)).toBe(text);
});

test("printf rounds a half to the even digit", () => {
  expect(end('{{ range .svc.halves }}{{ printf "%.0f %.1f %.2f;" . . . }}{{ end }}')).toBe(
    "0 0.5 0.50;2 1.5 1.50;2 2.5 2.50;0 0.1 0.12;0 0.4 0.38;123456790 123456790.0 123456789.99;",
  );
});

test("every function is in these tests, and takes what its values say", () => {
  const named = rows.map(([pipeline]) => pipeline);
  const untried = [...templateFunctions.keys()].filter(
    (name) => !named.some((pipeline) => new RegExp(`(?:^|[(| ])${name} `).test(pipeline)),
  );
  expect(untried).toEqual([]);
  for (const { name, values, takes } of templateFunctions.values()) {
    const words = values.split(" ").filter((word) => word !== "…");
    expect([name, takes[0] <= words.length, takes[1] >= words.length]).toEqual([name, true, true]);
    expect([name, takes[1] > words.length]).toEqual([name, values.endsWith("…")]);
  }
});
