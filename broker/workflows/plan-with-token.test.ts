import fc from "fast-check";
import { expect, test } from "vitest";
import { planWithToken } from "./plan-with-token.ts";

const anyText = fc.oneof(
  fc.string(),
  fc.constantFrom('"secrets":["x"]', '","builtin_env_vars":{"a":"b"}', "secrets", '\\"secrets":['),
);
const words = fc.dictionary(fc.oneof(anyText, fc.constant("builtin_env_vars")), anyText);

test("whatever texts a plan has, the token becomes a variable and a secret of it, and nothing else changes", () => {
  const anyPlan = fc.record(
    {
      id: anyText,
      steps: fc.array(fc.record({ name: anyText, interpolated_env_vars: words })),
      builtin_env_vars: words,
      override_env_vars: words,
      secrets: fc.array(anyText),
    },
    { requiredKeys: ["id", "steps", "builtin_env_vars", "override_env_vars"] },
  );
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const made = JSON.parse(planWithToken(JSON.stringify(plan), "svcr_a")) as typeof plan;
      expect(made).toEqual({
        ...plan,
        builtin_env_vars: { ...plan.builtin_env_vars, SVC_API_TOKEN: "svcr_a" },
        secrets: ["svcr_a", ...(plan.secrets ?? [])],
      });
    }),
  );
});
