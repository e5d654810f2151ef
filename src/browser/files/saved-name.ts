/** Longest name that Chrome saves a file under while it adds an ending of its own. */
const MAX_SAVED_NAME_LENGTH = 200;

/**
 * Whether Chrome saves a file under this very name, whatever the locale that it runs in: it takes no others than
 * those of plain letters, and puts other characters in the place of some.
 */
export function isSavedAsNamed(name: string): boolean {
  return name.length <= MAX_SAVED_NAME_LENGTH && /^[\w(-][\w !#$%&'()+,.;=@[\]^{}~-]*(?<![. ])$/.test(name);
}

/** A name for a file that Chrome saves it under, of the same type. */
export function toSavedName(name: string): string {
  const ending = /\.[a-z0-9]{1,16}$/i.exec(name)?.[0] ?? "";
  return isSavedAsNamed(name) ? name : `file${ending}`;
}
