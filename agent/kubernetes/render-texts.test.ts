import { describe, expect, test } from "vitest";
import { JobFailure } from "../jobs/job-failure.ts";
import { readPlanState, renderTexts } from "./render-texts.ts";

const member = {
  state: { inputs: { inputs: { level: 3, password: "hunter-2-hunter" } } },
  state_sensitive: { inputs: { inputs: { password: true } } },
};

function rendered(text: string, given: unknown = member, plan: object = {}) {
  const secrets: string[] = [];
  const job = { addSecret: (secret: string) => void secrets.push(secret) };
  const [made] = renderTexts(job, [{ name: "map.yaml", text }], readPlanState(given, plan));
  return { text: made?.text, secrets };
}

describe("a file of an artifact", () => {
  test("is rendered with what its plan knows, by each name that svc has", () => {
    const text = "level: {{ .svc.inputs.inputs.level }}\nhelm: {{ .Values.level }}\n";
    expect(rendered(text).text).toBe("level: 3\nhelm: {{ .Values.level }}\n");
    const branded = "level: {{ .acme.inputs.inputs.level }}";
    expect(rendered(branded, member, { brands: ["acme"] }).text).toBe("level: 3");
  });

  test("stays as it is where the plan knows nothing for it", () => {
    const text = "level: {{ .svc.inputs.inputs.level }}";
    for (const none of [{}, { state: null }, null]) expect(rendered(text, none).text).toBe(text);
  });

  test("has what is made of sensitive values kept out of logs", () => {
    const { text, secrets } = rendered("key: {{ .svc.inputs.inputs.password | b64enc }}");
    expect(text).toBe("key: aHVudGVyLTItaHVudGVy");
    expect(secrets).toContain("aHVudGVyLTItaHVudGVy");
  });

  test("that reads what is not there is refused by its name and line", () => {
    const act = () => rendered("a: 1\nb: {{ .svc.inputs.inputs.size }}\nc: {{ .svc.labels.x }}\n");
    expect(act).toThrow(/^map\.yaml:2: \.svc\.inputs\.inputs\.size is missing.*\nmap\.yaml:3: /);
    expect(failureOf(act).metadata).toMatchObject({ class: "missing_value" });
    const bad = () => rendered("a: {{ .svc.inputs.inputs.level | fromJson | toJson | upper 1 }}");
    expect(failureOf(bad).metadata).toMatchObject({ class: "render_failed" });
  });
});

function failureOf(act: () => unknown): JobFailure {
  try {
    act();
  } catch (error) {
    if (error instanceof JobFailure) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
