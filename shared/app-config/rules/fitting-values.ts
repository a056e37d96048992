import { inputShape } from "./input-shape.ts";
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
  const fits = inputShape(type);
  if (given === undefined || fits === undefined || fits.check(given)) return;
  tell(
    [...path, "default"],
    "wrong_type",
    `default must be ${fits.words}: the input's type is ${type}`,
  );
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
