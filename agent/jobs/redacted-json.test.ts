import { expect, test } from "vitest";
import { makeRedactor } from "../logs/redactor.ts";
import { redactedJson } from "./redacted-json.ts";

const { redactText: redact, redactJson } = makeRedactor(["48151623", 'word-"1"']);
const job = { redact, redactJson };

test("redacted JSON stays JSON, also where a number is secret", () => {
  const value = { pin: 48_151_623, url: 'https://h/word-"1"', list: [-48_151_623, 7, true, null] };
  expect(JSON.parse(redactedJson(job, value))).toEqual({
    pin: "***",
    url: "https://h/***",
    list: ["-***", 7, true, null],
  });
  expect(redactedJson(job, { a: [1] }, 2)).toBe(JSON.stringify({ a: [1] }, undefined, 2));
});
