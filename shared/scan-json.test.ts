import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanJson, toPointer } from "./scan-json.ts";

const scan = (text: string, verbatim: string[] = []) => scanJson(text, { maxDepth: 64, verbatim });

function reachesForPrototype(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, member]) =>
      key === "__proto__" ||
      (key === "constructor" && Object.keys(Object(member) as object).includes("prototype")) ||
      reachesForPrototype(member),
  );
}

describe("a scan of JSON", () => {
  test("finds nothing in what JSON.stringify wrote", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        fc.constantFrom(undefined, 2),
        (value, indent) => {
          const text = JSON.stringify(value, undefined, indent);
          const found = scan(text);
          const told = { nul: undefined, loneSurrogate: undefined, forbiddenKey: undefined };
          expect({ ...found, ...told }).toEqual({ raw: new Map() });
          expect(found.forbiddenKey !== undefined).toBe(reachesForPrototype(value));
          expect(found.nul !== undefined).toBe(/(?<!\\)(?:\\\\)*\\u0000/.test(text));
        },
      ),
    );
  });

  test("keeps the source text of a member, byte for byte", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        fc.constantFrom(undefined, 1, "\t"),
        (plan, other, indent) => {
          const text = JSON.stringify({ other, plan, after: other }, undefined, indent);
          const raw = scan(text, ["plan"]).raw.get("#/plan");
          expect(text).toContain(raw);
          expect(JSON.parse(raw ?? "")).toEqual(JSON.parse(JSON.stringify(plan)));
          expect(raw).toBe(raw?.trim());
        },
      ),
    );
  });

  test("keeps members of each element, and only at their own depth", () => {
    const text = `{"plan":0,"jobs":[{"plan": {"plan":1e2 } },{},{"x":{"plan":3},"plan":"\\u00e9,}"}]}`;
    expect([...scan(text, ["jobs.*.plan"]).raw]).toEqual([
      ["#/jobs/0/plan", `{"plan":1e2 }`],
      ["#/jobs/2/plan", `"\\u00e9,}"`],
    ]);
  });

  test("ends on any text, JSON or not", () => {
    fc.assert(fc.property(fc.string(), (text) => scan(text).raw.size === 0));
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        (text, cut) => scan(text.slice(0, cut % text.length)).raw.size === 0,
      ),
    );
  });

  test("finds a key given twice, however it is written", () => {
    expect(scan(`{"a":1,"b":{"c":1,"d":[0,{"e":1,"\\u0065":2}]}}`).duplicateKey).toBe("#/b/d/1/e");
    expect(scan(`{"a":{"x":1},"b":{"x":1},"x":["x","x"]}`).duplicateKey).toBeUndefined();
    const many = Array.from({ length: 40 }, (_, at) => `"k${at}":0`);
    expect(scan(`{${many.join()}}`).duplicateKey).toBeUndefined();
    expect(scan(`{${many.join()},"k31":1}`).duplicateKey).toBe("#/k31");
  });

  test("counts the keys that a repeated key hides", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.jsonValue())), (members) => {
        const text = `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`;
        const isRepeated = new Set(members.map(([key]) => key)).size < members.length;
        expect(scan(text).duplicateKey !== undefined).toBe(isRepeated);
      }),
    );
  });

  test.each([
    [`{"a":{"__proto__":{}}}`, "#/a/__proto__"],
    [`{"\\u005f_proto__":1}`, "#/__proto__"],
    [`[{"constructor":{"prototype":{}}}]`, "#/0/constructor/prototype"],
    [`{"constructor":"x","prototype":1,"value":"__proto__"}`, undefined],
  ])("finds the key that reaches for a prototype in %s", (text, pointer) => {
    expect(scan(text).forbiddenKey).toBe(pointer);
  });

  test("finds a NUL and half a surrogate pair, in values and in keys", () => {
    expect(scan(`{"a":["b","c\\u0000"]}`).nul).toBe("#/a/1");
    expect(scan(`{"a\\u0000":1}`).nul).toBe("#/a\0");
    expect(scan(`{"a":"\\\\u0000"}`).nul).toBeUndefined();
    expect(scan(`{"a":"\\ud83d\\ude00"}`).loneSurrogate).toBeUndefined();
    expect(scan(`{"a":"\\ud83d!"}`).loneSurrogate).toBe("#/a");
  });

  test("stops where the text is deeper than allowed", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(scan(nested(64)).tooDeep).toBeUndefined();
    expect(scan(nested(65)).tooDeep).toBe("#" + "/0".repeat(64));
    expect(scan("[".repeat(1_000_000)).tooDeep).toBeDefined();
  });

  test("writes pointers with their two escapes", () => {
    expect(toPointer(["a/b", 0, "~"])).toBe("#/a~1b/0/~0");
  });

  test("cuts pointers that are longer than a thousand letters", () => {
    const long = "k".repeat(998);
    expect(toPointer([long])).toBe(`#/${long}`);
    expect(toPointer([`${long}k`])).toBe(`#/${long}…`);
    expect(toPointer(["a", long.repeat(10_000), "b"])).toBe(`#/a/${"k".repeat(996)}…`);
    expect(scan(`{"${long}${long}":1,"${long}${long}":2}`).duplicateKey).toBe(`#/${long}…`);
  });
});
