import { expect, test } from "vitest";
import { isEnabled } from "./is-enabled.ts";

const config = {
  components: [
    { name: "always", type: "job", image_url: "busybox", tag: "1" },
    { name: "may-be", type: "job", image_url: "busybox", tag: "1", toggleable: true },
    {
      name: "usual",
      type: "job",
      image_url: "busybox",
      tag: "1",
      toggleable: true,
      default_enabled: true,
    },
  ],
} as const satisfies object;
const asked = (name: string, toggles?: Readonly<Record<string, boolean>>) =>
  isEnabled(config as unknown as Parameters<typeof isEnabled>[0], toggles, name);

test("what every install has is neither on nor off", () => {
  expect(asked("always", { always: false })).toBeUndefined();
  expect(asked("gone")).toBeUndefined();
});

test("what may be left out is as its install says, by whatever spelling, else as the config says", () => {
  expect(asked("may-be")).toBe(false);
  expect(asked("may-be", { may_be: true })).toBe(true);
  expect(asked("usual")).toBe(true);
  expect(asked("usual", { usual: false })).toBe(false);
});
