import { expect, test } from "vitest";
import { parseZone } from "./parse-zone.ts";

test.each([
  [undefined, "UTC"],
  ["UTC", "UTC"],
  ["europe/berlin", "Europe/Berlin"],
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["Europe/Kyiv", "Europe/Kyiv"],
  ["Etc/GMT+5", "Etc/GMT+5"],
  ["EST", "EST"],
])("%s is the time zone %s", (text, zone) => {
  expect(parseZone(text)).toBe(zone);
});

test.each(["", "Berlin", "+02:00", "Europe/Berlin ", "Mars/Olympus", "a".repeat(100), "\n"])(
  "%j is no time zone, and is told how to write one",
  (text) => {
    const fault = parseZone(text);
    expect(fault).toMatchObject({ field: "time zone" });
    expect(fault).toHaveProperty(
      "message",
      expect.stringMatching(/^time zone ".{0,65}" is not known; write a name .* Europe\/Berlin$/),
    );
  },
);
