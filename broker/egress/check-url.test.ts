import { describe, expect, test } from "vitest";
import type { EgressMode } from "../../shared/network/egress-mode.ts";
import { checkUrl } from "./check-url.ts";

const codeOf = (url: string, mode: EgressMode = "strict") => {
  const checked = checkUrl(url, { mode, opened: [] });
  return checked.isOk ? "ok" : checked.code;
};

const loopbacks = [
  "http://127.0.0.1",
  "http://127.0.0.1:8080/path?x=1",
  "http://127.1/",
  "http://127.0.1",
  "http://127.0.0.1.",
  "http://2130706433/",
  "http://0x7f000001",
  "http://0x7f.0.0.1",
  "http://0x7f.1",
  "http://017700000001",
  "http://0177.0.0.01",
  "http://①②⑦.⓪.⓪.①",
  "http://%31%32%37.0.0.1",
  "http://127。0。0。1",
  "http://0/",
  "http://0.0.0.0",
  "http://[::1]/",
  "http://[0:0:0:0:0:0:0:1]",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]",
  "http://[::ffff:7f00:1]",
  "http://[0:0:0:0:0:ffff:127.0.0.1]",
  "http://[::127.0.0.1]",
  "http://[64:ff9b::127.0.0.1]",
  "http://[2002:7f00:1::]",
  "http://localhost",
  "http://LocalHost:80",
  "http://localhost.",
  "http://x.localhost",
  "HTTPS://127.0.0.1",
];

const metadata = [
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/",
  "http://0xa9fea9fe",
  "http://0xa9.0xfe.0xa9.0xfe",
  "http://0251.0376.0251.0376",
  "http://169.254.43518",
  "http://[::ffff:169.254.169.254]",
  "http://[::ffff:a9fe:a9fe]",
  "http://[fd00:ec2::254]",
  "http://[fe80::1]",
  "http://168.63.129.16",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://METADATA",
];

describe("the check of a URL", () => {
  test.each(loopbacks)("refuses %s in strict mode", (url) => {
    expect(codeOf(url)).toBe("blocked_address");
    expect(codeOf(url, "internal")).toBe("ok");
    expect(codeOf(url, "off")).toBe("ok");
  });

  test.each(metadata)("refuses %s in internal mode, too", (url) => {
    expect(codeOf(url)).toBe("blocked_address");
    expect(codeOf(url, "internal")).toBe("blocked_address");
    expect(codeOf(url, "off")).toBe("ok");
  });

  test.each([
    "https://example.com",
    "http://example.com:8080/a?b=c&d=@",
    "https://münchen.example/ü",
    "https://8.8.8.8/",
    "https://[2606:4700:4700::1111]/",
    "https://example.com/user@host",
    `https://example.com/${"a".repeat(2028)}`,
  ])("takes %s", (url) => {
    expect(codeOf(url)).toBe("ok");
  });

  test.each([
    "",
    "example.com",
    "/path",
    "//example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http:",
    "http://",
    "http:///path",
    "http:example.com",
    "http:/example.com",
    String.raw`http:\\example.com`,
    String.raw`http://example.com\@127.0.0.1`,
    "http://?x",
    "http://#x",
    "http://exa mple.com",
    "http://example.com/a b",
    " http://example.com",
    "ht\ntp://example.com",
    "http://example.com/\r\nX-A: b",
    "http://example.com/\u0000",
    "http://example.com/\u0085",
    "http://user@example.com",
    "http://user:secret@example.com",
    "http://:secret@example.com",
    "http://@example.com",
    "http://example.com/#fragment",
    "http://example.com/#",
    "http://1.2.3.4.5",
    "http://foo.0x1",
    "http://[::1",
    "http://[fe80::1%25eth0]/",
    "http://example.com:99999",
    `https://example.com/${"a".repeat(2029)}`,
  ])("refuses %j as no URL for calls, in every mode", (url) => {
    for (const mode of ["strict", "internal", "off"] as const) {
      expect(codeOf(url, mode)).toBe("invalid_url");
    }
  });

  test("says why, and what an operator can do, without path and query", () => {
    const strict = { mode: "strict", opened: [] } as const;
    const loopback =
      "Calls to 127.0.0.1 are not allowed: loopback. Whoever operates this broker can open it with SVC_EGRESS_ALLOW=127.0.0.1:80.";
    expect(checkUrl("http://0x7f.1:80/hook?token=hunter2", strict)).toEqual({
      isOk: false,
      code: "blocked_address",
      detail: loopback,
    });
    const metadata = checkUrl("https://[fd00:ec2::254]/", strict);
    expect(metadata).toMatchObject({
      detail:
        "Calls to [fd00:ec2::254] are not allowed: cloud metadata of AWS. SVC_EGRESS_ALLOW does not open it.",
    });
    const refused = checkUrl("http://user:hunter2@example.com/?token=hunter2", strict);
    expect(JSON.stringify(refused)).not.toContain("hunter2");
  });
});
