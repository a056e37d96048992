import { describe, expect, test } from "vitest";
import { mintToken } from "../../shared/token.ts";
import { cutAt, streamed } from "../../test/support/agent/redacted-stream.ts";
import { makeRedactor } from "./redactor.ts";

describe("tokens", () => {
  const key = `-----BEGIN EC PRIVATE KEY-----\n${"MHcCAQEEIIrYSSNQFaA2\n".repeat(4)}-----END EC PRIVATE KEY-----`;
  const jwt = [{ alg: "RS256" }, { sub: "somebody", of: 1 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .concat("c2lnbmF0dXJl_-c2ln")
    .join(".");
  const samples = [
    mintToken("rt"),
    mintToken("boot"),
    `AKIA${"ABCD2345".repeat(2)}`,
    `ghp_${"aB3d".repeat(9)}`,
    `github_pat_${"aB3_".repeat(15)}`,
    `glpat-${"aB3-".repeat(5)}`,
    `xoxb-${"1234-".repeat(6)}x`,
    jwt,
    key,
  ];

  test.each(samples)("are found by their looks, cut anywhere: %s", (token) => {
    const redactor = makeRedactor([]);
    const source = Buffer.from(`before ${token}\n"after"`);
    for (let cut = 0; cut <= source.length; cut++) {
      expect(streamed(redactor, cutAt(source, [cut]))).toBe('before ***\n"after"');
    }
    for (const shift of ["", "a", "ab"]) {
      const encoded = Buffer.from(`${shift}${token}`).toString("base64");
      const out = redactor.redactText(`data: ${encoded} end`);
      expect(out).toMatch(/^data: .{0,4}\*\*\*=* end$/);
    }
  });

  test("in JSON, in URLs and in headers are found too", () => {
    const { redactText } = makeRedactor([]);
    expect(redactText(`{"key":${JSON.stringify(`${key}\n`)},"b":1}`)).toBe(
      '{"key":"***\\n","b":1}',
    );
    expect(redactText("git clone https://me:pass@github.com/a/b")).toBe(
      "git clone ***@github.com/a/b",
    );
    expect(redactText(`Authorization: Bearer ${"abc.".repeat(9)}`)).toBe("Authorization: ***");
    expect(redactText("Bearer authentication failed")).toBe("Bearer authentication failed");
  });

  test("whose end never comes do not hold the output for ever", () => {
    const stream = makeRedactor([]).stream();
    const head = stream.push(Buffer.from("-----BEGIN PRIVATE KEY-----\n"));
    expect(head).toHaveLength(0);
    const rest = Array.from({ length: 400 }, () => stream.push(Buffer.from(`${"A".repeat(64)}\n`)));
    expect(Buffer.concat(rest).toString().slice(0, 3)).toBe("***");
  });

  test.each([
    ["", "a beginning alone"],
    ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(20), "a key that is cut off"],
    ["Proc-Type: 4,ENCRYPTED\n\n" + "A".repeat(64), "a key that is cut off within a line"],
    ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nshort=\n", "a key without its last line"],
  ])("whose end never comes do not swallow the rest of a log: %j", (body) => {
    const redactor = makeRedactor([]);
    const begun = `-----BEGIN RSA PRIVATE KEY-----\n${body}`;
    const log = "Plan: 3 to add, 0 to change.\nApply complete\n".repeat(500);
    const source = Buffer.from(`${begun}\n${log}`);
    const out = streamed(redactor, [source]);
    expect(out.replace(/^\*+\s+/, "")).toBe(log);
    const stream = redactor.stream();
    // Two lines tell that it is no key: what was held back is there as soon as they are.
    const first = stream.push(Buffer.from(`${begun}\nno key at all\nnor here\n`)).toString();
    expect(first).toContain("no key at all\n");
    const places = Array.from({ length: 90 }, (_, at) => at * 7 + 1);
    for (const place of places) expect(streamed(redactor, cutAt(source, [place]))).toBe(out);
  });

  test("in a key are hidden to its end, however its lines are parted", () => {
    const { redactText } = makeRedactor([]);
    const lines = [
      ...Array.from({ length: 12 }, () => "MIIEvQIBADANBgkq+/9w0BAQEFAASCBKcwggSjAgEAAoIBAQDx"),
      "Zw==",
    ];
    for (const between of [
      "\n",
      "\r\n",
      "\n    ",
      "\\n",
      "\\r\\n",
      "\\\\n",
      "%0A",
      " ",
      "\n2026-01-01T10:00:00.123Z ",
    ]) {
      const whole = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----"].join(
        between,
      );
      expect({ between, shown: redactText(`<${whole}>`) }).toEqual({ between, shown: "<***>" });
    }
  });

  test.each(["AKIA", "glpat-", "-----BEGIN PRIVATE KEY-----\n", "QUtJQQ", "npm_"])(
    "cost no more by the byte where there are many of them: %j",
    (head) => {
      const { redactText } = makeRedactor([]);
      const allBytes = 512 * 1024;
      const cpuOf = (bytes: number): number => {
        const text = head.repeat(bytes / head.length);
        redactText(text);
        // Of this thread alone, as other files run beside it. The least of three: it is counted by the tick.
        const costs = [1, 2, 3].map(() => {
          const from = process.threadCpuUsage();
          for (let done = 0; done < allBytes; done += bytes) redactText(text);
          const { user, system } = process.threadCpuUsage(from);
          return user + system;
        });
        return Math.min(...costs);
      };
      // As many bytes cost about as much in long texts; eight times as much if each head looked at all that follows.
      expect(cpuOf(128 * 1024)).toBeLessThan(4 * Math.max(5_000, cpuOf(16 * 1024)));
    },
  );

  test("are not seen in a certificate", () => {
    const text = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
    const { redactText } = makeRedactor([]);
    expect(redactText(text)).toBe(text);
    expect(redactText(Buffer.from(text).toString("base64"))).not.toContain("*");
  });
});
