import { expect, test } from "vitest";
import { idPrefixes } from "../../../shared/id-prefixes.ts";
import type { AuditEntry } from "../../audit/audit-entry.ts";
import { withCreated } from "./audit-entry-of.ts";

const asked = { target_type: "install", target_id: "ins_1", parent_id: "" } as AuditEntry; // what is read of it

test.each(Object.entries(idPrefixes))(
  "what %s_ is made of is the target: %o",
  (prefix, { kind }) => {
    const entry = withCreated(asked, { id: `${prefix}_2` });
    expect(entry).toMatchObject({
      target_type: kind,
      target_id: `${prefix}_2`,
      parent_id: "ins_1",
    });
  },
);

test.each([null, "ins_2", {}, { id: 7 }, { id: "ins_1" }])(
  "an answer %j made nothing: the target stays",
  (answer) => {
    expect(withCreated(asked, answer)).toEqual(asked);
  },
);
