import { expect, test } from "vitest";
import { openSeals } from "../seals/seals.ts";
import { toState } from "./show-states.ts";

const sealsOf = async (byte: number | undefined) => {
  const keys = byte === undefined ? [] : [{ id: "k", key: Buffer.alloc(32, byte) }];
  return await openSeals({ read: async () => await Promise.resolve(keys) });
};
const row = (id: string, checksum: string, install_id = "ins_1") => ({
  id,
  install_id,
  version: 1,
  checksum,
  triggered_by_id: "",
  triggered_by_type: "",
  created_at: new Date(0),
});

test("the checksum of a state that is shown is keyed: equal states have the same, and no guess can be tried on it", async () => {
  const [seals, others] = [await sealsOf(1), await sealsOf(2)];
  const shown = (...given: Parameters<typeof row>) => toState(seals, row(...given)).checksum;
  expect(shown("ist_1", "c1")).toBe(shown("ist_2", "c1"));
  expect(shown("ist_1", "c1")).not.toBe(shown("ist_1", "c2"));
  expect(shown("ist_1", "c1")).not.toBe(shown("ist_1", "c1", "ins_2"));
  expect(toState(others, row("ist_1", "c1")).checksum).not.toBe(shown("ist_1", "c1"));
});

test("without a key the checksum of a state tells nothing of it", async () => {
  const none = await sealsOf(undefined);
  const shown = (id: string, checksum: string) => toState(none, row(id, checksum)).checksum;
  expect(shown("ist_1", "c1")).toBe(shown("ist_1", "c2"));
  expect(shown("ist_1", "c1")).not.toBe(shown("ist_2", "c1"));
});
