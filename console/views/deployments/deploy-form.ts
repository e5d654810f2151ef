export interface Variable {
  name: string;
  value: string;
}

export interface Deploy {
  file: File | undefined;
  entrypoint: string;
  /** Empty: latest. */
  version: string;
  force: boolean;
  variables: readonly Variable[];
}

/** The fields of the API. Variables without name and value are left out. */
export function toForm({ file, entrypoint, version, force, variables }: Deploy): FormData {
  const form = new FormData();
  form.set("entrypoint_rel_path", entrypoint.trim());
  form.set("version", version.trim());
  form.set("force", String(force));
  for (const { name, value } of variables) {
    if (name !== "" || value !== "") form.append(`env_vars[${name.trim()}]`, value);
  }
  if (file !== undefined) form.set("file", file);
  return form;
}
