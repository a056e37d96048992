import { expect, test } from "vitest";
import { brandedEnv } from "./branded-env.ts";

const given = { SVC_INSTALL_ID: "i", ACME_MODE: "m", SVC_API_URL: "u", ACME_API_URL: "other" };
const own = { SVC_ACTIONS_OUTPUT_FILEPATH: "/out" };

test("what is ours has the names of brands, and what the plan says by such a name stays", () => {
  expect(brandedEnv({ given, own }, ["acme"])).toEqual({
    ...given,
    ...own,
    ACME_INSTALL_ID: "i",
    ACME_ACTIONS_OUTPUT_FILEPATH: "/out",
  });
  const taken = { ACME_ACTIONS_OUTPUT_FILEPATH: "/elsewhere" };
  expect(brandedEnv({ given: taken, own }, ["acme"])).toMatchObject({
    ACME_ACTIONS_OUTPUT_FILEPATH: "/out",
  });
});

test("a word that is no brand names nothing", () => {
  expect(brandedEnv({ given, own }, ["npm", "x=y", "PATH"])).toEqual({ ...given, ...own });
});
