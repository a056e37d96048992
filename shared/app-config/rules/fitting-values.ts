import { type Found, type Rule, tablesAt, tablesOf, type Tell, textIn } from "./rule.ts";

/** Defaults of inputs are what their types say; secrets are copied to somewhere. */
export const fittingValues: Rule = (tree, tell) => {
  const inputs = [
    ...tablesAt(tree, "inputs", "input"),
    ...tablesAt(tree, "runbooks").flatMap((one) => tablesOf(one, "input")),
  ];
  for (const input of inputs) checkDefault(input, tell);
  for (const secret of tablesAt(tree, "secrets", "secret")) checkCopies(secret, tell);
};

function checkDefault(input: Found, tell: Tell): void {
  const { value, path } = input;
  const given = value["default"];
  const type = textIn(input, "type") ?? "string";
  const fits = fitting[type];
  if (given === undefined || fits === undefined || fits.check(given)) return;
  tell(
    [...path, "default"],
    "wrong_type",
    `default must be ${fits.words}: the input's type is ${type}`,
  );
}

const isText = (value: unknown): value is string => typeof value === "string";

const fitting: Readonly<
  Record<
    string,
    { readonly words: string; readonly check: (given: unknown) => boolean } | undefined
  >
> = {
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

function checkCopies({ path, value }: Found, tell: Tell): void {
  const targets = value["kubernetes_sync_targets"];
  if (value["kubernetes_sync"] !== true || Array.isArray(targets)) return;
  for (const member of ["kubernetes_secret_name", "kubernetes_secret_namespace"]) {
    if (value[member] !== undefined) continue;
    const detail = `${member} is missing: a secret with kubernetes_sync needs it, or kubernetes_sync_targets`;
    tell(path, "missing_key", detail);
  }
}
