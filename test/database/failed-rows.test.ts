import { expect, test } from "vitest";
import { connect } from "../../broker/database/connect.ts";
import { testDatabase } from "../support/database/database.ts";

test("an answer is whole after a statement on its connection that failed between two rows", async () => {
  const { url } = await testDatabase();
  const pool = connect(url, { max: 1 });
  try {
    const failing = pool`select repeat('x', 100), 1 / (5000 - n) from generate_series(1, 9999) n`;
    await expect(failing).rejects.toThrow("division by zero");
    const rows = await pool`select n from generate_series(1, 3) n`;
    expect([...rows]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(rows.count).toBe(3);
  } finally {
    await pool.end({ timeout: 1 });
  }
});
