import { type Brands, rootsOf } from "../../brands.ts";
import { mostClusterPolicies } from "../../policies/most-cluster-policies.ts";
import { packageOf } from "../../policies/package-of.ts";
import { type Found, type Rule, tablesAt, type Tell, textIn, textsOf } from "./rule.ts";

const withoutComponents = ["kubernetes_cluster", "sandbox"];

/** Policies name their components, are of the engine that evaluates their type, and Rego of the package that is asked. */
export const wholePolicies: Rule = (tree, tell) => {
  const room = { bytes: mostClusterPolicies.bytes };
  for (const policy of tablesAt(tree, "policies", "policy")) {
    const type = textIn(policy, "type");
    if (type === undefined) continue;
    checkComponents(policy, type, tell);
    const engine = type === "kubernetes_cluster" ? "kyverno" : "opa";
    const given = textIn(policy, "engine");
    if (given !== undefined && given !== engine && ["opa", "kyverno"].includes(given)) {
      const detail = `engine must be ${engine}: policies of type ${type} are evaluated by it`;
      tell([...policy.path, "engine"], "engine_mismatch", detail);
    }
    const contents = textIn(policy, "contents");
    if (engine === "kyverno") takeRoom(policy, contents ?? "", { room, tell });
    if (engine === "opa" && contents !== undefined) checkRego(policy, contents, tell);
  }
};

type Room = { readonly room: { bytes: number }; readonly tell: Tell };

/** They travel in a plan together. Told once, of the first that finds no room; a config has no more of them than a plan takes. */
function takeRoom(policy: Found, contents: string, { room, tell }: Room): void {
  const hadRoom = room.bytes >= 0;
  room.bytes -= Buffer.byteLength(contents);
  if (!hadRoom || room.bytes >= 0) return;
  const { bytes } = mostClusterPolicies;
  const detail = `policies of kubernetes_cluster have at most ${bytes} bytes together: with this one they have more`;
  tell([...policy.path, "contents"], "bad_value", detail);
}

function checkComponents(policy: Found, type: string, tell: Tell): void {
  const names = textsOf(policy, "components");
  if (withoutComponents.includes(type)) {
    if (names.some(({ text }) => text !== "*"))
      tell(
        [...policy.path, "components"],
        "bad_value",
        `components does not go with the type ${type}`,
      );
    return;
  }
  if (names.length > 1 && names.some(({ text }) => text === "*"))
    tell([...policy.path, "components"], "bad_value", 'components must be names, or only "*"');
}

/** What can be told without an engine: the first thing of Rego is its package. */
function checkRego(policy: Found, contents: string, tell: Tell): void {
  if (rootsOf(tell.brands).includes(packageOf(contents))) return;
  tell(
    [...policy.path, "contents"],
    "bad_rego",
    `contents must be Rego that begins with ${packages(tell.brands)}`,
  );
}

const packages = (brands: Brands): string =>
  rootsOf(brands)
    .map((root) => `\`package ${root}\``)
    .join(" or ");
