import { expect, test } from "vitest";
import { Problem } from "../../shared/problem.ts";
import { checkInputs } from "./check-inputs.ts";

const config = {
  inputs: {
    input: [
      { name: "size", required: true, type: "number" },
      { name: "domain", required: true, source: "customer" },
    ],
  },
} as const;

test("what the customer gives is not demanded, and can be given for them", () => {
  expect(checkInputs(config as never, { size: "2" })).toEqual({ size: 2 });
  const both = { size: 2, domain: "shop.example.com" };
  expect(checkInputs(config as never, both)).toEqual(both);
});

test("what the vendor gives is demanded", () => {
  const refused = () => checkInputs(config as never, { domain: "shop.example.com" });
  expect(refused).toThrow(Problem);
  expect(refused).toThrow("size is required");
});
