import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeStateScan } from "./state-scan.ts";

/** What the scan makes of a text that comes in pieces of this length. */
function scan(text: string, pieceBytes = 7): ReturnType<ReturnType<typeof makeStateScan>["end"]> {
  const bytes = Buffer.from(text);
  const state = makeStateScan();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    state.push(bytes.subarray(at, at + pieceBytes));
  }
  return state.end();
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function isAdmitted(text: string, pieceBytes?: number): boolean {
  try {
    scan(text, pieceBytes);
    return true;
  } catch {
    return false;
  }
}

const indents = fc.constantFrom(undefined, 1, "\t");
const objects = fc.dictionary(
  fc.string({ unit: "binary" }).filter((name) => name !== "serial"),
  fc.jsonValue(),
);

describe("the scan of a state", () => {
  test("finds serial, lineage and version of the outermost object, whatever stands around them", () => {
    const property = fc.property(
      objects,
      fc.nat(),
      indents,
      fc.integer({ min: 1, max: 40 }),
      (before, serial, indent, pieceBytes) => {
        const nested = { serial: 99, lineage: "inner", more: [{ serial: 98 }] };
        const state = {
          ...before,
          nested,
          serial,
          lineage: 'a "b" \\ ü',
          terraform_version: "1.11",
        };
        const text = JSON.stringify(state, undefined, indent);
        const found = scan(text, pieceBytes);
        const { serial: _, ...rest } = found;
        expect(found.serial).toBe(serial);
        expect(rest).toMatchObject({ lineage: 'a "b" \\ ü', terraformVersion: "1.11" });
        const [start, end] = found.serialAt ?? [0, 0];
        expect(Buffer.from(text).subarray(start, end).toString()).toBe(String(serial));
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test("admits what JSON.parse admits, and nothing else, however the bytes are cut", () => {
    const mutated = fc
      .tuple(objects, indents, fc.nat(), fc.constantFrom(...'{}[]",:\\0-1e.tnu \n\t\u0001'))
      .map(([value, indent, at, char]) => {
        const text = JSON.stringify(value, undefined, indent);
        const place = at % (text.length + 1);
        return [text, text.slice(0, place) + char + text.slice(place), text.slice(0, place)];
      });
    const property = fc.property(mutated, fc.integer({ min: 1, max: 9 }), (texts, pieceBytes) => {
      for (const text of texts) expect(isAdmitted(text, pieceBytes)).toBe(isObject(text));
    });
    fc.assert(property, { numRuns: 1000 });
  });

  test.each(['{"a":"\\ud800"}', '{"a":1E+5}', '{"a":-0.0e-1}', ' {"":{}} \n', '{"a":[[],{}]}'])(
    "admits %s",
    (text) => {
      expect(isAdmitted(text, 1)).toBe(true);
    },
  );

  test.each(['{"a":1.}', '{"a":.5}', '{"a":+1}', '{"a":1e}', '{"a":truE}', "{a:1}", '{"a":1}{}'])(
    "refuses %s",
    (text) => {
      expect(isAdmitted(text, 1)).toBe(false);
    },
  );

  test("takes the last of a member that is given twice, as terraform does", () => {
    const text = '{"serial":1,"lineage":"a","serial": 22 ,"lineage":"b"}';
    const { serial, lineage, serialAt } = scan(text, 3);
    expect({ serial, lineage }).toEqual({ serial: 22, lineage: "b" });
    expect(text.slice(...(serialAt ?? []))).toBe("22");
  });

  test.each(["lineage", "terraform_version"])("refuses half a character in the %s", (member) => {
    expect(() => scan(`{"${member}":"\\ud800-x"}`, 5)).toThrow(
      expect.objectContaining({
        status: 422,
        errors: [expect.objectContaining({ pointer: `#/${member}` })],
      }),
    );
  });
});
