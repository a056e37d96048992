import { Hono } from "hono";
import { expect, test } from "vitest";
import { openLog } from "../../log.ts";
import type { AppEnv } from "../app-env.ts";
import { thenLeave } from "./answer-large.ts";
import { streamAnswer } from "./stream-answer.ts";

/** An answer in this process, and how often its room was given back. */
async function givenAnswer() {
  const room = { left: 0 };
  const app = new Hono<AppEnv>().get("/", (c) => {
    const parts = thenLeave([Buffer.from("one "), Buffer.from("two")], () => void room.left++);
    return streamAnswer(c, { log: openLog("silent") }, { type: "text/plain", parts });
  });
  return { room, response: await app.request("/") };
}

test("the room of an answer is given back when it is cancelled before anybody took of it", async () => {
  const { room, response } = await givenAnswer();
  expect(room.left).toBe(0);
  await response.body?.cancel();
  expect(room.left).toBeGreaterThan(0);
});

test("the room of an answer is given back when it is cancelled half-way", async () => {
  const { room, response } = await givenAnswer();
  const reader = response.body?.getReader();
  await reader?.read();
  expect(room.left).toBe(0);
  await reader?.cancel();
  expect(room.left).toBeGreaterThan(0);
});

test("the room of an answer is given back when all of it was taken", async () => {
  const { room, response } = await givenAnswer();
  expect(await response.text()).toBe("one two");
  expect(room.left).toBe(1);
});
