import { createHash } from "node:crypto";
import { parseExactly } from "../../../parse-exactly.ts";
import { isList, isMap, type Json, jsonOf, type JsonObject, textOf } from "../json-value.ts";
import { RenderError, type RenderWork } from "../render-work.ts";
import { type Taint, taintOfMembers } from "../taint.ts";
import { textAt, wrongKind } from "./arguments.ts";
import { prettyJson } from "./pretty-json.ts";
import type { TemplateFunction } from "./template-function.ts";

/** Functions that make values of other kinds. */
export const valueFunctions: readonly TemplateFunction[] = [
  {
    name: "toString",
    values: "A",
    takes: [1, 1],
    is: "A as it is written within a text.",
    compute: ([value = null], work) => {
      spendTable(value, work);
      return textOf(value);
    },
  },
  {
    name: "toJson",
    values: "A",
    takes: [1, 1],
    is: "A as JSON, maps in the order of their keys.",
    compute: ([value = null], work) => {
      work.spendValue(value);
      return jsonOf(value);
    },
  },
  {
    name: "toPrettyJson",
    values: "A",
    takes: [1, 1],
    is: "A as JSON in lines, two spaces deeper for each level, maps in the order of their keys.",
    compute: ([value = null], work) => prettyJson(value, work),
  },
  {
    name: "fromJson",
    values: "TEXT",
    takes: [1, 1],
    is: "The value that a JSON text is.",
    compute: (values, work) => parsed(textAt("fromJson", values, 0), work),
  },
  ofText("b64enc", "TEXT in base64.", (text) => Buffer.from(text).toString("base64")),
  ofText("b64dec", "The text that is TEXT in base64.", decoded),
  ofText("sha256sum", "The SHA-256 of TEXT in hexadecimal.", (text) =>
    createHash("sha256").update(text).digest("hex"),
  ),
  {
    name: "list",
    values: "A …",
    takes: [0, 100],
    is: "A list of the values.",
    compute: (values) => values,
    taintOf: (_, taints) =>
      taintOfMembers([...taints.entries()].map(([at, taint]) => [String(at), taint] as const)),
  },
  {
    name: "dict",
    values: "KEY A …",
    takes: [0, 100],
    is: "A map of keys and values; a key without a value has the empty text.",
    compute: (values, work) => mapOf(values, work),
    taintOf: taintOfMap,
  },
  {
    name: "len",
    values: "A",
    takes: [1, 1],
    is: "The bytes of a text, the values of a list, the members of a map.",
    compute: ([value = null], work) => {
      if (typeof value === "string") return Buffer.byteLength(value);
      if (isList(value)) return value.length;
      if (isMap(value)) {
        const { length } = Object.keys(value);
        work.spend(Math.ceil(length / 8));
        return length;
      }
      throw wrongKind("len", "a text, a list or a map", value);
    },
  },
];

function ofText(name: string, is: string, change: (text: string) => string): TemplateFunction {
  const compute = (values: readonly Json[]) => change(textAt(name, values, 0));
  return { name, values: "TEXT", takes: [1, 1], is, compute };
}

function spendTable(value: Json, work: RenderWork): void {
  if (isList(value) || isMap(value)) work.spendValue(value);
}

function parsed(text: string, work: RenderWork): Json {
  const [value, ...more] = listOf(text);
  if (value === undefined || more.length > 0) throw noJson();
  work.spendValue(value);
  return value;
}

/** Within a list, for `parseExactly` takes no number that stands alone. */
function listOf(text: string): readonly Json[] {
  try {
    return parseExactly(`[${text}]`) as readonly Json[]; // the brackets see to it
  } catch {
    throw noJson();
  }
}

/** Without the parser's words, which show the text. */
const noJson = (): RenderError => new RenderError("fromJson takes JSON, and this text is none");

function decoded(text: string): string {
  const letters = text.replaceAll(/[\r\n]/g, "");
  const isBase64 = letters.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(letters);
  if (!isBase64) throw new RenderError("b64dec takes base64, and this text is none");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(letters, "base64"),
    );
  } catch {
    throw new RenderError("b64dec gives texts, and what is in this base64 is none");
  }
}

function mapOf(values: readonly Json[], work: RenderWork): JsonObject {
  const members: [string, Json][] = [];
  for (let at = 0; at < values.length; at += 2) {
    const key = values[at] ?? null;
    spendTable(key, work);
    members.push([textOf(key), at + 1 < values.length ? (values[at + 1] ?? null) : ""]);
  }
  return Object.fromEntries(members);
}

/** One with a sensitive key is sensitive as a whole. */
function taintOfMap(values: readonly Json[], taints: readonly Taint[]): Taint {
  const members: [string, Taint][] = [];
  for (let at = 0; at < values.length; at += 2) {
    if (taints[at] !== undefined) return true;
    members.push([textOf(values[at] ?? null), taints[at + 1]]);
  }
  return taintOfMembers(members);
}
