import { describe, expect, test } from "vitest";
import { checkUrl } from "./check-url.ts";
import { readOpened } from "./opened-receivers.ts";

function codeOf(url: string, allow: readonly string[]): string {
  const opened = readOpened(allow);
  if ("fault" in opened) throw new Error(`entry ${opened.entry} is wrong`);
  const checked = checkUrl(url, { mode: "strict", opened });
  return checked.isOk ? "ok" : checked.code;
}

describe("what an operator opened", () => {
  test.each([
    ["10.1.0.0/16", "http://10.1.255.9:8080/"],
    ["10.1.2.3/16", "http://10.1.255.9/"], // the bits of a host say nothing
    ["10.1.0.0/16", "http://[::ffff:10.1.2.3]/"],
    ["10.1.0.0/16", "http://[64:ff9b::10.1.2.3]/"],
    ["fd12:3::/32", "https://[fd12:3::9]/"],
    ["127.0.0.1:9000", "http://127.0.0.1:9000/"],
    ["127.0.0.1:80", "http://0x7f.1/"],
    ["127.0.0.1:443", "https://127.0.0.1/"],
    ["2130706433:80", "http://127.0.0.1/"],
    ["[fd12::1]:443", "https://[fd12::1]/"],
    ["localhost:8080", "http://LOCALHOST.:8080/"],
    ["0.0.0.0/0", "http://10.9.9.9/"],
  ])("%s is called: %s", (entry, url) => {
    expect(codeOf(url, [])).toBe("blocked_address");
    expect(codeOf(url, ["198.51.100.1:1", entry])).toBe("ok");
  });

  test.each([
    ["10.1.0.0/16", "http://10.2.0.1/"],
    ["127.0.0.1:9000", "http://127.0.0.1:9001/"],
    ["127.0.0.1:9000", "http://127.0.0.1/"],
    ["[fd12::1]:443", "http://[fd12::1]/"],
    ["localhost:8080", "http://db.localhost:8080/"],
    ["127.0.0.0/8", "http://[2002:7f00:1::]/"], // a tunnel is no other way to write an address
    ["0.0.0.0/0", "http://[fd12::1]/"],
  ])("%s opens nothing else: %s", (entry, url) => {
    expect(codeOf(url, [entry])).toBe("blocked_address");
  });

  test.each([
    "169.254.169.254",
    "169.254.0.1",
    "168.63.129.16",
    "100.100.100.200",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "[::ffff:100.100.100.200]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[2002:a9fe:a9fe::1]",
    "metadata.google.internal",
  ])("is never %s, however wide it is", (host) => {
    expect(codeOf(`http://${host}/`, ["0.0.0.0/0", "::/0"])).toBe("blocked_address");
    expect(readOpened(["10.0.0.0/8", `${host}:80`])).toEqual({ entry: 2, fault: "never" });
  });

  test.each([
    ["169.254.0.0/15", "http://169.255.0.1/", "http://169.254.169.254/"],
    ["100.64.0.0/10", "http://100.64.0.1/", "http://100.100.100.200/"],
    ["fd00::/8", "http://[fd12::1]/", "http://[fd00:ec2::254]/"],
    ["fe80::/9", "http://[fec0::1]/", "http://[fe80::1]/"],
    ["64:ff9b:1::/48", "http://[64:ff9b:1:a00:0:100::]/", "http://[64:ff9b:1:a9fe:a9:fe00::]/"],
    ["::ffff:169.254.0.0/111", "http://169.255.0.1/", "http://[::ffff:169.254.169.254]/"],
  ])("is of %s the rest, as %s, and not %s", (entry, open, shut) => {
    expect(codeOf(open, [entry])).toBe("ok");
    expect(codeOf(shut, [entry])).toBe("blocked_address");
  });

  test.each([
    "169.254.0.0/16",
    "169.254.169.254/32",
    "fe80::/10",
    "fe80:1::/64",
    "fd00:ec2::/32",
    "::ffff:169.254.0.0/112",
    "64:ff9b:1:a9fe::/64",
  ])("cannot be %s, where nothing would be opened", (entry) =>
    expect(readOpened([entry])).toEqual({ entry: 1, fault: "never" }),
  );

  test.each([
    "10.0.0.1",
    "10.0.0.0/33",
    "10.0.0/8",
    "::/129",
    "hooks.internal",
    "hooks.internal:",
    "hooks.internal:0",
    "hooks.internal:65536",
    "*.internal:80",
    "http://hooks.internal:80",
    "user@hooks.internal:80",
    "fd12::1:443",
    "[hooks]:80",
    ":80",
  ])("cannot be %j, which is neither a network nor a host with its port", (entry) => {
    expect(readOpened([entry])).toEqual({ entry: 1, fault: "form" });
  });
});
