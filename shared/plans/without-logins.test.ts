import { expect, test } from "vitest";
import { withoutLogins } from "./without-logins.ts";

const login = { username: "job_1", password: 'pa"ss\\' };

test("the login of a deploy's registry is taken out, and nothing else", () => {
  const registry = { loginServer: "r.test", repository: "cmp" };
  const bare = { install_id: "ins_1", src_registry: registry, terraform: { vars: { a: 1 } } };
  const whole = { ...bare, src_registry: { ...registry, ociauth: login } };
  expect(withoutLogins(JSON.stringify(whole))).toBe(JSON.stringify(bare));
  const first = { ...bare, src_registry: { ociauth: login, ...registry } };
  expect(withoutLogins(JSON.stringify(first))).toBe(JSON.stringify(bare));
  const alone = { src_registry: { ociauth: login } };
  expect(withoutLogins(JSON.stringify(alone))).toBe('{"src_registry":{}}');
});

test("that of a sandbox's source is, too", () => {
  const bare = { oci_source: { tag: "t", registry: { repository: "r" } }, vars: {} };
  const registry = { repository: "r", ociauth: login };
  const whole = { ...bare, oci_source: { tag: "t", registry } };
  expect(withoutLogins(JSON.stringify(whole))).toBe(JSON.stringify(bare));
});

test("digits, spaces and everything of these names elsewhere stay as they are", () => {
  const text =
    ' {"big": 12345678901234567890.10, "src_registry" : {"a" : [ "}", {"ociauth":1} ] , "ociauth" : {"p":"\\"{"} },\n "ociauth": {"x":1}, "e": "\\\\" }\n';
  expect(withoutLogins(text)).toBe(
    ' {"big": 12345678901234567890.10, "src_registry" : {"a" : [ "}", {"ociauth":1} ] },\n "ociauth": {"x":1}, "e": "\\\\" }\n',
  );
  for (const other of ['{"src_registry":"name"}', "{}", "[1]", "", '{"src_registry":null}']) {
    expect(withoutLogins(other)).toBe(other);
  }
});

test("a name that is written with escapes is that name, and one that stands twice goes twice", () => {
  const text = '{"src_registry":{"\\u006fciauth":{"p":1},"a":1,"ociauth":{"p":2}}}';
  expect(withoutLogins(text)).toBe('{"src_registry":{"a":1}}');
});
