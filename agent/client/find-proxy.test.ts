import { describe, expect, test } from "vitest";
import { findProxy } from "./find-proxy.ts";

const broker = new URL("https://broker.example.com:8443");
const HTTPS_PROXY = "http://proxy.example.com:3128";

describe("the proxy of a request", () => {
  test("is that of its scheme, in either spelling", () => {
    expect(findProxy(broker, { HTTPS_PROXY })?.host).toBe("proxy.example.com:3128");
    expect(findProxy(broker, { https_proxy: HTTPS_PROXY })?.host).toBe("proxy.example.com:3128");
    expect(findProxy(broker, { HTTP_PROXY: HTTPS_PROXY })).toBeUndefined();
    expect(findProxy(broker, { HTTPS_PROXY: "" })).toBeUndefined();
  });

  test.each([
    "*",
    "broker.example.com",
    "BROKER.example.com:8443",
    ".example.com",
    "*.example.com",
    "a, .example.com",
  ])("is none where NO_PROXY says %s", (NO_PROXY) => {
    expect(findProxy(broker, { HTTPS_PROXY, NO_PROXY })).toBeUndefined();
  });

  test.each(["example.com", "broker.example.com:443", ".example.org", "oker.example.com"])(
    "stands where NO_PROXY says %s",
    (NO_PROXY) => {
      expect(findProxy(broker, { HTTPS_PROXY, NO_PROXY })).toBeDefined();
    },
  );

  test("is none for an address in a range", () => {
    const env = { HTTPS_PROXY, NO_PROXY: "10.0.0.1-10.0.0.9" };
    expect(findProxy(new URL("https://10.0.0.5"), env)).toBeUndefined();
    expect(findProxy(new URL("https://10.0.0.10"), env)).toBeDefined();
  });
});
