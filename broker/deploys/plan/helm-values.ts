import {
  isList,
  isMap,
  isNumber,
  type Json,
  jsonOf,
  type JsonObject,
} from "../../../shared/app-config/templates/json-value.ts";

/** A value that helm sets by its path. */
type SetValue = { readonly name: string; readonly value: string; readonly type?: "string" };

/** What a config gives a chart, as helm can be told it. */
type HelmValues = {
  readonly values: readonly SetValue[];
  /** JSON of what cannot be set by a path; it comes last. */
  readonly override: string | undefined;
};

/**
 * Values by their paths; maps and lists are set member by member, so that each keeps its type. What has another type (a fraction, an
 * empty list) becomes a document; `unset` is the name of one that can be neither.
 */
export function helmValues(given: JsonObject): HelmValues | { readonly unset: string } {
  const values: SetValue[] = [];
  let override: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    const set = setOf(name, value);
    if (set !== undefined) values.push(...set);
    else if (!plainPath.test(name)) return { unset: name };
    else override = merged(override, nested(name.split("."), value));
  }
  const hasMore = Object.keys(override).length > 0;
  return { values, override: hasMore ? JSON.stringify(override) : undefined };
}

const plainPath = /^[^.[\]\\]+(?:\.[^.[\]\\]+)*$/;
/** Of longer numbers helm makes texts. */
const wholeNumber = /^-?(?:0|[1-9]\d{0,14})$/;
const mostIndex = 1_000;

/** Undefined where a part of it cannot be set so. */
function setOf(name: string, value: Json): SetValue[] | undefined {
  if (typeof value === "string") return [{ name, value, type: "string" }];
  if (value === null || typeof value === "boolean") return [{ name, value: String(value) }];
  if (isNumber(value)) {
    const text = jsonOf(value);
    return wholeNumber.test(text) ? [{ name, value: text }] : undefined;
  }
  const members = isList(value)
    ? value.map((one, at) => setOf(`${name}[${at}]`, one))
    : Object.entries(isMap(value) ? value : {}).map(([key, one]) =>
        key === "" ? undefined : setOf(`${name}.${escaped(key)}`, one),
      );
  if (members.length === 0 || (isList(value) && members.length > mostIndex)) return undefined;
  const whole = members.filter((one) => one !== undefined);
  return whole.length === members.length ? whole.flat() : undefined;
}

const escaped = (key: string): string => key.replaceAll(/[\\.[\]]/g, (letter) => `\\${letter}`);

const nested = ([first = "", ...more]: readonly string[], value: Json): JsonObject => ({
  [first]: more.length === 0 ? value : nested(more, value),
});

/** Both, and of what both have the second, but for maps. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  const shared = Object.entries(other).map(([key, value]) => {
    const known = Object.hasOwn(one, key) ? one[key] : undefined;
    const isBoth = known !== undefined && isMap(known) && isMap(value);
    return [key, isBoth ? merged(known, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(shared) };
}
