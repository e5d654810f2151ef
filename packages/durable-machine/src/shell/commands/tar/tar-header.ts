/** A tar archive consists of blocks of so many bytes. */
export const BLOCK_LENGTH = 512;

export type TarType = "file" | "directory" | "symlink" | "link" | "other";

/** A member of an archive, as its header tells. */
export interface TarMember {
  /** A directory's name has a slash at its end. */
  name: string;
  type: TarType;
  mode: number;
  uid: number;
  gid: number;
  userName: string;
  groupName: string;
  /** Bytes of content that follow. */
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
  /** Where a symlink leads, or the other name of a hard link. */
  target: string;
}

/** A header as it stands in the archive: some only say something about the member behind them. */
export interface RawHeader extends TarMember {
  letter: string;
}

interface Field {
  start: number;
  length: number;
}

const NAME: Field = { start: 0, length: 100 };
const MODE: Field = { start: 100, length: 8 };
const UID: Field = { start: 108, length: 8 };
const GID: Field = { start: 116, length: 8 };
const SIZE: Field = { start: 124, length: 12 };
const TIME: Field = { start: 136, length: 12 };
const CHECKSUM: Field = { start: 148, length: 8 };
const LETTER = 156;
const TARGET: Field = { start: 157, length: 100 };
const MAGIC: Field = { start: 257, length: 8 };
const USER: Field = { start: 265, length: 32 };
const GROUP: Field = { start: 297, length: 32 };
const PREFIX: Field = { start: 345, length: 155 };

/** The magic of GNU's format, which has room for long names in members of their own. */
const GNU_MAGIC = "ustar  \0";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const TYPES: Record<string, TarType> = {
  "\0": "file",
  "0": "file",
  "1": "link",
  "2": "symlink",
  "5": "directory",
  "7": "file",
};

const LETTERS: Record<TarType, string> = { file: "0", link: "1", symlink: "2", directory: "5", other: "0" };

function bytesOf(block: Uint8Array, { start, length }: Field): Uint8Array {
  return block.subarray(start, start + length);
}

function readText(block: Uint8Array, field: Field): string {
  const bytes = bytesOf(block, field);
  const end = bytes.indexOf(0);
  return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end));
}

/** Octal digits, or where the first bit is set a binary number. */
function readNumber(block: Uint8Array, field: Field): number {
  const bytes = bytesOf(block, field);
  const [first = 0, ...rest] = bytes;
  if ((first & 0x80) !== 0) return rest.reduce((value, byte) => value * 256 + byte, first & 0x7f);
  const value = Number.parseInt(readText(block, field).trim(), 8);
  return Number.isNaN(value) ? 0 : value;
}

/** The sum of a header's bytes, its own field taken for blanks. */
function checksumOf(block: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < BLOCK_LENGTH; index++) {
    const isOwn = index >= CHECKSUM.start && index < CHECKSUM.start + CHECKSUM.length;
    sum += isOwn ? 0x20 : (block[index] ?? 0);
  }
  return sum;
}

/** Whether a block has only zeros, as at the end of an archive. */
export function isZeroBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Reads a header; undefined: the block is none. */
export function readHeader(block: Uint8Array): RawHeader | undefined {
  if (block.length < BLOCK_LENGTH || readNumber(block, CHECKSUM) !== checksumOf(block)) return undefined;
  const letter = String.fromCharCode(block[LETTER] ?? 0);
  const magic = readText(block, MAGIC);
  // In GNU's own format other things stand where the standard has the beginning of the name.
  const prefix = magic === "ustar" ? readText(block, PREFIX) : "";
  const ownName = readText(block, NAME);
  const name = prefix === "" ? ownName : `${prefix}/${ownName}`;
  const known = TYPES[letter] ?? "other";
  // Before there were letters, a slash told a directory.
  const type = known === "file" && name.endsWith("/") ? "directory" : known;
  return {
    letter,
    name,
    type,
    mode: readNumber(block, MODE) & 0o7777,
    uid: readNumber(block, UID),
    gid: readNumber(block, GID),
    userName: readText(block, USER),
    groupName: readText(block, GROUP),
    size: readNumber(block, SIZE),
    modifiedAt: readNumber(block, TIME) * 1000,
    target: readText(block, TARGET),
  };
}

