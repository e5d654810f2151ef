import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { APIError, api, read } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FileField } from "../../ui/file-field.tsx";
import { Checkbox, Form, TextField } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { showToast } from "../../ui/toast.tsx";
import { fetchWithProgress } from "../../ui/upload.ts";
import { type Deploy, toForm, type Variable } from "./deploy-form.ts";

const MAX_ZIP_BYTES = 20 * 1024 * 1024;

const NEW: Deploy = { file: undefined, entrypoint: "index.ts", version: "", force: false, variables: [] };

/** Uploads a zip and shows its deployment. Closing it stops the upload. */
export function DeployDialog({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const [deploy, setDeploy] = useState(NEW);
  const [sent, setSent] = useState<number>();
  const controller = useMemo(() => new AbortController(), []);
  useEffect(() => () => controller.abort(), []);
  const change = (part: Partial<Deploy>) => setDeploy((before) => ({ ...before, ...part }));
  const submit = async () => {
    if ((deploy.file?.size ?? 0) > MAX_ZIP_BYTES) {
      const problem = "may have at most 20 MiB";
      throw new APIError(0, "payload_too_large", `file: ${problem}`, { file: problem });
    }
    try {
      const { id } = await read(
        api.POST("/deployments", {
          body: { file: "", entrypoint_rel_path: deploy.entrypoint },
          bodySerializer: () => toForm(deploy),
          fetch: fetchWithProgress(setSent, controller.signal),
        }),
      );
      showToast("The zip was uploaded. Its deployment has begun.");
      route(`/console/deployments/${id}`);
    } finally {
      setSent(undefined);
    }
  };
  return (
    <Dialog title="Deploy an app" onClose={onClose}>
      <Form submit={submit} label="Deploy">
        <FileField
          label="Zip of the app's folder"
          name="file"
          accept=".zip,application/zip"
          hint="At most 20 MiB. Packages are installed according to its package.json."
          file={deploy.file}
          onChange={(file) => change({ file })}
        />
        <TextField
          label="Entry point"
          name="entrypoint_rel_path"
          hint="Path of a TypeScript or JavaScript file in the zip."
          value={deploy.entrypoint}
          onChange={(entrypoint) => change({ entrypoint })}
        />
        <TextField
          label="Version"
          name="version"
          placeholder="latest"
          hint="The label under which the app is invoked. Empty: latest."
          value={deploy.version}
          onChange={(version) => change({ version })}
        />
        <Checkbox
          label="Replace an app of the same version"
          hint="The version “latest” is always replaced."
          value={deploy.force}
          onChange={(force) => change({ force })}
        />
        <Variables variables={deploy.variables} onChange={(variables) => change({ variables })} />
        {sent !== undefined && (
          <p class="form-actions">
            <progress aria-label="Upload" value={sent} />
            {sent < 1 ? `Uploading, ${Math.floor(sent * 100)} %` : "The service checks the zip…"}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

interface VariablesProps {
  variables: readonly Variable[];
  onChange: (variables: Variable[]) => void;
}

function Variables({ variables, onChange }: VariablesProps) {
  const change = (at: number, part: Partial<Variable>) =>
    onChange(variables.map((variable, index) => (index === at ? { ...variable, ...part } : variable)));
  return (
    <fieldset>
      <legend>Environment variables</legend>
      <p class="hint">They are stored encrypted. Later only their names are shown.</p>
      {variables.map(({ name, value }, index) => (
        <div key={index} class="variable">
          <TextField
            label="Name"
            name={`env_vars[${name}]`}
            value={name}
            onChange={(name) => change(index, { name })}
          />
          <TextField
            label="Value"
            type="password"
            autoComplete="new-password"
            value={value}
            onChange={(value) => change(index, { value })}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove the variable ${name || index + 1}`}
            onClick={() => onChange(variables.filter((_, other) => other !== index))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...variables, { name: "", value: "" }])}>Add a variable</Button>
      </div>
    </fieldset>
  );
}
