import { describe, expect, test } from "vitest";
import { releaseKeys } from "../release-keys.ts";
import { readPublicKeys } from "./public-keys.ts";
import { verifySignature } from "./verify-signature.ts";

const joined = (lines: readonly string[]): Buffer => Buffer.from(lines.join(""), "base64");
const text = Buffer.from("hello releases\n");

/** Made by GnuPG 2.2: a key of each kind, and its signature of the text; RSA's is by a key that belongs to it. */
const made = {
  edwards: {
    keys: joined([
      "mDMEawMy4BYJKwYBBAHaRw8BAQdAYi5b3UxymXNqQ4hvMUhWX6QT8RyHokOXRWonCgjr3my0F2Vkd2FyZHMgPGVA",
      "ZXhhbXBsZS5jb20+iJAEExYIADgWIQROrtOG3n4n7hKG2FjqaQgCrmEVJwUCawMy4AIbAwULCQgHAgYVCgkICwIE",
      "FgIDAQIeAQIXgAAKCRDqaQgCrmEVJ4iYAP4r8pRy4QTmZg2ahZt3vYGweaYWbKPTleqTbPUkQJodNgD7B2fMBfpT",
      "hSjs2VAYa57u8SQL6z8UyfOyl0g1eBIYIwk=",
    ]),
    signature: joined([
      "iIQEABYIACwWIQROrtOG3n4n7hKG2FjqaQgCrmEVJwUCawMy4Q4cZUBleGFtcGxlLmNvbQAKCRDqaQgCrmEVJ53+",
      "AP0WdmGFIRkztDU5Dtp+c1cYVMKGBzXjQcYDoZSsgz9HKwEAohrZbliNDStECNhm3aWSiZ6G631zROOKil/WdAip",
      "zAQ=",
    ]),
  },
  rsa: {
    keys: joined([
      "mQENBGsDMuABCAD34NtnSPFbdIrOzOy+q8uD+zi550HcmA6yuJ5osRziVxtyW0X9F0PpZIXnMfMkJ/KiBxmS58xY",
      "tuHzJYzxqRxP212R9EnYebKCCi2QnbiyJ7dJvlp+vVOoUj0grJV23XzLqGjggCHX4yiPjF2Q0lISwUQr0+jVGptk",
      "AvWXzLaxIYje2jJRwogtjrYGSqu1DN1EMg7xTz/yiTStgzc8imqPWqOmuM0cSnXVh12YNZu8XXJzo2QwQMuO/6r8",
      "SjYgfVSP8j7oXTuK72hKnxe8PAEaAOGQ62aZrH1OePyUvyFchrjnvMzfhT5XLI18/67Rifp7MQ1+v7W0vsggi7BP",
      "hY2/ABEBAAG0E3JzYSA8ckBleGFtcGxlLmNvbT6JAU4EEwEKADgWIQRiZA0biDfeROEc0ZOlyKuWIVz+PwUCawMy",
      "4AIbAQULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRClyKuWIVz+P32eB/wK4ArTWDjnfMcwo1K8N8esc4g4jizQ",
      "+OHQId4363eXg7mOytO2FCYaTMgqqM4HmUw6jAT4VSFItH3BgJz80zpiWXu0bsTC7IUnL3bRW5H22gXwflM8aBqS",
      "sOlAS2r45F3nPHnkiWePTwpnFtLlysozDqoLqn/pioKop4Pg7WiiI0SklMl0IpElVbrV1nETnRZgv63o7XCoC19j",
      "UNA6E7MixmPrMBGVixEatX8Nu8PHgJM+FxbjQ6Jmvd5BsgOIgpls5Nu7dBZ8AAxUfCo9+BhCxbV/UVO0hryvYMrh",
      "1oN6OE3WVqVvRTyaIvyu9r/QZ3cBEXVu2z+tFMeruf5CpKmquQENBGsDMuABCADOfc7pul1yjfMq3XVyIofoTALu",
      "EhjWN3gab6Me4H+hNU+EuI2TPqzPm6LN3uMtnjKh811Yl0640tXXhoIJo0UDmdJSQkqiMbrcxiXgu7lbX4J965Sg",
      "o95z72OH+BaLnyTDBhyj5QXBw79iOu6ce97NqaHnknWKj99ajSDjhV3MOR2efEBwu1ZfkAVczXAtLoqZ8GQkjga9",
      "KvMSXe1/g8tc/eMzmKA78uFBfUy0pn8YSaUDLgGTCaSOy5aZP7p0gdyZ8J0/W8pd0apaDOGpa1jLjnUAqyMN1Dyi",
      "/A/bbSDwEYzaIOQbANCGtpBBor1fLJx40jNzGGDHhrS2uA0OpyDzABEBAAGJAmwEGAEKACAWIQRiZA0biDfeROEc",
      "0ZOlyKuWIVz+PwUCawMy4AIbAgFACRClyKuWIVz+P8B0IAQZAQoAHRYhBBE2ex4LZnSmn1esswEinhHRCiq4BQJr",
      "AzLgAAoJEAEinhHRCiq4kGoIAJp5C372Cpxynl0VbahTNT5JaEUwIFKLn3eHpDmgbpmjdy4Mhi35HdKvbkkASGj8",
      "rtWufLykqMyGDlFvr0cgFtrDxEORLiS9pOXYZT7FOre7kJLqZulvwXPNUwaEYEtyFyk8B6lCnjXx35o0zArWJ2/s",
      "sUlV8ojL1yH0XS6Hf8oRDvHp4Gjdg1PgBq0Yfwsj2CPgyxZknBqyDDKM+7uenEet1IH3+BF+KlXMOf7isy8pzkTT",
      "fMVGo9kJVXFnfBMfDPUmREc6TNUGZKfj0kV62G93hLBXtzdHzBo9jCxU+9tCCvradTFpzOAoM47vgGdg9Zh8v1zX",
      "/5wqFx2bGFK+3ijSIwgA7TlY88S/klBK41rZrUhXxUov1jkMaqDTY0cliC/pVhm/3w0iwaZ7l10U+l9ZXDqGxGtV",
      "KNHNPXLP1tZV11/PxUj0IUMVleR1CnSpk1FpBa+IGTIorCejdM471l4jdiDjg5PrVhYRls/epYWz/hYEi0yjf++U",
      "0hrZNq14hpeoXGkTSBnoxpRWO1SYYobAYcEv8dvc7c7NzTz5lRk1EjOF1Ti379tV6aUuuPR5O1kQVTiD/f5FBX5k",
      "y8SNz4bVT/00cRhYWOTQtVTdJLlIeyrMgbh9rC6V3U1hCbwSpKA+q1TDJQtqad3JFag8MwRCTgfZktIylX5yOjeI",
      "o/anYqY5PQ==",
    ]),
    signature: joined([
      "iQFCBAABCgAsFiEEETZ7HgtmdKafV6yzASKeEdEKKrgFAmsDMuEOHHJAZXhhbXBsZS5jb20ACgkQASKeEdEKKrjC",
      "+Qf7BRZLqpXslQy+hvs+lEZfroKhCtOlZI+VkwfH0dANaN2O8Dfwi7whQbaUiMPdYNHgPUHwU2YCGYbAa9Zhm15E",
      "pgM2dEWHFtD13z5fU/ygGSE+N7wDUs5TJmtq8vhHyydtNFAEQN3IFgrzNb3TkRAMb0FNbuPxlYrKAxhTHAh45+0v",
      "jIN4IJlIwiB41Ea7jHQs2ZryY5eeCzLHhBe8QnqWZFOThFAb2/vJrTUJDqioKnGV+AlCFEQSSZ573iybB093ndo/",
      "knemIb8wI+dOvTQa7SPg4LLUXQY+sO22BXtELxA5okYrGEH1vuWI6JG0Qsjl+Jet7YdIPNsqcZ8KuwpW5g==",
    ]),
  },
} as const;

