import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";
import { isIPv4 } from "node:net";

/** A self-signed server certificate and its key, both as PEM. */
export interface SelfSigned {
  certificate: string;
  key: string;
  /** SHA-256 of its public key in base64, as Chrome's `--ignore-certificate-errors-spki-list` takes it. */
  publicKeyHash: string;
}

const DAY_MS = 86_400_000;

/** DER object identifiers. */
const ECDSA_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
const COMMON_NAME = Buffer.from("0603550403", "hex");
const SUBJECT_ALTERNATIVE_NAME = Buffer.from("0603551d11", "hex");
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");

/** A certificate for host names and IPv4 addresses, as hand-written DER: Node can only read certificates. */
export function makeSelfSigned(names: string[] = ["localhost", "127.0.0.1"]): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKeyInfo = publicKey.export({ type: "spki", format: "der" });
  const algorithm = sequence(ECDSA_SHA256);
  const subject = sequence(
    element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(names[0] ?? "test")))),
  );
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, element(0x04, sequence(element(0x01, Buffer.from([0xff]))))),
    sequence(SUBJECT_ALTERNATIVE_NAME, element(0x04, sequence(...names.map(alternativeName)))),
  );
  const content = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    subject,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    subject,
    publicKeyInfo,
    element(0xa3, extensions),
  );
  const signature = sign("sha256", content, privateKey);
  const der = sequence(content, algorithm, element(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    certificate: new X509Certificate(der).toString(),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKeyHash: createHash("sha256").update(publicKeyInfo).digest("base64"),
  };
}

function alternativeName(name: string): Buffer {
  return isIPv4(name)
    ? element(0x87, Buffer.from(name.split(".").map(Number)))
    : element(0x82, Buffer.from(name));
}

function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return element(0x17, Buffer.from(digits.slice(2)));
}

function integer(bytes: Buffer): Buffer {
  return element(0x02, bytes);
}

function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

/** Encodes a DER element. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}
