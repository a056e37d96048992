import { expect, test } from "vitest";
import { syncedSecrets } from "../install-secrets/synced-secrets.ts";
import { secretsState } from "./secrets-state.ts";

const place = { arn: "", gcp_secret_name: "projects/a/secrets/b", azure_key_vault_secret_id: "" };
const synced = {
  kubernetes_namespace: "shop",
  kubernetes_name: "token",
  kubernetes_key: "value",
  length: 12,
  exists: true,
  timestamp: "2026-01-02T03:04:05.678Z",
};

test("a state tells where secrets are, and what the last sync told of them", () => {
  const state = secretsState([
    { name: "token", place, synced },
    { name: "fresh", place },
    { name: "unknown" },
  ]);
  expect(state).toEqual({
    token: { name: "token", ...place, ...synced },
    fresh: { name: "fresh", ...place, length: 0, exists: false },
    unknown: { name: "unknown", length: 0, exists: false },
  });
});

test("of what a sync told, what is known of secrets is kept, and nothing else", () => {
  const outputs = {
    token: { ...synced, name: "token", value: "hunter2", targets: [{ key: "value" }] },
    odd: { ...synced, length: "hunter2" },
    other: synced,
  };
  expect(syncedSecrets(outputs, ["token", "odd", "gone", "constructor"])).toEqual({
    token: synced,
  });
});
