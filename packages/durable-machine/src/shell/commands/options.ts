/** The command line is not as the command wants it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Whether the message is followed by where help is to be had. */
  readonly hasHint: boolean;
  /** Where it is not the command's usual one for this. */
  readonly exitCode: number | undefined;

  constructor(message: string, options: { hint?: boolean; exitCode?: number } = {}) {
    super(message);
    this.hasHint = options.hint ?? true;
    this.exitCode = options.exitCode;
  }
}

/**
 * An option: `"a,all"` has a letter and a long name, `"a"` and `",all"` one of them; `=` at the end says that it takes
 * a value, `=?` that it may have one. The rest of the code knows it by its first name.
 */
export type OptionPattern = string;

interface OptionDefinition {
  key: string;
  letter: string;
  long: string;
  value: "none" | "required" | "optional";
}

function readPattern(pattern: OptionPattern): OptionDefinition {
  const [names = "", marks = ""] = pattern.split(/(?==)/);
  const [letter = "", long = ""] = names.split(",");
  const value = marks === "=" ? "required" : marks === "=?" ? "optional" : "none";
  return { key: letter || long, letter, long, value };
}

/** What a command line holds: its options in their order, and its operands. */
export class ParsedOptions {
  readonly given: readonly { key: string; value: string | undefined }[];
  readonly operands: readonly string[];

  constructor(given: { key: string; value: string | undefined }[], operands: string[]) {
    this.given = given;
    this.operands = operands;
  }

  /** Whether any of the options is given. */
  has(...keys: string[]): boolean {
    return this.given.some(({ key }) => keys.includes(key));
  }

  /** Which of the options is given last: of those that exclude each other it counts. */
  last(...keys: string[]): string | undefined {
    return this.given.findLast(({ key }) => keys.includes(key))?.key;
  }

  /** The value of an option, the last one where it is given several times. */
  value(key: string): string | undefined {
    return this.given.findLast((option) => option.key === key)?.value;
  }

  values(key: string): string[] {
    return this.given.flatMap((option) =>
      option.key === key && option.value !== undefined ? [option.value] : [],
    );
  }
}

function findLong(definitions: OptionDefinition[], name: string, word: string): OptionDefinition {
  const exact = definitions.find(({ long }) => long === name);
  if (exact) return exact;
  const candidates = definitions.filter(({ long }) => long !== "" && long.startsWith(name));
  const [first] = candidates;
  if (first === undefined) throw new UsageError(`unrecognized option '${word}'`);
  if (candidates.some(({ key }) => key !== first.key)) {
    const possibilities = candidates.map(({ long }) => ` '--${long}'`).join("");
    throw new UsageError(`option '${word}' is ambiguous; possibilities:${possibilities}`);
  }
  return first;
}

/**
 * Reads a command line as getopt_long(3) does: letters may be joined, long names cut short, `--` ends the options.
 *
 * @param options.operandsEndOptions what follows the first operand belongs to it, as with `xargs`.
 * @param options.keepsOrder operands stand among what is given too, without a key: where options between them matter.
 * @throws UsageError
 */
export function parseOptions(
  args: readonly string[],
  patterns: readonly OptionPattern[],
  options: { operandsEndOptions?: boolean; keepsOrder?: boolean } = {},
): ParsedOptions {
  const definitions = patterns.map(readPattern);
  const given: { key: string; value: string | undefined }[] = [];
  const operands: string[] = [];
  const rest = [...args];

  const readLong = (word: string): void => {
    const equals = word.indexOf("=");
    const name = word.slice(2, equals === -1 ? undefined : equals);
    const { key, long, value } = findLong(
      definitions,
      name,
      word.slice(0, equals === -1 ? undefined : equals),
    );
    const attached = equals === -1 ? undefined : word.slice(equals + 1);
    if (value === "none" && attached !== undefined) {
      throw new UsageError(`option '--${long}' doesn't allow an argument`);
    }
    const taken = value === "required" && attached === undefined ? rest.shift() : attached;
    if (value === "required" && taken === undefined) {
      throw new UsageError(`option '--${long}' requires an argument`);
    }
    given.push({ key, value: taken });
  };

  const readLetters = (word: string): void => {
    for (let index = 1; index < word.length; index++) {
      const letter = word.charAt(index);
      const definition = definitions.find((candidate) => candidate.letter === letter);
      if (definition === undefined) throw new UsageError(`invalid option -- '${letter}'`);
      if (definition.value === "none") {
        given.push({ key: definition.key, value: undefined });
        continue;
      }
      const attached = word.slice(index + 1);
      const value = attached === "" && definition.value === "required" ? rest.shift() : attached || undefined;
      if (definition.value === "required" && value === undefined) {
        throw new UsageError(`option requires an argument -- '${letter}'`);
      }
      given.push({ key: definition.key, value });
      return;
    }
  };

  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      operands.push(...rest);
      if (options.keepsOrder) given.push(...rest.map((value) => ({ key: "", value })));
      break;
    }
    if (word.startsWith("--")) readLong(word);
    else if (word.startsWith("-") && word !== "-") readLetters(word);
    else if (options.operandsEndOptions) {
      operands.push(word, ...rest);
      break;
    } else {
      operands.push(word);
      if (options.keepsOrder) given.push({ key: "", value: word });
    }
  }
  return new ParsedOptions(given, operands);
}
