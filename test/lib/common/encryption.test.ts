import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  DecryptionError,
  decrypt,
  decryptText,
  encrypt,
  encryptText,
} from "../../../src/lib/common/encryption.ts";

const secrets = { ENCRYPTION_KEY: env.ENCRYPTION_KEY };
const bytes = new TextEncoder().encode("pässwörd");

describe("encryption", () => {
  it("decrypts what it encrypted and never repeats a ciphertext", async () => {
    const first = await encryptText(secrets, "proxy:a", "pässwörd");
    const second = await encryptText(secrets, "proxy:a", "pässwörd");
    expect(first).not.toBe(second);
    expect(await decryptText(secrets, "proxy:a", first)).toBe("pässwörd");
    expect(await decrypt(secrets, "a", await encrypt(secrets, "a", new Uint8Array()))).toHaveLength(0);
  });

  it("hides the plaintext", async () => {
    const sealed = await encrypt(secrets, "a", bytes);
    expect(new TextDecoder().decode(sealed)).not.toContain("ssw");
  });

  it("does not decrypt for another owner", async () => {
    const sealed = await encrypt(secrets, "proxy:a", bytes);
    await expect(decrypt(secrets, "proxy:b", sealed)).rejects.toThrow(DecryptionError);
  });

  it.each([0, 8, 20, 25])("rejects a change at byte %i", async (index) => {
    const sealed = await encrypt(secrets, "a", bytes);
    sealed[index] = (sealed[index] ?? 0) ^ 1;
    await expect(decrypt(secrets, "a", sealed)).rejects.toThrow(DecryptionError);
  });

  it("decrypts with the previous key and no other", async () => {
    const sealed = await encrypt(secrets, "a", bytes);
    const rotated = { ENCRYPTION_KEY: "another", ENCRYPTION_KEY_PREVIOUS: secrets.ENCRYPTION_KEY };
    expect(await decrypt(rotated, "a", sealed)).toEqual(bytes);
    await expect(decrypt({ ENCRYPTION_KEY: "another" }, "a", sealed)).rejects.toThrow(
      /ENCRYPTION_KEY_PREVIOUS/,
    );
  });
});
