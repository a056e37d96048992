/** What a value of an input of this type must be; undefined for a type that there is not. */
export function inputShape(type: string): Shape | undefined {
  return Object.hasOwn(shapes, type) ? shapes[type] : undefined;
}

const isText = (value: unknown): value is string => typeof value === "string";

type Shape = { readonly words: string; readonly check: (given: unknown) => boolean };

const shapes: Readonly<Record<string, Shape>> = {
  string: { words: "a text", check: isText },
  number: {
    words: "a number",
    check: (given) =>
      typeof given === "number" ||
      (isText(given) && given.trim() !== "" && Number.isFinite(Number(given))),
  },
  bool: {
    words: "true or false",
    check: (given) => typeof given === "boolean" || given === "true" || given === "false",
  },
  list: {
    words: "a list",
    check: (given) => Array.isArray(given) || (isText(given) && isJsonList(given)),
  },
  json: {
    words: "a text that is JSON",
    check: (given) => isText(given) && parsed(given) !== undefined,
  },
  yaml: { words: "a text", check: isText },
  hcl: { words: "a text", check: isText },
};

const isJsonList = (text: string): boolean => Array.isArray(parsed(text)?.value);

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
