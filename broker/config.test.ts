import { describe, expect, test } from "vitest";
import { OperatorError } from "../shared/operator-error.ts";
import { readConfig, settings } from "./config.ts";

const url = "postgres://svc:hunter2@db.internal/svc";
const read = (env: Record<string, string>) => readConfig({ DATABASE_URL: url, ...env });
const faultOf = (env: Record<string, string | undefined>): string => {
  try {
    readConfig(env);
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return (error as OperatorError).message;
  }
};

describe("the settings", () => {
  test("need a database and nothing else", () => {
    expect(read({})).toMatchObject({
      databaseUrl: url,
      host: "127.0.0.1",
      port: 8420,
      retainJobsDays: 90,
      retainBeatsDays: 7,
      retainAuditDays: 365,
    });
    expect(faultOf({})).toBe("DATABASE_URL is missing.");
  });

  test("keep calls for orgs to public addresses unless told", () => {
    expect(read({}).egress).toEqual({ mode: "strict", opened: [] });
    expect(read({ SVC_EGRESS: "", SVC_EGRESS_ALLOW: "" }).egress.mode).toBe("strict");
    const opened = read({ SVC_EGRESS_ALLOW: "10.1.0.0/16, hooks.internal:8443" }).egress.opened;
    expect(opened).toMatchObject([{ range: {} }, { name: "hooks.internal", port: 8443 }]);
  });

  test("give svc other names, which are words of their own", () => {
    expect(read({}).brands).toEqual([]);
    expect(read({ SVC_BRANDS: "acme, beta1" }).brands).toEqual(["acme", "beta1"]);
    const wrong = (brands: string) => faultOf({ DATABASE_URL: url, SVC_BRANDS: brands });
    expect(wrong("acme,aws")).toBe("SVC_BRANDS is wrong: aws begins variables of other programs.");
    expect(wrong("acme,acme")).toBe("SVC_BRANDS is wrong: acme is there twice.");
    expect(wrong("acme,Pass_word!")).toContain("the word 2 is no brand");
    expect(wrong("install")).toBe("SVC_BRANDS is wrong: install is a word of ours.");
    const nine = "abcdefghi".split("").map((letter) => letter.repeat(3));
    expect(wrong(nine.join())).toBe("SVC_BRANDS must have at most 8 brands.");
  });

  test("are frozen", () => {
    expect(Object.isFrozen(read({}))).toBe(true);
  });

  test("that are empty are absent", () => {
    expect(read({ SVC_PORT: "", SVC_METRICS_TOKEN: "" })).toMatchObject({
      port: 8420,
      metricsToken: undefined,
    });
  });

  test.each([
    ["SVC_PORT", "http", "SVC_PORT must be a whole number from 0 to 65535."],
    ["SVC_PORT", "65536", "SVC_PORT must be a whole number from 0 to 65535."],
    [
      "SVC_LOG_LEVEL",
      "loud",
      "SVC_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent.",
    ],
    ["SVC_PUBLIC_URL", "svc.example", "SVC_PUBLIC_URL must be an http or https URL."],
    ["SVC_RETAIN_JOBS_DAYS", "0", "SVC_RETAIN_JOBS_DAYS must be a whole number from 1 to 3650."],
    ["SVC_EGRESS", "on", "SVC_EGRESS must be one of strict, internal, off."],
    [
      "SVC_EGRESS_ALLOW",
      "10.0.0.0/8,hunter2",
      "SVC_EGRESS_ALLOW has an entry that cannot be: number 2 is no network (10.1.0.0/16) and no host with its port (hooks.internal:8443, [fd12::1]:443).",
    ],
    [
      "SVC_EGRESS_ALLOW",
      "169.254.169.254/32",
      "SVC_EGRESS_ALLOW has an entry that cannot be: number 1 is in a link-local network or one of cloud metadata, which are never opened.",
    ],
    ["SVC_METRICS_TOKEN", "short", "SVC_METRICS_TOKEN must have at least 16 characters."],
  ])("say of %s=%s what is allowed", (name, value, fault) => {
    expect(faultOf({ DATABASE_URL: url, [name]: value })).toBe(fault);
  });

  test("tell all faults at once, and never a value", () => {
    const fault = faultOf({ DATABASE_URL: "mysql://root:hunter2@db", SVC_PORT: "hunter2" });
    expect(fault).toContain("DATABASE_URL must look like postgres://");
    expect(fault).toContain("SVC_PORT");
    expect(fault).not.toContain("hunter2");
  });

  test("of TLS go together", () => {
    expect(faultOf({ DATABASE_URL: url, SVC_TLS_CERT_FILE: "/tls.crt" })).toContain("or neither");
    expect(read({ SVC_TLS_CERT_FILE: "/a", SVC_TLS_KEY_FILE: "/b" }).tls).toEqual({
      certFile: "/a",
      keyFile: "/b",
    });
  });

  test("of a sign-in provider go together, and its address is safe", () => {
    const issuer = { DATABASE_URL: url, SVC_OIDC_ISSUER: "https://id.example" };
    expect(faultOf(issuer)).toBe("SVC_OIDC_ISSUER requires SVC_OIDC_CLIENT_ID.");
    expect(faultOf({ ...issuer, SVC_OIDC_CLIENT_ID: "a" })).toContain("requires SVC_PUBLIC_URL");
    expect(faultOf({ DATABASE_URL: url, SVC_OIDC_CLIENT_ID: "a" })).toContain("SVC_OIDC_ISSUER");
    expect(faultOf({ ...issuer, SVC_OIDC_ISSUER: "http://id.example" })).toContain("https URL");
    expect(faultOf({ ...issuer, SVC_OIDC_ISSUER: "id.example" })).toBe(
      "SVC_OIDC_ISSUER must be a URL.",
    );
    const whole = { ...issuer, SVC_OIDC_CLIENT_ID: "a", SVC_PUBLIC_URL: "https://svc.example/" };
    const missing = { ...whole, SVC_OIDC_CLIENT_SECRET_FILE: "/is/not/there" };
    expect(faultOf(missing)).toContain("cannot be read: /is/not/there (ENOENT)");
    expect(read({ ...whole, SVC_OIDC_SCOPES: "email" }).oidc).toMatchObject({
      name: "id.example",
      scope: "openid email",
      redirectUrl: "https://svc.example/sign-in/callback",
    });
  });

  test("of lists are split, and of URLs lose their last slash", () => {
    const config = read({
      SVC_TRUSTED_PROXIES: "10.0.0.0/8, ::1,",
      SVC_PUBLIC_URL: "https://svc.example/",
    });
    expect(config.trustedProxies).toEqual(["10.0.0.0/8", "::1"]);
    expect(config.publicUrl).toBe("https://svc.example");
  });

  test.each(Object.entries(settings))("%s is documented", (name, { doc }) => {
    expect(name).toMatch(/^(DATABASE_URL|SVC_[A-Z_]+|OTEL_[A-Z_]+)$/);
    expect(doc).toMatch(/\.$/);
  });
});
