import { expect, test } from "vitest";
import { presignedUrl, signedHeaders } from "./sign-v4.ts";

// Both with the signatures that AWS' own documentation tells.

test("a request is signed as AWS' test suite has it (get-vanilla)", () => {
  const keys = {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  };
  const scope = { region: "us-east-1", service: "service", atMs: Date.UTC(2015, 7, 30, 12, 36) };
  const url = new URL("https://example.amazonaws.com/");
  const { authorization } = signedHeaders(
    { method: "GET", url, headers: {}, body: "" },
    keys,
    scope,
  );
  expect(authorization).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  );
});

test("a URL is signed as the documentation of S3 has it", () => {
  const keys = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const scope = { region: "us-east-1", service: "s3", atMs: Date.UTC(2013, 4, 24) };
  const url = new URL("https://examplebucket.s3.amazonaws.com/test.txt");
  const request = { url, headers: {}, expiresSeconds: 86_400, hash: "UNSIGNED-PAYLOAD" };
  expect(new URL(presignedUrl(request, keys, scope)).searchParams.get("X-Amz-Signature")).toBe(
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});
