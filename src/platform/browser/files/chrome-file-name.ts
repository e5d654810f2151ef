const MAX_SAVED_NAME_LENGTH = 200;

/** Whether Chrome saves a file under exactly this name in any locale. It replaces other characters. */
export function keepsFileName(name: string): boolean {
  return name.length <= MAX_SAVED_NAME_LENGTH && /^[\w(-][\w !#$%&'()+,.;=@[\]^{}~-]*(?<![. ])$/.test(name);
}

export function toSavedName(name: string): string {
  const ending = /\.[a-z0-9]{1,16}$/i.exec(name)?.[0] ?? "";
  return keepsFileName(name) ? name : `file${ending}`;
}
