import type { AppConfigDocument } from "../app-config/config-files.ts";
import { nameKey } from "../app-config/rules/rule.ts";

/** A policy as a config has it. */
export type ConfigPolicy = NonNullable<AppConfigDocument["policies"]>["policy"][number];
export type PolicyType = ConfigPolicy["type"];

type Judged = {
  readonly type: PolicyType;
  /** The component's name, where it is one. */
  readonly component?: string | undefined;
  /** It is to be torn down: only what says so judges that. */
  readonly isTeardown?: boolean;
};

/** The policies of a config that OPA evaluates for something. */
export function choosePolicies(
  { policies }: Pick<AppConfigDocument, "policies">,
  { type, component, isTeardown = false }: Judged,
): readonly ConfigPolicy[] {
  return (policies?.policy ?? []).filter(
    (one) =>
      one.type === type &&
      isOpa(one) &&
      (!isTeardown || one.apply_on_teardown === true) &&
      (component === undefined || isAbout(one, component)),
  );
}

/** The policies of clusters that a config has, by the names of their files: the sandbox applies them there. */
export const kyvernoPolicies = ({
  policies,
}: Pick<AppConfigDocument, "policies">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (policies?.policy ?? [])
      .filter((one) => one.type === "kubernetes_cluster" && !isOpa(one))
      .map(({ name, contents }) => [`${name}.yaml`, contents]),
  );

/** Whether OPA evaluates it. */
export const isOpa = ({ type, engine = defaultOf(type) }: ConfigPolicy): boolean =>
  engine === "opa";

const defaultOf = (type: PolicyType) => (type === "kubernetes_cluster" ? "kyverno" : "opa");

/** Whether it is about a component: it names it, or none. */
export function isAbout({ components = [] }: ConfigPolicy, component: string): boolean {
  if (components.length === 0) return true;
  return components.some((name) => name === "*" || nameKey(name) === nameKey(component));
}
