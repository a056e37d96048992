import { expect, test } from "vitest";
import { openConnection } from "./connection.ts";
import { targetUrl } from "./target-url.ts";

const { base } = openConnection({ url: "https://broker.example:8420/svc/" });

test("a target is below the base, its values and its query encoded", () => {
  const target = {
    path: "/v1/apps/{app_id}/installs",
    params: { app_id: "a/b ?#%2e" },
    query: { status: ["a", "b"], limit: 5, cursor: "", q: undefined, "a&b": "c=d" },
  };
  expect(targetUrl(base, target)).toBe(
    "https://broker.example:8420/svc/v1/apps/a%2Fb%20%3F%23%252e/installs?status=a&status=b&limit=5&cursor=&a%26b=c%3Dd",
  );
});

test.each([
  ["@evil.example/", {}],
  ["//evil.example/../..", {}],
  ["/\\evil.example", {}],
  ["https://evil.example/", {}],
  ["/v1/x?y=1", {}],
  ["/v1/{id}/x", { id: ".." }],
  ["/v1/{id}/x", { id: "." }],
  ["/v1/{id}/x", { id: "" }],
  ["/v1/{id}/x", {}],
  ["/v1/{id}/x", { id: null }],
])("%s with %j leads nowhere", (path, params) => {
  expect(() => targetUrl(base, { path, params })).toThrow(TypeError);
});

test.each([
  "broker.example",
  "ftp://broker.example",
  "https://user:secret@broker.example",
  "https://broker.example?x=secret",
])("%s is no address, and is not repeated", (url) => {
  expect(() => openConnection({ url })).toThrow(/^The client's url (?!.*secret)/);
});

test.each(["", "with space", "with\nline", "ü"])(
  "%j is no token, and is not repeated",
  async (token) => {
    const { headers } = openConnection({ url: "https://broker.example", token });
    await expect(headers()).rejects.toThrow(
      /^The client's token is empty, or has characters that no token has\.$/,
    );
  },
);
