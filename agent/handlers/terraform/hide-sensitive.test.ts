import { describe, expect, test } from "vitest";
import { hideSensitive, sensitiveMark } from "./hide-sensitive.ts";

describe("what terraform shows as JSON", () => {
  test("loses what is marked, wherever the marks point, and tells it", () => {
    const shown = {
      resource_changes: [
        {
          change: {
            before: null,
            after: {
              name: "db",
              login: { user: "u", code: "c-0" },
              list: ["a", "b"],
              all: { x: "y" },
            },
            before_sensitive: false,
            after_sensitive: { login: { code: true }, list: [false, true], all: true },
          },
        },
      ],
    };
    expect(hideSensitive(shown)).toEqual(["c-0", "b", "y"]);
    expect(shown.resource_changes[0]?.change.after).toEqual({
      name: "db",
      login: { user: "u", code: sensitiveMark },
      list: ["a", sensitiveMark],
      all: sensitiveMark,
    });
  });

  test("loses sensitive outputs and variables, and their defaults", () => {
    const shown = {
      variables: { word: { value: "w" }, open: { value: "o" }, db_password: { value: 123456 } },
      planned_values: { outputs: { word: { sensitive: true, value: { a: "w2" } } } },
      configuration: {
        root_module: {
          variables: { word: { sensitive: true, default: "w3" }, open: {}, db_password: {} },
        },
      },
    };
    expect(hideSensitive(shown).toSorted()).toEqual(["123456", "w", "w2", "w3"]);
    expect(JSON.stringify(shown)).not.toMatch(/"w\d?"|123456/);
    expect(shown.variables.open.value).toBe("o");
  });

  test("loses constants of the configuration by their names alone", () => {
    const shown = {
      configuration: {
        provider_config: {
          p: { expressions: { token: { constant_value: "t" }, region: { constant_value: "r" } } },
        },
      },
    };
    expect(hideSensitive(shown)).toEqual(["t"]);
    expect(JSON.stringify(shown)).toContain('"r"');
  });

  test("keeps what is not there as it is: a secret that is to come is no secret yet", () => {
    const shown = { after: { code: null }, after_sensitive: { code: true, other: true } };
    expect(hideSensitive(shown)).toEqual([]);
    expect(shown.after).toEqual({ code: null });
  });
});
