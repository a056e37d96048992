import { expect, test } from "vitest";
import { createClient } from "../create-client.ts";

test("who shows a certificate that is not trusted is asked once", async () => {
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    const cause = { code: "CERT_HAS_EXPIRED" };
    return await Promise.reject(new TypeError("fetch failed", { cause }));
  };
  await expect(createClient({ url: "https://svc", fetch }).get("/v1/x")).rejects.toMatchObject({
    code: "untrusted",
    message: "The broker's certificate is not trusted (CERT_HAS_EXPIRED).",
  });
  expect(asked).toBe(1);
});

test("a redirect is told by where it leads, without what may be secret there", async () => {
  const location = "https://other.example.com/x?token=secret";
  const fetch = async () =>
    await Promise.resolve(new Response(null, { status: 307, headers: { location } }));
  await expect(createClient({ url: "https://svc", fetch }).get("/v1/x")).rejects.toMatchObject({
    code: "redirected",
    message: expect.stringMatching(/^(?!.*secret).*to https:\/\/other\.example\.com,/) as string,
  });
});
