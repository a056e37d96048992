import { expect, test } from "vitest";
import type { AgentConfig } from "../config/read-config.ts";
import type { Claimed } from "../jobs/run-job.ts";
import { podJob, podSecret } from "./pod-plan.ts";

const env = { https_proxy: "http://me:swordfish@proxy.example:3128", NO_PROXY: "10.0.0.0/8" };
const config = {
  env,
  given: {},
  brokerUrl: "https://broker.example",
  cancelTimeout: 0,
  flushTimeout: 0,
  executorKeep: 0,
  executorName: "svc-agent",
} as unknown as AgentConfig; // what a pod is made of
const claimed = {
  job: { id: "job_1", type: "noop", group: "actions" },
  execution: { id: "exe_1" },
  token: "t",
  deadline: "2026-01-01T00:00:00Z",
} as unknown as Claimed;

test("a pod has the agent's proxies by its Secret, where its template says no others", () => {
  const settings = {} as Parameters<typeof podSecret>[2]["settings"];
  expect(podSecret(config, "run_1", { claimed, settings })).toMatchObject({
    HTTPS_PROXY: env.https_proxy,
    NO_PROXY: expect.stringMatching(/^10\.0\.0\.0\/8,169\.254\.169\.254,/) as string,
  });
  const template = { spec: { containers: [{ name: "job", env: [{ name: "no_proxy" }] }] } };
  const told = JSON.stringify(podJob({ config, namespace: "n", template }, claimed));
  expect(told).toMatch(
    /\{"name":"HTTPS_PROXY","valueFrom":\{"secretKeyRef":\{"name":"[^"]+","key":"HTTPS_PROXY"\}\}\}/,
  );
  expect(told).not.toMatch(/swordfish|"key":"NO_PROXY"/);
});