describe("a signature that GnuPG made", () => {
  test.each([
    ["edwards", "4EAED386DE7E27EE1286D858EA690802AE611527"],
    ["rsa", "11367B1E0B6674A69F57ACB301229E11D10A2AB8"],
  ] as const)("by a key of kind %s is good", (kind, fingerprint) => {
    const { keys, signature } = made[kind];
    const armoured = Buffer.from(
      `-----BEGIN PGP SIGNATURE-----\n\n${signature.toString("base64")}\n=abcd\n-----END PGP SIGNATURE-----\n`,
    );
    for (const form of [signature, armoured]) {
      const key = verifySignature(text, form, readPublicKeys(keys));
      expect(key.fingerprint).toBe(fingerprint);
    }
  });

  test.each(["edwards", "rsa"] as const)("by a key of kind %s is of these bytes alone", (kind) => {
    const keys = readPublicKeys(made[kind].keys);
    const { signature } = made[kind];
    expect(() => verifySignature(Buffer.from("hello releasez\n"), signature, keys)).toThrow(
      "its signature does not match",
    );
    // Whatever is changed in it, but what says nothing (who signed, once more): it is no other signature.
    const head = (signature[0] ?? 0) & 1 ? 3 : 2;
    const from = head + 6 + signature.readUInt16BE(head + 4);
    const to = from + 2 + signature.readUInt16BE(from) + 2;
    for (let at = 0; at < signature.length; at += 1) {
      expect(() => verifySignature(text, signature.subarray(0, at), keys)).toThrow();
      if (at >= from && at < to) continue;
      const changed = Buffer.from(signature);
      changed[at] = (changed[at] ?? 0) ^ 0x80;
      expect(() => verifySignature(text, changed, keys), `byte ${at}`).toThrow();
    }
  });

  test("is worth nothing by a key that nobody trusts", () => {
    const keys = readPublicKeys(made.rsa.keys);
    expect(() => verifySignature(text, made.edwards.signature, keys)).toThrow(
      "signed by the key EA690802AE611527, which is not trusted",
    );
    expect(() => verifySignature(text, made.edwards.signature, [])).toThrow("not trusted");
    expect(() => verifySignature(text, Buffer.from("hello"), keys)).toThrow("is not");
  });
});

test("the keys of releases are those that their projects publish", () => {
  const fingerprints = (keys: Buffer) => readPublicKeys(keys).map((key) => key.fingerprint);
  expect(fingerprints(releaseKeys.terraform)).toEqual([
    "C874011F0AB405110D02105534365D9472D7468F",
    "B36CBA91A2C0730C435FC280B0B441097685B676",
    "374EC75B485913604A831CC7C820C6D5CD27AB87",
  ]);
  expect(fingerprints(releaseKeys.opentofu)).toEqual(["E3E6E43D84CB852EADB0051D0C0AF313E5FD9F80"]);
});
