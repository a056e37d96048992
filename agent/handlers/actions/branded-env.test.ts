import { expect, test } from "vitest";
import { brandedEnv } from "./branded-env.ts";

test("what is ours has the names of brands, and what a source has by such a name stays", () => {
  const given = { SVC_INSTALL_ID: "i", SVC_API_URL: "u", ACME_API_URL: "other", ACME_MODE: "m" };
  expect(brandedEnv([{}, given], ["acme"])).toEqual({ ...given, ACME_INSTALL_ID: "i" });
  expect(brandedEnv([given], [])).toEqual(given);
});

test("a later source has the last word by all names", () => {
  const url = (at: string) => ({ SVC_API_URL: at, ACME_API_URL: at });
  expect(brandedEnv([url("plan"), { SVC_API_URL: "override" }], ["acme"])).toEqual(url("override"));
  expect(brandedEnv([url("plan"), { ACME_API_URL: "override" }], ["acme"])).toEqual({
    SVC_API_URL: "plan",
    ACME_API_URL: "override",
  });
});