/** Reads the records of a pax header: `length key=value`, each on a line. */
export function readPaxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < bytes.length; ) {
    const space = bytes.indexOf(0x20, start);
    const length =
      space === -1 ? Number.NaN : Number.parseInt(decoder.decode(bytes.subarray(start, space)), 10);
    if (!(length > 0) || start + length > bytes.length) break;
    const record = decoder.decode(bytes.subarray(space + 1, start + length - 1));
    const equals = record.indexOf("=");
    if (equals !== -1) records.set(record.slice(0, equals), record.slice(equals + 1));
    start += length;
  }
  return records;
}

/** A member with what pax records say of it. */
export function withPaxRecords<Member extends TarMember>(
  member: Member,
  records: ReadonlyMap<string, string>,
): Member {
  const text = (key: string, fallback: string) => records.get(key) ?? fallback;
  const number = (key: string, fallback: number) => {
    const value = Number(records.get(key) ?? Number.NaN);
    return Number.isNaN(value) ? fallback : value;
  };
  const name = text("path", member.name);
  return {
    ...member,
    name: member.type === "directory" && !name.endsWith("/") ? `${name}/` : name,
    target: text("linkpath", member.target),
    userName: text("uname", member.userName),
    groupName: text("gname", member.groupName),
    size: number("size", member.size),
    uid: number("uid", member.uid),
    gid: number("gid", member.gid),
    modifiedAt: number("mtime", member.modifiedAt / 1000) * 1000,
  };
}

function put(block: Uint8Array, { start, length }: Field, bytes: Uint8Array): void {
  block.set(bytes.subarray(0, length), start);
}

function putNumber(block: Uint8Array, field: Field, value: number): void {
  const digits = Math.max(0, Math.floor(value))
    .toString(8)
    .padStart(field.length - 1, "0");
  if (digits.length < field.length) {
    put(block, field, encoder.encode(digits));
    return;
  }
  // What octal digits have no room for is written in binary.
  for (
    let index = field.length - 1, rest = Math.floor(value);
    index > 0;
    index--, rest = Math.floor(rest / 256)
  ) {
    block[field.start + index] = rest % 256;
  }
  block[field.start] = 0x80;
}

function headerBlock(member: TarMember, letter: string): Uint8Array {
  const block = new Uint8Array(BLOCK_LENGTH);
  put(block, NAME, encoder.encode(member.name));
  putNumber(block, MODE, member.mode);
  putNumber(block, UID, member.uid);
  putNumber(block, GID, member.gid);
  putNumber(block, SIZE, member.size);
  putNumber(block, TIME, member.modifiedAt / 1000);
  block[LETTER] = letter.charCodeAt(0);
  put(block, TARGET, encoder.encode(member.target));
  put(block, MAGIC, encoder.encode(GNU_MAGIC));
  put(block, USER, encoder.encode(member.userName));
  put(block, GROUP, encoder.encode(member.groupName));
  put(block, CHECKSUM, encoder.encode(`${checksumOf(block).toString(8).padStart(6, "0")}\0 `));
  return block;
}

/** A member that holds a long name of the next one. */
function longNameBlocks(letter: "L" | "K", text: string): Uint8Array {
  const bytes = encoder.encode(`${text}\0`);
  const header = headerBlock(
    {
      name: "././@LongLink",
      type: "other",
      mode: 0o644,
      uid: 0,
      gid: 0,
      userName: "root",
      groupName: "root",
      size: bytes.length,
      modifiedAt: 0,
      target: "",
    },
    letter,
  );
  const blocks = new Uint8Array(BLOCK_LENGTH + bytes.length + paddingOf(bytes.length));
  blocks.set(header);
  blocks.set(bytes, BLOCK_LENGTH);
  return blocks;
}

/** How many zeros follow so many bytes, up to the end of their block. */
export function paddingOf(length: number): number {
  return (BLOCK_LENGTH - (length % BLOCK_LENGTH)) % BLOCK_LENGTH;
}

/** The blocks that stand before a member's content. */
export function writeHeader(member: TarMember): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  if (encoder.encode(member.target).length > TARGET.length) blocks.push(longNameBlocks("K", member.target));
  if (encoder.encode(member.name).length > NAME.length) blocks.push(longNameBlocks("L", member.name));
  blocks.push(headerBlock(member, LETTERS[member.type]));
  return blocks;
}
