import fc from "fast-check";
import { expect, test } from "vitest";
import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { describeCron } from "./describe-cron.ts";
import { matchingDays } from "./local-minutes.ts";
import { isZoneFault, parseZone } from "./parse-zone.ts";

function describe(text: string, name?: string): string {
  const cron = parseCron(text);
  const zone = parseZone(name);
  if (isCronFault(cron)) throw new Error(cron.message);
  if (isZoneFault(zone)) throw new Error(zone.message);
  return describeCron(cron, zone);
}

test.each([
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["0,15,30,45 * * * *", "every 15 minutes"],
  ["0 * * * *", "every hour"],
  ["30 * * * *", "at minute 30 of every hour"],
  ["*/7 * * * *", "at minutes 0 to 56 in steps of 7 of every hour"],
  ["1-5,9 * * * *", "at minutes 1 to 5 and 9 of every hour"],
  ["0 */6 * * *", "every 6 hours from 00:00, UTC"],
  ["15 2-23/6 * * *", "every 6 hours from 02:15, UTC"],
  ["0 */5 * * *", "at minute 0 of hours 0 to 20 in steps of 5 every day, UTC"],
  ["30 2 * * *", "at 02:30 every day, UTC"],
  ["0 8,12,18 * * *", "at 08:00, 12:00 and 18:00 every day, UTC"],
  ["0 9-17 * * MON-FRI", "every hour from 09:00 to 17:00 on Monday to Friday, UTC"],
  ["*/15 9-17 * * *", "every 15 minutes from 09:00 to 17:45, UTC"],
  ["* 2 * * *", "every minute from 02:00 to 02:59, UTC"],
  ["*/15 2,4 * * *", "every 15 minutes in hours 2 and 4, UTC"],
  ["1-10 2 * * *", "at minutes 1 to 10 of hour 2 every day, UTC"],
  ["0 22-2 * * *", "at minute 0 of hours 0 to 2, 22 and 23 every day, UTC"],
  ["0 0 1 * *", "at 00:00 on day 1 of the month, UTC"],
  ["0 0 29 2 *", "at 00:00 on day 29 of February, UTC"],
  ["0 0 1,15 JAN-MAR *", "at 00:00 on days 1 and 15 of January to March, UTC"],
  ["* * * 12 *", "every minute in December, UTC"],
  ["0 12 * 6 *", "at 12:00 every day in June, UTC"],
  ["0 0 * * SAT-SUN", "at 00:00 on Saturday and Sunday, UTC"],
  ["0 0 * * 5-1", "at 00:00 on Monday and Friday to Sunday, UTC"],
  ["0 0 13 * FRI", "at 00:00 on day 13 of the month or on Friday, UTC"],
  ["0 0 1 2 1", "at 00:00 on day 1 of February or on Monday in February, UTC"],
  ["0 0 */2 * MON", "at 00:00 on days 1 to 31 in steps of 2 of the month if that is Monday, UTC"],
  ["0 0 31 2 MON", "at 00:00 on Monday in February, UTC"],
  ["0 0 1-31 * MON", "at 00:00 every day, UTC"],
])("%s is %s", (text, sentence) => {
  expect(describe(text)).toBe(sentence);
});

test("the zone is named, but for UTC where it makes no difference", () => {
  expect(describe("30 2 * * MON-FRI", "Europe/Berlin")).toBe(
    "at 02:30 on Monday to Friday, Europe/Berlin",
  );
  expect(describe("0 * * * *", "Asia/Kolkata")).toBe("every hour, Asia/Kolkata");
});

test("the same sentence means the same times of the same days", () => {
  const some = (least: number, most: number) => {
    const value = fc.integer({ min: least, max: most });
    const list = fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((all) => all.join(","));
    const step = fc.constantFrom("*", "*/2", "*/3", "*/5", `${least + 1}-${most}/2`);
    return fc.oneof(fc.constant("*"), list, step, fc.constant(`${least}-${most}`));
  };
  const few = (...texts: string[]) => fc.oneof(fc.constantFrom(...texts), fc.constant("*"));
  const text = fc
    .tuple(
      fc.oneof(some(0, 59), fc.constantFrom("0", "30", "*/15")),
      fc.oneof(some(0, 23), fc.constantFrom("0", "9-17", "*/6")),
      fc.oneof(some(1, 31), few("1", "31", "1-31")),
      fc.oneof(some(1, 12), few("2", "1-2")),
      fc.oneof(some(0, 7), few("1", "0-6", "1-5")),
    )
    .map((fields) => fields.join(" "));
  const meanings = new Map<string, string>();
  fc.assert(
    fc.property(text, (text) => {
      const cron = parseCron(text);
      if (isCronFault(cron)) return cron.fault === "never";
      const months = Array.from({ length: 48 }, (_, at) => matchingDays(cron, 2026, at % 12));
      const meaning = `${cron.times.join()} ${months.join()}`;
      const sentence = describe(text);
      expect([text, meanings.get(sentence) ?? meaning]).toEqual([text, meaning]);
      meanings.set(sentence, meaning);
      return true;
    }),
    { numRuns: 2000 },
  );
  expect(meanings.size).toBeLessThan(1990);
});
