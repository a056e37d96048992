import { opaAdvice } from "../../shared/policies/find-opa.ts";
import { Problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Asking } from "./changes-between.ts";
import type { CheckedPolicy } from "./work/check-config.ts";

type Remark = {
  readonly file: string;
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
};

/**
 * Has OPA read the policies of a config that are new in it: 422 with what is wrong in them. Answers what is to be warned of: they are not
 * checked where there is no OPA, or where it takes too long.
 */
export async function checkPolicies(
  { opa }: Pick<Broker, "opa">,
  { actor: { orgId }, gone }: Pick<Asking, "actor" | "gone">,
  policies: readonly CheckedPolicy[],
  texts: readonly Uint8Array[],
): Promise<readonly Remark[]> {
  if (policies.length === 0) return [];
  const program = await opa.find();
  if (program === undefined) return [withoutOpa];
  const contents = texts.map((text) => Buffer.from(text).toString("utf8"));
  const found = await opa.check(program, { orgId, contents }, gone);
  const faults = policies.flatMap(({ at, name }, nth) =>
    (found[nth] ?? []).map(({ line, detail }) => ({
      ...placeOf(at),
      line: null,
      column: null,
      code: "bad_rego",
      detail: `contents of the policy ${name}${line === undefined ? "" : `, line ${line}`}: ${detail}`,
    })),
  );
  if (faults.length > 0) throw refusal(faults);
  return policies.flatMap(({ at, name }, nth) =>
    found[nth] === undefined
      ? [
          {
            ...placeOf(at),
            code: "policy_unavailable",
            detail: `the policy ${name} was not checked: OPA took too long`,
          },
        ]
      : [],
  );
}

const file = "policies.toml";

const withoutOpa: Remark = {
  file,
  pointer: `#/${file}`,
  code: "policy_unavailable",
  detail: `the broker has no OPA: policies are not checked, and what they judge ends as an error. ${opaAdvice}`,
};

const placeOf = (at: number) => ({ file, pointer: `#/${file}/policy/${at}/contents` });

function refusal(faults: readonly Remark[]): Problem {
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return new Problem({
    status: 422,
    code: "invalid",
    detail: `${file}: ${faults[0]?.detail ?? ""}${more}`,
    errors: faults as unknown as Problem["errors"], // with the file besides, as all faults of configs
    members: { error_count: faults.length },
  });
}
