import { isList, isMap, type Json, jsonOf, membersOf } from "../json-value.ts";
import type { RenderWork } from "../render-work.ts";

/** A value as JSON in lines, two spaces deeper for each level, maps in the order of their keys; counted before it is made. */
export function prettyJson(value: Json, work: RenderWork): string {
  work.spendValue(value);
  const parts: string[] = [];
  let letters = 0;
  const write = (text: string): void => {
    letters += text.length;
    if (letters > work.budget.outputBytes) work.spendText(letters);
    parts.push(text);
  };
  const writeAll = (signs: string, all: readonly (readonly [string, Json])[], pad: string) => {
    if (all.length === 0) return write(signs);
    const within = `${pad}  `;
    work.spend(Math.ceil((all.length * within.length) / 64));
    for (const [at, [before, one]] of all.entries()) {
      write(`${at === 0 ? signs.charAt(0) : ","}\n${within}${before}`);
      writeOne(one, within);
    }
    write(`\n${pad}${signs.charAt(1)}`);
  };
  const writeOne = (one: Json, pad: string): void => {
    if (isList(one))
      writeAll(
        "[]",
        one.map((each) => ["", each] as const),
        pad,
      );
    else if (isMap(one)) {
      const members = membersOf(one).map(
        ([name, each]) => [`${JSON.stringify(name)}: `, each] as const,
      );
      writeAll("{}", members, pad);
    } else write(jsonOf(one));
  };
  writeOne(value, "");
  return parts.join("");
}
